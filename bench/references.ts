// Payment references in numbers: 500 in one request beside their rows in one statement, and pages of a million of them.
import { setTimeout as pause } from 'node:timers/promises';
import { DEMO } from '../sandbox/seed.ts';
import { openConnections, writeHttp, type Connections } from './connection.ts';
import { foldLists } from '../server/lists/fold.ts';
import { recountLists } from '../server/lists/recount.ts';
import { medianOf } from './load.ts';
import { fillReferences, insertRows, writeBulk, writeRows } from './reference-rows.ts';
import type { Stage } from './stage.ts';
import type { Row } from './table.ts';

const BULK = 500;
const BULK_ROUNDS = 9;
const WARM_ROUNDS = 2;
const MANY = 1_000_000;
const PAGE_ROUNDS = 9;
const PAGE_SIZE = 20;

export async function benchReferences(stage: Stage): Promise<Row[]> {
  const connections = await openConnections(stage.url, 1);
  const ask = askBy(stage, connections);
  const bulk = await benchBulk(stage, ask);
  await fillReferences(stage.database, DEMO.merchantId, MANY);
  await recountLists({ pool: stage.database });
  const pages: Row[] = [];
  for (const page of PAGES) pages.push(await benchPage(stage, ask, page));
  connections.close();
  return [bulk, ...pages];
}

/** Milliseconds of the same thing done by the gateway and by the database alone. */
type Pair = { ours: number; raw: number };

async function benchBulk(stage: Stage, ask: Ask): Promise<Row> {
  const body = writeBulk(BULK);
  const rounds: Pair[] = [];
  for (let round = 0; round < WARM_ROUNDS + BULK_ROUNDS; round++) {
    const insert = insertRows(writeRows(DEMO.merchantId, BULK, round * BULK));
    const raw = await timeOf(() => stage.database.query(insert));
    await foldLists({ pool: stage.database });
    const ours = await timeOf(() => ask('POST', '/api/references/ppr/bulk', 201, body));
    await untilRegistered(stage);
    await foldLists({ pool: stage.database });
    if (round >= WARM_ROUNDS) rounds.push({ ours, raw });
  }
  return compare(`${BULK} references in one request ÷ their rows in one statement`, rounds, { atMost: 1.5 });
}

/** The rail is told of them by the due rows: none of that may run beside the next round, nor what counts them for the lists. */
async function untilRegistered({ database }: Stage): Promise<void> {
  for (;;) {
    const { rowCount } = await database.query(
      'select from payment_references where registered_at is null and due_at < $1 limit 1',
      [new Date(Date.now() + 86_400_000)],
    );
    if (!rowCount) return;
    await pause(100);
  }
}

type Page = { name: string; page: number; filters: Record<string, string> };

const PAGES: Page[] = [
  { name: 'page 1', page: 1, filters: {} },
  { name: 'page 3 of the paid Dynamic ones', page: 3, filters: { type: 'Dynamic', status: 'Paid' } },
  { name: 'page 3 of the expired Charging ones', page: 3, filters: { type: 'Charging', status: 'Expired' } },
  { name: 'page 5000', page: 5_000, filters: {} },
];

async function benchPage({ database }: Stage, ask: Ask, { name, page, filters }: Page): Promise<Row> {
  const query = new URLSearchParams({ ...filters, page: String(page) });
  const values = [DEMO.merchantId, ...Object.values(filters)];
  const fitting = ['merchant_id = $1', ...Object.keys(filters).map((column, nth) => `${column} = $${nth + 2}`)];
  const count = `select count(*) from payment_references where ${fitting.join(' and ')}`;
  const rows = `select * from (select * from payment_references where ${fitting.join(' and ')}
    order by created_at desc, id desc limit ${PAGE_SIZE} offset ${(page - 1) * PAGE_SIZE}) r
    join payments p on p.id = r.payment_id order by r.created_at desc, r.id desc`;
  const rounds: Pair[] = [];
  for (let round = 0; round <= PAGE_ROUNDS; round++) {
    let told: ListPage = { data: [], totalItems: 0 };
    let known: { reference: string }[] = [];
    let total = 0;
    // At once, as a program would that has two connections.
    const raw = await timeOf(async () => {
      const [counted, listed] = await Promise.all([
        database.query<{ count: string }>(count, values),
        database.query<{ reference: string }>({ name: `page ${name}`, text: rows, values }),
      ]);
      total = Number(counted.rows[0]?.count);
      known = listed.rows;
    });
    const ours = await timeOf(async () => {
      told = JSON.parse(await ask('GET', `/api/references/ppr?${query}`, 200)) as ListPage;
    });
    const digits = (list: { reference: string }[]) => list.map(({ reference }) => reference).join();
    if (told.totalItems !== total || known.length !== PAGE_SIZE || digits(told.data) !== digits(known))
      throw new Error(`${name} is not what the database says: ${told.totalItems} of ${total}, ${digits(told.data)}`);
    // The first round warms up.
    if (round > 0) rounds.push({ ours, raw });
  }
  return compare(`GET /api/references/ppr, ${name} of ${MANY} ÷ its queries`, rounds, { atMost: 3 });
}

type ListPage = { data: { reference: string }[]; totalItems: number };

/** Sends a request and answers the body. @throws when the answer's status is another */
type Ask = (method: 'GET' | 'POST', path: string, status: number, body?: string) => Promise<string>;

function askBy({ url, token }: Stage, connections: Connections): Ask {
  return async (method, path, status, body) => {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
    const reply = await connections.send(writeHttp(method, new URL(path, url), headers, body));
    if (reply.status !== status) throw new Error(`${path} answered ${reply.status}, not ${status}: ${reply.body}`);
    return reply.body;
  };
}

async function timeOf(once: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await once();
  return performance.now() - startedAt;
}

function compare(name: string, rounds: Pair[], target: Row['target']): Row {
  return {
    name,
    ours: showMs(medianOf(rounds.map(({ ours }) => ours))),
    floor: showMs(medianOf(rounds.map(({ raw }) => raw))),
    ratio: medianOf(rounds.map(({ ours, raw }) => ours / raw)),
    target,
  };
}

function showMs(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}
