// The queue of deliveries: claimed for whoever has news or room, called side by side, and recorded together as they end.
import type { Core } from '../core.ts';
import type { Db, EventListener } from '../database/db.ts';
import type { DescribeEvents } from '../events/view.ts';
import type { Job, LookOut, Queue } from '../jobs/engine.ts';
import { noteInSpan } from '../trace/span.ts';
import { isNews, openRecorder, type Recorder } from './record.ts';
import {
  claimDeliveries,
  claimTold,
  findDueEndpoints,
  releaseLeases,
  PER_ENDPOINT,
  cancelForRemoved,
  type ClaimedDelivery,
} from './claim.ts';
import { bodyOf, loadEvents, makeMessage, type EventBody } from './message.ts';
import { sendMessage, type Result, type Targets } from './send.ts';

export type Deliveries = Required<EventListener> & {
  /** Its keys are endpoints; it is woken for merchants too. */
  queue: Queue;
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

/** `claimedBy`: the money whose callback a transaction claimed. */
/** `isFar`: the next claim looks at all that is due, as one does each second. */
type Work = DeliveryDeps & { ledger: Recorder; underWay: UnderWay; claimedBy: WeakMap<Db, string>; isFar: boolean };

/** Nothing is told to a removed endpoint, not even what was claimed while it was being removed: that is Skipped. */
export function closeEndpoint({ jobs }: Pick<Core, 'jobs'>, endpointId: string): void {
  jobs.close(NAME, endpointId);
}

/** Deliveries of a merchant were made due now. */
export function wakeDeliveries({ jobs }: Pick<Core, 'jobs'>, merchantId: string): void {
  jobs.wake(NAME, merchantId);
}

export function createDeliveries(deps: DeliveryDeps): Deliveries {
  const { core, describe } = deps;
  const work: Work = {
    ...deps,
    ledger: openRecorder(core),
    underWay: new Map(),
    claimedBy: new WeakMap(),
    isFar: true,
  };
  return {
    queue: {
      name: NAME,
      limits: LIMITS,
      gatherMs: 0,
      async claim({ keys, busy, room }) {
        if (keys.length === 0) return { jobs: [] };
        const { isFar } = work;
        work.isFar = false;
        const claims = keepPlaced(core, await claimDeliveries(core, { keys, busy, room, isFar }));
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
    claim: (db, transactionId) => claimWithin(work, db, transactionId),
    async lookOut() {
      const endpointIds = await findDueEndpoints(core);
      if (endpointIds.length > 0) await cancelForRemoved(core, endpointIds);
      work.isFar = true;
      for (const id of endpointIds) core.jobs.wake(NAME, id);
    },
  };
}

/** Whether the callback of money goes out as soon as the transaction `db`, which the money comes by, is committed. */
async function claimWithin(work: Work, db: Db, transactionId: string): Promise<boolean> {
  const { core, claimedBy } = work;
  if (claimedBy.get(db) === transactionId) return true;
  if (core.stopping.aborted) return false;
  // Beyond half of its places an endpoint is given more in turn.
  const full = [...core.jobs.agendaOf(NAME).busy].flatMap(([id, busy]) => (busy < PER_ENDPOINT / 2 ? [] : [id]));
  const claimed = await claimTold(core, db, transactionId, full);
  if (!claimed) return false;
  claimedBy.set(db, transactionId);
  db.afterCommit?.(() => {
    if (keepPlaced(core, [claimed]).length === 0) return;
    beginFirst(work.underWay, claimed);
    core.jobs.begin(NAME, jobOf(work, claimed, new Map()));
  });
  return true;
}

/**
 * Both ways of claiming see endpoints and their places as they were when they began: what was removed meanwhile, or has no
 * place any more, is anybody's again.
 */
function keepPlaced(core: Core, claims: ClaimedDelivery[]): ClaimedDelivery[] {
  const { busy, closed } = core.jobs.agendaOf(NAME);
  const taken = new Map(busy);
  const over = claims.filter(({ endpoint: { id } }) => {
    taken.set(id, (taken.get(id) ?? 0) + 1);
    return closed.has(id) || (taken.get(id) ?? 0) > PER_ENDPOINT;
  });
  if (over.length === 0) return claims;
  // Not done: they come back when their lease ends.
  releaseLeases(core, over).catch((error: unknown) => {
    core.log.warn({ err: error }, 'deliveries without a place could not be given back');
  });
  return claims.filter((claimed) => !over.includes(claimed));
}

function jobOf(work: Work, claimed: ClaimedDelivery, events: Map<number, EventBody>): Job {
  const { core, ledger, underWay } = work;
  const { id, endpoint } = claimed;
  const wake = () => core.jobs.wake(NAME, endpoint.id);
  return {
    id,
    key: endpoint.id,
    async run(leave) {
      const result = await makeAttempt(work, claimed, events);
      const { type, number, eventSeq } = claimed;
      noteInSpan({ 'balcao.delivery': type, 'balcao.attempt': number, 'balcao.result': result.outcome });
      if (eventSeq !== null) noteInSpan({ 'balcao.event': eventSeq });
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

const isFirst = ({ kind, number }: ClaimedDelivery) => kind === 'callback' && number === 1;

function beginFirst(underWay: UnderWay, claimed: ClaimedDelivery): void {
  const { paymentId } = claimed;
  if (!paymentId || !isFirst(claimed)) return;
  const first = underWay.get(paymentId) ?? { count: 0, hasMore: false };
  first.count++;
  underWay.set(paymentId, first);
}

function endFirst(underWay: UnderWay, claimed: ClaimedDelivery, wake: () => void): void {
  const { paymentId } = claimed;
  const first = paymentId && isFirst(claimed) ? underWay.get(paymentId) : undefined;
  if (!first || !paymentId) return;
  if (first.hasMore) wake();
  if (--first.count === 0) underWay.delete(paymentId);
}

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
