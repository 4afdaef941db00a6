// What a request left in the database: counted before and after, so that a refusal can be shown to have left nothing.
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

export async function countRows(app: TestApp): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `(select count(*)::int from ${COUNTED[table] ?? table}) as ${table}`);
  const [row] = await app.sql(`select ${counts.join(', ')}`);
  return row;
}

/** Runs `work` and expects that no table has a row more or less after it; what the rail sends meanwhile does not count. */
export async function leavesNothing<T>(app: TestApp, work: () => Promise<T>): Promise<T> {
  const { inbox: _, ...before } = await countRows(app);
  const result = await work();
  const { inbox: __, ...after } = await countRows(app);
  expect(after).toEqual(before);
  return result;
}

/** All rows of the gateway's own tables, word for word, by table: what was written in between shows. */
export async function readEverything(app: TestApp): Promise<Record<string, string[]>> {
  const tables = await app.sql<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const read = ({ name }: { name: string }) => app.sql(`select t::text as row from "${name}" t order by 1`);
  const rows = await Promise.all(tables.map(read));
  return Object.fromEntries(tables.map(({ name }, nth) => [name, rows[nth]!.map(({ row }) => row)]));
}

/** The same, once what was under way has come to its end (the clock stands still). */
export async function readSettled(app: TestApp): Promise<Record<string, string[]>> {
  let last = await readEverything(app);
  let calm = 0;
  await until(async () => {
    const now = await readEverything(app);
    calm = JSON.stringify(now) === JSON.stringify(last) ? calm + 1 : 0;
    last = now;
    return calm === 5;
  }, 'the rows coming to rest');
  return last;
}
