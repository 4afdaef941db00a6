// The queue of webhook and callback deliveries: claims due deliveries, sends them and records the results.
//
// The key of the queue is the endpoint, so a slow endpoint delays no other endpoint.
// An endpoint has two modes:
// - Closed circuit: up to PER_ENDPOINT attempts of this node run concurrently.
// - Open circuit: the endpoint keeps failing, and one probe at a time tries it (record.ts, schedule.ts).
//
// Order: a callback waits until each earlier callback of its payment was tried once.
// It does not wait for success. A merchant that rejects one callback still receives the later ones in time.
//
// Trade-off: the results of concurrent attempts are stored in batches, so an attempt ends before its result is stored.
// If the node dies in between, the lease ends and another node sends the delivery again. Receivers must expect repeats.
import type { Core } from '../core.ts';
import type { EventListener } from '../database/db.ts';
import type { DescribeEvents } from '../events/view.ts';
import type { Job, Watcher, Queue } from '../jobs/engine.ts';
import { annotateSpan } from '../metrics/span.ts';
import { changesHealth, openRecorder, type Recorder } from './record.ts';
import { skipForRemoved, claimDeliveries, findDueEndpoints, PER_ENDPOINT, type ClaimedDelivery } from './claim.ts';
import { bodyOf, loadEvents, makeMessage, type EventBody } from './message.ts';
import { sendMessage, type Result, type Targets } from './send.ts';

export type Deliveries = EventListener & {
  /** The queue, whose keys are endpoint ids. A merchant id wakes all endpoints of the merchant. */
  queue: Queue;
  /** Finds deliveries that became due, and deliveries whose lease ended because their node died. */
  watch: Watcher;
};

export type DeliveryDeps = { core: Core; targets: Targets; describe: DescribeEvents };

const NAME = 'deliveries';
/** The slots of a node. About 250 concurrent calls use a node and its database well, and 2,000 are the maximum. */
const LIMITS = { perKey: PER_ENDPOINT, target: 256, max: 2_000 };

/** Wakes the queue for a merchant whose deliveries are due now. */
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
    onEvents({ merchantId, toWebhooks, toCallback }) {
      if (toWebhooks || toCallback) wakeDeliveries(core, merchantId);
    },
    async watch() {
      const endpointIds = await findDueEndpoints(core);
      if (endpointIds.length > 0) await skipForRemoved(core, endpointIds);
      for (const id of endpointIds) core.jobs.wake(NAME, id);
    },
  };
}

function jobOf(deps: DeliveryDeps, recorder: Recorder, claimed: ClaimedDelivery, events: Map<number, EventBody>): Job {
  const { id, endpoint, type, number, eventSeq } = claimed;
  return {
    id,
    key: endpoint.id,
    async run(freeSlot) {
      const result = await makeAttempt(deps, claimed, events);
      annotateSpan({ 'balcao.delivery': type, 'balcao.attempt': number, 'balcao.result': result.outcome });
      if (eventSeq !== null) annotateSpan({ 'balcao.event': eventSeq });
      // The next attempt may use the slot while this result is recorded.
      freeSlot();
      await recorder.record({ claimed, result });
      const isHealthChange = changesHealth({ claimed, result }, recorder.failing);
      if (isHealthChange) await recorder.updateHealth({ claimed, result });
      // Later callbacks of the payment may wait for this first attempt, and the endpoint's circuit may have closed.
      if (isHealthChange || isFirstOfPayment(claimed)) deps.core.jobs.wake(NAME, endpoint.id);
    },
  };
}

const isFirstOfPayment = ({ paymentId, number }: ClaimedDelivery) => paymentId !== null && number === 1;

/** Makes one attempt. If the message cannot be built, the attempt fails and the delivery is tried again. */
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
    core.log.error({ err: error, deliveryId: claimed.id }, 'could not build delivery');
    const startedAt = core.clock.now();
    const nothing = { status: null, answer: null, retryAfterMs: null, durationMs: 0 };
    return { ...nothing, outcome: 'connection', error: 'not sent', startedAt };
  }
}
