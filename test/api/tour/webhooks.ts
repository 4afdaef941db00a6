// Callbacks and webhooks: the tour sets endpoints, lets deliveries fail, and replays them.
import { MERCHANT } from './merchants.ts';
import { payReference } from './payers.ts';
import type { Tour } from './recorder.ts';

const ACCESS_KEY = 'an-access-key-of-the-tour';
const UNKNOWN = '00000000-0000-4000-8000-000000000099';

/** From this step on, the merchant's server receives every delivery. */
export async function walkEndpoints(tour: Tour): Promise<void> {
  const { call, merchant } = tour;
  const callback = `${MERCHANT}/callback`;
  const key = 'endpoint-1';
  const body = { url: `${merchant.url}/callback`, accessKey: ACCESS_KEY };
  await call(`GET ${callback}`, 200);
  await call(`PUT ${callback}`, 400, { body: { url: 'ftp://x', accessKey: 'short' } });
  await call(`PUT ${callback}`, 200, { body, key });
  await call(`PUT ${callback}`, 422, {
    body: { ...body, accessKey: `${ACCESS_KEY}-2` },
    key,
  });
  await call(`GET ${callback}`, 404, { token: await tour.strangerToken() });
  await call('POST /api/callbacks/test', 200, { body: { type: 'PPR' } });
  await call('POST /api/callbacks/test', 200, { body: { type: 'QR' } });
  await call('POST /api/callbacks/test', 400, { body: { type: 'SMS' } });

  const hook = { url: `${merchant.url}/webhook`, description: 'everything' };
  await call('POST /api/webhooks', 400, { body: { url: 'x', types: ['payment.nothing'] } });
  const { json } = await call('POST /api/webhooks', 201, { body: hook });
  tour.made['webhook'] = json;
  const narrow = await call('POST /api/webhooks', 201, {
    body: { url: `${merchant.url}/narrow`, types: ['terminal.*'] },
  });
  await call('GET /api/webhooks?pageSize=10', 200);
  await call(`GET /api/webhooks/${json.id}`, 200);
  await call(`GET /api/webhooks/${json.id}`, 404, { token: await tour.strangerToken() });
  await call(`POST /api/webhooks/${json.id}/test`, 200);
  const change = { url: `${merchant.url}/narrow`, types: ['invoice.*'], description: null };
  await call(`PUT /api/webhooks/${narrow.json.id}`, 200, { body: change });
  await call(`PUT /api/webhooks/${narrow.json.id}`, 400, { body: { url: '', types: [] } });
  await call(`POST /api/webhooks/${json.id}/rotate-secret`, 200, { body: { overlapHours: 1 } });
  await call(`POST /api/webhooks/${json.id}/test`, 200);
  await call(`DELETE /api/webhooks/${narrow.json.id}`, 204);
  await call(`DELETE /api/webhooks/${narrow.json.id}`, 404);
}

export async function walkDeliveries(tour: Tour): Promise<void> {
  const { call, merchant, made } = tour;
  const sold = await call('POST /api/references/ppr', 201, { body: { reference: '009900001', amount: 700 } });
  // The update sets the time of the next attempt, which is otherwise random.
  const headers = { 'retry-after': '40' };
  merchant.answerWith(({ path }) =>
    path === '/callback' ? { status: 500, body: 'out of order', headers } : { status: 200 },
  );
  await payReference(tour, sold.json);
  await call('GET /api/callbacks?status=Pending', 200);
  merchant.answerWith({ status: 200, body: { Success: false, Obs: 'again' }, headers });
  await tour.pass(40_000);
  merchant.answerWith({ status: 200, body: { Success: true, Obs: 'ok' } });
  await tour.pass(50_000);
  const { json } = await call(`GET /api/callbacks?paymentId=${sold.json.internalId}`, 200);
  const [delivery] = json.data;
  await call(`GET /api/callbacks/${delivery.id}`, 200);
  await call(`GET /api/callbacks/${delivery.id}`, 404, { token: await tour.strangerToken() });
  await call('GET /api/callbacks?status=Nothing&from=x', 400);
  await call(`POST /api/callbacks/${delivery.id}/replay`, 202);
  await call(`POST /api/callbacks/${UNKNOWN}/replay`, 404);
  await call('POST /api/callbacks/replay', 202, {
    body: { status: 'Delivered', paymentId: sold.json.internalId, kind: 'callback' },
  });
  await call('POST /api/callbacks/replay', 400, { body: { status: 'x', from: 'x' } });
  const hook = made['webhook'].id;
  await call(`GET /api/webhooks/${hook}/deliveries?paymentId=${sold.json.internalId}`, 200);
}

/** From this step on, the merchant's server receives no delivery. */
export async function removeEndpoints({ call, made }: Tour): Promise<void> {
  const hook = made['webhook'].id;
  await call(`DELETE /api/webhooks/${hook}`, 204);
  await call(`DELETE ${MERCHANT}/callback`, 204);
  await call(`DELETE ${MERCHANT}/callback`, 204);
  await call('POST /api/callbacks/test', 409, { body: {} });
}
