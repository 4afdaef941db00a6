// The books: movements of money by pages and filters, and the settlements of its periods.
import type { Tour } from './recorder.ts';

const MOVEMENTS = '/api/transactions';
const SETTLEMENTS = '/api/settlements';

export async function walkBooks(tour: Tour): Promise<void> {
  const { call } = tour;
  const { json } = await call('the movements of money', `GET ${MOVEMENTS}?limit=3`);
  await call('the movements behind them', `GET ${MOVEMENTS}?limit=2&after=${json.next}`);
  await call('the movements of references', `GET ${MOVEMENTS}?type=reference&account=ppr&limit=1`);
  await call('the movements with faults', `GET ${MOVEMENTS}?after=x&limit=0&type=card&from=x`);
  await call('what was refused', 'GET /api/errors?from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z');
  await call('refusals with faults', 'GET /api/errors?status=1&from=x');
  await call('the day at a glance', 'GET /api/summary?day=2026-03-02');
  await call('the day with faults', 'GET /api/summary?day=x&currency=x');
  await call('the movements of another', `GET ${MOVEMENTS}`, { token: await tour.strangerToken() });
  await walkSettlements(tour);
}

/** Those of references: one a day, so that they have one order. */
async function walkSettlements({ call, strangerToken }: Tour): Promise<void> {
  const { json } = await call('the settlements', `GET ${SETTLEMENTS}?account=ppr&limit=2`);
  const [{ id }] = json.data;
  await call('the settlements with faults', `GET ${SETTLEMENTS}?from=x&limit=0&status=x`);
  await call('a settlement', `GET ${SETTLEMENTS}/${id}?limit=2`);
  const body = { amount: json.data[0].expectedCredit, date: '2026-03-03', reference: 'TRF 1' };
  const path = `${SETTLEMENTS}/${id}/credits`;
  await call('a credit with faults', `POST ${path}`, { body: { amount: 0.001, date: '2026-02-30', lines: [0] } });
  await call('a file in another encoding', `POST ${path}`, {
    body: { file: Buffer.from('01/03/2026;1;Cr\xe9dito', 'latin1').toString('base64') },
  });
  await call('a credit is entered', `POST ${path}`, { body });
  await call('the settlement after', `GET ${SETTLEMENTS}/${id}?limit=1`);
  await call('a credit of another', `POST ${path}`, { body, token: await strangerToken() });
  await call('another’s settlement', `GET ${SETTLEMENTS}/${id}`, { token: await strangerToken() });
}
