// The engine: claims what is due, makes the calls side by side, records how they ended; woken by commits, not by polling alone.
import type { Core } from '../core.ts';
import { writeTogether } from '../database/together.ts';
import type { Sender } from '../events/outbox.ts';
import type { DescribeEvents } from '../events/view.ts';
import { isNews, settleCircuits, type Failing } from './circuit.ts';
import {
  claimDeliveries,
  findDueEndpoints,
  handBack,
  PER_ENDPOINT,
  readLeased,
  skipRemoved,
  type Claimed,
} from './claim.ts';
import { bodyOf, loadEvents, makeMessage, type Told } from './message.ts';
import { recordAttempts, type Ended, type Recorded } from './record.ts';
import { LEASE_MS } from './schedule.ts';
import { sendMessage, type Result } from './send.ts';
import type { Targets } from './targets.ts';

export type Engine = Sender & {
  /** A merchant has new deliveries, or some were made due: looked at now. */
  wake(merchantId: string): void;
  /** Until the node stops, and the attempts under way have ended. */
  run(): Promise<void>;
};

export type EngineDeps = { core: Core; targets: Targets; describe: DescribeEvents };

/** What came due meanwhile, and what dead nodes left, is found at the latest after this. */
const POLL_MS = 1_000;
/** So many at once keep both sides busy; beyond it endpoints share what there is. */
const AT_EASE = 256;
/** However many others hang: one slow call does not hold up a merchant's other payments. */
const LEAST_ROOM = 4;
/** Attempts under way on this node at most, whatever the number of endpoints. */
const MAX_AT_ONCE = 2_000;

export function createEngine({ core, targets, describe }: EngineDeps): Engine {
  const merchants = new Set<string>();
  const endpoints = new Set<string>();
  /** Attempts under way, by endpoint and by merchant. */
  const busy = new Map<string, number>();
  const busyFor = new Map<string, number>();
  const running = new Set<Promise<void>>();
  /** Endpoints that got all they had room for: there may be more. */
  const crowded = new Set<string>();
  const failing: Failing = new Set();
  let wakeUp: () => void = () => {};
  const record = writeTogether((ended: Ended[]) => recordEnded(core, ended), { statements: 1, rows: 256 });
  // Beside the recording: an endpoint whose row is held by somebody holds up nobody's record.
  const settle = writeTogether((ended: Ended[]) => settleEnded(core, ended, failing), { statements: 4, rows: 64 });

  const look = (endpointId: string) => {
    endpoints.add(endpointId);
    wakeUp();
  };

  async function attempt(claimed: Claimed, events: Map<number, Told>): Promise<void> {
    const { endpoint } = claimed;
    const result = await makeAttempt({ core, targets, describe }, claimed, events);
    takePlace(claimed, -1);
    // Its place is free while it is being recorded.
    if (crowded.has(endpoint.id) && (busy.get(endpoint.id) ?? 0) <= PER_ENDPOINT / 2) look(endpoint.id);
    const { hasMore } = await record({ claimed, result });
    if (hasMore) look(endpoint.id);
    if (!isNews({ claimed, result }, failing)) return;
    await settle({ claimed, result });
    look(endpoint.id);
  }

  async function claim(): Promise<void> {
    if (merchants.size + endpoints.size === 0) return;
    const share = Math.floor((AT_EASE - running.size) / (merchants.size + endpoints.size));
    const room = Math.min(PER_ENDPOINT, Math.max(LEAST_ROOM, share));
    const wanted = { merchantIds: [...merchants], endpointIds: [...endpoints], busy, room };
    merchants.clear();
    endpoints.clear();
    const claims = await claimDeliveries(core, wanted);
    noteCrowded(claims, room);
    await begin(claims);
  }

  const takePlace = ({ endpoint, merchantId }: Claimed, by: 1 | -1) => {
    count(busy, endpoint.id, by);
    count(busyFor, merchantId, by);
  };

  /** What was promised while others were being claimed may be more than there is room for: the rest is anybody's again. */
  async function begin(given: Claimed[]): Promise<void> {
    const claims: Claimed[] = [];
    const over: Claimed[] = [];
    for (const claimed of given) {
      const hasRoom = (busy.get(claimed.endpoint.id) ?? 0) < PER_ENDPOINT;
      (hasRoom ? claims : over).push(claimed);
      if (hasRoom) takePlace(claimed, 1);
      else crowded.add(claimed.endpoint.id);
    }
    const seqs = claims.flatMap(({ eventSeq }) => eventSeq ?? []);
    start(claims, await loadEvents(core, describe, seqs));
    await leaveToOthers(core, over);
  }

  function start(claims: Claimed[], events: Map<number, Told>): void {
    for (const claimed of claims) {
      const run = attempt(claimed, events)
        .catch((error: unknown) => {
          const { id } = claimed;
          core.log.error(
            { err: error, deliveryId: id },
            'an attempt could not be recorded; it is repeated after its lease',
          );
        })
        .finally(() => running.delete(run));
      running.add(run);
    }
  }

  function noteCrowded(claims: Claimed[], room: number): void {
    for (const [id, { length }] of Map.groupBy(claims, ({ endpoint }) => endpoint.id)) {
      if (length + (busy.get(id) ?? 0) >= room) crowded.add(id);
      else crowded.delete(id);
    }
  }

  async function poll(): Promise<void> {
    while (!core.stopping.aborted) {
      try {
        for (const id of await findDueEndpoints(core)) endpoints.add(id);
        if (endpoints.size > 0) await skipRemoved(core, [...endpoints]);
        wakeUp();
      } catch (error) {
        core.log.warn({ err: error }, 'could not look for deliveries that are due');
      }
      await core.clock.wait(POLL_MS, core.stopping);
    }
    wakeUp();
  }

  const sleep = () =>
    new Promise<void>((resolve) => {
      if (merchants.size + endpoints.size > 0 || core.stopping.aborted) resolve();
      else wakeUp = resolve;
    });

  const wake = (merchantId: string) => {
    merchants.add(merchantId);
    wakeUp();
  };

  return {
    wake,
    leaseUntil(merchantId) {
      const isFree = running.size < AT_EASE && (busyFor.get(merchantId) ?? 0) < PER_ENDPOINT / 2;
      return isFree && !core.stopping.aborted ? new Date(core.clock.now().getTime() + LEASE_MS) : null;
    },
    hear({ merchantId, due, leased }) {
      if (due) wake(merchantId);
      void begin(leased.map(readLeased));
    },
    async run() {
      const polling = poll();
      while (!core.stopping.aborted) {
        await sleep();
        while (running.size >= MAX_AT_ONCE) await Promise.race(running);
        if (core.stopping.aborted) break;
        await claim().catch((error: unknown) => {
          core.log.warn({ err: error }, 'could not claim deliveries');
          return core.clock.wait(POLL_MS, core.stopping);
        });
      }
      await Promise.all([polling, ...running]);
      targets.close();
    },
  };
}

function count(counts: Map<string, number>, id: string, by: 1 | -1): void {
  const now = (counts.get(id) ?? 0) + by;
  if (now > 0) counts.set(id, now);
  else counts.delete(id);
}

/** Not done: they come back when their lease ends. */
async function leaveToOthers(core: Core, claims: Claimed[]): Promise<void> {
  if (claims.length === 0) return;
  await handBack(core, claims).catch((error: unknown) => {
    core.log.warn({ err: error }, 'deliveries without room could not be given back');
  });
}

/** A delivery that cannot be written is a failed attempt, not a lost one. */
async function makeAttempt(
  { core, targets }: EngineDeps,
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

async function recordEnded(core: Core, ended: Ended[]): Promise<Recorded[]> {
  // Somebody replaying many at once may hold them in another order: the second run finds them free.
  const recorded = await recordAttempts(core, ended).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== '40P01') throw error;
    return recordAttempts(core, ended);
  });
  for (const { claimed } of ended) core.changes.tell(`delivery:${claimed.id}`);
  return recorded;
}

async function settleEnded(core: Core, ended: Ended[], failing: Failing): Promise<null[]> {
  await settleCircuits(core, ended, failing);
  return ended.map(() => null);
}
