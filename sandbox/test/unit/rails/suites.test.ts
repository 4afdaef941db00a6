// Runs every case of each connector's contract suite against the fake of its provider.
import { describe, expect, test } from 'vitest';
import { testClock } from '../../../../test/support/clock.ts';
import { SUITES } from '../../../rails/check.ts';
import type { ContractCase } from '../../../rails/contract.ts';

const [GPO, REF] = ['GPO', 'REF'].map((kind) => `${kind}_b1edb3ed-2c3f-4b0c-8c2e-58b3a9f4f8c1`);
const RAILS = [
  {
    suite: SUITES.appypay,
    least: 60,
    env: {
      APPYPAY_CLIENT_ID: 'client-1',
      APPYPAY_CLIENT_SECRET: 'secret-of-tests',
      APPYPAY_RESOURCE: '2aed7612-de64-46b5-9e59-1f48f8902d14',
      APPYPAY_GPO_METHOD: GPO,
      APPYPAY_REF_METHOD: REF,
    },
    account: { kind: 'gpo', settings: { methods: { gpo: GPO, ref: REF } }, secrets: { clientId: 'client-1' } },
  },
  {
    suite: SUITES.opg,
    least: 60,
    env: { OPG_DIALECT: 'vpos', OPG_POS_ID: '111', OPG_TOKEN: 'token' },
    account: { settings: { dialect: 'vpos', posId: '111' }, secrets: { token: 'token' } },
  },
  {
    suite: SUITES.proxypay,
    least: 60,
    env: { PROXYPAY_API_KEY: 'key-of-tests', PROXYPAY_ENTITY: '01234' },
    account: { environment: 'test', settings: { entity: '01234' }, secrets: { apiKey: 'key-of-tests' } },
  },
  {
    suite: SUITES.kambasms,
    least: 30,
    env: { KAMBASMS_API_KEY: 'key-of-tests', KAMBASMS_SENDER: 'LOJA' },
    account: { settings: { sender: 'LOJA' }, secrets: { apiKey: 'key-of-tests' } },
  },
  {
    suite: SUITES.ombala,
    least: 30,
    env: { OMBALA_TOKEN: 'key-of-tests', OMBALA_SENDER: 'LOJA' },
    account: { settings: { sender: 'LOJA' }, secrets: { apiKey: 'key-of-tests' } },
  },
];

describe.each(RAILS)('$suite.connector.name', ({ suite, least, env, account }) => {
  test.each(suite.cases as ContractCase[])('$name', (one: ContractCase) => suite.run(one, testClock()));

  test('has enough cases, each with its own name', () => {
    const names = suite.cases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(least);
  });

  test('names the missing variables of a live account', () => {
    const [first = '', ...missing] = Object.keys(env);
    expect(suite.liveAccount({})).toEqual({ missing: Object.keys(env) });
    expect(suite.liveAccount({ [first]: Object.values(env)[0] })).toEqual({ missing });
    expect(suite.liveAccount(env)).toMatchObject({ account });
  });
});
