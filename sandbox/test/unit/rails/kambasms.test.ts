// The contract of the KambaSMS connector, held against its fake.
import { describe, expect, it } from 'vitest';
import { KAMBASMS_SUITE } from '../../../rails/suites/kambasms.ts';

describe('kambasms against its fake', () => {
  it.each(KAMBASMS_SUITE.cases)('$name', (one) => KAMBASMS_SUITE.run(one));

  it('has enough cases, each with a name of its own', () => {
    const names = KAMBASMS_SUITE.cases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(30);
  });

  it('says which variables its own account at the provider lacks', () => {
    expect(KAMBASMS_SUITE.liveAccount({ KAMBASMS_SENDER: 'LOJA' })).toEqual({ missing: ['KAMBASMS_API_KEY'] });
    const whole = KAMBASMS_SUITE.liveAccount({ KAMBASMS_API_KEY: 'key-of-tests', KAMBASMS_SENDER: 'LOJA' });
    expect(whole).toMatchObject({ account: { settings: { sender: 'LOJA' }, secrets: { apiKey: 'key-of-tests' } } });
  });
});
