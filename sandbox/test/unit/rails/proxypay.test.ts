// The connector `proxypay` against its fake: every case of its contract, each with a rail of its own.
import { expect, test } from 'vitest';
import { proxypaySuite } from '../../../rails/suites/proxypay.ts';

const { cases, liveAccount } = proxypaySuite;

test.each(cases)('$name', (one) => proxypaySuite.run(one));

test('every case has a name of its own', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

test('the provider’s own sandbox needs a key and an entity', () => {
  expect(liveAccount({})).toEqual({ missing: ['PROXYPAY_API_KEY', 'PROXYPAY_ENTITY'] });
  expect(liveAccount({ PROXYPAY_API_KEY: 'key' })).toEqual({ missing: ['PROXYPAY_ENTITY'] });
  expect(liveAccount({ PROXYPAY_API_KEY: 'key', PROXYPAY_ENTITY: '01234' })).toMatchObject({
    account: { environment: 'test', settings: { entity: '01234' }, secrets: { apiKey: 'key' } },
  });
});
