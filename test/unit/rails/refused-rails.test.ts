// Schemas of rail accounts: each invalid field by pointer, code and message.
import { describe, expect, test } from 'vitest';
import { refuseBody } from '../../support/declared.ts';

const UUID = '2aed7612-de64-46b5-9e59-1f48f8902d14';
const common = { label: 'Caixa', environment: 'test', priority: 10 };

/** A valid body of each connector. */
const GOOD: Record<string, Record<string, any>> = {
  appypay: {
    ...common,
    connector: 'appypay',
    kind: 'gpo',
    settings: { resource: UUID, methods: { gpo: `GPO_${UUID}` } },
    secrets: { clientId: 'id', clientSecret: 'secret' },
  },
  proxypay: {
    ...common,
    connector: 'proxypay',
    kind: 'ppr',
    settings: { entity: '00123', isExclusive: true },
    secrets: { apiKey: 'key' },
  },
  opg: {
    ...common,
    connector: 'opg',
    kind: 'gpo',
    settings: { dialect: 'vpos', posId: 42 },
    secrets: { token: 'token' },
  },
  kambasms: {
    ...common,
    connector: 'kambasms',
    kind: 'sms',
    settings: { sender: 'LOJA' },
    secrets: { apiKey: 'key-of-8-letters' },
  },
  ombala: {
    ...common,
    connector: 'ombala',
    kind: 'sms',
    settings: { sender: 'LOJA' },
    secrets: { apiKey: 'key-of-8-letters' },
  },
};

const refuse = (connector: string, change: object, operationId = 'addRailAccount') =>
  refuseBody(operationId, { ...GOOD[connector], ...change });

/** A body with one other field of settings or secrets. */
const refuseIn = (connector: string, part: 'settings' | 'secrets', change: object) =>
  refuse(connector, { [part]: { ...GOOD[connector]?.[part], ...change } });

test.each(Object.keys(GOOD))('addRailAccount accepts a valid account of %s', (connector) => {
  expect(refuse(connector, {}).code).toBe(null);
  expect(refuse(connector, { status: 'draining' }).code).toBe(null);
});

describe.each(['addRailAccount', 'changeRailAccount'])('%s', (operationId) => {
  test.each<[object, string[]]>([
    [{ connector: 'stripe' }, ['/connector invalid_value']],
    [{ connector: 'balcao' }, ['/connector invalid_value']],
    [{ connector: undefined }, ['/connector required']],
    [{ kind: 'gpo' }, ['/kind invalid_value']],
    [{ kind: undefined }, ['/kind required']],
    [{ label: undefined }, ['/label required']],
    [{ label: ' ' }, ['/label too_short']],
    [{ label: 'x'.repeat(61) }, ['/label too_long']],
    [{ label: 'a\nb' }, ['/label invalid_format']],
    [{ environment: undefined }, ['/environment required']],
    [{ environment: 'sandbox' }, ['/environment invalid_value']],
    [{ priority: undefined }, ['/priority required']],
    [{ priority: -1 }, ['/priority too_small']],
    [{ priority: 1001 }, ['/priority too_big']],
    [{ priority: 1.5 }, ['/priority invalid_type']],
    [{ priority: '1' }, ['/priority invalid_type']],
    [{ status: 'off' }, ['/status invalid_value']],
    [{ settings: undefined }, ['/settings required']],
    [{ settings: null }, ['/settings invalid_type']],
    [{ settings: [1] }, ['/settings invalid_type']],
    [{ secrets: null }, ['/secrets invalid_type']],
    [
      { label: 7, priority: 'high', secrets: 'key' },
      ['/label invalid_type', '/priority invalid_type', '/secrets invalid_type'],
    ],
  ])('refuses %j with %j', (change, faults) => {
    const refused = refuse('proxypay', change, operationId);
    expect(refused.code).toBe('validation_failed');
    expect(refused.faults.toSorted()).toEqual(faults.toSorted());
  });
});

test('addRailAccount needs secrets, and changeRailAccount does not', () => {
  expect(refuse('proxypay', { secrets: undefined }).faults).toEqual(['/secrets required']);
  expect(refuse('proxypay', { secrets: undefined }, 'changeRailAccount').code).toBe(null);
});

test.each<[string, 'settings' | 'secrets', object, string]>([
  ['appypay', 'settings', { resource: undefined }, '/settings/resource required: is required'],
  ['appypay', 'settings', { resource: 'x' }, '/settings/resource invalid_format: must be the UUID that AppyPay gives'],
  ['appypay', 'settings', { methods: {} }, '/settings/methods invalid_format: must name a payment method'],
  [
    'appypay',
    'settings',
    { methods: { gpo: UUID } },
    '/settings/methods/gpo invalid_format: must be the portal’s key, GPO_',
  ],
  [
    'appypay',
    'settings',
    { methods: { gpo: `GPO_${UUID}`, mcx: 'x' } },
    '/settings/methods/mcx unknown_field: is not a field',
  ],
  ['appypay', 'settings', { baseUrl: 'ftp://x' }, '/settings/baseUrl invalid_format: must be an http or https address'],
  ['appypay', 'settings', { tokenUrl: 7 }, '/settings/tokenUrl invalid_type: must be an http or https address'],
  ['appypay', 'settings', { clientId: 'id' }, '/settings/clientId unknown_field: is not a field'],
  ['appypay', 'secrets', { clientId: '' }, '/secrets/clientId invalid_format: must be 1 to 256 printable'],
  ['appypay', 'secrets', { clientSecret: undefined }, '/secrets/clientSecret required: is required'],
  ['appypay', 'secrets', { clientSecret: 'a b' }, '/secrets/clientSecret invalid_format: must be 1 to 256 printable'],
  [
    'appypay',
    'secrets',
    { notificationHeader: { name: 'X Y', value: 'x'.repeat(8) } },
    '/secrets/notificationHeader/name invalid_format: must be 1 to 64 letters',
  ],
  [
    'appypay',
    'secrets',
    { notificationHeader: { name: 'X-Key', value: 'short' } },
    '/secrets/notificationHeader/value invalid_format: must be 8 to 512 printable',
  ],
  ['proxypay', 'settings', { entity: '123' }, '/settings/entity invalid_format: must be five digits'],
  ['proxypay', 'settings', { entity: 12345 }, '/settings/entity invalid_type: must be of type string'],
  ['proxypay', 'settings', { isExclusive: undefined }, '/settings/isExclusive required: is required'],
  ['proxypay', 'settings', { isExclusive: 'yes' }, '/settings/isExclusive invalid_type: must be of type boolean'],
  ['proxypay', 'settings', { baseUrl: 'x' }, '/settings/baseUrl invalid_format: must be an address that begins'],
  ['proxypay', 'settings', { baseUrl: 'https://u:p@x.ao' }, '/settings/baseUrl invalid_format: must be without query'],
  ['proxypay', 'settings', { ENTITY: '00123' }, '/settings/ENTITY unknown_field: is not a field'],
  ['proxypay', 'secrets', { apiKey: 'a b' }, '/secrets/apiKey invalid_format: must be letters, digits and signs'],
  ['proxypay', 'secrets', { apikey: 'x' }, '/secrets/apikey unknown_field: is not a field'],
  ['opg', 'settings', { dialect: 'emis' }, '/settings/dialect invalid_value: must be one of: proxypay, vpos'],
  ['opg', 'settings', { posId: 0 }, '/settings/posId too_small: must be an integer above 0, or its digits'],
  ['opg', 'settings', { posId: 'x' }, '/settings/posId invalid_format: must be an integer above 0, or its digits'],
  ['opg', 'settings', { posId: undefined }, '/settings/posId required: is required'],
  ['opg', 'settings', { baseUrl: 'https://x.ao?y' }, '/settings/baseUrl invalid_format: must be without user, query'],
  ['opg', 'secrets', { token: 'Bearer x' }, '/secrets/token invalid_format: must be 1 to 2048 printable'],
  ['kambasms', 'settings', { sender: 'A LOJA' }, '/settings/sender invalid_format: must be 1 to 11 letters'],
  ['kambasms', 'settings', { sender: undefined }, '/settings/sender required: is required'],
  ['kambasms', 'secrets', { apiKey: 'short' }, '/secrets/apiKey invalid_format: must be 8 to 256 printable'],
  ['ombala', 'settings', { sender: '12345' }, '/settings/sender invalid_format: must be 1 to 11 letters'],
  ['ombala', 'settings', { baseUrl: 'nowhere' }, '/settings/baseUrl invalid_format: must be an http or https URL'],
  ['ombala', 'secrets', { apiKey: undefined }, '/secrets/apiKey required: is required'],
])('addRailAccount of %s refuses %s with %j', (connector, part, change, told) => {
  const { faults, messages } = refuseIn(connector, part, change);
  expect(faults).toHaveLength(1);
  expect(`${faults[0]}: ${messages[0]}`).toMatch(new RegExp(`^${told.replace(/[.*+?()]/g, '\\$&')}`));
});

test('addRailAccount repeats no secret in a refusal', () => {
  const secret = 'um segredo com espaços';
  const refused = [
    refuseIn('appypay', 'secrets', { clientSecret: secret }),
    refuseIn('opg', 'secrets', { token: secret }),
    refuse('proxypay', { secrets: secret }),
  ];
  expect(refused.map(({ faults }) => faults.length)).toEqual([1, 1, 1]);
  expect(JSON.stringify(refused)).not.toContain('segredo');
});
