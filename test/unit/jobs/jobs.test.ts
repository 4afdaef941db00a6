// The job engine with a queue in memory, without a database.
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ALL_JOBS,
  createJobs,
  runJobs,
  type ClaimedJobs,
  type Host,
  type Job,
  type ClaimRequest,
  type Queue,
} from '../../../server/jobs/engine.ts';
import { counts } from '../../../server/metrics/counts.ts';
import { testClock, type TestClock } from '../../support/clock.ts';

const NAME = 'letters';
const LIMITS = { perKey: 4, max: 100 };

type Running = { id: string; leave(): void; end(): void; fail(): void };

let clock: TestClock;
let host: Host;
let stopping: AbortController;
/** The calls of `claim`, oldest first. */
let claims: ClaimRequest[];
/** The due jobs by key. A claim takes them from the front. */
let due: Record<string, string[]>;
/** The running jobs. */
let running: Running[];
let answer: Partial<ClaimedJobs>;
let isDatabaseDown: boolean;
let isClockCorrect: boolean;
let stopped: Promise<void>;
let logged: string[];

beforeEach(() => {
  clock = testClock();
  stopping = new AbortController();
  logged = [];
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line).msg) });
  const known = { clock, log, jobs: createJobs(), stopping: stopping.signal, isClockCorrect: () => isClockCorrect };
  host = known as unknown as Host;
  [claims, due, running, answer, isDatabaseDown, isClockCorrect] = [[], {}, [], {}, false, true];
});
afterEach(async () => {
  stopping.abort();
  for (const { end } of running) end();
  await stopped;
});

function start(changes: Partial<Queue> = {}, watch: () => Promise<void> = async () => {}): void {
  const queue: Queue = { name: NAME, limits: LIMITS, gatherMs: 50, claim: claimDue, ...changes };
  stopped = runJobs(host, [queue], [watch]);
}

async function claimDue(request: ClaimRequest): Promise<ClaimedJobs> {
  claims.push(request);
  if (isDatabaseDown) throw new Error('the database is away');
  const jobs = request.keys.flatMap((key) => {
    const free = Math.max(0, request.slotsPerKey - (request.busy.get(key) ?? 0));
    return (due[key] ?? []).splice(0, free).map((id) => jobOf(id, key));
  });
  return { jobs, ...answer };
}

function jobOf(id: string, key: string): Job {
  return {
    id,
    key,
    run: (leave) =>
      new Promise<void>((resolve, reject) => {
        running.push({ id, leave, end: resolve, fail: () => reject(new Error('failed')) });
      }),
  };
}

/** Waits until every promise that does not need the clock has resolved. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
const started = () => running.map(({ id }) => id);
const many = (count: number) => Array.from({ length: count }, (_, nth) => `n${nth + 1}`);

describe('the job engine', () => {
  test('claims once for all keys that were woken', async () => {
    start();
    await settle();
    expect(claims).toEqual([]);
    due = { a: ['1'], b: ['2'] };
    host.jobs.wake(NAME, 'a');
    host.jobs.wake(NAME, 'b');
    host.jobs.wake(NAME, 'a');
    await settle();
    expect(claims.map(({ keys }) => keys)).toEqual([['a', 'b']]);
    expect(started()).toEqual(['1', '2']);
    running[0]?.end();
    await settle();
    expect(claims).toHaveLength(1);
    host.jobs.wake(NAME, 'a');
    await settle();
    expect(claims[1]?.busy).toEqual(new Map([['b', 1]]));
  });

  test('claims nothing while its clock is wrong, and all keys afterwards', async () => {
    isClockCorrect = false;
    start();
    host.jobs.wake(NAME, 'a');
    host.jobs.wake(NAME, 'b');
    await clock.advance(3_000);
    expect(claims).toEqual([]);
    isClockCorrect = true;
    await clock.advance(1_000);
    expect(claims.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  });

  test('claims jobs for a key that was woken before its start', async () => {
    host.jobs.wake(NAME);
    start();
    await settle();
    expect(claims).toHaveLength(1);
  });

  test('claims jobs at the time of wakeAt', async () => {
    start();
    host.jobs.wakeAt(NAME, new Date(clock.now().getTime() + 300));
    await clock.advance(299);
    expect(claims).toEqual([]);
    await clock.advance(1);
    expect(claims.map(({ keys }) => keys)).toEqual([[ALL_JOBS]]);
  });

  test('claims jobs at the earliest of several wakeAt times', async () => {
    start();
    for (const ms of [700, 300, 500]) host.jobs.wakeAt(NAME, new Date(clock.now().getTime() + ms));
    await clock.advance(200);
    expect(clock.waits().filter(({ ms }) => ms < 1_000)).toHaveLength(1);
    await clock.advance(100);
    expect(claims).toHaveLength(1);
  });

  test('claims jobs at the time of wakeAt, although another key was woken before', async () => {
    start();
    host.jobs.wakeAt(NAME, new Date(clock.now().getTime() + 300));
    host.jobs.wake(NAME, 'a');
    await clock.advance(300);
    expect(claims.map(({ keys }) => keys)).toEqual([['a'], [ALL_JOBS]]);
  });

  test('claims at the time of the next due job, and waits shortly for jobs that follow closely', async () => {
    start();
    answer = { nextAt: new Date(clock.now().getTime() + 1) };
    host.jobs.wake(NAME);
    await settle();
    answer = {};
    await clock.advance(49);
    expect(claims).toHaveLength(1);
    await clock.advance(1);
    expect(claims).toHaveLength(2);
  });

  test('calls its watchers each second, also after one has failed', async () => {
    let times = 0;
    start({}, async () => {
      times++;
      if (times === 2) throw new Error('the database is away');
      if (times === 3) host.jobs.wake(NAME, 'a');
    });
    await settle();
    expect(times).toBe(1);
    await clock.advance(1_000);
    await clock.advance(1_000);
    expect(times).toBe(3);
    expect(logged).toEqual(['could not query due jobs']);
    expect(claims.map(({ keys }) => keys)).toEqual([['a']]);
  });

  test('repeats a failed claim after a second', async () => {
    isDatabaseDown = true;
    start();
    host.jobs.wake(NAME, 'a');
    await settle();
    isDatabaseDown = false;
    due = { a: ['1'] };
    await clock.advance(999);
    expect(claims).toHaveLength(1);
    await clock.advance(1);
    expect(claims.map(({ keys }) => keys)).toEqual([['a'], ['a']]);
    expect(started()).toEqual(['1']);
    expect(logged).toEqual(['could not claim due jobs']);
  });
});

describe('the jobs of one key', () => {
  beforeEach(() => {
    due = { a: many(10) };
  });

  test('run up to the key’s limit, and the next claim happens when half of the slots are free', async () => {
    start();
    host.jobs.wake(NAME, 'a');
    await settle();
    expect(started()).toEqual(many(4));
    running[0]?.end();
    await settle();
    expect(started()).toEqual(many(4));
    running[1]?.end();
    await settle();
    expect(started()).toEqual(many(6));
  });

  test('free their slot only once if they leave it early', async () => {
    start();
    host.jobs.wake(NAME, 'a');
    await settle();
    for (const { leave } of running.slice(0, 2)) leave();
    await settle();
    expect(started()).toEqual(many(6));
    for (const { leave, end } of running.slice(0, 2)) {
      leave();
      end();
    }
    await settle();
    expect(started()).toEqual(many(6));
  });

  test('free their slot when they fail', async () => {
    start();
    host.jobs.wake(NAME, 'a');
    await settle();
    for (const { fail } of running.slice(0, 2)) fail();
    await settle();
    expect(started()).toEqual(many(6));
    expect(logged).toEqual(Array(2).fill('job failed; retry after lease'));
  });

  test('are claimed again if slots become free during a claim', async () => {
    let go: () => void = () => {};
    const slow = new Promise<void>((resolve) => (go = resolve));
    start({
      async claim(request) {
        const claimed = await claimDue(request);
        if (claims.length === 2) await slow;
        return claimed;
      },
    });
    host.jobs.wake(NAME, 'a');
    await settle();
    for (const { end } of running.slice(0, 2)) end();
    await settle();
    // The second claim runs, for two jobs, and the other two jobs end.
    for (const { end } of running.slice(2, 4)) end();
    await settle();
    go();
    await settle();
    expect(started()).toEqual(many(8));
  });

  test('are counted by result in the metrics', async () => {
    const read = async () =>
      (await counts.jobs.get()).values.filter(({ metricName }) => metricName?.endsWith('_count'));
    const countOf = async (result: string) =>
      (await read()).find(({ labels }) => labels.queue === NAME && labels.result === result)?.value ?? 0;
    const before = [await countOf('done'), await countOf('failed')] as const;
    start();
    host.jobs.wake(NAME, 'a');
    await settle();
    running[0]?.end();
    running[1]?.fail();
    await settle();
    expect([await countOf('done'), await countOf('failed')]).toEqual([before[0] + 1, before[1] + 1]);
  });

  test('are not claimed again after a claim that returned fewer jobs than free slots', async () => {
    due = { a: many(4) };
    start();
    host.jobs.wake(NAME, 'a');
    await settle();
    for (const { end } of running) end();
    await settle();
    due = { a: ['last'] };
    host.jobs.wake(NAME, 'a');
    await settle();
    const { length } = claims;
    running.at(-1)?.end();
    await settle();
    expect([started().at(-1), claims.length]).toEqual(['last', length]);
  });

  test('have slots of their own, apart from other keys', async () => {
    start();
    host.jobs.wake(NAME, 'a');
    await settle();
    due['b'] = ['other'];
    host.jobs.wake(NAME, 'b');
    await settle();
    expect(started()).toEqual([...many(4), 'other']);
  });
});

test('keys that share one target have fewer slots each', async () => {
  start({ limits: { perKey: 16, target: 32, max: 100 } });
  for (const key of 'abcd') host.jobs.wake(NAME, key);
  await settle();
  expect(claims[0]?.slotsPerKey).toBe(8);
  for (const key of 'abcdefghijklmnop') host.jobs.wake(NAME, key);
  await settle();
  expect(claims[1]?.slotsPerKey).toBe(4);
});

test('a key at its limit is claimed again when a job leaves its slot', async () => {
  due = { a: many(10) };
  start({ limits: { perKey: 16, target: 4, max: 100 } });
  host.jobs.wake(NAME, 'a');
  for (let turn = 0; turn < 5; turn++) await settle();
  expect([started(), claims.length]).toEqual([many(4), 1]);
  running[0]?.leave();
  for (let turn = 0; turn < 5; turn++) await settle();
  expect([started(), claims.length]).toEqual([many(5), 2]);
});

test('a node at its limit claims nothing until a job ends', async () => {
  due = { a: many(4), b: many(4) };
  start({ limits: { perKey: 4, max: 4 } });
  host.jobs.wake(NAME, 'a');
  await settle();
  host.jobs.wake(NAME, 'b');
  await settle();
  expect(claims).toHaveLength(1);
  // A free slot is not enough, because a job counts until it has recorded its result.
  running[0]?.leave();
  await settle();
  expect(claims).toHaveLength(1);
  running[0]?.end();
  await settle();
  expect(claims).toHaveLength(2);
});

test('a node that stops waits for running jobs and claims nothing', async () => {
  due = { a: ['1'] };
  start();
  host.jobs.wake(NAME, 'a');
  await settle();
  let isOver = false;
  void stopped.then(() => (isOver = true));
  stopping.abort();
  host.jobs.wake(NAME, 'a');
  await settle();
  expect([isOver, claims.length]).toEqual([false, 1]);
  running[0]?.end();
  await settle();
  expect(isOver).toBe(true);
});
