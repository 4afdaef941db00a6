// The contract of the KambaSMS connector: what it declares, and how an account is tried; sendings and questions beside it.
import assert from 'node:assert/strict';
import { KAMBASMS } from '../../../server/providers/kambasms/connector.ts';
import { adaptLegacy, type ContractCase } from '../legacy.ts';
import { startKambaSms, type KambaBook } from '../kambasms.ts';
import { enterLiveAccount, openSmsRig, reopen, unpack } from '../sms-rig.ts';
import { createRigClock } from '../rig.ts';
import { KAMBA_QUERY_CASES } from './kambasms-query.ts';
import { KAMBA_REFUSAL_CASES } from './kambasms-refusals.ts';
import { KAMBA_SEND_CASES } from './kambasms-send.ts';
import { describeSmsAccount } from './sms-account.ts';
import { describeSmsLosses } from './sms-losses.ts';

const OWN_CASES: ContractCase<KambaBook>[] = [
  {
    name: 'declares short texts without links and emoji, repeats that are safe, and no notifications',
    isLive: true,
    async run({ connector, account }) {
      assert.deepEqual(connector.capabilities('sms', account.settings), {
        kind: 'sms',
        idempotent: true,
        reports: 'poll',
        replies: false,
        maxChars: 160,
        links: false,
        emoji: false,
      });
      assert.deepEqual([connector.name, connector.kinds], ['kambasms', ['sms']]);
    },
  },
  {
    name: 'no notification is its word, and none is read (webhooks exist, their form is not published)',
    isUncertain: true,
    async run({ connector, account }) {
      const body = JSON.stringify({ event: 'message.delivered', message_id: '1', status: 'delivered' });
      const bodies = [body, '', 'null', '[]', 'x'.repeat(65_536)];
      for (const text of bodies) {
        const notification = { headers: { 'x-api-key': 'any' }, body: Buffer.from(text), attemptId: null };
        assert.equal(connector.verify(notification, account), 'refused');
        assert.deepEqual(connector.read(text, { kind: 'sms', trust: 'hint', attemptId: null }), []);
      }
    },
  },
  {
    name: 'a try asks for the balance alone and sends nothing',
    async run(rig) {
      const { fake, book } = unpack(rig);
      await rig.connector.probe(rig.account);
      assert.deepEqual(
        fake.requests.map(({ method, path }) => `${method} ${path}`),
        ['GET /credits/balance'],
      );
      assert.deepEqual([book.messages, book.balance], [[], 500]);
    },
  },
  {
    name: 'a key for tests is no key of a live account (that the balance says so is not published)',
    isUncertain: true,
    async run(rig) {
      const { book } = unpack(rig);
      const { account } = reopen(rig, { environment: 'live' });
      assert.equal((await rig.connector.probe(account)).result, 'wrong_secret');
      book.isTestKey = false;
      assert.deepEqual(await rig.connector.probe(account), { result: 'ok' });
    },
  },
];

/** The contract of KambaSMS. */
export const KAMBASMS_SUITE = adaptLegacy({
  connector: KAMBASMS,
  async openRig() {
    const clock = createRigClock();
    const fake = await startKambaSms({ clock });
    return openSmsRig({ connector: KAMBASMS, fake, clock, secrets: { apiKey: fake.book.apiKey } });
  },
  liveAccount: ({ KAMBASMS_API_KEY, KAMBASMS_SENDER, KAMBASMS_BASE_URL }) =>
    enterLiveAccount(KAMBASMS, { KAMBASMS_API_KEY }, { KAMBASMS_SENDER }, KAMBASMS_BASE_URL),
  cases: [
    ...OWN_CASES,
    ...describeSmsAccount<KambaBook>('api.kambasms.ao'),
    ...describeSmsLosses<KambaBook>(),
    ...KAMBA_SEND_CASES,
    ...KAMBA_REFUSAL_CASES,
    ...KAMBA_QUERY_CASES,
  ],
});
