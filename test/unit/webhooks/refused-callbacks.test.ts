// What endpoints, webhooks, tests and rotations refuse by their schemas: each wrong field by pointer and code.
import { describe, expect, test } from 'vitest';
import { refuseBody } from '../../support/declared.ts';

const URL = 'https://192.0.9.1/hook';
const ACCESS_KEY = 'a-key-of-the-shop-0001';
const PUBLIC = { url: URL };

describe.each(['setCallbackEndpoint', 'createWebhook', 'replaceWebhook'])('%s', (operationId) => {
  test('takes what is good', () => {
    expect(refuseBody(operationId, { url: URL, accessKey: ACCESS_KEY }).code).toBe(null);
  });

  test.each<[unknown, string]>([
    [undefined, 'required'],
    [null, 'invalid_type'],
    [7, 'invalid_type'],
    [[URL], 'invalid_type'],
    [`${URL}/${'x'.repeat(2_048)}`, 'too_long'],
  ])('the address cannot be %j', (url, code) => {
    const refused = refuseBody(operationId, { url, accessKey: ACCESS_KEY });
    expect(refused).toMatchObject({ code: 'validation_failed', faults: [`/url ${code}`] });
  });
});

test.each<[unknown, string]>([
  ['', 'invalid_access_key'],
  ['x'.repeat(15), 'invalid_access_key'],
  ['x'.repeat(257), 'invalid_access_key'],
  ['with a space in it', 'invalid_access_key'],
  ['chave-com-acentuação', 'invalid_access_key'],
  ['line\nbreak-0123456789', 'invalid_access_key'],
  [1_234_567_890_123_456, 'invalid_type'],
  [{}, 'invalid_type'],
])('the access key cannot be %j', (accessKey, code) => {
  const refused = refuseBody('setCallbackEndpoint', { url: URL, accessKey });
  expect(refused.faults).toEqual([`/accessKey ${code}`]);
  if (typeof accessKey === 'string' && accessKey) expect(refused.messages.join()).not.toContain(accessKey);
});

describe.each(['createWebhook', 'replaceWebhook'])('%s', (operationId) => {
  test.each<[object, string[]]>([
    [{ types: [] }, ['/types too_small']],
    [{ types: 'payment.paid' }, ['/types invalid_type']],
    [{ types: ['payment.paid', 'payment.payed'] }, ['/types/1 unknown_event_type']],
    [{ types: ['*', 'payment', 'payment.', '.paid', 'PAYMENT.PAID', 'payments.*', ''] }, allOf(7)],
    [{ types: ['payment.paid', 7] }, ['/types/1 invalid_type']],
    [{ types: Array(65).fill('payment.paid') }, ['/types too_big']],
    [{ description: 'x'.repeat(501) }, ['/description too_long']],
    [{ description: 7 }, ['/description invalid_type']],
  ])('with %j', (more, faults) => {
    expect(refuseBody(operationId, { ...PUBLIC, ...more })).toMatchObject({ code: 'validation_failed', faults });
  });
});

function allOf(count: number): string[] {
  return Array.from({ length: count }, (_, nth) => `/types/${nth} unknown_event_type`);
}

test.each<[unknown, string]>([
  [-1, 'too_small'],
  [169, 'too_big'],
  [1.5, 'invalid_type'],
  ['24', 'invalid_type'],
])('a secret is not rotated with an overlap of %j', (overlapHours, code) => {
  expect(refuseBody('rotateWebhookSecret', { overlapHours }).faults).toEqual([`/overlapHours ${code}`]);
});

test.each<[unknown, string]>([
  ['GPO', 'invalid_value'],
  ['', 'invalid_value'],
  [1, 'invalid_type'],
  [null, 'invalid_type'],
])('there is no sample of the type %j', (type, code) => {
  expect(refuseBody('testCallbackEndpoint', { type }).faults).toEqual([`/type ${code}`]);
});
