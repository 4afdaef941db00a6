// What a request left in the database: counted before and after, so that a refusal can be shown to have left nothing.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { until, type TestApp } from './app.ts';

const TABLES = [
  'payments',
  'payment_references',
  'attempts',
  'transactions',
  'events',
  'idempotency_keys',
  'inbox',
  'terminals',
  'sms_batches',
  'sms_messages',
  'sms_ledger',
  'sms_templates',
  'sms_contacts',
  'sms_lists',
  'sms_list_contacts',
  'sms_opt_outs',
];

/** How a merchant was told comes a moment after what it is told of. */
const COUNTED: Record<string, string> = { events: `events where type not like 'callback.%'` };

/** Named: each connection plans it once. */
const COUNT = {
  name: 'count rows',
  text: `select ${TABLES.map((table) => `(select count(*)::int from ${COUNTED[table] ?? table}) as ${table}`).join(', ')}`,
};

export async function countRows(app: TestApp): Promise<Record<string, number>> {
  return (await app.node.core.pool.query(COUNT)).rows[0];
}

/** Runs `work` and expects that no table has a row more or less after it; what the rail sends meanwhile does not count. */
export async function leavesNothing<T>(app: TestApp, work: () => Promise<T>): Promise<T> {
  const { inbox: _, ...before } = await countRows(app);
  const result = await work();
  const { inbox: __, ...after } = await countRows(app);
  expect(after).toEqual(before);
  return result;
}

/** One statement for all tables, by node: which there are changes with no test. */
const statements = new WeakMap<TestApp, { name: string; text: string }>();

async function writeStatement(app: TestApp): Promise<{ name: string; text: string }> {
  const tables = await app.sql<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  // The files of the pages are a megabyte of letters.
  const wordsOf = (name: string) => (name === 'published_files' ? 'md5(t::text)' : 't::text');
  const reads = tables.map(({ name }) => `select '${name}' as name, ${wordsOf(name)} as row from "${name}" t`);
  const statement = { name: 'read everything', text: `${reads.join(' union all ')} order by 1, 2` };
  statements.set(app, statement);
  return statement;
}

/** All rows of the gateway's own tables, word for word, by table: what was written in between shows. */
export async function readEverything(app: TestApp): Promise<Record<string, string[]>> {
  const statement = statements.get(app) ?? (await writeStatement(app));
  const { rows } = await app.node.core.pool.query<{ name: string; row: string }>(statement);
  const found: Record<string, string[]> = {};
  for (const { name, row } of rows) (found[name] ??= []).push(row);
  return found;
}

/** What goes on by itself while the clock stands still: pushes on their way, news of the rail, what is due. */
const UNDER_WAY = {
  name: 'under way',
  text: `select from attempts where status = 'Unsent' union all select from inbox where applied_at is null
    union all select from payment_references where due_at <= $1 union all select from deliveries where due_at <= $1
    union all select from rail_feeds where due_at <= $1 or cursor is null`,
};

/** The same, once what was under way has come to its end (the clock stands still). */
export async function readSettled(app: TestApp): Promise<Record<string, string[]>> {
  let last = await readEverything(app);
  let calm = 0;
  await until(async () => {
    const { rows } = await app.node.core.pool.query({ ...UNDER_WAY, values: [app.clock.now()] });
    const now = await readEverything(app);
    calm = rows.length === 0 && isDeepStrictEqual(now, last) ? calm + 1 : 0;
    last = now;
    return calm === 5;
  }, 'the rows coming to rest');
  return last;
}
