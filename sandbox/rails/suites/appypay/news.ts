// Cases: notifications are hints, whoever sent them, and only the query settles what they tell of.
import assert from 'node:assert/strict';
import type { RailNews } from '../../../../server/providers/connector.ts';
import { writeStatus } from '../../appypay-book.ts';
import {
  actOn,
  fakeOf,
  gpoOf,
  pprOf,
  pushOf,
  qrOf,
  queryOf,
  referenceOf,
  type AppyPayCase,
  type AppyPayRig,
} from './rig.ts';
import { receive, type Arrival } from '../../rig.ts';

const HEADER = { name: 'X-Portal-Key', value: 'a-long-fixed-key' };

function verify({ connector, account }: AppyPayRig, headers: object, notificationHeader: object | null = HEADER) {
  const secrets = { ...account.secrets, ...(notificationHeader && { notificationHeader }) };
  const notification = { headers: { ...headers }, body: Buffer.from('{}'), attemptId: null };
  return connector.verify(notification, { ...account, secrets });
}

function read({ connector }: AppyPayRig, body: string | Buffer): RailNews[] {
  return connector.read(String(body), { kind: 'gpo', trust: 'hint', attemptId: null });
}

function write(change: object = {}): string {
  const responseStatus = writeStatus(100);
  return JSON.stringify({
    id: 'c1',
    merchantTransactionId: 'k1',
    amount: 1500,
    reference: null,
    responseStatus,
    ...change,
  });
}

/** Where the fake's webhooks arrive while `work` is done, answered as the connector would have it. */
function listen(rig: AppyPayRig, work: () => Promise<void>): Promise<Arrival[]> {
  const withUrl = (url: string) => {
    fakeOf(rig).book.notifyUrl = url;
    return work();
  };
  return receive(withUrl, rig.connector.reply);
}

export const newsCases: AppyPayCase[] = [
  {
    name: 'without a fixed header in the secrets every notification is a hint',
    async run(rig) {
      assert.equal(verify(rig, {}, null), 'hint');
      assert.equal(rig.connector.verify({ headers: {}, body: Buffer.from(''), attemptId: null }, rig.account), 'hint');
    },
  },
  {
    name: 'with one, a notification that shows it is still only a hint, however the name is written',
    async run(rig) {
      assert.equal(verify(rig, { 'x-portal-key': HEADER.value }), 'hint');
      const basic = { name: 'AUTHORIZATION', value: 'Basic dXNlcjpwYXNz' };
      assert.equal(verify(rig, { authorization: 'Basic dXNlcjpwYXNz' }, basic), 'hint');
    },
  },
  {
    name: 'without it, with another or with half of it, a notification is refused',
    async run(rig) {
      for (const given of [undefined, '', 'a-long-fixed', `${HEADER.value} `, [HEADER.value, HEADER.value]]) {
        assert.equal(verify(rig, given === undefined ? {} : { 'x-portal-key': given }), 'refused');
      }
      assert.equal(verify(rig, { 'x-other-key': HEADER.value }), 'refused');
    },
  },
  {
    name: 'a notification of a push names it by our name there and by theirs, and tells nothing else',
    async run(rig) {
      assert.deepEqual(read(rig, write()), [
        { notificationId: 'c1:100', about: 'hint', attempt: { attemptId: null, railKey: 'k1', railOrderId: 'c1' } },
      ]);
    },
  },
  {
    name: 'a notification of a reference names its digits',
    async run(rig) {
      const reference = { referenceNumber: '012345678', dueDate: '2026-03-06', entity: '10116' };
      const news = [{ notificationId: 'c1:100', about: 'hint', reference: '012345678' }];
      assert.deepEqual(read(rig, write({ reference })), news);
    },
  },
  {
    name: 'one told again in other words is the same, one with another number is another',
    async run(rig) {
      const ids = [
        write(),
        write({ responseStatus: { ...writeStatus(100), message: 'Ficheiro de compensação' } }),
        write({ responseStatus: { ...writeStatus(100), code: '100' } }),
        write({ responseStatus: writeStatus(231) }),
      ].map((body) => read(rig, body)[0]?.notificationId);
      assert.deepEqual(ids, ['c1:100', 'c1:100', 'c1:100', 'c1:231']);
    },
  },
  {
    name: 'what is no notification of theirs is nothing',
    async run(rig) {
      for (const body of ['', '{', 'null', '[]', '"x"', '{}', write({ id: null }), write({ id: 'x'.repeat(65) })]) {
        assert.deepEqual(read(rig, body), []);
      }
    },
  },
  {
    name: 'digits as a number are no digits, and a number nobody knows is a hint all the same',
    async run(rig) {
      const reference = { referenceNumber: 12345678, entity: 10116 };
      const [news] = read(rig, write({ reference, responseStatus: writeStatus(999) }));
      assert.ok(news && 'attempt' in news);
      assert.deepEqual([news.notificationId, news.attempt.railOrderId], ['c1:999', 'c1']);
    },
  },
  {
    name: 'a notification is answered with exactly 200',
    async run({ connector }) {
      assert.deepEqual(connector.reply, { status: 200, body: '' });
    },
  },
  {
    name: 'the webhook of an approved push leads to the query that settles it, and so does its repetition',
    async run(rig) {
      const { railOrderId } = await gpoOf(rig).send(pushOf('a'));
      fakeOf(rig).book.notifyHeader = HEADER;
      const heard = await listen(rig, async () => {
        await actOn(rig, railOrderId ?? '', 'approve');
        await actOn(rig, railOrderId ?? '', 'tell again');
      });
      assert.deepEqual(
        fakeOf(rig).notices.map(({ status }) => status),
        [200, 200],
      );
      assert.ok(heard.every(({ headers }) => verify(rig, headers) === 'hint'));
      const news = heard.flatMap(({ body }) => read(rig, body));
      assert.deepEqual([news.length, new Set(news.map(({ notificationId }) => notificationId)).size], [2, 1]);
      const [hint] = news;
      assert.ok(hint && 'attempt' in hint);
      assert.equal(hint.attempt.railKey, rig.connector.keyOf?.('a'));
      const asked = await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId: hint.attempt.railOrderId }));
      assert.deepEqual([asked.result, asked.amountMinor], ['approved', 1500_00]);
    },
  },
  {
    name: 'news in the wrong order changes nothing: the query says what holds',
    async run(rig) {
      const { railOrderId } = await gpoOf(rig).send(pushOf('a'));
      await actOn(rig, railOrderId ?? '', 'approve');
      const attempt = { id: railOrderId, merchantTransactionId: rig.connector.keyOf?.('a') };
      for (const code of [100, 101, 231]) {
        const [hint] = read(rig, write({ ...attempt, responseStatus: writeStatus(code) }));
        assert.ok(hint?.about === 'hint' && 'attempt' in hint);
        const asked = await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId: hint.attempt.railOrderId }));
        assert.equal(asked.result, 'approved');
      }
    },
  },
  {
    name: 'a paid reference is told by webhook, once more from the clearing file, and is one payment',
    async run(rig) {
      await pprOf(rig).register(referenceOf('r'));
      const id = fakeOf(rig).book.charges[0]?.id ?? '';
      const heard = await listen(rig, async () => {
        await actOn(rig, id, 'pay');
        await actOn(rig, id, 'clear');
      });
      assert.notDeepEqual(heard[0]?.body, heard[1]?.body);
      const news = heard.flatMap(({ body }) => read(rig, body));
      const hint = { notificationId: `${id}:100`, about: 'hint', reference: '123456789' };
      assert.deepEqual(news, [hint, hint]);
      assert.equal((await pprOf(rig).query(referenceOf('r'))).payments.length, 1);
    },
  },
  {
    name: 'the webhook of a scan names the code by our name for it',
    isUncertain: true,
    async run(rig) {
      const { railOrderId } = await gpoOf(rig).createQrCode(qrOf('q'));
      const heard = await listen(rig, () => actOn(rig, railOrderId ?? '', 'scan'));
      const [hint] = heard.flatMap(({ body }) => read(rig, body));
      assert.ok(hint && 'attempt' in hint);
      assert.equal(hint.attempt.railKey, rig.connector.keyOf?.('q'));
      assert.notEqual(hint.attempt.railOrderId, railOrderId);
    },
  },
];
