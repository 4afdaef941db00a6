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
  start: ({ clock }) => startProxypay({ clock, entity: ENTITY, apiKey: API_KEY }),
  live: {
    PROXYPAY_API_KEY: 'secrets.apiKey',
    PROXYPAY_ENTITY: 'settings.entity',
    PROXYPAY_BASE_URL: 'settings.baseUrl?',
  },
  liveSettings: { isExclusive: true },
  cases: [...accountCases, ...referenceCases, ...paymentCases],
});
