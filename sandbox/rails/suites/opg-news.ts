// Cases of the OPG connector: callbacks are hints, whatever they say; they name an attempt, once each, and only the query settles.
import assert from 'node:assert/strict';
import { opgConnector } from '../../../server/providers/opg/connector.ts';
import type { RailNews } from '../../../server/providers/connector.ts';
import type { ContractCase } from '../legacy.ts';
import type { OpgBook } from '../opg-book.ts';
import { ask, inBoth, inDialect, makeCode, makePush, rewrite, type OpgStage } from './opg-stage.ts';
import { until } from '../rig.ts';

const read = (body: string, attemptId: string | null = 'a-1'): RailNews[] =>
  opgConnector.read(body, { kind: 'gpo', trust: 'hint', attemptId });

/** The id at the rail that a hint names. */
function idIn(news: RailNews[]): string | null {
  const [hint] = news;
  assert.ok(hint?.about === 'hint' && 'attempt' in hint);
  return hint.attempt.railOrderId;
}

/** Pushes, lets the rail decide, and gives what it called back with. */
async function hear(stage: OpgStage) {
  const order = makePush();
  const sent = await stage.gpo.send(order);
  await stage.pass(3_000);
  await until(() => stage.fake.notices.length > 0);
  return { order, sent, notice: stage.fake.notices[0]! };
}

const trusting: ContractCase<OpgBook>[] = [
  ...inBoth('a callback at an attempt’s own address is a hint, at any other it is refused', async (stage) => {
    const { notice } = await hear(stage);
    const { account } = stage;
    const arrived = { headers: {}, body: Buffer.from(notice.body) };
    assert.equal(opgConnector.verify({ ...arrived, attemptId: 'a-1' }, account as never), 'hint');
    assert.equal(opgConnector.verify({ ...arrived, attemptId: null }, account as never), 'refused');
  }),
  ...inBoth('no header makes a callback proven, not even our own token', async ({ account, book }) => {
    const headers = { authorization: `Bearer ${book.token}`, 'x-signature': 'f'.repeat(64) };
    const notification = { headers, body: Buffer.from('{}'), attemptId: 'a-1' };
    assert.equal(opgConnector.verify(notification, account as never), 'hint');
  }),
  ...inBoth('a forged callback settles nothing: the rail still says pending', async (stage) => {
    const order = makePush({ phone: '+244923456789' });
    const { railOrderId } = await stage.gpo.send(order);
    const [id] = stage.book.transactions.keys();
    const news = read(JSON.stringify({ id, type: 'payment', pos_id: 111, amount: '1500.00', status: 'accepted' }));
    assert.deepEqual(
      news.map(({ about }) => about),
      ['hint'],
    );
    assert.equal((await ask(stage, order, railOrderId)).result, 'pending');
  }),
  {
    name: 'a callback is answered 200',
    run: async ({ connector }) => assert.equal(connector.reply?.status, 200),
  },
];

const reading: ContractCase<OpgBook>[] = [
  ...inBoth('the rail calls the order’s own address back with its transaction', async (stage) => {
    const { order, notice } = await hear(stage);
    assert.equal(notice.url, order.notifyUrl);
    const [id] = stage.book.transactions.keys();
    assert.deepEqual(read(notice.body, order.attemptId), [
      {
        notificationId: `${id}:accepted:null`,
        about: 'hint',
        attempt: { attemptId: order.attemptId, railKey: null, railOrderId: id },
      },
    ]);
  }),
  ...inBoth('told twice it is one notification', async (stage) => {
    const { notice } = await hear(stage);
    await stage.book.callBack([...stage.book.transactions.keys()][0]!);
    assert.equal(stage.fake.notices.length, 2);
    assert.deepEqual(read(stage.fake.notices[1]!.body), read(notice.body));
  }),
  ...inBoth('a number as text and as integer is one notification, another status another', async (stage) => {
    const { notice } = await hear(stage);
    const say = (changes: object) =>
      read(JSON.stringify({ ...JSON.parse(notice.body), ...changes }))[0]?.notificationId;
    const refused = { status: 'rejected', status_reason: 3000 };
    assert.equal(say(refused), say({ ...refused, status_reason: '3000' }));
    const ids = [say({}), say(refused), say({ ...refused, status_reason: 2001 }), say({ status: null })];
    assert.equal(new Set(ids).size, 4);
  }),
  ...inBoth('news out of order change nothing: the query tells what is', async (stage) => {
    const { order, sent, notice } = await hear(stage);
    const old = read(JSON.stringify({ ...JSON.parse(notice.body), status: null }));
    assert.equal(old[0]?.about, 'hint');
    assert.equal((await ask(stage, order, sent.railOrderId)).result, 'approved');
  }),
  ...inBoth('a callback may come before the answer to its own POST', async (stage) => {
    stage.book.callsBackFirst = true;
    // Nothing of the answer is heard before the callback: it is lost.
    stage.fake.fault('drop_after');
    const order = makePush();
    const sent = await stage.gpo.send(order);
    assert.deepEqual([sent.result, sent.railOrderId], ['unknown', null]);
    assert.equal(stage.fake.notices.length, 1);
    const railOrderId = idIn(read(stage.fake.notices[0]!.body, order.attemptId));
    const outcome = await ask(stage, order, railOrderId);
    assert.deepEqual([outcome.result, outcome.providerRef], ['approved', railOrderId]);
  }),
  inDialect('proxypay', 'a callback before the answer names the same order as the answer', async (stage) => {
    stage.book.callsBackFirst = true;
    const { railOrderId } = await stage.gpo.send(makePush());
    assert.equal(idIn(read(stage.fake.notices[0]!.body)), railOrderId);
  }),
  ...inBoth('after a lost answer the callback names the order, and the query settles it', async (stage) => {
    const order = makePush();
    stage.fake.fault('drop_after');
    assert.equal((await stage.gpo.send(order)).result, 'unknown');
    await stage.pass(3_000);
    await until(() => stage.fake.notices.length > 0);
    const railOrderId = idIn(read(stage.fake.notices[0]!.body, order.attemptId));
    assert.equal((await ask(stage, order, railOrderId)).amountMinor, 150_000);
  }),
  inDialect('proxypay', 'a scan’s callback names the charge, which is what is asked about', async (stage) => {
    const { railOrderId } = await stage.gpo.createQrCode(makeCode());
    await stage.book.scan(railOrderId!, { status: 'accepted', reason: null });
    const [news] = read(stage.fake.notices[0]!.body);
    assert.equal(idIn([news!]), railOrderId);
    assert.ok(!news!.notificationId.includes(railOrderId!));
  }),
  ...inBoth('a rejected push is called back about with its number', async (stage) => {
    await stage.gpo.send(makePush({ phone: '+244900003000' }));
    await stage.pass(3_000);
    await until(() => stage.fake.notices.length > 0);
    assert.match(read(stage.fake.notices[0]!.body)[0]!.notificationId, /:rejected:3000$/);
  }),
  {
    name: 'what cannot be read is no news, and harms nobody',
    async run() {
      const bodies = ['', '{', 'null', '[]', '17', '"accepted"', '{}', '{"id":""}', '{"id":"a/b"}', '{"id":{}}'];
      for (const body of [...bodies, `{"id":"${'x'.repeat(65_536)}"}`, '{"id":".."}', '{"id":"a\\u0000"}']) {
        assert.deepEqual(read(body), [], body.slice(0, 20));
      }
    },
  },
  {
    name: 'strange words in a callback are kept short',
    async run() {
      const [news] = read(JSON.stringify({ id: 'i-1', status: 'x'.repeat(70_000), status_reason: '\n' }));
      assert.equal(news?.notificationId, 'i-1:null:null');
    },
  },
  ...inBoth('ids written as numbers keep every digit', async (stage) => {
    const { notice } = await hear(stage);
    const id = '177244920100000001';
    const body = notice.body.replace(/"id":"[^"]+"/, `"id":${id}`);
    assert.equal(idIn(read(body)), id);
  }),
  ...inBoth('another amount in a callback is not believed: the query has it from the rail', async (stage) => {
    const { order, sent, notice } = await hear(stage);
    assert.equal(read(notice.body.replace('1500.00', '9.99'))[0]?.about, 'hint');
    rewrite(stage, { amount: '1400.00' });
    assert.equal((await ask(stage, order, sent.railOrderId)).amountMinor, 140_000);
  }),
];

/** What the rail tells by itself. */
export const OPG_NEWS_CASES: ContractCase<OpgBook>[] = [...trusting, ...reading];
