// The contract of the Ombala connector, held against its fake.
import { describe, expect, it } from 'vitest';
import { OMBALA_SUITE } from '../../../rails/suites/ombala.ts';

describe('ombala against its fake', () => {
  it.each(OMBALA_SUITE.cases)('$name', (one) => OMBALA_SUITE.run(one));

  it('has enough cases, each with a name of its own', () => {
    const names = OMBALA_SUITE.cases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(30);
  });

  it('says which variables its own account at the provider lacks', () => {
    expect(OMBALA_SUITE.liveAccount({ OMBALA_SENDER: 'LOJA' })).toEqual({ missing: ['OMBALA_TOKEN'] });
    const whole = OMBALA_SUITE.liveAccount({ OMBALA_TOKEN: 'key-of-tests', OMBALA_SENDER: 'LOJA' });
    expect(whole).toMatchObject({ account: { settings: { sender: 'LOJA' }, secrets: { apiKey: 'key-of-tests' } } });
  });
});
