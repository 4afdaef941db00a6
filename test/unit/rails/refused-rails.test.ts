// Refusals of rail accounts by pointer, code and message. The contract suites test the schemas of each connector.
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

/** Returns a body with one changed field of settings or secrets. */
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
  ['appypay', 'settings', { methods: { gpo: UUID } }, '/settings/methods/gpo invalid_format: must be the portal’s key'],
  ['appypay', 'settings', { tokenUrl: 7 }, '/settings/tokenUrl invalid_type: must be an http or https address'],
  ['appypay', 'settings', { baseUrl: 'https://a.ao/?v=2' }, '/settings/baseUrl invalid_format: must be without user'],
  ['appypay', 'settings', { clientId: 'id' }, '/settings/clientId unknown_field: unknown field'],
  ['appypay', 'secrets', { clientSecret: 'a b' }, '/secrets/clientSecret invalid_format: must be 1 to 256 printable'],
  ['proxypay', 'settings', { entity: '123' }, '/settings/entity invalid_format: must be five digits'],
  ['proxypay', 'settings', { isExclusive: 'yes' }, '/settings/isExclusive invalid_type: must be of type boolean'],
  ['proxypay', 'secrets', { apiKey: 'a b' }, '/secrets/apiKey invalid_format: must be letters, digits and signs'],
  ['opg', 'settings', { dialect: 'emis' }, '/settings/dialect invalid_value: must be one of: proxypay, vpos'],
  ['opg', 'settings', { posId: 0 }, '/settings/posId too_small: must be an integer above 0, or its digits'],
  ['kambasms', 'settings', { sender: 'A LOJA' }, '/settings/sender invalid_format: must be 1 to 11 letters'],
  ['ombala', 'settings', { baseUrl: 'nowhere' }, '/settings/baseUrl invalid_format: must be an http or https address'],
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
