// The contract of the connector `proxypay`.
import { proxypay } from '../../../server/providers/proxypay/connector.ts';
import { createSuite } from '../contract.ts';
import { startProxypay } from '../proxypay.ts';
import { accountCases } from './proxypay/account.ts';
import { API_KEY, ENTITY, ProxypayFixture } from './proxypay/fixture.ts';
import { paymentCases } from './proxypay/payments.ts';
import { referenceCases } from './proxypay/references.ts';

export const proxypaySuite = createSuite({
  connector: proxypay,
  Fixture: ProxypayFixture,
  async startFake(clock) {
    const fake = await startProxypay({ clock, entity: ENTITY, apiKey: API_KEY });
    const settings = { entity: ENTITY, isExclusive: true, baseUrl: fake.url };
    return { fake, settings, secrets: { apiKey: API_KEY } };
  },
  live: {
    variables: ['PROXYPAY_API_KEY', 'PROXYPAY_ENTITY'],
    enter: ({ PROXYPAY_API_KEY: apiKey, PROXYPAY_ENTITY: entity, PROXYPAY_BASE_URL: baseUrl }) => ({
      settings: { entity, isExclusive: true, baseUrl },
      secrets: { apiKey },
    }),
  },
  cases: [...accountCases, ...referenceCases, ...paymentCases],
});
