// The queue of webhook and callback deliveries. Its key is the endpoint: each endpoint has its own room, so a slow one delays no other.
// A callback waits until every earlier callback of its payment was tried once. Results of concurrent attempts are recorded in batches.
import type { Core } from '../core.ts';
import type { EventListener } from '../database/db.ts';
import type { DescribeEvents } from '../events/view.ts';
import type { Job, Watcher, Queue } from '../jobs/engine.ts';
import { noteInSpan } from '../metrics/span.ts';
import { isNews, openRecorder, type Recorder } from './record.ts';
import { cancelForRemoved, claimDeliveries, findDueEndpoints, PER_ENDPOINT, type ClaimedDelivery } from './claim.ts';
import { bodyOf, loadEvents, makeMessage, type EventBody } from './message.ts';
import { sendMessage, type Result, type Targets } from './send.ts';

export type Deliveries = EventListener & {
  /** Wakes for an endpoint's id, or for a merchant's id: all its endpoints. */
  queue: Queue;
  /** Finds deliveries that came due and leases that dead nodes left. */
  watch: Watcher;
};

export type DeliveryDeps = { core: Core; targets: Targets; describe: DescribeEvents };

const NAME = 'deliveries';
/** Two hundred and fifty calls at once keep both sides busy; two thousand are what a node bears. */
const LIMITS = { perKey: PER_ENDPOINT, target: 256, max: 2_000 };

/** Wakes the queue: deliveries of a merchant were made due now. */
export function wakeDeliveries({ jobs }: Pick<Core, 'jobs'>, merchantId: string): void {
  jobs.wake(NAME, merchantId);
}

export function createDeliveries(deps: DeliveryDeps): Deliveries {
  const { core, describe } = deps;
  const recorder = openRecorder(core);
  return {
    queue: {
      name: NAME,
      limits: LIMITS,
      gatherMs: 0,
      async claim({ keys, busy, slotsPerKey }) {
        if (keys.length === 0) return { jobs: [] };
        const claims = await claimDeliveries(core, { keys, busy, slotsPerKey });
        const seqs = claims.flatMap(({ eventSeq }) => eventSeq ?? []);
        const events = await loadEvents(core, describe, seqs);
        return { jobs: claims.map((claimed) => jobOf(deps, recorder, claimed, events)) };
      },
    },
    hear({ merchantId, toWebhooks, toCallback }) {
      if (toWebhooks || toCallback) wakeDeliveries(core, merchantId);
    },
    async watch() {
      const endpointIds = await findDueEndpoints(core);
      if (endpointIds.length > 0) await cancelForRemoved(core, endpointIds);
      for (const id of endpointIds) core.jobs.wake(NAME, id);
    },
  };
}

function jobOf(deps: DeliveryDeps, recorder: Recorder, claimed: ClaimedDelivery, events: Map<number, EventBody>): Job {
  const { id, endpoint, type, number, eventSeq } = claimed;
  return {
    id,
    key: endpoint.id,
    async run(leave) {
      const result = await makeAttempt(deps, claimed, events);
      noteInSpan({ 'balcao.delivery': type, 'balcao.attempt': number, 'balcao.result': result.outcome });
      if (eventSeq !== null) noteInSpan({ 'balcao.event': eventSeq });
      // The slot is free while the result is recorded.
      leave();
      await recorder.record({ claimed, result });
      const isNewsOfEndpoint = isNews({ claimed, result }, recorder.failing);
      if (isNewsOfEndpoint) await recorder.settle({ claimed, result });
      // Later callbacks of the payment may wait for this first attempt, and an endpoint's circuit may have closed.
      if (isNewsOfEndpoint || isFirstOfPayment(claimed)) deps.core.jobs.wake(NAME, endpoint.id);
    },
  };
}

const isFirstOfPayment = ({ paymentId, number }: ClaimedDelivery) => paymentId !== null && number === 1;

/** A delivery that cannot be written is a failed attempt, not a lost one. */
async function makeAttempt(
  { core, targets }: DeliveryDeps,
  claimed: ClaimedDelivery,
  events: Map<number, EventBody>,
): Promise<Result> {
  try {
    const event = claimed.eventSeq === null ? undefined : events.get(claimed.eventSeq);
    const message = makeMessage(core, claimed, bodyOf(claimed, event));
    return await sendMessage(core.clock, targets, claimed.endpoint.kind, message);
  } catch (error) {
    core.log.error({ err: error, deliveryId: claimed.id }, 'a delivery could not be written');
    const startedAt = core.clock.now();
    const nothing = { status: null, answer: null, retryAfterMs: null, durationMs: 0 };
    return { ...nothing, outcome: 'connection', error: 'not sent', startedAt };
  }
}
