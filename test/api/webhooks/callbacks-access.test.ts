// What callbacks and webhooks keep to themselves: nobody sends another's again, and secrets are never told or logged.
import { Writable } from 'node:stream';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openShop, sell, untilDelivery, type Shop } from '../../support/callbacks.ts';
import { fill } from '../../support/one-of-each.ts';
import { creepUntilTold } from '../../support/ppr.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, type Receiver } from '../../support/receiver.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
let stranger: Shop;
let secret: string;
/** Of the shop. */
const ids = { merchantId: '', deliveryId: '', webhookId: '' };
let logged = '';

beforeAll(async () => {
  const logTo = new Writable({ write: (chunk, _encoding, done) => ((logged += chunk), done()) });
  app = await startTestApp({ env: RECEIVER_ENV, logTo });
  merchant = await startReceiver();
  shop = await openShop(app, merchant.url);
  stranger = await openShop(app, merchant.url);
  const webhook = (await shop.call('/api/webhooks', { body: { url: merchant.url, types: ['terminal.*'] } })).json;
  await sell(app, shop);
  const { id } = await untilDelivery(shop, 'Delivered');
  await creepUntilTold(app);
  secret = webhook.secret;
  Object.assign(ids, { merchantId: shop.merchantId, deliveryId: id, webhookId: webhook.id });
});

const endpoint = { url: 'https://192.0.9.1/hook', accessKey: ACCESS_KEY };

/** Every address of callbacks and webhooks, for what is the shop's. */
const listCalls = () =>
  app.node.app.routes
    .filter(({ tag }) => tag === 'Callbacks' || tag === 'Webhooks')
    .map(({ method, path, operationId }) => ({
      method,
      path: fill(path, ids),
      ...(/^(set|create|replace)/.test(operationId) && { body: endpoint }),
    }));

test('what is sent again is one’s own: of nothing nothing', async () => {
  const read = () => app.sql('select * from deliveries order by seq');
  const before = await read();
  const body = { status: 'Delivered' };
  const replayed = await leavesNothing(app, () => stranger.call('/api/callbacks/replay', { body }));
  expect([replayed.status, replayed.json]).toEqual([202, { replayed: 0 }]);
  expect(await read()).toEqual(before);
});

test('access keys and secrets are told by no read, kept by no log, and in no row as they are', async () => {
  const token = await stranger.tokenFor({ scope: 'merchant:read' });
  for (const { path, ...options } of listCalls())
    for (const wrong of [null, 'forged', token]) await app.call(path, { ...options, token: wrong });
  const reads = listCalls().filter(({ method }) => method === 'GET');
  expect(reads.length).toBeGreaterThan(4);
  const told = await Promise.all(reads.map(({ path }) => shop.call(path)));
  expect(told.map(({ status }) => status)).toEqual(reads.map(() => 200));
  const texts = told.map(({ text }) => text).join('\n');
  const tables = ['endpoints', 'deliveries', 'delivery_attempts', 'events', 'idempotency_keys'];
  const rows = await Promise.all(tables.map((table) => app.sql(`select * from ${table}`)));
  for (const hidden of [ACCESS_KEY, secret, secret.replace('whsec_', '')]) {
    expect(texts).not.toContain(hidden);
    expect(logged).not.toContain(hidden);
    expect(JSON.stringify(rows)).not.toContain(hidden);
  }
  // What was looked through is what there is to see.
  expect(logged).toContain('/api/merchants/{merchantId}/callback');
  expect(merchant.requests[0]?.headers['access-key']).toBe(ACCESS_KEY);
});
