// Every case of a contract suite against the fake of its provider.
import { describe, expect, test } from 'vitest';
import type { ContractCase } from '../../../rails/contract.ts';
import { kambasmsSuite } from '../../../rails/suites/kambasms.ts';
import { ombalaSuite } from '../../../rails/suites/ombala.ts';
import { proxypaySuite } from '../../../rails/suites/proxypay.ts';

describe.each([
  { suite: proxypaySuite, least: 60, variables: ['PROXYPAY_API_KEY', 'PROXYPAY_ENTITY'], sender: { entity: '01234' } },
  { suite: kambasmsSuite, least: 30, variables: ['KAMBASMS_API_KEY', 'KAMBASMS_SENDER'], sender: { sender: 'LOJA' } },
  { suite: ombalaSuite, least: 30, variables: ['OMBALA_TOKEN', 'OMBALA_SENDER'], sender: { sender: 'LOJA' } },
])('$suite.connector.name', ({ suite, least, variables, sender }) => {
  test.each(suite.cases as ContractCase[])('$name', (one: ContractCase) => suite.run(one));

  test('has enough cases, each with its own name', () => {
    const names = suite.cases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(least);
  });

  test('names the missing variables of a live account', () => {
    const [key = '', name = ''] = variables;
    expect(suite.liveAccount({})).toEqual({ missing: variables });
    expect(suite.liveAccount({ [key]: 'key-of-tests' })).toEqual({ missing: [name] });
    const live = suite.liveAccount({ [key]: 'key-of-tests', [name]: Object.values(sender)[0] });
    expect(live).toMatchObject({ account: { settings: sender, secrets: { apiKey: 'key-of-tests' } } });
  });
});
