// Pages of a long list: near and far pages, filters, cursors, and rows that the stored counts do not include yet.
import { beforeAll, describe, expect, test } from 'vitest';
import { foldLists } from '../../../server/lists/fold.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

const ROWS = 2_400;
/** The number of payments: sixty an hour for less than two days. */
const STEP_S = 60;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await insert(1, ROWS);
  await foldLists(app.node.core);
  // The stored counts do not include these later rows. Some have times of another node's clock.
  await insert(ROWS + 1, ROWS + 30);
  await insert(1_000_000, 1_000_000);
  await app.sql(
    `with moved as (update payments set status = 'Paid' where status = 'Pending' and amount_minor % 100 = 8 returning *)
    insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
    select gen_random_uuid(), merchant_id, id, 'payment.paid', status, created_at, '{}' from moved`,
  );
});

/** Inserts payments with one minute between them. */
async function insert(first: number, last: number): Promise<void> {
  await app.sql(
    `with made as (
      insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status,
        revision, created_at)
      select gen_random_uuid(), $1::uuid, 'L' || n, n, case when n % 400 = 7 then 'USD' else 'AOA' end,
        case when n % 40 = 3 then 'PPR' else 'GPO' end,
        'webframe', case when n % 3 = 0 then 'Pending' when n % 500 = 1 then 'Failed' else 'Expired' end, 1,
        $4::timestamptz + make_interval(secs => $5 * (n % 999000))
      from generate_series($2::int, $3::int) n returning *)
    insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
    select gen_random_uuid(), merchant_id, id, 'payment.created', status, created_at, '{}' from made`,
    [DEMO.merchantId, first, last, START, STEP_S],
  );
}

const START = '2026-03-30T22:13:00.000Z';
const at = (minutes: number) => new Date(Date.parse(START) + minutes * 60_000).toISOString();

type Filter = { status?: string; paymentType?: string; currency?: string; from?: string; to?: string };

async function findAll({ status, paymentType, currency, from, to }: Filter): Promise<string[]> {
  const rows = await app.sql<{ id: string }>(
    `select id from payments where merchant_id = $1 and ($2::text is null or status = $2)
      and ($3::text is null or payment_type = $3)
      and ($4::text is null or currency = $4) and ($5::timestamptz is null or created_at >= $5)
      and ($6::timestamptz is null or created_at < $6)
    order by created_at desc, id desc`,
    [DEMO.merchantId, ...[status, paymentType, currency, from, to].map((value) => value ?? null)],
  );
  return rows.map(({ id }) => id);
}

const list = async (query: Record<string, string>) => {
  const { status, json } = await app.call(`/api/payments?${new URLSearchParams(query).toString()}`);
  expect(status).toBe(200);
  return { ...json, ids: json.data.map(({ internalId }: { internalId: string }) => internalId) };
};

const FILTERS: Filter[] = [
  {},
  { status: 'Expired' },
  { status: 'Paid' },
  { status: 'Failed' },
  { paymentType: 'PPR' },
  { paymentType: 'GPO', status: 'Expired' },
  { currency: 'USD' },
  { from: at(100.5) },
  { to: at(2_100.5) },
  { from: at(107), to: at(2_333), status: 'Expired' },
  { from: at(30), to: at(44) },
  { from: at(90), to: at(80) },
];

describe.each(FILTERS)('GET /api/payments with the filter %j', (filter) => {
  test('returns each row once and in order on its pages, with the number of matching rows', async () => {
    const all = await findAll(filter);
    const pageSize = 100;
    const pages = [1, 2, 11, 12, 20, Math.max(1, Math.ceil(all.length / pageSize)), 400];
    for (const page of pages) {
      const found = await list({ ...filter, page: String(page), pageSize: String(pageSize) });
      expect({ page, total: found.totalItems, ids: found.ids }).toEqual({
        page,
        total: all.length,
        ids: all.slice((page - 1) * pageSize, page * pageSize),
      });
    }
  });
});

test('a cursor continues after its row while new payments are created', async () => {
  const all = await findAll({ status: 'Expired' });
  const first = await list({ status: 'Expired', page: '12', pageSize: '100' });
  const second = await list({ status: 'Expired', pageSize: '100', after: first.next });
  expect(second).toMatchObject({ ids: all.slice(1_200, 1_300), totalItems: all.length });
  const third = await list({ status: 'Expired', pageSize: '100', page: '2', after: first.next });
  expect(third.ids).toEqual(all.slice(1_300, 1_400));
  const last = await list({ status: 'Failed', pageSize: '100' });
  expect(last.next).toBeNull();
});
