// The contract of the connector `proxypay`: every case, its fake, and the account at ProxyPay's own sandbox.
import { systemClock } from '../../../server/clock.ts';
import { createConnections } from '../../../server/http/client/outgoing.ts';
import type { ProxypayAccount } from '../../../server/providers/proxypay/account.ts';
import { proxypay } from '../../../server/providers/proxypay/connector.ts';
import { adaptLegacy } from '../legacy.ts';
import { accountCases } from './proxypay/account.ts';
import { notificationCases } from './proxypay/notifications.ts';
import { outageCases } from './proxypay/outages.ts';
import { paymentCases } from './proxypay/payments.ts';
import { queueCases } from './proxypay/queue.ts';
import { registrationCases } from './proxypay/registration.ts';
import { openRig } from './proxypay/rig.ts';

export const proxypaySuite = adaptLegacy({
  connector: proxypay,
  openRig,
  liveAccount({ PROXYPAY_API_KEY: apiKey, PROXYPAY_ENTITY: entity, PROXYPAY_BASE_URL: baseUrl }) {
    if (!apiKey || !entity) {
      const missing = Object.entries({ PROXYPAY_API_KEY: apiKey, PROXYPAY_ENTITY: entity });
      return { missing: missing.filter(([, value]) => !value).map(([name]) => name) };
    }
    const account: ProxypayAccount = {
      id: 'proxypay-sandbox',
      kind: 'ppr',
      environment: 'test',
      settings: proxypay.settings.parse({ entity, isExclusive: true, ...(baseUrl && { baseUrl }) }),
      secrets: proxypay.secrets.parse({ apiKey }),
      timeoutMs: 20_000,
      clock: systemClock,
      connections: createConnections(),
    };
    return { account };
  },
  cases: [...accountCases, ...registrationCases, ...outageCases, ...queueCases, ...paymentCases, ...notificationCases],
});
