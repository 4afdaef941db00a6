// When nothing can happen: until the node asks its database nothing, and how far a test's clock may leap because nothing is under way,
// nobody waits and nothing comes due.
import type { DueWork } from '../../server/jobs/due.ts';
import { until, type TestApp } from './app.ts';
import type { TestClock } from './clock.ts';

/** Loops over the tables below wait for so long at most. */
const POLL_MS = 1_000;
/** Rail accounts are looked at each so often, and nothing of theirs comes due. */
const RAILS_MS = 2_000;
/** The simulator's loops wait for so long when nothing comes due; whoever waits longer or shorter waits for something. */
const LOOK_AGAIN_MS = 15_000;
/** But for the look at the schema’s floor; no leap goes beyond it. */
const FLOOR_MS = 60_000;
/** A loop that waits so long is the daily retention. */
const HOUR_MS = 3_600_000;
/** So long before anything comes due the clock goes step by step again. */
const MARGIN_MS = 1_500;

const DUE: Record<DueWork['table'], string> = {
  attempts: 'due_at',
  payments: 'due_at',
  payment_references: 'due_at',
  inbox: 'due_at',
  rail_feeds: 'due_at',
  terminals: 'due_at',
  mails: 'due_at',
  billing_accounts: 'due_at',
  certification_requests: 'due_at',
  settlements: 'due_at',
  reconciliations: 'due_at',
  erasures: 'due_at',
  sms_batches: 'due_at',
  sms_messages: 'due_at',
};

/** Deliveries keep books of their own. */
const MOMENTS = [
  ...Object.entries(DUE),
  ['deliveries', 'due_at'],
  ['deliveries', 'leased_until'],
  ['endpoints', 'probe_at'],
];

const NEXT_DUE = {
  name: 'next_due',
  text: `select extract(epoch from min(at))::float8 * 1000 as "atMs" from (${MOMENTS.map(
    ([table, column]) => `select min(${column}) as at from ${table}`,
  ).join(' union all ')}) next`,
};

/** The most loops that were seen to have nothing to do. */
const restingLoops = new WeakMap<TestClock, number>();

/** For how many milliseconds from now nothing can happen; 0 where anything might. */
export async function readIdleMs({ clock, node }: TestApp): Promise<number> {
  const { pool } = node.core;
  if (isAsking(pool)) return 0;
  const waits = clock.waits().filter(({ ms }) => ms > POLL_MS && ms < HOUR_MS && ms !== RAILS_MS);
  const loops = waits.filter(({ ms }) => ms === LOOK_AGAIN_MS).length;
  const known = restingLoops.get(clock) ?? 0;
  if (loops < known || waits.some(({ ms }) => ms !== LOOK_AGAIN_MS && ms !== FLOOR_MS)) return 0;
  restingLoops.set(clock, loops);
  const { rows } = await pool.query<{ atMs: number | null }>(NEXT_DUE);
  const dueMs = (rows[0]?.atMs ?? Infinity) - MARGIN_MS;
  const nextMs = Math.min(dueMs, ...waits.map(({ at }) => at)) - clock.now().getTime();
  return Math.max(0, Math.min(nextMs, LOOK_AGAIN_MS));
}

/**
 * Until the node asks its database nothing: whoever looked before time moved has looked, and waits from here.
 * @param patienceMs where it may be held up for good: so long at most
 */
export async function untilLooked({ node }: TestApp, patienceMs = Infinity): Promise<void> {
  const endMs = performance.now() + patienceMs;
  await until(() => !isAsking(node.core.pool) || performance.now() > endMs, 'the database being left alone');
}

type Asking = Pick<TestApp['node']['core']['pool'], 'idleCount' | 'totalCount' | 'waitingCount'>;

/** Whether a statement is under way, or waits for a connection. */
export function isAsking({ idleCount, totalCount, waitingCount }: Asking): boolean {
  return idleCount < totalCount || waitingCount > 0;
}
