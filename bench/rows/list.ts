// Pages of a list of a million payments, compared with a prepared SELECT of the same rows by id.
import type { Pool } from 'pg';
import { DEMO } from '../../sandbox/seed.ts';
import { recountLists } from '../../server/lists/recount.ts';
import type { BenchFixture } from '../kit/fixture.ts';
import { timeOf } from '../kit/load.ts';
import type { Row } from '../kit/table.ts';

const COUNT = 1_000_000;
/** The number of rows that one INSERT statement writes. */
const BATCH = 250_000;

const PAGES = [
  { page: 'page 1', query: 'page=1', atMost: 10 },
  { page: 'page 1,000 of one status', query: 'page=1000&status=Paid', atMost: 25 },
];

export async function openList(fixture: BenchFixture): Promise<Row[]> {
  const { url, token, database } = fixture;
  await fillPayments(database);
  const headers = { authorization: `Bearer ${token}` };
  const rows: Row[] = [];
  for (const { page, query, atMost } of PAGES) {
    const read = async () => {
      const reply = await fetch(`${url}/api/payments?${query}`, { headers });
      return (await reply.json()) as { data: { internalId: string }[] };
    };
    const ids = (await read()).data.map(({ internalId }) => internalId);
    const select = { name: 'floor_list', text: 'select * from payments where id = any($1)', values: [ids] };
    rows.push({
      name: `GET /api/payments with ${COUNT.toLocaleString('en')} payments, ${page} ÷ SELECT of its rows by id`,
      unit: 'ms',
      target: { atMost },
      measure: () => timeOf(read),
      floor: () => timeOf(() => database.query(select)),
    });
  }
  return rows;
}

/** Inserts payments of the demo merchant, evenly over a year, and the counts for its lists. */
async function fillPayments(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    // The setting disables triggers and foreign keys.
    await client.query('set session_replication_role = replica');
    await client.query('set synchronous_commit = off');
    for (let from = 0; from < COUNT; from += BATCH)
      await client.query(FILL, [DEMO.merchantId, from, from + BATCH - 1, COUNT]);
    await client.query('vacuum (analyze) payments');
    await client.query('checkpoint');
  } finally {
    client.release(true);
  }
  await recountLists({ pool });
}

const FILL = `
insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status,
  revision, description, custom_metadata, phone, attempts_made, amount_paid_minor, created_at, completed_at)
select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
    || lpad(to_hex(n), 15, '0'))::uuid,
  $1::uuid, 'R' || n, (n * 7919 % 9999999) + 1, case when n % 100000 = 5 then 'USD' else 'AOA' end,
  case when n % 100000 = 7 then 'PPR' else 'GPO' end, 'onetimepurchase',
  case when n % 10000 = 3 then 'Canceled' when n % 10 < 3 then 'Expired' when n % 10 = 3 then 'Failed' else 'Paid' end,
  2, 'Compra na loja da Ilha', '{"order":' || n || '}', '+2449' || lpad((n % 500000 + 23000000)::text, 8, '0'),
  1, 100, at, at
from generate_series($2::bigint, $3::bigint) n,
  lateral (select now() - make_interval(secs => ($4::bigint - n) * 31536000.0 / $4::bigint) as at) made_at`;
