// The contract of the OPG connector: every case, in the dialects of ProxyPay and vPOS.
import { opgConnector } from '../../../server/providers/opg/connector.ts';
import { adaptLegacy } from '../legacy.ts';
import { OPG_ACCOUNT_CASES } from './opg-account.ts';
import { OPG_FAULT_CASES } from './opg-faults.ts';
import { OPG_NEWS_CASES } from './opg-news.ts';
import { OPG_PUSH_CASES } from './opg-push.ts';
import { OPG_QR_CASES } from './opg-qr.ts';
import { OPG_READING_CASES } from './opg-reading.ts';
import { OPG_REFUND_CASES } from './opg-refunds.ts';
import { openLiveAccount, openOpgRig } from './opg-stage.ts';
import { baseUrlOf, OpgFixture } from './opg/fixture.ts';
import { pushCases } from './opg/push.ts';

/** Against the fake its cases play in either dialect; at a provider's own sandbox those of the account's dialect count. */
export const opgSuite = adaptLegacy({
  connector: opgConnector,
  openRig: openOpgRig,
  liveAccount: openLiveAccount,
  cases: [
    ...OPG_ACCOUNT_CASES,
    ...OPG_PUSH_CASES,
    ...OPG_READING_CASES,
    ...OPG_FAULT_CASES,
    ...OPG_NEWS_CASES,
    ...OPG_QR_CASES,
    ...OPG_REFUND_CASES,
    ...pushCases.map(({ dialect, ...one }) => ({
      ...one,
      ...(dialect && { dialect }),
      run: async (rig: any) => {
        const settings = { ...rig.account.settings, dialect, baseUrl: baseUrlOf(rig.fake.url, dialect!) };
        await one.run(new OpgFixture({ ...rig, account: { ...rig.account, settings }, server: rig.fake }));
      },
    })),
  ],
});
