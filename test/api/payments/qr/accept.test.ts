// The form of the response to a QR creation: JSON only if `Accept` names JSON and no image.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { qrcode } from '../../../support/qrcodes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const create = (accept: string, more: Record<string, string> = {}) =>
  app.call('/api/payments', { body: qrcode({}), headers: { accept, ...more } });

test.each(['application/json', 'application/json;q=0.9, text/html', 'application/problem+json, Application/JSON'])(
  'Accept: %s gets 201 with JSON',
  async (accept) => {
    const { status, json, headers } = await create(accept);
    expect([status, json.paymentMethod]).toEqual([201, 'qrcode']);
    expect(json.qrCode.svg).toContain('<svg');
    expect(headers.get('vary')).toMatch(/accept/i);
  },
);

test.each([
  '*/*',
  'application/json, */*',
  'application/json, text/plain, */*;q=0.1',
  'image/*, application/json',
  'application/json, image/png',
  'image/svg+xml, application/json',
  'application/json;q=0, text/html',
  'text/html',
])('Accept: %s gets 200 with the image', async (accept) => {
  const { status, headers } = await create(accept);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
});

test('a repeat has the form of the first response', async () => {
  const body = qrcode({});
  const send = (accept: string) =>
    app.call('/api/payments', { body, headers: { accept, 'idempotency-key': 'a-code' } });
  expect([(await send('application/json')).status, (await send('*/*')).status]).toEqual([201, 201]);
});
