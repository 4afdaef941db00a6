// Long lists of one merchant: pages near and far, by filter and by cursor, each with the list's exact length, beside a prepared select of
// the same rows that is told where its page begins and counts nothing.
import type { Pool } from 'pg';
import { DEMO } from '../sandbox/seed.ts';
import { recountLists } from '../server/lists/recount.ts';
import { benchLongConsole } from './console.ts';
import { timeOf } from './load.ts';
import type { Options, Stage } from './stage.ts';
import type { Row } from './table.ts';

const AT_ONCE = 500_000;
const SPREAD_DAYS = 365;

export async function benchLists(stage: Stage, { rows }: Options): Promise<Row[]> {
  const startedAt = Date.now();
  await fillPayments(stage.database, rows);
  const filledAt = Date.now();
  await recountLists({ pool: stage.database });
  const perSecond = Math.round((rows * 1_000) / (Date.now() - filledAt));
  console.error(`${rows} rows in ${Date.now() - startedAt} ms, counted again by ${perSecond}/s`);
  const found: Row[] = [];
  for (const { name, path, atMost } of CASES) found.push(await measure(stage, { name, path: path(rows), atMost }));
  return [...found, ...(await benchLongConsole(stage, rows))];
}

type Case = { name: string; path: (rows: number) => string; atMost: number };

/** Milliseconds that a list of any length may take. */
const FIRST_MS = 3;
const OTHER_MS = 10;

const ago = (days: number) => new Date(Date.now() - days * 86_400_000 - 1_234_567).toISOString();
const payments = (filter: string) => () => `/api/payments?${filter}`;

const CASES: Case[] = [
  { name: 'payments, first page', path: payments(''), atMost: FIRST_MS },
  { name: 'payments, page 1000', path: payments('page=1000'), atMost: OTHER_MS },
  {
    name: 'payments, the last page but one',
    path: (rows) => `/api/payments?page=${Math.min(1_000_000, Math.floor(rows / 20) - 1)}`,
    atMost: OTHER_MS,
  },
  { name: 'payments, status, 60 in 100', path: payments('status=Paid'), atMost: OTHER_MS },
  { name: 'payments, status, 60 in 100, page 1000', path: payments('status=Paid&page=1000'), atMost: OTHER_MS },
  { name: 'payments, status, 1 in 10,000', path: payments('status=Canceled'), atMost: OTHER_MS },
  { name: 'payments, type, 1 in 100,000', path: payments('paymentType=PPR'), atMost: OTHER_MS },
  { name: 'payments, type, nearly all', path: payments('paymentType=GPO'), atMost: OTHER_MS },
  { name: 'payments, status and type', path: payments('status=Paid&paymentType=PPR'), atMost: OTHER_MS },
  { name: 'payments, currency, 1 in 100,000', path: payments('currency=USD'), atMost: OTHER_MS },
  { name: 'payments, currency, nearly all', path: payments('currency=AOA'), atMost: OTHER_MS },
  { name: 'payments, from', path: () => `/api/payments?from=${ago(200)}`, atMost: OTHER_MS },
  { name: 'payments, from and to', path: () => `/api/payments?from=${ago(200)}&to=${ago(20)}`, atMost: OTHER_MS },
  {
    name: 'payments, from, to, status, page 1000',
    path: () => `/api/payments?from=${ago(300)}&to=${ago(20)}&status=Paid&page=1000`,
    atMost: OTHER_MS,
  },
  { name: 'payments, phone', path: payments('phone=923000007'), atMost: OTHER_MS },
  { name: 'payments, reference', path: payments('reference=R77'), atMost: OTHER_MS },
  { name: 'payments, amount', path: payments('amount=77.77'), atMost: OTHER_MS },
];

async function measure(
  { url, token, database }: Stage,
  { name, path, atMost }: Omit<Case, 'path'> & { path: string },
): Promise<Row> {
  const headers = { authorization: `Bearer ${token}` };
  const read = async () => (await (await fetch(url + path, { headers })).json()) as { data: { internalId: string }[] };
  const { data } = await read();
  const ids = data.map(({ internalId }) => internalId);
  const floor = () =>
    database.query({ name: 'floor_list', text: 'select * from payments where id = any($1)', values: [ids] });
  const ours = await timeOf(read);
  const select = await timeOf(floor);
  return {
    name: `${name} (wanted: ${atMost} ms) ÷ its rows by their ids`,
    ours: `${ours.toFixed(2)} ms`,
    floor: `${select.toFixed(2)} ms`,
    ratio: ours / select,
    target: null,
  };
}

/** So many payments with the event of each, as if made evenly in a year until now. */
async function fillPayments(pool: Pool, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(`set synchronous_commit = off`);
    for (let from = 0; from < count; from += AT_ONCE) {
      await client.query(FILL, [
        DEMO.merchantId,
        from,
        Math.min(count, from + AT_ONCE) - 1,
        (SPREAD_DAYS * 86_400) / count,
        count,
      ]);
    }
    await client.query('vacuum (analyze) payments');
    await client.query('vacuum (analyze) events');
    await client.query('checkpoint');
  } finally {
    client.release(true);
  }
}

const FILL = `
with made as (
  insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision, description,
    custom_metadata, phone, attempts_made, amount_paid_minor, created_at, completed_at)
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
      || lpad(to_hex(n), 15, '0'))::uuid,
    $1::uuid, 'R' || n, (n * 7919 % 9999999) + 1, case when n % 100000 = 5 then 'USD' else 'AOA' end,
    case when n % 100000 = 7 then 'PPR' else 'GPO' end, 'onetimepurchase',
    case when n % 10000 = 3 then 'Canceled' when n % 10 < 3 then 'Expired' when n % 10 = 3 then 'Failed' else 'Paid' end,
    2, 'Compra na loja da Ilha', '{"order":' || n || '}', '+2449' || lpad((n % 500000 + 23000000)::text, 8, '0'), 1, 100, at, at
  from generate_series($2::bigint, $3::bigint) n,
    lateral (select now() - make_interval(secs => ($5::bigint - n) * $4::float8) as at) made_at
  returning id, merchant_id, status, created_at
)
insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
select gen_random_uuid(), merchant_id, id, 'payment.created', status, created_at, '{}' from made order by id`;
