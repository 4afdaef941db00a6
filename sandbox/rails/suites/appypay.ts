// The contract of the AppyPay connector: every case, a fake with one merchant's account, and the account of the real sandbox.
import type { OpenAccount } from '../../../server/providers/connector.ts';
import { appypay } from '../../../server/providers/appypay/connector.ts';
import { systemClock } from '../../../server/clock.ts';
import { adaptLegacy } from '../legacy.ts';
import { openConnections } from '../rig.ts';
import { accessCases } from './appypay/access.ts';
import { declarationCases } from './appypay/declarations.ts';
import { faultCases } from './appypay/faults.ts';
import { newsCases } from './appypay/news.ts';
import { outcomeCases } from './appypay/outcomes.ts';
import { paymentCases } from './appypay/payments.ts';
import { pushCases } from './appypay/push.ts';
import { qrCases } from './appypay/qrcode.ts';
import { referenceCases } from './appypay/references.ts';
import { refundLossCases } from './appypay/refund-losses.ts';
import { refundCases } from './appypay/refunds.ts';
import { openAppyPayRig } from './appypay/rig.ts';
import { statementCases } from './appypay/statement.ts';

/** Both kinds in one: the rig's clients are those of a GPO account and of a PPR account. */
export const appypaySuite = adaptLegacy({
  connector: appypay,
  openRig: openAppyPayRig,
  liveAccount(env) {
    const missing = VARIABLES.filter((name) => !env[name]);
    if (missing.length > 0) return { missing };
    const [clientId, clientSecret, resource, gpo, ref] = VARIABLES.map((name) => env[name]);
    const { APPYPAY_BASE_URL: baseUrl, APPYPAY_TOKEN_URL: tokenUrl } = env;
    const account: OpenAccount = {
      id: 'live',
      kind: 'gpo',
      environment: 'test',
      settings: { resource, methods: { gpo, ref }, ...(baseUrl && { baseUrl }), ...(tokenUrl && { tokenUrl }) },
      secrets: { clientId, clientSecret },
      timeoutMs: 30_000,
      clock: systemClock,
      connections: openConnections(),
    };
    return { account };
  },
  cases: [
    ...declarationCases,
    ...accessCases,
    ...pushCases,
    ...outcomeCases,
    ...faultCases,
    ...qrCases,
    ...refundCases,
    ...refundLossCases,
    ...referenceCases,
    ...paymentCases,
    ...newsCases,
    ...statementCases,
  ],
});

const VARIABLES = [
  'APPYPAY_CLIENT_ID',
  'APPYPAY_CLIENT_SECRET',
  'APPYPAY_RESOURCE',
  'APPYPAY_GPO_METHOD',
  'APPYPAY_REF_METHOD',
] as const;
