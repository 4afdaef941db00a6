import { describe, expect, test } from 'vitest';
import { refuseBody, refuseQuery } from '../../support/declared.ts';

const URL = 'https://192.0.9.1/hook';
const ACCESS_KEY = 'a-key-of-the-shop-0001';
const PUBLIC = { url: URL };

describe.each(['setCallbackEndpoint', 'createWebhook', 'replaceWebhook'])('%s', (operationId) => {
  test('accepts a URL with an access key', () => {
    expect(refuseBody(operationId, { url: URL, accessKey: ACCESS_KEY }).code).toBe(null);
  });

  test.each<[unknown, string]>([
    [undefined, 'required'],
    [null, 'invalid_type'],
    [7, 'invalid_type'],
    [[URL], 'invalid_type'],
    [`${URL}/${'x'.repeat(2_048)}`, 'too_long'],
  ])('refuses the URL %j', (url, code) => {
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
])('setCallbackEndpoint refuses the access key %j', (accessKey, code) => {
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
  ])('refuses %j', (more, faults) => {
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
])('rotateWebhookSecret refuses overlapHours %j', (overlapHours, code) => {
  expect(refuseBody('rotateWebhookSecret', { overlapHours }).faults).toEqual([`/overlapHours ${code}`]);
});

test.each<[unknown, string]>([
  ['GPO', 'invalid_value'],
  ['', 'invalid_value'],
  [1, 'invalid_type'],
  [null, 'invalid_type'],
])('testCallbackEndpoint refuses the type %j', (type, code) => {
  expect(refuseBody('testCallbackEndpoint', { type }).faults).toEqual([`/type ${code}`]);
});

describe('replayCallbacks', () => {
  test.each<[object | string, string[]]>([
    [{ status: 'Sent' }, ['/status invalid_value']],
    [{ status: 1 }, ['/status invalid_type']],
    [{ status: null }, ['/status invalid_type']],
    [{ kind: 'test' }, ['/kind invalid_value']],
    [{ paymentId: 'PEDIDO-1' }, ['/paymentId invalid_format']],
    [{ from: '2026-03-02' }, ['/from invalid_format']],
    [{ to: 5 }, ['/to invalid_type']],
    [{ from: '2026-03-02T09:00:00Z', to: '2026-03-02T08:00:00Z' }, ['/to date_range']],
    [
      { status: 'x', paymentId: 'y', from: '2026-03-02T09:00:00+01:00', to: '2026-03-02T07:00:00Z' },
      ['/status invalid_value', '/paymentId invalid_format', '/to date_range'],
    ],
    [[1], [' invalid_type']],
    ['null', [' invalid_type']],
  ])('refuses %j', (body, faults) => {
    expect(refuseBody('replayCallbacks', body).faults).toEqual(faults);
  });
});

describe('listCallbacks', () => {
  test.each([
    ['status=Sent', ['/query/status invalid_value']],
    ['paymentId=1', ['/query/paymentId invalid_format']],
    ['from=yesterday', ['/query/from invalid_format']],
    ['from=2026-03-02', ['/query/from invalid_format']],
    ['to=2026-03-02T09:00:00', ['/query/to invalid_format']],
    ['to=0000-01-01T00:00:00Z', ['/query/to invalid_date']],
    ['from=2026-03-02T09:00:00Z&to=2026-03-02T08:59:59Z', ['/query/to date_range']],
    ['page=0', ['/query/page too_small']],
    ['pageSize=101', ['/query/pageSize too_big']],
    [
      'page=0&status=x&paymentId=y&from=2026-03-02T09:00:00Z&to=2026-03-01T09:00:00Z',
      [
        '/query/page too_small',
        '/query/status invalid_value',
        '/query/paymentId invalid_format',
        '/query/to date_range',
      ],
    ],
  ])('refuses ?%s', (query, faults) => {
    expect(refuseQuery('listCallbacks', query).faults).toEqual(faults);
  });
});
