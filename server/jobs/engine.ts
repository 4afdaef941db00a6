// The job engine: claims due jobs by lease and runs them concurrently until the node stops.
//
// Two kinds of queues:
// - Plain: every job has the key `ALL_JOBS`. Examples are the due rows of most tables (due.ts).
// - Keyed: each job belongs to a key, for instance an endpoint or a rail account. Each key has its own slots.
//
// A queue sleeps until one of three things makes it claim:
// - Wake: a commit of this node made jobs of a key due (`Jobs.wake`).
// - Time: the next known job becomes due (`Jobs.wakeAt`, `ClaimedJobs.nextAt`).
// - Watch: a watcher polls the database each second. It finds jobs of other nodes and jobs whose lease ended.
//
// Trade-off: a claim is a short statement that writes a lease, and no transaction is open while a job runs.
// A slow rail or merchant therefore holds no database connection, and no two nodes run the same job at a time.
// The price is a delay: after a crash, a job waits until its lease ends.
// A job that outlives its lease may run twice, so each queue checks its lease again when it records a result.
//
// Slots: a key may have `perKey` jobs running, and fewer when many keys share the `target` of the queue.
// A job frees its slot before it records its result. Jobs that record still count towards `max`.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { counts, secondsSince } from '../metrics/counts.ts';
import type { Db } from '../database/db.ts';
import { inSpan } from '../metrics/span.ts';

/** The input of one claim by a queue. */
export type ClaimRequest = {
  /** Keys with newly due jobs, or with free slots for jobs that an earlier claim left. */
  keys: string[];
  /** The number of occupied slots of each key. */
  busy: Map<string, number>;
  /** The most slots that one key may occupy, including slots that are occupied already. */
  slotsPerKey: number;
};

/** The result of one claim. `nextAt`: when the next job becomes due; null or absent if the queue does not know. */
export type ClaimedJobs = { jobs: Job[]; nextAt?: Date | null };

export type Queue = {
  name: string;
  limits: Limits;
  /** The shortest wait before a claim at `nextAt`, in milliseconds. Jobs that become due within it share the claim. */
  gatherMs: number;
  /** Claims due jobs by lease: no two nodes run the same job, and after a crash another node takes over. */
  claim(request: ClaimRequest): Promise<ClaimedJobs>;
};

/** Polls the database each second for due jobs that no commit of this node announced, and wakes their queues. */
export type Watcher = () => Promise<void>;

/** The pause between two polls: the longest delay of jobs that another node made due. */
export const POLL_MS = 1_000;

/** Runs jobs until the node stops. Resolves when the last job has ended. */
export async function runJobs(host: Host, queues: Queue[], watchers: Watcher[]): Promise<void> {
  const states = queues.map(({ name }) => host.jobs.stateOf(name));
  const wakeAll = () => states.forEach((state) => state.wakeUp());
  host.stopping.addEventListener('abort', wakeAll, { once: true });
  await Promise.all([...queues.map((queue) => runQueue(host, queue)), ...watchers.map((watch) => poll(host, watch))]);
}

async function poll(host: Host, watch: Watcher): Promise<void> {
  while (!host.stopping.aborted) {
    await watch().catch((error: unknown) => host.log.warn({ err: error }, 'could not query due jobs'));
    await host.clock.wait(POLL_MS, host.stopping);
  }
}

type RunningQueue = { host: Host; queue: Queue; state: QueueState; slots: Slots };

async function runQueue(host: Host, queue: Queue): Promise<void> {
  const { clock, stopping } = host;
  const state = host.jobs.stateOf(queue.name);
  const slots = createSlots(queue.limits, state.busy);
  const running = { host, queue, state, slots };
  while (!stopping.aborted) {
    await sleep(state, clock, stopping);
    await awaitCapacity(slots);
    if (stopping.aborted) break;
    if (host.isClockCorrect()) await claim(running);
    else await clock.wait(POLL_MS, stopping);
  }
  await Promise.all(slots.running);
}

async function claim(running: RunningQueue): Promise<void> {
  const { host, queue, state, slots } = running;
  const keys = takeDueKeys(state);
  const slotsPerKey = slotsForEachKey(slots, keys.length);
  // The claim gets a copy of the occupied slots, because jobs free their slots while the claim runs.
  const busy = new Map(slots.busy);
  try {
    const { jobs, nextAt } = await queue.claim({ keys, busy, slotsPerKey });
    for (const job of jobs) start(running, job);
    const claimed = Map.groupBy(jobs, ({ key }) => key);
    for (const key of new Set([...keys, ...claimed.keys()])) {
      const occupied = (busy.get(key) ?? 0) + (claimed.get(key)?.length ?? 0);
      markSaturated(slots, key, occupied, slotsPerKey);
      // A job that ended during the claim could not see that its key was saturated, so it did not mark the key due.
      if ((slots.busy.get(key) ?? 0) < occupied && wantsMore(slots, key)) markDue(state, key);
    }
    if (nextAt) markDueAt(state, new Date(Math.max(nextAt.getTime(), host.clock.now().getTime() + queue.gatherMs)));
  } catch (error) {
    host.log.warn({ err: error, queue: queue.name }, 'could not claim due jobs');
    await host.clock.wait(POLL_MS, host.stopping);
    for (const key of keys) markDue(state, key);
  }
}

function start({ host, queue, state, slots }: RunningQueue, { id, key, run }: Job): void {
  let hasSlot = true;
  const freeSlot = () => {
    if (!hasSlot) return;
    hasSlot = false;
    releaseSlot(slots, key);
    if (wantsMore(slots, key)) markDue(state, key);
  };
  occupySlot(slots, key);
  const startedAt = performance.now();
  const count = (result: string) => counts.jobs.observe({ queue: queue.name, result }, secondsSince(startedAt));
  const running = inSpan({ name: `job ${queue.name}`, values: { 'balcao.job': id } }, () => run(freeSlot))
    .then(() => count('done'))
    .catch((error: unknown) => {
      count('failed');
      host.log.error({ err: error, queue: queue.name, id }, 'job failed; retry after lease');
    })
    .finally(() => {
      freeSlot();
      slots.running.delete(running);
    });
  slots.running.add(running);
}

/** A claimed job of a queue. */
export type Job = {
  id: string;
  /** The key of the job. Jobs with the same key share its slots. */
  key: string;
  /**
   * Runs the job, or reschedules it. A job that throws keeps its lease, and is claimed again when the lease ends.
   * @param freeSlot frees the job's slot before the job ends, for example while the job records its result
   */
  run(freeSlot: () => void): Promise<void>;
};

/** The state of one queue on this node. */
type QueueState = {
  /** The keys to claim for: endpoint ids, merchant ids or rail accounts. `ALL_JOBS` means every job of the queue. */
  dueKeys: Set<string>;
  /** The time at which the next job becomes due. Null if the queue expects no job before the next poll. */
  nextDueAt: Date | null;
  /** The number of occupied slots of each key. */
  busy: Map<string, number>;
  /** Ends the queue's sleep. Does nothing while the queue is awake. */
  wakeUp(): void;
};

/** The only key of a plain queue. */
export const ALL_JOBS = '';

/** The queues of a node, by name. */
export type Jobs = {
  /** Marks jobs of the key as due now, so that the queue claims without waiting for the next poll. */
  wake(queue: string, key?: string): void;
  /** Sets the time at which jobs of the queue become due. */
  wakeAt(queue: string, at: Date): void;
  stateOf(queue: string): QueueState;
};

/** The parts of a node that the job engine uses. */
export type Host = Db & {
  clock: Clock;
  log: Logger;
  jobs: Jobs;
  stopping: AbortSignal;
  /** False while this node's clock differs too much from the database's clock. Then the node claims no jobs. */
  isClockCorrect(): boolean;
};

export function createJobs(): Jobs {
  const states = new Map<string, QueueState>();
  const stateOf = (queue: string) => {
    const state = states.get(queue) ?? {
      dueKeys: new Set(),
      nextDueAt: null,
      busy: new Map(),
      wakeUp() {},
    };
    states.set(queue, state);
    return state;
  };
  return {
    stateOf,
    wake: (queue, key = ALL_JOBS) => markDue(stateOf(queue), key),
    wakeAt: (queue, at) => markDueAt(stateOf(queue), at),
  };
}

function markDue(state: QueueState, key: string): void {
  state.dueKeys.add(key);
  state.wakeUp();
}

function markDueAt(state: QueueState, at: Date): void {
  if (state.nextDueAt && state.nextDueAt <= at) return;
  state.nextDueAt = at;
  state.wakeUp();
}

/** Returns all due keys of a queue, and clears them. */
function takeDueKeys({ dueKeys }: QueueState): string[] {
  const keys = [...dueKeys];
  dueKeys.clear();
  return keys;
}

/** Resolves when a key is due, or when the node stops. At `nextDueAt`, all keys are due. */
async function sleep(state: QueueState, clock: Clock, stopping: AbortSignal): Promise<void> {
  while (state.dueKeys.size === 0 && !stopping.aborted) {
    const leftMs = state.nextDueAt ? state.nextDueAt.getTime() - clock.now().getTime() : null;
    if (leftMs !== null && leftMs <= 0) state.dueKeys.add(ALL_JOBS);
    else await waitFor(state, clock, leftMs);
  }
  if (state.dueKeys.has(ALL_JOBS)) state.nextDueAt = null;
}

async function waitFor(state: QueueState, clock: Clock, ms: number | null): Promise<void> {
  const woken = new AbortController();
  const waking = new Promise<void>((resolve) => {
    state.wakeUp = resolve;
  });
  await (ms === null ? waking : Promise.race([waking, clock.wait(ms, woken.signal)]));
  woken.abort();
}

type Limits = {
  /** The most slots that one key may occupy. */
  perKey: number;
  /** The number of running jobs that uses a node well. Near it, keys share the free slots. Default: unlimited. */
  target?: number;
  /** The most running jobs of the queue, including jobs that freed their slot and record their result. */
  max: number;
};

/** The slots that each key keeps when many keys share the target, so that one slow job does not block its key. */
const MIN_SLOTS_PER_KEY = 4;

type Slots = {
  limits: Limits;
  /** The running jobs, including jobs that freed their slot and record their result. */
  running: Set<Promise<void>>;
  /** The number of occupied slots of each key. */
  busy: Map<string, number>;
  /** The keys whose last claim filled all their slots. More of their jobs may be due. */
  saturated: Set<string>;
};

function createSlots(limits: Limits, busy: Map<string, number>): Slots {
  return { limits, running: new Set(), busy, saturated: new Set() };
}

function occupySlot({ busy }: Slots, key: string): void {
  busy.set(key, (busy.get(key) ?? 0) + 1);
}

function releaseSlot({ busy }: Slots, key: string): void {
  const left = (busy.get(key) ?? 0) - 1;
  if (left > 0) busy.set(key, left);
  else busy.delete(key);
}

/** True if a saturated key has at least half of its slots free. Waiting for half makes fewer and larger claims. */
function wantsMore({ busy, saturated, limits }: Slots, key: string): boolean {
  return saturated.has(key) && (busy.get(key) ?? 0) <= limits.perKey / 2;
}

/** Returns the slots of each key in the next claim. The due keys share the free part of the target equally. */
function slotsForEachKey({ running, limits: { perKey, target = Infinity } }: Slots, keyCount: number): number {
  const share = Math.floor((target - running.size) / keyCount);
  return Math.min(perKey, Math.max(MIN_SLOTS_PER_KEY, share));
}

/** Marks or clears a key as saturated. @param occupied the key's slots after the claim */
function markSaturated({ saturated }: Slots, key: string, occupied: number, slotsPerKey: number): void {
  if (occupied >= slotsPerKey) saturated.add(key);
  else saturated.delete(key);
}

/** Resolves when the queue runs fewer jobs than its maximum. */
async function awaitCapacity({ running, limits }: Slots): Promise<void> {
  while (running.size >= limits.max) await Promise.race(running);
}
