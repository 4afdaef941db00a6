// Compares the rows of the database before and after a request.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { until, type TestApp } from './app.ts';

const TABLES = `payments payment_references attempts transactions events idempotency_keys inbox terminals sms_batches
  sms_messages sms_ledger sms_templates sms_contacts sms_lists sms_list_contacts sms_opt_outs`.split(/\s+/);

/** Excludes the events of callbacks and of registrations at the rail, which the gateway writes a moment later. */
const LATER = `'^(callback|reference.(registered|registration_failed|withdrawn|withdrawal_failed)$)'`;
const sourceOf = (table: string) => (table === 'events' ? `events where type !~ ${LATER}` : table);

/** A name for the prepared statement, so that PostgreSQL plans it once for each connection. */
const COUNT = {
  name: 'count rows',
  text: `select ${TABLES.map((table) => `(select count(*)::int from ${sourceOf(table)}) as ${table}`).join(', ')}`,
};

export async function countRows(app: TestApp): Promise<Record<string, number>> {
  return (await app.node.core.pool.query(COUNT)).rows[0];
}

/** Expects that `work` changes the number of rows of no table except the inbox. */
export async function leavesNothing<T>(app: TestApp, work: () => Promise<T>): Promise<T> {
  const { inbox: _, ...before } = await countRows(app);
  const result = await work();
  const { inbox: __, ...after } = await countRows(app);
  expect(after).toEqual(before);
  return result;
}

/** The statement that reads all tables, which no test changes. */
const statements = new WeakMap<TestApp, { name: string; text: string }>();

async function writeStatement(app: TestApp): Promise<{ name: string; text: string }> {
  const tables = await app.sql<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  // The published files have a megabyte of text, so the test compares their hash.
  const textOf = (name: string) => (name === 'published_files' ? 'md5(t::text)' : 't::text');
  const reads = tables.map(({ name }) => `select '${name}' as name, ${textOf(name)} as row from "${name}" t`);
  const statement = { name: 'read everything', text: `${reads.join(' union all ')} order by 1, 2` };
  statements.set(app, statement);
  return statement;
}

/** All rows of the gateway's tables as text, by table. */
export async function readEverything(app: TestApp): Promise<Record<string, string[]>> {
  const statement = statements.get(app) ?? (await writeStatement(app));
  const { rows } = await app.node.core.pool.query<{ name: string; row: string }>(statement);
  const found: Record<string, string[]> = {};
  for (const { name, row } of rows) (found[name] ??= []).push(row);
  return found;
}

/** Finds the work that can run while the test clock does not move. */
const IN_PROGRESS = {
  name: 'in progress',
  text: `select from attempts where status = 'Unsent' union all select from inbox where applied_at is null
    union all select from payment_references where due_at <= $1 union all select from deliveries where due_at <= $1
    union all select from rail_feeds where due_at <= $1 or cursor is null`,
};

/** Waits until no work is in progress, without moving the clock, and returns all rows. */
export async function readSettled(app: TestApp): Promise<Record<string, string[]>> {
  let last = await readEverything(app);
  let calm = 0;
  await until(async () => {
    const { rows } = await app.node.core.pool.query({ ...IN_PROGRESS, values: [app.clock.now()] });
    const now = await readEverything(app);
    calm = rows.length === 0 && isDeepStrictEqual(now, last) ? calm + 1 : 0;
    last = now;
    return calm === 5;
  }, 'the rows coming to rest');
  return last;
}
