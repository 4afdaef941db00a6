// The headers Idempotency-Key and Prefer, the comparison of requests, and replayed responses.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readKeyed, readPrefer, replay } from '../../../server/http/idempotency.ts';
import { Problem } from '../../../server/http/problem.ts';
import { makeContext, type RequestShape } from '../../support/context.ts';

const post = (key: string | undefined, shape: RequestShape = {}) =>
  makeContext({
    method: 'POST',
    url: '/api/payments',
    rawBody: '{"amount":1}',
    ...shape,
    headers: { ...(key !== undefined && { 'Idempotency-Key': key }), ...shape.headers },
  });

const refusal = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, ...error.options };
    throw error;
  }
  return null;
};

describe('readKeyed', () => {
  test('returns null without the header', () => {
    expect(readKeyed(post(undefined))).toBeNull();
  });

  test.each([
    ['a', 'a'],
    ['0198a1b2-7000-7000-8000-0000000000a1', '0198a1b2-7000-7000-8000-0000000000a1'],
    ['"quoted"', 'quoted'],
    ['"with spaces inside"', 'with spaces inside'],
    ['!#$%&()*+,-./:;<=>?@[]^_`{|}~', '!#$%&()*+,-./:;<=>?@[]^_`{|}~'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('reads the header %s as the key %s', (header, key) => {
    expect(readKeyed(post(header))?.key).toBe(key);
  });

  test.each([
    '',
    '""',
    ' ',
    '"',
    '"open',
    'closed"',
    'two words',
    'a"b',
    '"a"b"',
    // Node.js joins two headers of one name in this form.
    'one, two',
    '"one", "two"',
    'tab\tbed',
    'é',
    '"chave-única"',
    'x'.repeat(256),
    `"${'x'.repeat(256)}"`,
  ])('refuses %j', (header) => {
    expect(refusal(() => readKeyed(post(header)))?.code).toBe('idempotency_key_invalid');
  });

  test('accepts visible ASCII of the right length, with and without quotes', () => {
    const visible = fc.stringMatching(/^[\x21\x23-\x7e]{1,255}$/);
    fc.assert(
      fc.property(visible, (key) => {
        expect(readKeyed(post(key))).toEqual(readKeyed(post(`"${key}"`)));
        expect(readKeyed(post(key))?.key).toBe(key);
      }),
    );
  });
});

describe('the fingerprint of a request', () => {
  const print = (shape: RequestShape = {}) => readKeyed(post('k', shape))?.fingerprint;

  test('is the same each time for the same request', () => {
    expect(print()).toBe(print());
    expect(print()).toMatch(/^[\w-]{43}$/);
  });

  test.each<[string, RequestShape]>([
    ['another method', { method: 'PUT' }],
    ['another path', { url: '/api/payments/1/cancel' }],
    ['another body', { rawBody: '{"amount":2}' }],
    ['a longer number', { rawBody: '{"amount":1.0000000000000000000000001}' }],
    ['a negative number', { rawBody: '{"amount":-1}' }],
    ['text in place of a number', { rawBody: '{"amount":"1"}' }],
    ['one more member', { rawBody: '{"amount":1,"a":null}' }],
    ['no body', { rawBody: '' }],
  ])('differs for %s', (_what, shape) => {
    expect(print(shape)).not.toBe(print());
  });

  const spelled = (rawBody: string) => print({ rawBody });
  test.each([
    ['white space', '{"amount":1,"m":{"a":[1,2]}}', '{ "amount" : 1 ,\n "m": {"a": [1, 2]} }'],
    ['the order of members', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['escapes', '{"a":"é/\u20ac"}', '{"\\u0061":"\\u00E9\\/\\u20AC"}'],
    ['decimals that are zero', '{"amount":1500}', '{"amount":1500.00}'],
    ['an exponent', '{"amount":1500}', '{"amount":1.5E+3}'],
    ['a negative exponent', '{"amount":0.015}', '{"amount":15e-3}'],
    ['zero', '{"amount":0}', '{"amount":-0.0e5}'],
    ['a byte order mark', '{"amount":1}', '\ufeff{"amount":1}'],
  ])('is the same for another spelling of the JSON body: %s', (_what, one, other) => {
    expect(spelled(other)).toBe(spelled(one));
  });

  test('differs if the order of an array or a digit beyond the precision of a double differs', () => {
    expect(spelled('{"a":[1,2]}')).not.toBe(spelled('{"a":[2,1]}'));
    expect(spelled('{"a":9007199254740993}')).not.toBe(spelled('{"a":9007199254740992}'));
  });

  test('does no arithmetic on an exponent of more than 1,000 digits, because a MiB of digits takes half a second', () => {
    const long = '9'.repeat(1_001);
    expect(spelled(`{"a":1e${long}}`)).not.toBe(spelled(`{"a":1.0e${long}}`));
    expect(spelled('{"a":1e99}')).toBe(spelled('{"a":1.0e99}'));
  });

  test('covers the bytes of a body that is not JSON', () => {
    expect(spelled('a=1')).not.toBe(spelled('a=2'));
  });

  test('ignores Prefer and other headers', () => {
    expect(print({ headers: { Prefer: 'wait=10', Authorization: 'Bearer x', 'X-Request-Id': '1' } })).toBe(print());
  });

  test('differs if text moves from the path to the body', () => {
    expect(print({ url: '/api/a', rawBody: 'b' })).not.toBe(print({ url: '/api/ab', rawBody: '' }));
  });
});

describe('replay of a stored response', () => {
  const keyed = { key: 'k', fingerprint: 'f' };

  test('returns the first response with a header that marks the replay', () => {
    const stored = { fingerprint: 'f', status: 201, body: '{"amount":1.50}' };
    expect(replay(stored, keyed)).toEqual({
      status: 201,
      body: '{"amount":1.50}',
      headers: { 'Idempotency-Replayed': 'true' },
    });
  });

  test('refuses another request under the same key', () => {
    for (const status of [201, null]) {
      const stored = { fingerprint: 'other', status, body: null };
      expect(refusal(() => replay(stored, keyed))?.code).toBe('idempotency_key_reused');
    }
  });

  test('refuses a repeat while the first request runs', () => {
    const stored = { fingerprint: 'f', status: null, body: null };
    const refused = refusal(() => replay(stored, keyed));
    expect(refused).toMatchObject({ code: 'idempotency_in_progress', headers: { 'Retry-After': '1' } });
  });
});

describe('readPrefer', () => {
  test.each([
    [undefined, 0, false],
    ['', 0, false],
    ['wait=10', 10, false],
    ['wait = 10', 10, false],
    ['WAIT=10', 10, false],
    ['wait="10"', 10, false],
    ['wait=100', 100, false],
    ['wait=101', 100, false],
    ['wait=999999', 100, false],
    ['wait=-5', 0, false],
    ['wait=soon', 0, false],
    ['wait', 0, false],
    ['await=10', 0, false],
    ['respond-async, wait=20', 20, false],
    ['return=representation', 0, true],
    ['return="representation"', 0, true],
    ['return = representation', 0, true],
    ['return=minimal', 0, false],
    ['return=representation; wait=5', 5, true],
    ['wait=5, return=representation', 5, true],
    ['x-return=representation', 0, false],
  ])('reads %j as wait %i s, representation %s', (header, waitS, wantsRepresentation) => {
    const ctx = makeContext({ headers: header === undefined ? {} : { Prefer: header } });
    expect(readPrefer(ctx)).toEqual({ waitS, wantsRepresentation });
  });
});
