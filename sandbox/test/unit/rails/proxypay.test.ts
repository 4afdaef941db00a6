import { expect, test } from 'vitest';
import { proxypaySuite } from '../../../rails/suites/proxypay.ts';

const { cases, run, liveAccount } = proxypaySuite;

test.each(cases)('$name', (one) => run(one));

test('every case has its own name', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

test('a live account needs a key and an entity', () => {
  expect(liveAccount({})).toEqual({ missing: ['PROXYPAY_API_KEY', 'PROXYPAY_ENTITY'] });
  expect(liveAccount({ PROXYPAY_API_KEY: 'key' })).toEqual({ missing: ['PROXYPAY_ENTITY'] });
  expect(liveAccount({ PROXYPAY_API_KEY: 'key', PROXYPAY_ENTITY: '01234' })).toMatchObject({
    account: { environment: 'test', settings: { entity: '01234' }, secrets: { apiKey: 'key' } },
  });
});
