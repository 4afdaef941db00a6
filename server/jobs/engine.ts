// The one engine of jobs: claims by lease what is due, runs it side by side with room for every key, and sleeps until a commit or a
// moment wakes it.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { counts, secondsSince } from '../metrics/counts.ts';
import type { Db } from '../database/db.ts';
import { inSpan } from '../metrics/span.ts';

/** Where to look, and for how many jobs of each key. */
export type Look = {
  /** With news, or with room for more. */
  keys: string[];
  /** How many are under way already, by key. */
  busy: Map<string, number>;
  /** How many may be under way of one key. */
  room: number;
};

/** `nextAt`: when the first of those that were not due yet will be, where the queue knows. */
export type ClaimedJobs = { jobs: Job[]; nextAt?: Date | null };

export type Queue = {
  name: string;
  limits: Limits;
  /** What comes due within this is claimed together, in milliseconds: often enough, jobs do not pile up into a burst. */
  gatherMs: number;
  /** Claims what is due, by lease: no two nodes run the same job, and after a crash another node takes over. */
  claim(look: Look): Promise<ClaimedJobs>;
};

/** Looks for what no commit of this node tells of, each second, and wakes queues for it. */
export type LookOut = () => Promise<void>;

/** Jobs of other nodes, and those that came due earlier than planned, are found at the latest after this. */
export const POLL_MS = 1_000;

/** Runs jobs until the node stops; resolves when the last one is done. */
export async function runJobs(host: Host, queues: Queue[], lookOuts: LookOut[]): Promise<void> {
  const agendas = queues.map(({ name }) => host.jobs.agendaOf(name));
  const wakeAll = () => agendas.forEach((agenda) => agenda.wakeUp());
  host.stopping.addEventListener('abort', wakeAll, { once: true });
  await Promise.all([...queues.map((queue) => runQueue(host, queue)), ...lookOuts.map((look) => poll(host, look))]);
}

async function poll(host: Host, look: LookOut): Promise<void> {
  while (!host.stopping.aborted) {
    await look().catch((error: unknown) => host.log.warn({ err: error }, 'could not look for jobs that are due'));
    await host.clock.wait(POLL_MS, host.stopping);
  }
}

type Line = { host: Host; queue: Queue; agenda: Agenda; places: Places };

async function runQueue(host: Host, queue: Queue): Promise<void> {
  const { clock, stopping } = host;
  const agenda = host.jobs.agendaOf(queue.name);
  const places = createPlaces(queue.limits, agenda.busy);
  const line = { host, queue, agenda, places };
  while (!stopping.aborted) {
    await sleep(agenda, clock, stopping);
    await awaitRoom(places);
    if (stopping.aborted) break;
    if (host.isOnTime()) await claim(line);
    else await clock.wait(POLL_MS, stopping);
  }
  await Promise.all(places.running);
}

async function claim(line: Line): Promise<void> {
  const { host, queue, agenda, places } = line;
  const keys = takeKeys(agenda);
  const room = shareRoom(places, keys.length);
  // As they are now: while it is being claimed, places become free.
  const busy = new Map(places.busy);
  try {
    const { jobs, nextAt } = await queue.claim({ keys, busy, room });
    for (const job of jobs) start(line, job);
    const given = Map.groupBy(jobs, ({ key }) => key);
    for (const key of new Set([...keys, ...given.keys()])) {
      const taken = (busy.get(key) ?? 0) + (given.get(key)?.length ?? 0);
      noteCrowded(places, key, taken, room);
      // Those that left meanwhile told nobody.
      if ((places.busy.get(key) ?? 0) < taken && wantsMore(places, key)) noteKey(agenda, key);
    }
    if (nextAt) noteTime(agenda, new Date(Math.max(nextAt.getTime(), host.clock.now().getTime() + queue.gatherMs)));
  } catch (error) {
    host.log.warn({ err: error, queue: queue.name }, 'could not claim jobs that are due');
    await host.clock.wait(POLL_MS, host.stopping);
    for (const key of keys) noteKey(agenda, key);
  }
}

function start({ host, queue, agenda, places }: Line, { id, key, run }: Job): void {
  let hasPlace = true;
  const leave = () => {
    if (!hasPlace) return;
    hasPlace = false;
    leavePlace(places, key);
    if (wantsMore(places, key)) noteKey(agenda, key);
  };
  takePlace(places, key);
  const startedAt = performance.now();
  const count = (result: string) => counts.jobs.observe({ queue: queue.name, result }, secondsSince(startedAt));
  const running = inSpan({ name: `job ${queue.name}`, values: { 'balcao.job': id } }, () => run(leave))
    .then(() => count('done'))
    .catch((error: unknown) => {
      count('failed');
      host.log.error({ err: error, queue: queue.name, id }, 'a job failed; it comes back when its lease ends');
    })
    .finally(() => {
      leave();
      places.running.delete(running);
    });
  places.running.add(running);
}

/** A claimed job. */
export type Job = {
  id: string;
  /** Jobs of one key share its room. */
  key: string;
  /**
   * Does it, or says when it is due again. One that throws stays leased: it comes back when its lease ends.
   * @param leave gives its place to the next one before it ends, for instance while it is being recorded
   */
  run(leave: () => void): Promise<void>;
};

type Agenda = {
  /** Whose jobs there is news of: endpoints, merchants …; of a queue without keys `ALL`. */
  keys: Set<string>;
  /** When the next job is due, where that is soon. */
  at: Date | null;
  /** How many jobs have a place, by key. */
  busy: Map<string, number>;
  /** Ends the sleep, if there is one. */
  wakeUp(): void;
};

/** The one key of a queue that has no others. */
export const ALL = '';

/** A node's agendas, by the queues' names. */
export type Jobs = {
  /** Jobs were made due now: this node need not wait until somebody looks. */
  wake(queue: string, key?: string): void;
  /** The same at a time to come. */
  wakeAt(queue: string, at: Date): void;
  agendaOf(queue: string): Agenda;
};

/** A node, as far as its jobs are concerned. */
export type Host = Db & {
  clock: Clock;
  log: Logger;
  jobs: Jobs;
  stopping: AbortSignal;
  /** Nothing that is due is taken where it is false: by this node's clock anything might be. */
  isOnTime(): boolean;
};

export function createJobs(): Jobs {
  const agendas = new Map<string, Agenda>();
  const agendaOf = (queue: string) => {
    const agenda = agendas.get(queue) ?? {
      keys: new Set(),
      at: null,
      busy: new Map(),
      wakeUp() {},
    };
    agendas.set(queue, agenda);
    return agenda;
  };
  return {
    agendaOf,
    wake: (queue, key = ALL) => noteKey(agendaOf(queue), key),
    wakeAt: (queue, at) => noteTime(agendaOf(queue), at),
  };
}

function noteKey(agenda: Agenda, key: string): void {
  agenda.keys.add(key);
  agenda.wakeUp();
}

function noteTime(agenda: Agenda, at: Date): void {
  if (agenda.at && agenda.at <= at) return;
  agenda.at = at;
  agenda.wakeUp();
}

/** All keys that stand on it, which is empty then. */
function takeKeys({ keys }: Agenda): string[] {
  const all = [...keys];
  keys.clear();
  return all;
}

/** Until something stands on it, or its time has come; at once where the node stops. */
async function sleep(agenda: Agenda, clock: Clock, stopping: AbortSignal): Promise<void> {
  while (agenda.keys.size === 0 && !stopping.aborted) {
    const leftMs = agenda.at ? agenda.at.getTime() - clock.now().getTime() : null;
    if (leftMs !== null && leftMs <= 0) agenda.keys.add(ALL);
    else await waitFor(agenda, clock, leftMs);
  }
  if (agenda.keys.has(ALL)) agenda.at = null;
}

async function waitFor(agenda: Agenda, clock: Clock, ms: number | null): Promise<void> {
  const woken = new AbortController();
  const waking = new Promise<void>((resolve) => {
    agenda.wakeUp = resolve;
  });
  await (ms === null ? waking : Promise.race([waking, clock.wait(ms, woken.signal)]));
  woken.abort();
}

type Limits = {
  /** Jobs of one key under way. */
  perKey: number;
  /** So many at once keep both sides busy: beyond it keys share what there is; default: no such number. */
  atEase?: number;
  /** Jobs under way at most, whatever the number of keys; those count that are being recorded, and have no place any more. */
  atOnce: number;
};

/** However many other keys there are, and however slow they are: one slow job does not hold up all others of its key. */
const LEAST_ROOM = 4;

type Places = {
  limits: Limits;
  /** Jobs until they are recorded: longer than they have a place. */
  running: Set<Promise<void>>;
  /** How many have a place, by key. */
  busy: Map<string, number>;
  /** Keys that got all they had room for: there may be more. */
  crowded: Set<string>;
};

function createPlaces(limits: Limits, busy: Map<string, number>): Places {
  return { limits, running: new Set(), busy, crowded: new Set() };
}

function takePlace({ busy }: Places, key: string): void {
  busy.set(key, (busy.get(key) ?? 0) + 1);
}

function leavePlace({ busy }: Places, key: string): void {
  const left = (busy.get(key) ?? 0) - 1;
  if (left > 0) busy.set(key, left);
  else busy.delete(key);
}

/** Whether a key may have more jobs than it was given, and by now the room for them. */
function wantsMore({ busy, crowded, limits }: Places, key: string): boolean {
  return crowded.has(key) && (busy.get(key) ?? 0) <= limits.perKey / 2;
}

/** How many may be under way of one key now, where up to so many share what there is. */
function shareRoom({ running, limits: { perKey, atEase = Infinity } }: Places, sharers: number): number {
  const share = Math.floor((atEase - running.size) / sharers);
  return Math.min(perKey, Math.max(LEAST_ROOM, share));
}

/** @param taken how many of the key were under way, with those that it was given of this room */
function noteCrowded({ crowded }: Places, key: string, taken: number, room: number): void {
  if (taken >= room) crowded.add(key);
  else crowded.delete(key);
}

/** Until there is room for any job at all. */
async function awaitRoom({ running, limits }: Places): Promise<void> {
  while (running.size >= limits.atOnce) await Promise.race(running);
}
