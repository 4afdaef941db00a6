// The contract of the AppyPay connector, held against its fake.
import { expect, test } from 'vitest';
import { appypaySuite } from '../../../rails/suites/appypay.ts';

test('the suite has cases enough, each under a name of its own', () => {
  const names = appypaySuite.cases.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
});

test('the account of the real sandbox comes from the environment, which is told what it misses', () => {
  expect(appypaySuite.liveAccount({ APPYPAY_CLIENT_ID: 'a' })).toEqual({
    missing: ['APPYPAY_CLIENT_SECRET', 'APPYPAY_RESOURCE', 'APPYPAY_GPO_METHOD', 'APPYPAY_REF_METHOD'],
  });
});

test.each(appypaySuite.cases)('$name', (one) => appypaySuite.run(one));
