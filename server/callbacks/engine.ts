// The engine: claims what is due, makes the calls side by side, records how they ended; woken by commits, not by polling alone.
import type { Core } from '../core.ts';
import type { EventNews } from '../database/db.ts';
import type { DescribeEvents } from '../events/view.ts';
import { createAgenda, noteEndpoint, noteMerchant, sleep, takeAll, type Agenda } from './agenda.ts';
import { isNews } from './circuit.ts';
import { claimDeliveries, findDueEndpoints, handBack, skipRemoved, type Claimed } from './claim.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { bodyOf, loadEvents, makeMessage, type Told } from './message.ts';
import {
  awaitRoom,
  createPlaces,
  isUnderWay,
  leavePlace,
  noteCrowded,
  shareRoom,
  takePlace,
  wantsMore,
  type Places,
} from './places.ts';
import { sendMessage, type Result } from './send.ts';
import type { Targets } from './targets.ts';

export type Engine = {
  /** Told of every event that this node committed. */
  hear(news: EventNews): void;
  /** A merchant has new deliveries, or some were made due: looked at now. */
  wake(merchantId: string): void;
  /** Until the node stops, and the attempts under way have ended. */
  run(): Promise<void>;
};

export type EngineDeps = { core: Core; targets: Targets; describe: DescribeEvents };

/** What came due meanwhile, and what dead nodes left, is found at the latest after this. */
const POLL_MS = 1_000;

type Work = EngineDeps & { agenda: Agenda; places: Places; ledger: Ledger };

export function createEngine(deps: EngineDeps): Engine {
  const { core, targets } = deps;
  const [agenda, places] = [createAgenda(), createPlaces()];
  const work: Work = { ...deps, agenda, places, ledger: openLedger(core) };
  return {
    wake: (merchantId) => noteMerchant(agenda, merchantId),
    hear({ merchantId, paymentId, toWebhooks, toCallback }) {
      // A callback behind another of its payment waits for that one's attempt, whose end looks for more.
      if (toWebhooks || (toCallback && !isUnderWay(places, paymentId))) noteMerchant(agenda, merchantId);
    },
    async run() {
      const polling = poll(work);
      await claimWhenWoken(work);
      await Promise.all([polling, ...places.running]);
      targets.close();
    },
  };
}

async function poll({ core, agenda }: Work): Promise<void> {
  const { endpoints } = agenda;
  while (!core.stopping.aborted) {
    try {
      for (const id of await findDueEndpoints(core)) endpoints.add(id);
      if (endpoints.size > 0) await skipRemoved(core, [...endpoints]);
      agenda.wakeUp();
    } catch (error) {
      core.log.warn({ err: error }, 'could not look for deliveries that are due');
    }
    await core.clock.wait(POLL_MS, core.stopping);
  }
  agenda.wakeUp();
}

async function claimWhenWoken(work: Work): Promise<void> {
  const { core, agenda, places } = work;
  while (!core.stopping.aborted) {
    await sleep(agenda, core.stopping);
    await awaitRoom(places);
    if (core.stopping.aborted) break;
    await claim(work).catch((error: unknown) => {
      core.log.warn({ err: error }, 'could not claim deliveries');
      return core.clock.wait(POLL_MS, core.stopping);
    });
  }
}

async function claim(work: Work): Promise<void> {
  const { core, agenda, places } = work;
  const { merchantIds, endpointIds } = takeAll(agenda);
  const sharers = merchantIds.length + endpointIds.length;
  if (sharers === 0) return;
  const room = shareRoom(places, sharers);
  const claims = await claimDeliveries(core, { merchantIds, endpointIds, busy: places.busy, room });
  noteCrowded(places, claims, room);
  await begin(work, claims);
}

/** What was claimed may be more than there is room for by now: the rest is anybody's again. */
async function begin(work: Work, given: Claimed[]): Promise<void> {
  const { core, describe, places } = work;
  const claims: Claimed[] = [];
  const over: Claimed[] = [];
  for (const claimed of given) (takePlace(places, claimed) ? claims : over).push(claimed);
  const seqs = claims.flatMap(({ eventSeq }) => eventSeq ?? []);
  const events = await loadEvents(core, describe, seqs);
  for (const claimed of claims) start(work, claimed, events);
  await leaveToOthers(core, over);
}

function start(work: Work, claimed: Claimed, events: Map<number, Told>): void {
  const { running } = work.places;
  const run = attempt(work, claimed, events)
    .catch((error: unknown) => {
      const { id } = claimed;
      work.core.log.error(
        { err: error, deliveryId: id },
        'an attempt could not be recorded; it is repeated after its lease',
      );
    })
    .finally(() => running.delete(run));
  running.add(run);
}

async function attempt(work: Work, claimed: Claimed, events: Map<number, Told>): Promise<void> {
  const { agenda, places, ledger } = work;
  const { endpoint } = claimed;
  const result = await makeAttempt(work, claimed, events);
  // Its place is free while it is being recorded.
  leavePlace(places, claimed);
  if (wantsMore(places, endpoint.id)) noteEndpoint(agenda, endpoint.id);
  const { hasMore } = await ledger.record({ claimed, result });
  if (hasMore) noteEndpoint(agenda, endpoint.id);
  if (!isNews({ claimed, result }, ledger.failing)) return;
  await ledger.settle({ claimed, result });
  noteEndpoint(agenda, endpoint.id);
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

/** Not done: they come back when their lease ends. */
async function leaveToOthers(core: Core, claims: Claimed[]): Promise<void> {
  if (claims.length === 0) return;
  await handBack(core, claims).catch((error: unknown) => {
    core.log.warn({ err: error }, 'deliveries without room could not be given back');
  });
}
