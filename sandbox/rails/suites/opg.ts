// The contract of the OPG connector, in the dialects of ProxyPay and vPOS.
import { opgConnector } from '../../../server/providers/opg/connector.ts';
import { createSuite } from '../contract.ts';
import { startOpg } from '../opg.ts';
import { accountCases } from './opg/account.ts';
import { OpgFixture, POS_ID, TOKEN } from './opg/fixture.ts';
import { pushCases } from './opg/push.ts';
import { notificationCases } from './opg/notifications.ts';
import { qrCases } from './opg/qrcode.ts';
import { readingCases } from './opg/reading.ts';
import { refundCases } from './opg/refunds.ts';

/** The tests run all OPG cases against the fake. A live check runs only the cases of the account's dialect. */
export const opgSuite = createSuite<OpgFixture>({
  connector: opgConnector,
  Fixture: OpgFixture,
  start: ({ clock }) => startOpg({ clock, token: TOKEN, posId: POS_ID }),
  live: {
    OPG_DIALECT: 'settings.dialect',
    OPG_POS_ID: 'settings.posId',
    OPG_TOKEN: 'secrets.token',
    OPG_BASE_URL: 'settings.baseUrl?',
  },
  cases: [...accountCases, ...pushCases, ...readingCases, ...notificationCases, ...qrCases, ...refundCases],
});
