// The contract of the AppyPay connector, for accounts of kind `gpo` (pushes) and `ppr` (references).
import { appypay } from '../../../server/providers/appypay/connector.ts';
import { startAppyPay } from '../appypay.ts';
import { createSuite } from '../contract.ts';
import { accountCases } from './appypay/account.ts';
import { AppyPayFixture } from './appypay/fixture.ts';
import { notificationCases } from './appypay/notifications.ts';
import { pushCases } from './appypay/push.ts';
import { qrCases } from './appypay/qrcode.ts';
import { referenceCases } from './appypay/references.ts';
import { refundCases } from './appypay/refunds.ts';

/** The fixture of the AppyPay cases has the clients of both kinds of account. */
export const appypaySuite = createSuite<AppyPayFixture>({
  connector: appypay,
  Fixture: AppyPayFixture,
  start: startAppyPay,
  live: {
    APPYPAY_CLIENT_ID: 'secrets.clientId',
    APPYPAY_CLIENT_SECRET: 'secrets.clientSecret',
    APPYPAY_RESOURCE: 'settings.resource',
    APPYPAY_GPO_METHOD: 'settings.methods.gpo',
    APPYPAY_REF_METHOD: 'settings.methods.ref',
    APPYPAY_BASE_URL: 'settings.baseUrl?',
    APPYPAY_TOKEN_URL: 'settings.tokenUrl?',
  },
  cases: [...accountCases, ...pushCases, ...qrCases, ...refundCases, ...referenceCases, ...notificationCases],
});
