// What a paid payment costs and leaves behind: processor time, bytes on disk and of the log, with three webhooks told and the feed read
// once; and from that, what so many a day would need (docs/scale.md).
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { openConnections, writeHttp } from './connection.ts';
import { writeNotification } from './rail.ts';
import { referenceOf, writeMethodRequest } from './sample.ts';
import { startShop } from './money-kills.ts';
import type { Stage } from './stage.ts';
import { weigh, type Row } from './table.ts';

const WARM_COUNT = 500;
const COUNT = 3_000;
/** Above the numbers of the other parts, whose references are their own. */
const FIRST = 3e9;

type Taken = { log: number; tables: Map<string, number>; nodeMs: number; databaseMs: number };

export async function benchGrowth(stage: Stage): Promise<Row[]> {
  // Its account of who was told is of no use here; it confirms every webhook.
  const shopper = stage.start('bench/processes/shopper.ts');
  const token = await startShop(shopper, stage.url);
  await payAll(stage, token, FIRST, WARM_COUNT);
  const before = await measure(stage);
  await payAll(stage, token, FIRST + WARM_COUNT, COUNT);
  const after = await measure(stage);
  // As many payments again find the room of rows that are no more, and leave as much of it behind.
  await stage.database.query('vacuum');
  await payAll(stage, token, FIRST + WARM_COUNT + COUNT, COUNT);
  const later = await measure(stage);
  await shopper.stop();
  const [disk, lasting] = [showGrown('bytes a payment', before, after), showGrown('vacuumed', after, later)];
  const log = (after.log - before.log) / COUNT;
  const [nodeMs, databaseMs] = [(after.nodeMs - before.nodeMs) / COUNT, (after.databaseMs - before.databaseMs) / COUNT];
  console.error(showScale({ disk: lasting, log, nodeMs, databaseMs }));
  return [
    weigh('disk a paid payment, three webhooks told, feed read', disk, 5_000),
    weigh('the same where a vacuum came before', lasting, 5_000),
    weigh('log (WAL) of the same', log, 9_000),
    spend('processor time of the same, the node', nodeMs),
    spend('processor time of the same, the database', databaseMs),
  ];
}

/** Of all tables together; the largest are said. */
function showGrown(what: string, before: Taken, after: Taken): number {
  const grown = [...after.tables]
    .map(([table, bytes]) => [table, (bytes - (before.tables.get(table) ?? 0)) / COUNT] as const)
    .sort(([, one], [, other]) => other - one);
  const largest = grown.filter(([, bytes]) => bytes >= 20).map(([table, bytes]) => `${table} ${Math.round(bytes)}`);
  console.error(`${what}: ${largest.join(', ')}`);
  return grown.reduce((sum, [, bytes]) => sum + bytes, 0);
}

const spend = (name: string, ms: number): Row => ({
  name,
  ours: `${ms.toFixed(2)} ms`,
  floor: '',
  ratio: null,
  target: null,
});

type Cost = { disk: number; log: number; nodeMs: number; databaseMs: number };

const DAY_S = 86_400;
/** The busiest seconds of a day beside its average: shops sleep, and pay days come together. */
const PEAK = 8;
/** Of a core what is given to work, so that moments longer than others find room. */
const USED = 0.6;
const MILLION = 1e6;
const GB = 1e9;

/** What so many paid payments a day need, by what one costs here. */
function showScale({ disk, log, nodeMs, databaseMs }: Cost): string {
  const lines = [1, 10, 100].map((millions) => {
    const average = (millions * MILLION) / DAY_S;
    const peak = average * PEAK;
    const coresOf = (ms: number) => `${Math.max(1, Math.ceil((peak * ms) / 1000 / USED))}`;
    const perDay = (bytes: number) => `${((bytes * millions * MILLION) / GB).toFixed(0)} GB`;
    const stream = `${((peak * log) / MILLION).toFixed(0)} MB/s`;
    const rates = [`${millions} million`, `${Math.round(average)}/s`, `${Math.round(peak)}/s`];
    return [...rates, coresOf(nodeMs), coresOf(databaseMs), perDay(disk), perDay(log), stream].join(' | ');
  });
  const heading =
    'a day | average | peak | cores of nodes | cores of the database | disk a day | log a day | log at the peak';
  return [heading, ...lines].join('\n');
}

/** Pushes, created with a key each, decided by the rail's news; until every webhook is told and the feed is read. */
async function payAll(stage: Stage, token: string, first: number, count: number): Promise<void> {
  const connections = await openConnections(stage.url, 16);
  const pay = async (nth: number) => {
    const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() };
    const push = { paymentMethod: 'onetimepurchase', phoneNumber: `9230${String(nth % 1e5).padStart(5, '0')}` };
    const url = new URL('/api/payments', stage.url);
    const created = await connections.send(writeHttp('POST', url, headers, writeMethodRequest(nth, push)));
    if (created.status !== 201) throw new Error(`answered ${created.status}: ${created.body}`);
    const purchase = await stage.rail.takePurchase(referenceOf(nth));
    const told = await connections.send(writeNotification(stage.url, stage.rail.key, purchase, 'approved'));
    if (told.status !== 200) throw new Error(`answered ${told.status}: ${told.body}`);
  };
  let next = 0;
  const goOn = async () => {
    while (next < count) await pay(first + next++);
  };
  await Promise.all(Array.from({ length: 16 }, goOn));
  connections.close();
  while ((await countDue(stage)) > 0) await pause(50);
  await readFeed(stage, token);
}

async function countDue({ database }: Stage): Promise<number> {
  const { rows } = await database.query<{ due: number }>(
    `select count(*)::int as due from deliveries where due_at is not null`,
  );
  return rows[0]?.due ?? 0;
}

async function readFeed({ url }: Stage, token: string): Promise<void> {
  let after = '0';
  for (;;) {
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await fetch(`${url}/api/events?limit=500&after=${after}`, { headers });
    const { data, next } = (await reply.json()) as { data: unknown[]; next: string };
    if (data.length === 0) return;
    after = next;
  }
}

/** After a checkpoint, so that each time as many pages are written whole. */
async function measure({ database, gateway }: Stage): Promise<Taken> {
  const { rows } = await database.query<{ log: string }>(`select pg_current_wal_insert_lsn() - '0/0' as log`);
  const tables = await database.query<{ relname: string; bytes: string }>(
    `select relname, pg_total_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const backends = await database.query<{ pid: number }>(`select pid from pg_stat_activity`);
  const spent = await Promise.all(backends.rows.map(({ pid }) => readSpentMs(pid)));
  const nodeMs = await readSpentMs(gateway.pid);
  await database.query('checkpoint');
  return {
    log: Number(rows[0]?.log),
    tables: new Map(tables.rows.map(({ relname, bytes }) => [relname, Number(bytes)])),
    nodeMs,
    databaseMs: spent.reduce((sum, ms) => sum + ms, 0),
  };
}

/** Processor time that a process has had, where the system tells (Linux), in its ticks of 10 ms. */
async function readSpentMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) * 10;
}
