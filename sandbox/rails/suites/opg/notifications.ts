// Cases of OPG callbacks. Each callback is a hint about an attempt, and only a query decides the attempt.
import assert from 'node:assert/strict';
import type { NotificationItem } from '../../../../server/providers/connector.ts';
import { match, operation } from '../../contract.ts';
import { NO_OBJECTS } from '../../faults.ts';
import { DIALECTS, type OpgFixture } from './fixture.ts';

const LONG_ID = '177244920100000001';
const NO_IDS = ['{"id":""}', '{"id":"a/b"}', '{"id":{}}', '{"id":".."}', '{"id":"a\\u0000"}'];

/** Returns the rail's id of the order that a hint names. */
function idIn([hint]: NotificationItem[]): string | null {
  assert.ok(hint?.about === 'hint' && 'attempt' in hint);
  return hint.attempt.railOrderId;
}

/** Creates a decided push and returns the body of its callback. */
async function receive(fixture: OpgFixture): Promise<string> {
  await fixture.decide();
  return (await fixture.waitForNotices())[0]!;
}

const callback = operation<OpgFixture>('callback', { dialects: DIALECTS });

export const notificationCases = [
  ...callback({
    'is a hint at the address of an attempt with any header, even our own token, and refused at any other': (
      fixture,
    ) => {
      const headers = { authorization: `Bearer ${fixture.book.token}`, 'x-signature': 'f'.repeat(64) };
      for (const one of [{}, headers]) assert.equal(fixture.verify(one, '{}', 'a-1'), 'hint');
      assert.equal(fixture.verify({}), 'refused');
    },
    'arrives at the order’s own address, names its transaction, and keeps its id if it is repeated': async (
      fixture,
    ) => {
      await receive(fixture);
      const { attemptId, notifyUrl } = fixture.order;
      assert.equal(fixture.fake.notices[0]?.url, notifyUrl);
      const [id] = fixture.transactionIds;
      await fixture.book.callBack(id!);
      const attempt = { attemptId, railKey: null, railOrderId: id };
      const news = [{ notificationId: `${id}:accepted:null`, about: 'hint', attempt }];
      for (const one of await fixture.waitForNotices(2)) assert.deepEqual(fixture.read(one, attemptId), news);
    },
    'has one id for a code as text and as integer, and another id for another status': async (fixture) => {
      const body = JSON.parse(await receive(fixture)) as object;
      const nameOf = (changes: object) => fixture.read(JSON.stringify({ ...body, ...changes }))[0]?.notificationId;
      const [status, reason] = [{ status: 'rejected' }, 3000];
      const reasons = [reason, String(reason), 2001].map((status_reason) => nameOf({ ...status, status_reason }));
      assert.equal(reasons[0], reasons[1]);
      assert.equal(new Set([...reasons, nameOf({}), nameOf({ status: null })]).size, 4);
    },
    'that is out of order or has another amount changes nothing, since the query decides': async (fixture) => {
      const body = await receive(fixture);
      const old = JSON.stringify({ ...(JSON.parse(body) as object), status: null });
      for (const text of [old, body.replace('1500.00', '9.99')]) match(fixture.read(text), [{ about: 'hint' }]);
      match(await fixture.query(), { result: 'approved', amountMinor: 150_000 });
      fixture.rewrite({ amount: '1400.00' });
      match(await fixture.query(), { result: 'approved', amountMinor: 140_000 });
    },
    'names the order whose answer is lost, also before its POST ends, and the query decides it': async (fixture) => {
      for (const callsBackFirst of [true, false]) {
        fixture.book.callsBackFirst = callsBackFirst;
        fixture.fake.fault('drop_after');
        match(await fixture.push(), { result: 'unknown', railOrderId: null });
        if (!callsBackFirst) await fixture.pass(3_000);
        const railOrderId = idIn(fixture.read((await fixture.waitForNotices(callsBackFirst ? 1 : 2)).at(-1)!));
        match(await fixture.query({ railOrderId }), {
          result: 'approved',
          providerRef: railOrderId,
          amountMinor: 150_000,
        });
      }
    },
    'keeps every digit of an id that it has as a number': async (fixture) => {
      const body = await receive(fixture);
      assert.equal(idIn(fixture.read(body.replace(/"id":"[^"]+"/, `"id":${LONG_ID}`))), LONG_ID);
    },
  }),
  ...operation<OpgFixture>('callback', { dialects: ['proxypay'] })({
    'of a scan names the code, which can be queried': async (fixture) => {
      const { railOrderId } = await fixture.createQrCode();
      await fixture.scan('accepted');
      const news = fixture.read(fixture.fake.notices[0]!.body);
      assert.equal(idIn(news), railOrderId);
      assert.ok(!news[0]!.notificationId.includes(railOrderId!));
    },
  }),
  ...operation<OpgFixture>('callback', { call: (fixture, body) => fixture.read(body) })({
    'without an id for a path is empty': [[...NO_OBJECTS, '{}', ...NO_IDS, `{"id":"${'x'.repeat(65_536)}"}`], []],
    'with a long or unprintable status keeps neither': [
      JSON.stringify({ id: 'i-1', status: 'x'.repeat(70_000), status_reason: '\n' }),
      [{ notificationId: 'i-1:null:null' }],
    ],
    'is answered with 200': { act: ({ connector }) => connector.reply?.status, expected: 200 },
  }),
];
