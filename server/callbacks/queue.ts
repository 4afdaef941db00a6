// The queue of deliveries: claimed for whoever has news or room, called side by side, and recorded together as they end.
import type { Core } from '../core.ts';
import type { EventNews } from '../database/db.ts';
import type { DescribeEvents } from '../events/view.ts';
import type { Job, LookOut, Queue } from '../jobs/engine.ts';
import { isNews } from './circuit.ts';
import { claimDeliveries, findDueEndpoints, PER_ENDPOINT, skipRemoved, type Claimed } from './claim.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { bodyOf, loadEvents, makeMessage, type Told } from './message.ts';
import { sendMessage, type Result } from './send.ts';
import type { Targets } from './targets.ts';

export type Deliveries = {
  /** Its keys are endpoints; it is woken for merchants too. */
  queue: Queue;
  /** Told of every event that this node committed. */
  hear(news: EventNews): void;
  /** Finds what came due meanwhile, and what dead nodes left. */
  lookOut: LookOut;
};

export type DeliveryDeps = { core: Core; targets: Targets; describe: DescribeEvents };

const NAME = 'deliveries';
/** Two hundred and fifty calls at once keep both sides busy; two thousand are what a node bears. */
const LIMITS = { perKey: PER_ENDPOINT, atEase: 256, atOnce: 2_000 };

/**
 * First attempts under way on this node until they are recorded, by payment: later callbacks of it wait for them. `hasMore`: one
 * was committed meanwhile, perhaps too late for the record to see it.
 */
type UnderWay = Map<string, { count: number; hasMore: boolean }>;

type Work = DeliveryDeps & { ledger: Ledger; underWay: UnderWay };

/** Deliveries of a merchant were made due now. */
export function wakeDeliveries({ jobs }: Pick<Core, 'jobs'>, merchantId: string): void {
  jobs.wake(NAME, merchantId);
}

export function createDeliveries(deps: DeliveryDeps): Deliveries {
  const { core, describe } = deps;
  const work: Work = { ...deps, ledger: openLedger(core), underWay: new Map() };
  return {
    queue: {
      name: NAME,
      limits: LIMITS,
      gatherMs: 0,
      async claim({ keys, busy, room }) {
        const claims = keys.length === 0 ? [] : await claimDeliveries(core, { keys, busy, room });
        for (const claimed of claims) beginFirst(work.underWay, claimed);
        const events = await loadEvents(
          core,
          describe,
          claims.flatMap(({ eventSeq }) => eventSeq ?? []),
        );
        return { jobs: claims.map((claimed) => jobOf(work, claimed, events)) };
      },
    },
    hear({ merchantId, paymentId, toWebhooks, toCallback }) {
      // A callback behind another of its payment waits for that one's attempt, whose end looks for more.
      const first = paymentId ? work.underWay.get(paymentId) : undefined;
      if (first && toCallback) first.hasMore = true;
      if (toWebhooks || (toCallback && !first)) wakeDeliveries(core, merchantId);
    },
    async lookOut() {
      const endpointIds = await findDueEndpoints(core);
      if (endpointIds.length > 0) await skipRemoved(core, endpointIds);
      for (const id of endpointIds) core.jobs.wake(NAME, id);
    },
  };
}

function jobOf(work: Work, claimed: Claimed, events: Map<number, Told>): Job {
  const { core, ledger, underWay } = work;
  const { id, endpoint } = claimed;
  const wake = () => core.jobs.wake(NAME, endpoint.id);
  return {
    id,
    key: endpoint.id,
    async run(leave) {
      const result = await makeAttempt(work, claimed, events);
      // Its place is free while it is being recorded.
      leave();
      const { hasMore } = await ledger.record({ claimed, result }).finally(() => endFirst(underWay, claimed, wake));
      if (hasMore) wake();
      if (!isNews({ claimed, result }, ledger.failing)) return;
      await ledger.settle({ claimed, result });
      wake();
    },
  };
}

const isFirst = ({ kind, number }: Claimed) => kind === 'callback' && number === 1;

function beginFirst(underWay: UnderWay, claimed: Claimed): void {
  const { paymentId } = claimed;
  if (!paymentId || !isFirst(claimed)) return;
  const first = underWay.get(paymentId) ?? { count: 0, hasMore: false };
  first.count++;
  underWay.set(paymentId, first);
}

function endFirst(underWay: UnderWay, claimed: Claimed, wake: () => void): void {
  const { paymentId } = claimed;
  const first = paymentId && isFirst(claimed) ? underWay.get(paymentId) : undefined;
  if (!first || !paymentId) return;
  if (first.hasMore) wake();
  if (--first.count === 0) underWay.delete(paymentId);
}

/** A delivery that cannot be written is a failed attempt, not a lost one. */
async function makeAttempt(
  { core, targets }: DeliveryDeps,
  claimed: Claimed,
  events: Map<number, Told>,
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
