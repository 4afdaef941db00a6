import { describe, expect, test } from 'vitest';
import { refuseBody } from '../../support/declared.ts';

const valid = { currency: 'AOA', paymentType: 'GPO', reference: 'R1' };
const withMetadata = (metadata: unknown) => ({ ...valid, amount: 1500, metadata });
const qrcode = (metadata: object) => withMetadata({ paymentMethod: 'qrcode', ...metadata });

/** Returns the JSON of a body with this number text as its amount. */
const withAmount = (text: string, currency = 'AOA') =>
  JSON.stringify({ ...valid, currency, amount: 0 }).replace('"amount":0', `"amount":${text}`);

/** The problem code of a refusal. Some faults have a problem code of their own. */
const codeOf = (fault: string) =>
  /amount_out_of_range|amount_precision|custom_metadata_not_allowed/.exec(fault)?.[0] ?? 'validation_failed';

test('createPayment accepts valid bodies', () => {
  for (const body of [{ ...valid, amount: 5 }, withMetadata({}), qrcode({})])
    expect(refuseBody('createPayment', body).code).toBe(null);
});

describe('createPayment refuses a body with', () => {
  test.each<[string, unknown, string]>([
    ['amount missing', valid, '/amount required'],
    ['documentNumber no tax number', withMetadata({ documentNumber: '12345' }), '/metadata/documentNumber invalid_nif'],
    ['documentNumber a number', withMetadata({ documentNumber: 5417123456 }), '/metadata/documentNumber invalid_type'],
    ['amount null', { ...valid, amount: null }, '/amount invalid_type'],
    ['amount as text', { ...valid, amount: '1500' }, '/amount invalid_type'],
    ['amount as NaN in text', { ...valid, amount: 'NaN' }, '/amount invalid_type'],
    ['amount as a list', { ...valid, amount: [1] }, '/amount invalid_type'],
    ['amount true', { ...valid, amount: true }, '/amount invalid_type'],
    ['amount 0', withAmount('0'), '/amount amount_out_of_range'],
    ['amount -0', withAmount('-0'), '/amount amount_out_of_range'],
    ['amount 0e9', withAmount('0e9'), '/amount amount_out_of_range'],
    ['a negative amount', withAmount('-5'), '/amount amount_out_of_range'],
    ['a negative amount with too many decimals', withAmount('-0.001'), '/amount amount_out_of_range'],
    ['0.001 AOA', withAmount('0.001'), '/amount amount_precision'],
    ['10.999 AOA', withAmount('10.999'), '/amount amount_precision'],
    ['1e-400 AOA', withAmount('1e-400'), '/amount amount_precision'],
    ['0.5 JPY', withAmount('0.5', 'JPY'), '/amount amount_precision'],
    ['10000000.01', withAmount('10000000.01'), '/amount amount_out_of_range'],
    ['1e400', withAmount('1e400'), '/amount amount_out_of_range'],
    ['1e99999', withAmount('1e99999'), '/amount amount_out_of_range'],
    ['a million digits', withAmount('9'.repeat(1_000_000)), '/amount amount_out_of_range'],
    ['currency missing', { ...valid, amount: 5, currency: undefined }, '/currency required'],
    ['currency in small letters', { ...valid, amount: 5, currency: 'aoa' }, '/currency invalid_format'],
    ['currency too long', { ...valid, amount: 5, currency: 'AOAA' }, '/currency invalid_format'],
    ['currency with a line break', { ...valid, amount: 5, currency: 'AOA\n' }, '/currency invalid_format'],
    ['currency a number', { ...valid, amount: 5, currency: 973 }, '/currency invalid_type'],
    ['paymentType missing', { ...valid, amount: 5, paymentType: undefined }, '/paymentType required'],
    ['paymentType unknown', { ...valid, amount: 5, paymentType: 'CARD' }, '/paymentType invalid_value'],
    ['paymentType in small letters', { ...valid, amount: 5, paymentType: 'gpo' }, '/paymentType invalid_value'],
    ['reference missing', { ...valid, amount: 5, reference: undefined }, '/reference required'],
    ['reference empty', { ...valid, amount: 5, reference: '' }, '/reference invalid_format'],
    ['reference of 16', { ...valid, amount: 5, reference: 'R'.repeat(16) }, '/reference invalid_format'],
    ['reference with a space before', { ...valid, amount: 5, reference: ' R1' }, '/reference invalid_format'],
    ['reference with a space after', { ...valid, amount: 5, reference: 'R1 ' }, '/reference invalid_format'],
    ['reference with another sign', { ...valid, amount: 5, reference: 'R+1' }, '/reference invalid_format'],
    ['reference with an accent', { ...valid, amount: 5, reference: 'CAFÉ' }, '/reference invalid_format'],
    ['reference a number', { ...valid, amount: 5, reference: 123 }, '/reference invalid_type'],
    ['description a number', { ...valid, amount: 5, description: 5 }, '/description invalid_type'],
    ['customMetadata', { ...valid, amount: 5, customMetadata: {} }, '/customMetadata custom_metadata_not_allowed'],
    [
      'customMetadata null',
      { ...valid, amount: 5, customMetadata: null },
      '/customMetadata custom_metadata_not_allowed',
    ],
  ])('%s', (_name, body, fault) => {
    expect(refuseBody('createPayment', body)).toMatchObject({ code: codeOf(fault), faults: [fault] });
  });
});

describe('createPayment refuses metadata with', () => {
  const captureOf = (authorizationId: unknown) => withMetadata({ paymentMethod: 'capture', authorizationId });
  const push = (phoneNumber: unknown) => withMetadata({ paymentMethod: 'onetimepurchase', phoneNumber });
  test.each<[string, unknown, string]>([
    ['paymentMethod a number', withMetadata({ paymentMethod: 7 }), '/metadata/paymentMethod invalid_type'],
    ['paymentMethod a list', withMetadata({ paymentMethod: ['qrcode'] }), '/metadata/paymentMethod invalid_type'],
    ['metadata a list', withMetadata([1]), '/metadata invalid_type'],
    ['metadata text', withMetadata('webframe'), '/metadata invalid_type'],
    [
      'metadata a number only JSON can hold',
      withAmount('5').replace('}', ',"metadata":1e400}'),
      '/metadata invalid_type',
    ],
    ['no phone for a push', push(undefined), '/metadata/phoneNumber required'],
    ['a null phone', push(null), '/metadata/phoneNumber required'],
    ['no authorization for a capture', captureOf(undefined), '/metadata/authorizationId required'],
    ['a null authorization', captureOf(null), '/metadata/authorizationId required'],
    ['an empty authorization', captureOf(''), '/metadata/authorizationId required'],
    ['an authorization as a number', captureOf(7), '/metadata/authorizationId invalid_type'],
    ['an authorization id of 65 characters', captureOf('x'.repeat(65)), '/metadata/authorizationId too_long'],
    ['an empty phone', push(''), '/metadata/phoneNumber required'],
    ['a phone of eight digits', push('92345678'), '/metadata/phoneNumber invalid_phone'],
    ['a phone of ten digits', push('9234567890'), '/metadata/phoneNumber invalid_phone'],
    ['a landline', push('222345678'), '/metadata/phoneNumber invalid_phone'],
    ['another country', push('+351912345678'), '/metadata/phoneNumber invalid_phone'],
    ['Arabic digits', push('٩٢٣٤٥٦٧٨٩'), '/metadata/phoneNumber invalid_phone'],
    ['a phone as a number', push(923456789), '/metadata/phoneNumber invalid_type'],
    ['a phone far too long', withMetadata({ phoneNumber: '9'.repeat(41) }), '/metadata/phoneNumber too_long'],
    ['5 minutes as text', withMetadata({ expiresInMinutes: '5' }), '/metadata/expiresInMinutes invalid_type'],
    ['5.5 minutes', withMetadata({ expiresInMinutes: 5.5 }), '/metadata/expiresInMinutes invalid_type'],
    ['4 minutes', withMetadata({ expiresInMinutes: 4 }), '/metadata/expiresInMinutes too_small'],
    ['1441 minutes', withMetadata({ expiresInMinutes: 1441 }), '/metadata/expiresInMinutes too_big'],
    ['a GPO id that is a number', withMetadata({ gpo_pos_id: 1 }), '/metadata/gpo_pos_id invalid_type'],
    [
      'a script as return address',
      withMetadata({ returnUrl: 'javascript:alert(1)' }),
      '/metadata/returnUrl invalid_url',
    ],
    [
      'a return address with a user',
      withMetadata({ returnUrl: 'https://loja.example@evil.example/' }),
      '/metadata/returnUrl invalid_url',
    ],
    [
      'a return address with a password',
      withMetadata({ returnUrl: 'https://:x@loja.example/' }),
      '/metadata/returnUrl invalid_url',
    ],
    ['a relative return address', withMetadata({ returnUrl: '/obrigado' }), '/metadata/returnUrl invalid_url'],
    [
      'a return address of 2 KB',
      withMetadata({ returnUrl: `http://a/${'x'.repeat(2048)}` }),
      '/metadata/returnUrl too_long',
    ],
    [
      'a description of 4001 characters',
      withMetadata({ description: 'x'.repeat(4_001) }),
      '/metadata/description too_long',
    ],
  ])('%s', (_name, body, fault) => {
    expect(refuseBody('createPayment', body)).toMatchObject({ code: codeOf(fault), faults: [fault] });
  });
});

describe('createPayment refuses a QR code with', () => {
  test.each<[string, unknown, string]>([
    ['qrSize', 'HUGE', 'invalid_value'],
    ['qrSize', 300, 'invalid_type'],
    ['qrSize', '', 'invalid_value'],
    ['qrType', 'FIXED', 'invalid_value'],
    ['qrType', true, 'invalid_type'],
    ['maxTransactions', 0, 'too_small'],
    ['maxTransactions', -1, 'too_small'],
    ['maxTransactions', 10_001, 'too_big'],
    ['maxTransactions', 1e9, 'too_big'],
    ['maxTransactions', 1.5, 'invalid_type'],
    ['maxTransactions', 'x', 'invalid_type'],
    ['maxTransactions', '5', 'invalid_type'],
    ['maxTransactions', {}, 'invalid_type'],
    ['endDate', 'amanhã', 'invalid_format'],
    ['endDate', '2026-02-30', 'invalid_format'],
    ['endDate', '2026-03-04T10:00:00', 'invalid_format'],
    ['endDate', 1_800_000_000, 'invalid_type'],
  ])('%s %j', (field, value, code) => {
    const refused = refuseBody('createPayment', qrcode({ [field]: value }));
    expect(refused).toMatchObject({ code: 'validation_failed', faults: [`/metadata/${field} ${code}`] });
  });
});
