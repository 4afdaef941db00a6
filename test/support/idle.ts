// Computes how far a test's clock may leap: the time in which no work is running or due.
import type { DueWork } from '../../server/jobs/due.ts';
import { until, type TestApp } from './app.ts';
import { querySql } from './database.ts';
import type { TestClock } from './clock.ts';
import { HOUR_MS } from '../../shared/durations.ts';

/** The longest wait of the loops that poll the tables below. */
const POLL_MS = 1_000;
/** The interval of the poll of rail accounts, which have no due work. */
const RAILS_MS = 2_000;
/** The wait of an idle loop of the simulator. Any other wait means that work is due. */
const LOOK_AGAIN_MS = 15_000;
/** The interval at which nodes check for a newer schema. No leap is longer. */
const FLOOR_MS = 60_000;
/** The clock advances in steps again this long before the next due work. */
const MARGIN_MS = 1_500;

const DUE: Record<DueWork['table'], string> = {
  attempts: 'due_at',
  payments: 'due_at',
  payment_references: 'due_at',
  inbox: 'due_at',
  rail_feeds: 'due_at',
  terminals: 'due_at',
  mails: 'due_at',
  notifications: 'due_at',
  billing_accounts: 'due_at',
  certification_requests: 'due_at',
  settlements: 'due_at',
  reconciliations: 'due_at',
  erasures: 'due_at',
  sms_batches: 'due_at',
  sms_messages: 'due_at',
};

/** All columns with due times. Deliveries have leases and probes in columns of their own. */
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

/** The largest number of idle loops so far. */
const restingLoops = new WeakMap<TestClock, number>();

/** Returns the time in ms until the next due work, or 0 while work is running. */
export async function readIdleMs({ clock, node }: TestApp): Promise<number> {
  const { pool } = node.core;
  if (isQuerying(pool)) return 0;
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

/** Waits until the node runs no statement, at most for `patienceMs`, since a test may hold a lock. */
export async function untilNoStatementRuns({ node }: TestApp, patienceMs = Infinity): Promise<void> {
  const endMs = performance.now() + patienceMs;
  await until(() => !isQuerying(node.core.pool) || performance.now() > endMs, 'the database being left alone');
}

/** Finds statements of any connection that do not wait for a lock, which a test may hold. */
const RUNNING = `select from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
  and state = 'active' and pid <> pg_backend_pid() and wait_event_type is distinct from 'Lock' limit 1`;

/**
 * Waits until no node and no simulator runs a statement on this database, at most for `patienceMs`.
 * A test that moves the clock in a loop calls it, because a slow disk would otherwise make rail calls time out.
 */
export async function untilDatabaseRests(
  { databaseUrl }: Pick<TestApp, 'databaseUrl'>,
  patienceMs = 300,
): Promise<void> {
  const endMs = performance.now() + patienceMs;
  const isResting = async () => (await querySql(databaseUrl, RUNNING)).length === 0;
  await until(async () => (await isResting()) || performance.now() > endMs, 'the database resting');
}

type Pool = Pick<TestApp['node']['core']['pool'], 'idleCount' | 'totalCount' | 'waitingCount'>;

/** True if the node runs an SQL statement, or a statement waits for a connection. */
export function isQuerying({ idleCount, totalCount, waitingCount }: Pool): boolean {
  return idleCount < totalCount || waitingCount > 0;
}
