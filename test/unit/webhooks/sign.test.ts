// Verifies signed webhooks with the library of the Standard Webhooks project.
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { makeSecret, signWebhook } from '../../../server/webhooks/message.ts';

const id = '0198c8a2-7d1f-7c60-9a6e-3f3f0f2f1a11';
const body = '{"type":"payment.paid","data":{"amount":1500.5,"customMetadata":{"cliente":"Conceição"}}}';
// The library rejects a timestamp that differs from the machine's clock by more than five minutes.
const sign = (secrets: string[], given: { body?: string; timestamp?: Date } = {}) =>
  signWebhook({ id, timestamp: new Date(), body, secrets, ...given });
const verify = (secret: string, headers: Record<string, string>, received = body) =>
  new Webhook(secret).verify(received, headers);

test('the library of Standard Webhooks verifies a signed webhook', () => {
  const secret = makeSecret();
  expect(verify(secret, sign([secret]))).toEqual(JSON.parse(body));
});

test('the library of Standard Webhooks verifies a signature of any body with any secret', () => {
  fc.assert(
    fc.property(fc.json(), fc.uint8Array({ minLength: 24, maxLength: 64 }), (text, bytes) => {
      const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
      expect(verify(secret, sign([secret], { body: text }), text)).toEqual(JSON.parse(text));
    }),
  );
});

test('the signature of a webhook equals the signature of the library', () => {
  const [secret, timestamp] = [makeSecret(), new Date('2026-03-02T09:00:00.999Z')];
  expect(sign([secret], { timestamp })).toEqual({
    'webhook-id': id,
    // 2026-03-02T09:00:00Z. The signature rounds a fraction of a second down.
    'webhook-timestamp': '1772442000',
    'webhook-signature': new Webhook(secret).sign(id, timestamp, body),
  });
});

describe('a rotation of the webhook secret', () => {
  const [before, after] = [makeSecret(), makeSecret()];

  test('lets receivers verify with either secret during the overlap', () => {
    const headers = sign([after, before]);
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    expect(verify(before, headers)).toEqual(JSON.parse(body));
    expect(verify(after, headers)).toEqual(JSON.parse(body));
  });

  test('makes the old secret invalid after the overlap', () => {
    expect(verify(after, sign([after]))).toEqual(JSON.parse(body));
    expect(() => verify(before, sign([after]))).toThrow('No matching signature found');
  });
});

describe('a changed webhook', () => {
  const secret = makeSecret();

  test.each<[string, Record<string, string>]>([
    ['another id', { 'webhook-id': '0198c8a2-7d1f-7c60-9a6e-3f3f0f2f1a12' }],
    ['another time', { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 7) }],
    ['no signature', { 'webhook-signature': '' }],
    ['another version of signature', { 'webhook-signature': `v2,${sign([secret])['webhook-signature']!.slice(3)}` }],
  ])('is rejected by the library with %s', (_what, change) => {
    expect(() => verify(secret, { ...sign([secret]), ...change })).toThrow();
  });

  test('is rejected by the library with another body or another secret', () => {
    expect(() => verify(secret, sign([secret]), body.replace('1500.5', '1500.50'))).toThrow('No matching signature');
    expect(() => verify(makeSecret(), sign([secret]))).toThrow('No matching signature');
  });

  test('is rejected by the library after five minutes', () => {
    const timestamp = new Date(Date.now() - 301_000);
    expect(() => verify(secret, sign([secret], { timestamp }))).toThrow('too old');
  });
});

test('a webhook secret has 32 random bytes', () => {
  const secrets = Array.from({ length: 100 }, makeSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
