import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signMessage, verifySignature, type RailMessage } from '../../../server/http/signature.ts';

const KEY = 'a key of sixteen letters or more';
const NOW = new Date('2026-03-02T09:00:00.000Z');
const message: RailMessage = { method: 'POST', path: '/rails/gpo/notifications', body: '{"id":"n-1"}' };

/** The header names are in lower case, as Node returns them. */
function sign(given: RailMessage = message, key = KEY, at = NOW): Record<string, string> {
  return Object.fromEntries(
    Object.entries(signMessage(key, given, at)).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
const isBelieved = (headers: Record<string, string | string[]>, given = message, key = KEY, now = NOW) =>
  verifySignature(key, given, headers, now);

test('verifySignature accepts a signed text or its bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.webPath(), fc.string({ minLength: 1 }), (body, path, key) => {
      const given = { method: 'POST', path, body };
      expect(isBelieved(sign(given, key), { ...given, body: Buffer.from(body) }, key)).toBe(true);
    }),
  );
});

describe('verifySignature', () => {
  test.each<[string, RailMessage]>([
    ['another method', { ...message, method: 'GET' }],
    ['another path', { ...message, path: '/rails/ppr/notifications' }],
    ['another query', { ...message, path: `${message.path}?x=1` }],
    ['another body', { ...message, body: '{"id":"n-2"}' }],
    ['a space more', { ...message, body: `${String(message.body)} ` }],
    ['no body', { ...message, body: '' }],
    [
      'a path that ends with the first character of the body',
      { ...message, path: `${message.path}{`, body: '"id":"n-1"}' },
    ],
  ])('rejects a signature for a message with %s', (_what, changed) => {
    expect(isBelieved(sign(), changed)).toBe(false);
    expect(isBelieved(sign(changed), changed)).toBe(true);
  });

  test('rejects a signature by another key', () => {
    expect(isBelieved(sign(message, 'another key altogether'))).toBe(false);
  });

  test('rejects a signature with one changed character at any position', () => {
    const headers = sign();
    const signature = headers['rail-signature'] as string;
    for (let i = 0; i < signature.length; i++) {
      const other = signature[i] === '0' ? '1' : '0';
      expect(isBelieved({ ...headers, 'rail-signature': signature.slice(0, i) + other + signature.slice(i + 1) })).toBe(
        false,
      );
    }
  });

  test.each(['x1', '1x', '1234567890123', '1.5', ' 1'])('rejects the signed timestamp %j', (timestamp) => {
    const hmac = createHmac('sha256', KEY).update(`${timestamp}.POST.${message.path}.`).update(String(message.body));
    const headers = { 'rail-timestamp': timestamp, 'rail-signature': `v1=${hmac.digest('hex')}` };
    expect(isBelieved(headers, message, KEY, new Date(1_000))).toBe(false);
  });

  test.each<[string, Record<string, string | string[] | undefined>]>([
    ['neither timestamp nor signature', { 'rail-timestamp': undefined, 'rail-signature': undefined }],
    ['no timestamp', { 'rail-timestamp': undefined }],
    ['no signature', { 'rail-signature': undefined }],
    ['an empty signature', { 'rail-signature': '' }],
    ['a signature of another version', { 'rail-signature': sign()['rail-signature']?.replace('v1=', 'v2=') }],
    ['a longer signature', { 'rail-signature': `${sign()['rail-signature']}00` }],
    ['another timestamp', { 'rail-timestamp': String(NOW.getTime() / 1000 + 1) }],
    ['a timestamp with a leading zero', { 'rail-timestamp': `0${NOW.getTime() / 1000}` }],
    ['a timestamp that is not a number', { 'rail-timestamp': 'now' }],
    ['two signatures', { 'rail-signature': [sign()['rail-signature'] as string, 'x'] }],
  ])('rejects headers with %s', (_what, change) => {
    expect(isBelieved({ ...sign(), ...change } as Record<string, string>)).toBe(false);
  });

  const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

  test.each([
    [0, true],
    [300, true],
    [-300, true],
    [301, false],
    [-301, false],
    [86_400, false],
  ])('accepts a timestamp %i s old: %s', (seconds, believed) => {
    expect(isBelieved(sign(), message, KEY, after(seconds))).toBe(believed);
  });
});
