// Warnings: an accepted request with a misspelt field says so in its response, in the log and in GET /api/errors.
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { creepUntil, webframe } from '../../support/payments.ts';

let app: TestApp;
let shop: CallbackFixture;
let log = '';
beforeAll(async () => {
  const logTo = new PassThrough();
  logTo.on('data', (chunk) => (log += String(chunk)));
  app = await startTestApp({ logTo });
  shop = await openCallbackFixture(app);
});

const misspelt = webframe({ metadata: { paymentMethod: 'onetimepurchse' } });
const POINTER = '/metadata/paymentMethod';

describe('a creation with a misspelt paymentMethod', () => {
  test('returns a web frame with a warning, also to a repeat', async () => {
    const headers = { 'idempotency-key': 'misspelt' };
    const first = await shop.call('/api/payments', { body: misspelt, headers });
    const again = await shop.call('/api/payments', { body: misspelt, headers });
    expect([first.status, first.json.paymentMethod]).toEqual([201, 'webframe']);
    const known = 'webframe, onetimepurchase, authorization, capture, qrcode';
    const message = `is unknown, so the payment is a \`webframe\`. Known: ${known}`;
    expect(first.json.warnings).toEqual([{ pointer: POINTER, code: 'unknown_payment_method', message }]);
    expect(again.json.warnings).toEqual(first.json.warnings);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test('returns the warning in Portuguese for Accept-Language: pt', async () => {
    const { json } = await shop.call('/api/payments', { body: misspelt, headers: { 'accept-language': 'pt' } });
    expect(json.warnings[0].message).toContain('é desconhecido');
  });

  test('is in GET /api/errors and in the log of a sandbox', async () => {
    const headers = { 'x-request-id': 'misspelt-one' };
    await shop.call('/api/payments', { body: misspelt, headers });
    const list = async () => (await shop.call('/api/errors?requestId=misspelt-one&status=201')).json.data as any[];
    await creepUntil(app, async () => (await list()).length > 0, 'the warning being kept', 250);
    expect(await list()).toEqual([
      expect.objectContaining({
        status: 201,
        code: 'unknown_payment_method',
        faults: [{ pointer: POINTER, code: 'unknown_payment_method' }],
      }),
    ]);
    await creepUntil(
      app,
      async () => /request with warnings/.test(log) && log.includes('misspelt-one'),
      'the log',
      250,
    );
  });
});

test.each(['WebFrame', '', null, undefined])('the paymentMethod %j gets no warning', async (paymentMethod) => {
  const { status, json } = await shop.call('/api/payments', { body: webframe({ metadata: { paymentMethod } }) });
  expect(status).toBe(201);
  expect(json).not.toHaveProperty('warnings');
});

test('a refused creation has no warnings', async () => {
  const { json } = await shop.call('/api/payments', { body: { ...misspelt, amount: -1 } });
  expect(json.errors).toHaveLength(1);
  expect(json).not.toHaveProperty('warnings');
});
