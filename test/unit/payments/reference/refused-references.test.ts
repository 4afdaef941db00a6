import { describe, expect, test } from 'vitest';
import { refuseBody } from '../../../support/declared.ts';
import { WAYS, type Fields } from '../../../support/reference-ways.ts';

/** Returns the JSON of a body. Values that begin with `raw:` become numbers that JavaScript cannot hold. */
const write = (body: unknown) => JSON.stringify(body).replaceAll(/"raw:([^"]+)"/g, '$1');

/** The problem code of a refusal. Some faults have a problem code of their own. */
const codeOf = (fault: string) =>
  /(amount_out_of_range|amount_precision|custom_metadata_not_allowed|invalid_reference|invalid_text)$/.exec(
    fault,
  )?.[0] ?? 'validation_failed';

const charging = (fields: Fields) => ({ referenceType: 'Charging', ...fields });
const nested = (depth: number): object => (depth === 1 ? {} : { a: nested(depth - 1) });

const AMOUNTS: [string, Fields, string][] = [
  ['no amount', {}, '/amount required'],
  ['amount null', { amount: null }, '/amount required'],
  ['amount as text', { amount: '1500' }, '/amount invalid_type'],
  ['amount true', { amount: true }, '/amount invalid_type'],
  ['amount as a list', { amount: [1] }, '/amount invalid_type'],
  ['amount 0', { amount: 0 }, '/amount amount_out_of_range'],
  ['amount -0', { amount: 'raw:-0' }, '/amount amount_out_of_range'],
  ['amount -5', { amount: -5 }, '/amount amount_out_of_range'],
  ['amount 0.001', { amount: 0.001 }, '/amount amount_precision'],
  ['amount 10.999', { amount: 10.999 }, '/amount amount_precision'],
  ['amount 10000000.01', { amount: 10_000_000.01 }, '/amount amount_out_of_range'],
  ['amount 1e400', { amount: 'raw:1e400' }, '/amount amount_out_of_range'],
  ['an open amount below 0', charging({ amount: -0.01 }), '/amount amount_open_range'],
  ['an open amount of 0.001', charging({ amount: 0.001 }), '/amount amount_precision'],
  ['an open amount of 10000000.01', charging({ amount: 10_000_000.01 }), '/amount amount_open_range'],
  ['an open amount of 1e400', charging({ amount: 'raw:1e400' }), '/amount amount_open_range'],
  ['an open amount as text', charging({ amount: '0' }), '/amount invalid_type'],
];

const inReference = (reference: unknown): Fields => ({ amount: 1, reference });
const INVALID_DIGITS =
  '12345678|1234567890123456|ABCDEFGHI|12345678A| 123456789|123 456 789|123456789\n|+12345678|-123456789|12345678.0|١٢٣٤٥٦٧٨٩|１２３４５６７８９'.split(
    '|',
  );
const REFERENCES: [string, Fields, string][] = [
  ...INVALID_DIGITS.map((text): [string, Fields, string] => [
    `reference ${JSON.stringify(text)}`,
    inReference(text),
    '/reference invalid_reference',
  ]),
  ['reference as a number', inReference(123_456_789), '/reference invalid_type'],
  ['reference as a list', inReference(['123456789']), '/reference invalid_type'],
  ['reference false', inReference(false), '/reference invalid_type'],
];

const OTHERS: [string, Fields, string][] = [
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
  ['customMetadata a list', { amount: 1, customMetadata: [1] }, '/customMetadata invalid_type'],
  ['customMetadata text', { amount: 1, customMetadata: 'x' }, '/customMetadata invalid_type'],
  ['customMetadata a number', { amount: 1, customMetadata: 'raw:1.0' }, '/customMetadata invalid_type'],
  [
    'customMetadata of more than 16 KiB',
    { amount: 1, customMetadata: { a: 'x'.repeat(16_377) } },
    '/customMetadata custom_too_large',
  ],
  ['customMetadata of 17 levels', { amount: 1, customMetadata: nested(17) }, '/customMetadata custom_too_deep'],
  ['NUL in a text', { amount: 1, customerName: 'a\0' }, '/customerName invalid_text'],
  ['half a surrogate pair', { amount: 1, description: 'a\ud800' }, '/description invalid_text'],
  ['NUL in customMetadata', { amount: 1, customMetadata: { a: ['\0'] } }, '/customMetadata/a/0 invalid_text'],
];

describe.each(Object.entries(WAYS))('%s', (_way, { operationId, body, at }) => {
  const refuse = (fields: Fields) => refuseBody(operationId, write(body(fields)));

  test('accepts a valid body', () => {
    expect(refuse({ amount: 1 }).code).toBe(null);
  });

  test.each([...AMOUNTS, ...REFERENCES, ...OTHERS])('refuses %s', (_name, fields, fault) => {
    const [pointer = '', what] = fault.split(' ');
    expect(refuse(fields)).toMatchObject({ code: codeOf(fault), faults: [`${at(pointer)} ${what}`] });
  });

  test('refuses the empty reference, except in a payment, which generates digits', () => {
    const expected = operationId === 'createPayment' ? [] : [`${at('/reference')} invalid_reference`];
    expect(refuse(inReference('')).faults).toEqual(expected);
  });

  test('refuses an absent or malformed body', () => {
    expect(refuseBody(operationId, undefined).faults).toContain(' required');
    for (const text of ['{', '{"amount":1,}', '{"amount":01}'])
      expect(refuseBody(operationId, text)).toMatchObject({ code: 'malformed_json', faults: [] });
  });
});

describe('createReferences refuses the `references`', () => {
  test.each<[string, unknown, string]>([
    ['an empty list', [], '/references too_small'],
    ['a missing list', undefined, '/references required'],
    ['null', null, '/references invalid_type'],
    ['an item outside a list', { amount: 1 }, '/references invalid_type'],
    ['text', 'x', '/references invalid_type'],
  ])('%s', (_name, references, fault) => {
    expect(refuseBody('createReferences', { references }).faults).toEqual([fault]);
  });
});

describe('createPayment with PPR refuses', () => {
  const valid = { amount: 1, currency: 'AOA', paymentType: 'PPR' };
  test.each<[string, object, string]>([
    ['a top-level customMetadata', { ...valid, customMetadata: {} }, '/customMetadata custom_metadata_not_allowed'],
    ['no currency', { ...valid, currency: undefined }, '/currency required'],
    ['a currency in small letters', { ...valid, currency: 'aoa' }, '/currency invalid_format'],
    ['paymentType in small letters', { ...valid, paymentType: 'ppr', reference: 'R1' }, '/paymentType invalid_value'],
    ['metadata a list', { ...valid, metadata: [1] }, '/metadata invalid_type'],
    ['metadata text', { ...valid, metadata: 'Dynamic' }, '/metadata invalid_type'],
    ['0.5 JPY', { ...valid, amount: 0.5, currency: 'JPY' }, '/amount amount_precision'],
    [
      'a script as cancel address',
      { ...valid, metadata: { cancelUrl: 'javascript:0' } },
      '/metadata/cancelUrl invalid_url',
    ],
    ['a top-level description that is a number', { ...valid, description: 5 }, '/description invalid_type'],
  ])('%s', (_name, body, fault) => {
    expect(refuseBody('createPayment', body)).toMatchObject({ code: codeOf(fault), faults: [fault] });
  });
});
