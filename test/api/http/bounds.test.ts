// What anybody can order costs little: small bodies, short answers, few streams; and a stored answer keeps no token.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { create, webframe } from '../../support/payments.ts';
import { openStream } from '../../support/stream.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { STREAMS_PER_PAYMENT: '2' } });
});

test.each(['/oauth/token', '/rails/gpo/notifications'])('%s takes no large body', async (path) => {
  const body = JSON.stringify({ grant_type: 'x'.repeat(70_000) });
  expect((await app.call(path, { body, token: null })).status).toBe(413);
});

test('an answer names a hundred faults at most', async () => {
  const reply = await app.call('/api/payments', { body: `{"a":[${Array(5_000).fill('"\\u0000"').join(',')}]}` });
  expect(reply).toMatchObject({ status: 400, json: { code: 'invalid_text' } });
  expect(reply.json.errors).toHaveLength(100);
});

test('JSON in another charset is refused', async () => {
  const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
  const reply = await app.call('/api/payments', { body: JSON.stringify(webframe()), headers });
  expect(reply).toMatchObject({ status: 415, json: { code: 'unsupported_media_type' } });
});

test('a checkout has a few streams; one more is told to come later, and a place that is left can be taken', async () => {
  const { clientToken } = await create(app, webframe());
  const url = `${app.url}/checkout/${clientToken}/events`;
  const [first, second] = [await openStream(url), await openStream(url)];
  const third = await app.call(`/checkout/${clientToken}/events`, { token: null });
  expect(third).toMatchObject({ status: 503, json: { code: 'service_unavailable' } });
  expect(third.headers.get('retry-after')).toBe('10');
  first.close();
  for (;;) {
    const again = await openStream(url);
    again.close();
    if (again.status === 200) break;
  }
  second.close();
});

test('a repeat shows the client token although nothing that is stored holds it', async () => {
  const body = webframe({ description: 'Café' });
  const headers = { 'idempotency-key': 'token-kept-nowhere' };
  const first = await app.call('/api/payments', { body, headers });
  const [stored] = await app.sql(`select k::text as row from idempotency_keys k where key = $1`, [
    'token-kept-nowhere',
  ]);
  expect(stored.row).not.toContain(first.json.clientToken);
  const repeat = await app.call('/api/payments', { body, headers });
  expect(repeat.text).toBe(first.text);
  expect(repeat.headers.get('idempotency-replayed')).toBe('true');
});

test('a repeat is answered although the merchant’s settings would refuse the request by now', async () => {
  const { merchantId, token } = await app.addMerchant({ returnOrigins: ['https://loja.example'] });
  const body = webframe({ metadata: { returnUrl: 'https://loja.example/fim' } });
  const headers = { 'idempotency-key': 'before-the-change' };
  const first = await app.call('/api/payments', { body, headers, token });
  expect(first.status).toBe(201);
  await app.sql(`update merchants set return_origins = '{}' where id = $1`, [merchantId]);
  await app.clock.advance(6_000);
  expect((await app.call('/api/payments', { body, headers, token })).text).toBe(first.text);
  expect(await app.call('/api/payments', { body, token })).toMatchObject({
    status: 400,
    json: { code: 'origin_not_registered' },
  });
});
