// The books: transactions, refused requests, the daily summary and settlements.
import type { Tour } from './recorder.ts';

const MOVEMENTS = '/api/transactions';
const SETTLEMENTS = '/api/settlements';

export async function walkBooks(tour: Tour): Promise<void> {
  const { call } = tour;
  await call(`GET ${MOVEMENTS}?limit=3`, 200);
  await call(`GET ${MOVEMENTS}?after=x&limit=0&type=card&from=x`, 400);
  await call('GET /api/errors?from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z', 200);
  await call('GET /api/errors?status=1&from=x', 400);
  await call('GET /api/summary?day=2026-03-02', 200);
  await call('GET /api/summary?day=x&currency=x', 400);
  await call(`GET ${MOVEMENTS}`, 200, { token: await tour.strangerToken() });
  await walkSettlements(tour);
}

/** The tour makes one settlement of references a day, because settlements of one day have no fixed order. */
async function walkSettlements({ call, strangerToken }: Tour): Promise<void> {
  const { json } = await call(`GET ${SETTLEMENTS}?account=ppr&limit=2`, 200);
  const [{ id }] = json.data;
  await call(`GET ${SETTLEMENTS}?from=x&limit=0&status=x`, 400);
  await call(`GET ${SETTLEMENTS}/${id}?limit=2`, 200);
  const body = { amount: json.data[0].expectedCredit, date: '2026-03-03', reference: 'TRF 1' };
  const path = `${SETTLEMENTS}/${id}/credits`;
  await call(`POST ${path}`, 400, { body: { amount: 0.001, date: '2026-02-30', lines: [0] } });
  const file = Buffer.from(`03/03/2026;${json.data[0].expectedCredit};TRF 2\n`).toString('base64');
  await call('POST /api/bank-statements', 200, { body: { file, preview: true } });
  await call('POST /api/bank-statements', 200, { body: { file, lines: [{ line: 1, aside: true }] } });
  await call('POST /api/bank-statements', 400, { body: { file, lines: [{ line: 9, aside: true }] } });
  await call(`POST ${path}`, 201, { body });
  await call(`GET ${SETTLEMENTS}/${id}?limit=1`, 200);
  await call(`POST ${SETTLEMENTS}/${id}/explanation`, 400, { body: { reason: 'other' } });
  await call(`POST ${SETTLEMENTS}/${id}/explanation`, 409, { body: { reason: 'bank' } });
  const fee = { kind: 'fee', amount: 150, date: '2026-03-03', reference: 'COM. MANUT.' };
  const { json: differs } = await call(`POST ${path}`, 201, { body: fee });
  const explanation = { reason: 'next_period', note: 'Creditado com o dia 3' };
  await call(`POST ${SETTLEMENTS}/${id}/explanation`, 200, { body: explanation });
  await call(`GET /api/days/${json.data[0].day}`, 200);
  await call('GET /api/days?limit=1&status=explained', 200);
  await call(`DELETE ${SETTLEMENTS}/${id}/explanation`, 204);
  const [entry] = differs.bankFeeEntries;
  await call(`POST ${path}/${entry.id}/reversal`, 201, { body: {} });
  await call(`POST ${path}/${entry.id}/reversal`, 409, { body: {} });
  await call('GET /api/days?status=x&limit=0', 400);
  await call('GET /api/days/2020-01-01', 404);
  await call(`POST ${path}`, 404, { body, token: await strangerToken() });
  await call(`GET ${SETTLEMENTS}/${id}`, 404, { token: await strangerToken() });
}
