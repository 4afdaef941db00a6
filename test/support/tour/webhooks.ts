// Callbacks and webhooks: where they go, what the merchant's server is told, what failed and is sent again.
import { MERCHANT } from './merchants.ts';
import { payReference } from './payers.ts';
import type { Tour } from './recorder.ts';

const ACCESS_KEY = 'an-access-key-of-the-tour';
const nobody = '00000000-0000-4000-8000-000000000099';

/** From here on the merchant's server hears of everything. */
export async function walkEndpoints(tour: Tour): Promise<void> {
  const { call, merchant } = tour;
  const callback = `${MERCHANT}/callback`;
  const keyed = { 'idempotency-key': 'endpoint-1' };
  const body = { url: `${merchant.url}/callback`, accessKey: ACCESS_KEY };
  await call('the callback endpoint at first', `GET ${callback}`);
  await call('the callback endpoint with faults', `PUT ${callback}`, { body: { url: 'ftp://x', accessKey: 'short' } });
  await call('the callback endpoint is set', `PUT ${callback}`, { body, headers: keyed });
  await call('the callback endpoint is set by the same key', `PUT ${callback}`, { body, headers: keyed });
  await call('the callback endpoint’s key with another body', `PUT ${callback}`, {
    body: { ...body, accessKey: `${ACCESS_KEY}-2` },
    headers: keyed,
  });
  await call('the callback endpoint', `GET ${callback}`);
  await call('another’s callback endpoint', `GET ${callback}`, { token: await tour.strangerToken() });
  await call('a callback is tried', 'POST /api/callbacks/test', { body: { type: 'PPR' } });
  await call('a callback of a code is tried', 'POST /api/callbacks/test', { body: { type: 'QR' } });
  await call('a callback with a fault is tried', 'POST /api/callbacks/test', { body: { type: 'SMS' } });

  const hook = { url: `${merchant.url}/webhook`, description: 'everything' };
  await call('a webhook with faults', 'POST /api/webhooks', { body: { url: 'x', types: ['payment.nothing'] } });
  const { json } = await call('a webhook is made', 'POST /api/webhooks', { body: hook });
  tour.made['webhook'] = json;
  const narrow = await call('a narrow webhook is made', 'POST /api/webhooks', {
    body: { url: `${merchant.url}/narrow`, types: ['terminal.*'] },
  });
  await call('the webhooks', 'GET /api/webhooks?pageSize=10');
  await call('a webhook', `GET /api/webhooks/${json.id}`);
  await call('another’s webhook', `GET /api/webhooks/${json.id}`, { token: await tour.strangerToken() });
  await call('a webhook is tried', `POST /api/webhooks/${json.id}/test`);
  const change = { url: `${merchant.url}/narrow`, types: ['invoice.*'], description: null };
  await call('the narrow webhook is replaced', `PUT /api/webhooks/${narrow.json.id}`, { body: change });
  await call('the narrow webhook with faults', `PUT /api/webhooks/${narrow.json.id}`, { body: { url: '', types: [] } });
  await call('the webhook’s secret rotates', `POST /api/webhooks/${json.id}/rotate-secret`, {
    body: { overlapHours: 1 },
  });
  await call('a webhook is tried, signed twice', `POST /api/webhooks/${json.id}/test`);
  await call('the narrow webhook is removed', `DELETE /api/webhooks/${narrow.json.id}`);
  await call('the narrow webhook is removed again', `DELETE /api/webhooks/${narrow.json.id}`);
}

export async function walkDeliveries(tour: Tour): Promise<void> {
  const { call, merchant, made } = tour;
  const sold = await call('a reference whose callback will fail', 'POST /api/references/ppr', {
    body: { reference: '009900001', amount: 700 },
  });
  // Without it the next attempt's time is left to chance.
  const headers = { 'retry-after': '40' };
  merchant.say(({ path }) => (path === '/callback' ? { status: 500, body: 'out of order', headers } : { status: 200 }));
  await payReference(tour, sold.json);
  await call('deliveries that wait', 'GET /api/callbacks?status=Pending');
  merchant.say({ status: 200, body: { Success: false, Obs: 'again' }, headers });
  await tour.pass(40_000);
  merchant.say({ status: 200, body: { Success: true, Obs: 'ok' } });
  await tour.pass(50_000);
  const { json } = await call('deliveries of one payment', `GET /api/callbacks?paymentId=${sold.json.internalId}`);
  const [delivery] = json.data;
  await call('a delivery', `GET /api/callbacks/${delivery.id}`);
  await call('another’s delivery', `GET /api/callbacks/${delivery.id}`, { token: await tour.strangerToken() });
  await call('deliveries with faults', 'GET /api/callbacks?status=Nothing&from=x');
  await call('a delivery is replayed', `POST /api/callbacks/${delivery.id}/replay`, {
    headers: { 'idempotency-key': 'replay-1' },
  });
  await call('a delivery is replayed by the same key', `POST /api/callbacks/${delivery.id}/replay`, {
    headers: { 'idempotency-key': 'replay-1' },
  });
  await call('a delivery that is none', `POST /api/callbacks/${nobody}/replay`);
  await call('deliveries are replayed', 'POST /api/callbacks/replay', {
    body: { status: 'Delivered', paymentId: sold.json.internalId, kind: 'callback' },
  });
  await call('deliveries are replayed with faults', 'POST /api/callbacks/replay', { body: { status: 'x', from: 'x' } });
  const hook = made['webhook'].id;
  await call('deliveries of a webhook', `GET /api/webhooks/${hook}/deliveries?paymentId=${sold.json.internalId}`);
}

/** From here on the merchant's server hears of nothing. */
export async function removeEndpoints({ call, made }: Tour): Promise<void> {
  const hook = made['webhook'].id;
  await call('the webhook is removed', `DELETE /api/webhooks/${hook}`, { headers: { 'idempotency-key': 'hook-1' } });
  await call('the callback endpoint is removed', `DELETE ${MERCHANT}/callback`);
  await call('the callback endpoint is removed again', `DELETE ${MERCHANT}/callback`);
  await call('a callback without an endpoint is tried', 'POST /api/callbacks/test', { body: {} });
}
