// What creating references refuses, one by one, in bulk and as payments: every wrong field by its pointer, and nothing written.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../support/app.ts';
import { createPayable, digits, faultsOf, PPR } from '../support/ppr.ts';
import { leavesNothing } from '../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

type Fields = Record<string, unknown>;

/** A body's text; `raw:` values are written as they are, for numbers that JavaScript cannot hold. */
const write = (body: unknown) => JSON.stringify(body).replaceAll(/"raw:([^"]+)"/g, '$1');

/** The same fields as each way wants them, and where it finds them. */
const WAYS: Record<string, { path: string; body(fields: Fields): unknown; at(pointer: string): string }> = {
  'one reference': { path: PPR, body: (fields) => fields, at: (pointer) => pointer },
  'a legacy one': { path: `${PPR}/legacy`, body: (fields) => fields, at: (pointer) => pointer },
  'the second of three': {
    path: `${PPR}/bulk`,
    body: (fields) => ({ references: [{ amount: 1 }, fields, { amount: 1 }] }),
    at: (pointer) => `/references/1${pointer}`,
  },
  'a payment': {
    path: '/api/payments',
    body: ({ amount, reference, customMetadata: custom, ...metadata }) => ({
      amount,
      currency: 'AOA',
      paymentType: 'PPR',
      reference,
      metadata: { ...metadata, custom },
    }),
    at: (pointer) =>
      /^\/(amount|reference)$/.test(pointer) ? pointer : `/metadata${pointer.replace('customMetadata', 'custom')}`,
  },
};

let nth = 0;
/** Sends a creation with a key: a refusal must leave neither rows nor the key. */
const send = (way: string, fields: Fields, headers: Record<string, string> = {}): Promise<Reply> => {
  const { path, body } = WAYS[way]!;
  const options = { body: write(body(fields)), headers: { 'idempotency-key': `refuse-${++nth}`, ...headers } };
  return leavesNothing(app, () => app.call(path, options));
};

const charging = (fields: Fields) => ({ referenceType: 'Charging', ...fields });
const nested = (depth: number): object => (depth === 1 ? {} : { a: nested(depth - 1) });

const AMOUNTS: [string, Fields, string, string?][] = [
  ['no amount', {}, '/amount required'],
  ['amount null', { amount: null }, '/amount required'],
  ['amount as text', { amount: '1500' }, '/amount invalid_type'],
  ['amount true', { amount: true }, '/amount invalid_type'],
  ['amount as a list', { amount: [1] }, '/amount invalid_type'],
  ['amount 0', { amount: 0 }, '/amount amount_out_of_range', 'amount_out_of_range'],
  ['amount -0', { amount: 'raw:-0' }, '/amount amount_out_of_range', 'amount_out_of_range'],
  ['amount -5', { amount: -5 }, '/amount amount_out_of_range', 'amount_out_of_range'],
  ['amount 0.001', { amount: 0.001 }, '/amount amount_precision', 'amount_precision'],
  ['amount 10.999', { amount: 10.999 }, '/amount amount_precision', 'amount_precision'],
  ['amount 10000000.01', { amount: 10_000_000.01 }, '/amount amount_out_of_range', 'amount_out_of_range'],
  ['amount 1e400', { amount: 'raw:1e400' }, '/amount amount_out_of_range', 'amount_out_of_range'],
  ['an open amount below 0', charging({ amount: -0.01 }), '/amount amount_open_range'],
  ['an open amount of 0.001', charging({ amount: 0.001 }), '/amount amount_precision', 'amount_precision'],
  ['an open amount of 10000000.01', charging({ amount: 10_000_000.01 }), '/amount amount_open_range'],
  ['an open amount of 1e400', charging({ amount: 'raw:1e400' }), '/amount amount_open_range'],
  ['an open amount as text', charging({ amount: '0' }), '/amount invalid_type'],
];

const inReference = (reference: unknown): Fields => ({ amount: 1, reference });
const REFERENCES: [string, Fields, string, string?][] = [
  ...[
    '12345678',
    '1234567890123456',
    'ABCDEFGHI',
    '12345678A',
    ' 123456789',
    '123 456 789',
    '123456789\n',
    '+12345678',
    '-123456789',
    '12345678.0',
    '١٢٣٤٥٦٧٨٩',
    '１２３４５６７８９',
  ].map((text): [string, Fields, string, string] => [
    `reference ${JSON.stringify(text)}`,
    inReference(text),
    '/reference invalid_reference',
    'invalid_reference',
  ]),
  ['reference as a number', inReference(123_456_789), '/reference invalid_type'],
  ['reference as a list', inReference(['123456789']), '/reference invalid_type'],
  ['reference false', inReference(false), '/reference invalid_type'],
];

const OTHERS: [string, Fields, string, string?][] = [
  ['referenceType unknown', { amount: 1, referenceType: 'Static' }, '/referenceType invalid_value'],
  ['referenceType empty', { amount: 1, referenceType: '' }, '/referenceType invalid_value'],
  ['referenceType a number', { amount: 1, referenceType: 1 }, '/referenceType invalid_type'],
  ['expiryDate a number', { amount: 1, expiryDate: 1_772_442_000 }, '/expiryDate invalid_type'],
  ['expiryDate a list', { amount: 1, expiryDate: ['2027-01-01'] }, '/expiryDate invalid_type'],
  ['description a number', { amount: 1, description: 5 }, '/description invalid_type'],
  ['customerEmail an object', { amount: 1, customerEmail: {} }, '/customerEmail invalid_type'],
  ['customerEmail too long', { amount: 1, customerEmail: 'x'.repeat(321) }, '/customerEmail too_long'],
  ['customerName a number', { amount: 1, customerName: 5 }, '/customerName invalid_type'],
  ['customerName too long', { amount: 1, customerName: 'x'.repeat(321) }, '/customerName too_long'],
  ['customerTelephone a number', { amount: 1, customerTelephone: 923_456_789 }, '/customerTelephone invalid_type'],
  ['customerTelephone too long', { amount: 1, customerTelephone: '9'.repeat(65) }, '/customerTelephone too_long'],
  ['documentNumber a number', { amount: 1, documentNumber: 4 }, '/documentNumber invalid_type'],
  ['documentNumber too long', { amount: 1, documentNumber: '0'.repeat(65) }, '/documentNumber too_long'],
  ['description too long', { amount: 1, description: 'x'.repeat(4_001) }, '/description too_long'],
  ['customMetadata a list', { amount: 1, customMetadata: [] }, '/customMetadata invalid_type'],
  ['customMetadata text', { amount: 1, customMetadata: 'x' }, '/customMetadata invalid_type'],
  ['customMetadata a number', { amount: 1, customMetadata: 'raw:1.0' }, '/customMetadata invalid_type'],
  [
    'customMetadata of more than 16 KiB',
    { amount: 1, customMetadata: { a: 'x'.repeat(16_377) } },
    '/customMetadata custom_too_large',
  ],
  ['customMetadata of 17 levels', { amount: 1, customMetadata: nested(17) }, '/customMetadata custom_too_deep'],
  ['NUL in a text', { amount: 1, customerName: 'a\0' }, '/customerName invalid_text', 'invalid_text'],
  ['half a surrogate pair', { amount: 1, description: 'a\ud800' }, '/description invalid_text', 'invalid_text'],
  [
    'NUL in customMetadata',
    { amount: 1, customMetadata: { a: ['\0'] } },
    '/customMetadata/a/0 invalid_text',
    'invalid_text',
  ],
];

describe.each(Object.keys(WAYS))('%s', (way) => {
  test.each([...AMOUNTS, ...REFERENCES, ...OTHERS])('%s', async (_name, fields, fault, code = 'validation_failed') => {
    const reply = await send(way, fields);
    expect(reply.status).toBe(400);
    const [pointer = '', what] = fault.split(' ');
    expect(faultsOf(reply)).toEqual([`${WAYS[way]?.at(pointer)} ${what}`]);
    expect(reply.json).toMatchObject({ code, status: 400, type: `${app.node.core.publicUrl}/problems/${code}` });
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
  });

  test('every fault is named in one answer: of schema, clock and database', async () => {
    const { reference } = await createPayable(app, { reference: digits() });
    const reply = await send(way, {
      reference,
      amount: 0.001,
      referenceType: 'dynamic',
      expiryDate: '2026-01-01',
      description: 1,
      customerEmail: 2,
      customerName: 'x'.repeat(321),
      customerTelephone: [],
      documentNumber: {},
      customMetadata: 'x',
    });
    expect(reply.json.code).toBe('validation_failed');
    const faults = [
      '/amount amount_precision',
      '/customMetadata invalid_type',
      '/customerEmail invalid_type',
      '/customerName too_long',
      '/customerTelephone invalid_type',
      '/description invalid_type',
      '/documentNumber invalid_type',
      '/expiryDate date_in_past',
      '/reference reference_in_use',
    ].map((fault) => fault.replace(/^\S+/, (pointer) => WAYS[way]?.at(pointer) ?? ''));
    expect(faultsOf(reply).toSorted()).toEqual(faults.toSorted());
  });

  test('messages come in Portuguese for those who ask', async () => {
    const reply = await send(way, inReference('1'), { 'accept-language': 'pt-AO, en;q=0.5' });
    expect(reply.headers.get('content-language')).toBe('pt');
    expect(reply.json.errors[0].message).toBe('deve ter 9 a 15 dígitos, em texto');
  });
});

describe('the empty reference', () => {
  test.each(['one reference', 'a legacy one', 'the second of three'])('is none of %s', async (way) => {
    const reply = await send(way, inReference(''));
    expect(reply.json.code).toBe('invalid_reference');
    expect(faultsOf(reply)).toEqual([`${WAYS[way]?.at('/reference')} invalid_reference`]);
  });
});

describe('bodies that are none', () => {
  test.each(['[]', '"x"', '5', 'null'])('%s', async (body) => {
    for (const path of [PPR, `${PPR}/legacy`, `${PPR}/bulk`]) {
      const reply = await leavesNothing(app, () => app.call(path, { body }));
      expect([path, reply.status]).toEqual([path, 400]);
      expect(reply.json.code).toBe('validation_failed');
    }
  });

  test.each(['', '{', '{"amount":1,}', '{"amount":01}'])('%j', async (body) => {
    for (const path of [PPR, `${PPR}/legacy`, `${PPR}/bulk`]) {
      const reply = await leavesNothing(app, () => app.call(path, { body, method: 'POST' }));
      expect([path, reply.status]).toEqual([path, 400]);
    }
  });
});

describe('POST /api/payments with PPR', () => {
  const post = (body: object) => leavesNothing(app, () => app.call('/api/payments', { body }));
  const valid = { amount: 1, currency: 'AOA', paymentType: 'PPR' };
  test.each<[string, object, string, string?]>([
    [
      'a top-level customMetadata',
      { ...valid, customMetadata: {} },
      '/customMetadata custom_metadata_not_allowed',
      'custom_metadata_not_allowed',
    ],
    ['no currency', { ...valid, currency: undefined }, '/currency required'],
    ['a currency in small letters', { ...valid, currency: 'aoa' }, '/currency invalid_format'],
    ['paymentType in small letters', { ...valid, paymentType: 'ppr', reference: 'R1' }, '/paymentType invalid_value'],
    ['metadata a list', { ...valid, metadata: [] }, '/metadata invalid_type'],
    ['metadata text', { ...valid, metadata: 'Dynamic' }, '/metadata invalid_type'],
    ['0.5 JPY', { ...valid, amount: 0.5, currency: 'JPY' }, '/amount amount_precision', 'amount_precision'],
    [
      'a return address elsewhere',
      { ...valid, metadata: { returnUrl: 'https://evil.example/' } },
      '/metadata/returnUrl origin_not_registered',
      'origin_not_registered',
    ],
    [
      'a script for an address',
      { ...valid, metadata: { cancelUrl: 'javascript:0' } },
      '/metadata/cancelUrl invalid_url',
    ],
    ['a top-level description that is a number', { ...valid, description: 5 }, '/description invalid_type'],
  ])('%s', async (_name, body, fault, code = 'validation_failed') => {
    const reply = await post(body);
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual([fault]);
    expect(reply.json.code).toBe(code);
  });

  test('what only the merchant’s settings show is named beside what the clock and the database show', async () => {
    const { reference } = await createPayable(app, { reference: digits() });
    const metadata = { returnUrl: 'https://evil.example/', expiryDate: '2020-01-01' };
    const reply = await post({ ...valid, reference, metadata });
    expect(faultsOf(reply).toSorted()).toEqual([
      '/metadata/expiryDate date_in_past',
      '/metadata/returnUrl origin_not_registered',
      '/reference reference_in_use',
    ]);
  });
});
