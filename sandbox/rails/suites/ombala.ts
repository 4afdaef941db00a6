// The contract of the Ombala connector: what it declares, and how an account is tried; sendings and questions beside it.
import assert from 'node:assert/strict';
import { OMBALA } from '../../../server/providers/ombala/connector.ts';
import { adaptLegacy, type ContractCase } from '../legacy.ts';
import { startOmbala, type OmbalaBook } from '../ombala.ts';
import { enterLiveAccount, openSmsRig, unpack } from '../sms-rig.ts';
import { createRigClock } from '../rig.ts';
import { OMBALA_DOUBT_CASES } from './ombala-doubt.ts';
import { OMBALA_QUERY_CASES } from './ombala-query.ts';
import { OMBALA_SEND_CASES } from './ombala-send.ts';
import { describeSmsAccount } from './sms-account.ts';
import { describeSmsLosses } from './sms-losses.ts';

const OWN_CASES: ContractCase<OmbalaBook>[] = [
  {
    name: 'declares any text, repeats that are not safe, and no notifications',
    isLive: true,
    async run({ connector, account }) {
      assert.deepEqual(connector.capabilities('sms', account.settings), {
        kind: 'sms',
        idempotent: false,
        reports: 'poll',
        replies: false,
        maxChars: null,
        links: true,
        emoji: true,
      });
      assert.deepEqual([connector.name, connector.kinds], ['ombala', ['sms']]);
    },
  },
  {
    name: 'no notification is its word, and none is read',
    isLive: true,
    async run({ connector, account }) {
      const body = JSON.stringify({ id: 1, recipients: [{ message_status: 'DELIVERED' }] });
      for (const text of [body, '', 'null', '[]', 'x'.repeat(65_536)]) {
        const notification = { headers: { authorization: 'Token any' }, body: Buffer.from(text), attemptId: null };
        assert.equal(connector.verify(notification, account), 'refused');
        assert.deepEqual(connector.read(text, { kind: 'sms', trust: 'hint', attemptId: null }), []);
      }
    },
  },
  {
    name: 'a try asks for the first page of what was sent, with the token, and sends nothing',
    async run(rig) {
      const { fake, book } = unpack(rig);
      await rig.connector.probe(rig.account);
      const [request, ...others] = fake.requests;
      assert.equal(`${request?.method} ${request?.path}?${String(request?.query)}`, 'GET /messages?page=0');
      assert.equal(request?.headers.authorization, 'Token ombala-token-1');
      assert.deepEqual([others, book.messages], [[], []]);
    },
  },
];

/** The contract of Ombala, and of GoSMS. */
export const OMBALA_SUITE = adaptLegacy({
  connector: OMBALA,
  async openRig() {
    const clock = createRigClock();
    const fake = await startOmbala({ clock });
    return openSmsRig({ connector: OMBALA, fake, clock, secrets: { apiKey: fake.book.token } });
  },
  liveAccount: ({ OMBALA_TOKEN, OMBALA_SENDER, OMBALA_BASE_URL }) =>
    enterLiveAccount(OMBALA, { OMBALA_TOKEN }, { OMBALA_SENDER }, OMBALA_BASE_URL),
  cases: [
    ...OWN_CASES,
    ...describeSmsAccount<OmbalaBook>('api.useombala.ao'),
    ...describeSmsLosses<OmbalaBook>(),
    ...OMBALA_SEND_CASES,
    ...OMBALA_QUERY_CASES,
    ...OMBALA_DOUBT_CASES,
  ],
});
