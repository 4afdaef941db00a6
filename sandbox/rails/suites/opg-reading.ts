// Cases of the OPG connector: numbers in every spelling, money that is not what was asked, other people's transactions, and Locations.
import assert from 'node:assert/strict';
import type { ContractCase } from '../legacy.ts';
import type { OpgBook } from '../opg-book.ts';
import { ask, inBoth, inDialect, makePush, rewrite, type OpgStage } from './opg-stage.ts';

/** A push that was accepted at the rail, and how it is asked about from now on. */
async function accept(stage: OpgStage) {
  rewrite(stage, {});
  const order = makePush();
  const { railOrderId } = await stage.gpo.send(order);
  await stage.pass(3_000);
  const [transactionId = ''] = stage.book.transactions.keys();
  return { railOrderId, transactionId, read: () => ask(stage, order, railOrderId) };
}

async function readAs(stage: OpgStage, ...versions: Record<string, unknown>[]) {
  const { read } = await accept(stage);
  const outcomes = [];
  for (const version of versions) {
    rewrite(stage, version);
    outcomes.push(await read());
  }
  return outcomes;
}

const money = [
  ...inBoth('another amount is told as it was taken', async (stage) => {
    const [less, more] = await readAs(stage, { amount: '1499.99' }, { amount: '20000000.00' });
    assert.deepEqual([less?.result, less?.amountMinor], ['approved', 149_999]);
    assert.deepEqual([more?.result, more?.amountMinor], ['approved', 2_000_000_000]);
  }),
  ...inBoth('an amount is read exactly as text and as number', async (stage) => {
    const { read } = await accept(stage);
    for (const amount of ['"1500.00"', '"1500"', '1500', '1500.0', '1.5e3']) {
      stage.book.write = (thing) => JSON.stringify(thing).replace('"1500.00"', amount);
      assert.equal((await read()).amountMinor, 150_000, amount);
    }
  }),
  ...inBoth('an amount that nobody can read is not guessed', async (stage) => {
    const amounts = [null, '', '1500,00', '1 500.00', '1500.005', -1500, ['1500.00'], '1e400'];
    for (const outcome of await readAs(stage, ...amounts.map((amount) => ({ amount })))) {
      assert.deepEqual([outcome.result, outcome.amountMinor], ['unknown', null]);
      assert.equal(outcome.details.reason, 'amount_unreadable');
    }
  }),
  ...inBoth('a time is the rail’s, however wrong its clock', async (stage) => {
    stage.book.skewMs = -36 * 3_600_000;
    const { read } = await accept(stage);
    assert.deepEqual((await read()).occurredAt, new Date('2026-02-28T21:00:02.000Z'));
  }),
  ...inBoth('a time without a zone, or none, stays out', async (stage) => {
    const times = ['2022-05-25T18:25:39', 'yesterday', null, 1653503139, '2022-02-30T00:00:00Z'];
    for (const outcome of await readAs(stage, ...times.map((status_datetime) => ({ status_datetime })))) {
      assert.deepEqual([outcome.result, outcome.occurredAt], ['approved', null]);
    }
  }),
  ...inBoth('a time with an offset is read', async (stage) => {
    const [outcome] = await readAs(stage, { status_datetime: '2022-05-25T19:25:39+01:00' });
    assert.deepEqual(outcome?.occurredAt, new Date('2022-05-25T18:25:39.000Z'));
  }),
  inDialect(
    'proxypay',
    'money counts without a clearing period',
    async (stage) => {
      const [absent, given] = await readAs(stage, { clearing_period: undefined }, { clearing_period: '156' });
      assert.deepEqual([absent?.result, absent?.details], ['approved', {}]);
      assert.equal(given?.details.clearingPeriod, '156');
    },
    { isUncertain: true },
  ),
  ...inBoth('neither the phone nor the token is kept in an outcome', async (stage) => {
    const told = JSON.stringify(
      await readAs(stage, {}, { status: 'rejected', status_reason: 2002 }, { status: 'odd' }),
    );
    assert.ok(!told.includes('900000000') && !told.includes(stage.book.token));
  }),
];

const identity = [
  inDialect('proxypay', 'an id of eighteen digits written as a number keeps every digit', async (stage) => {
    const id = '177244920100000001';
    stage.book.write = (thing) => JSON.stringify(thing).replace(`"${thing.id}"`, id);
    const { railOrderId } = await stage.gpo.send(makePush());
    assert.equal(railOrderId, id);
    await ask(stage, makePush(), railOrderId);
    assert.equal(stage.calls().at(-1), `GET /transactions/${id}`);
  }),
  ...inBoth('the terminal is ours as an integer, as text, and with zeros before it', async (stage) => {
    for (const outcome of await readAs(stage, { pos_id: 111 }, { pos_id: '111' }, { pos_id: '00111' })) {
      assert.equal(outcome.result, 'approved');
    }
  }),
  ...inBoth('another terminal’s transaction is not ours, decided or not', async (stage) => {
    for (const pos_id of [112, '1110', '', {}]) {
      const status = { status: null, status_reason: null };
      for (const outcome of await readAs(stage, { pos_id }, { pos_id, ...status })) {
        assert.deepEqual([outcome.result, outcome.details.reason], ['unknown', 'other_purchase']);
        assert.equal(outcome.providerRef, null);
      }
    }
  }),
  ...inBoth('a refund, an authorization or a cancelation is no payment', async (stage) => {
    const types = ['refund', 'authorization', 'cancelation', 'PAYMENT'];
    for (const outcome of await readAs(stage, ...types.map((type) => ({ type })))) {
      assert.deepEqual([outcome.result, outcome.details.reason], ['unknown', 'other_purchase']);
    }
  }),
  ...inBoth('money that does not say whose it is is not taken', async (stage) => {
    for (const outcome of await readAs(stage, { pos_id: undefined }, { type: undefined }, { pos_id: null })) {
      assert.deepEqual([outcome.result, outcome.details.reason], ['unknown', 'other_purchase']);
    }
  }),
  ...inBoth('a code’s scan is no push', async (stage) => {
    const [outcome] = await readAs(stage, { charge_id: '29fTRtkFaf8cQklRuHT99999999' });
    assert.deepEqual([outcome?.result, outcome?.details.reason], ['unknown', 'other_purchase']);
  }),
  ...inBoth('another transaction’s answer is not ours', async (stage) => {
    const [outcome] = await readAs(stage, { id: 'somebody-elses' });
    assert.deepEqual([outcome?.result, outcome?.details.reason], ['unknown', 'other_purchase']);
    assert.equal(outcome?.details.railId, 'somebody-elses');
  }),
  ...inBoth('an answer without an id that can be asked about says nothing', async (stage) => {
    for (const outcome of await readAs(
      stage,
      ...[null, '', '..', 'a/b', 'a b', 'x'.repeat(65)].map((id) => ({ id })),
    )) {
      assert.deepEqual([outcome.result, outcome.details.reason], ['unknown', 'unreadable']);
    }
  }),
  ...inBoth('without the rail’s id nothing is asked', async (stage) => {
    for (const railOrderId of [null, '', '..', '.', 'a/b', '../charges/1', 'x'.repeat(65), 'a\r\nb']) {
      const outcome = await ask(stage, makePush(), railOrderId);
      assert.deepEqual([outcome.result, outcome.details], ['unknown', { reason: 'no_rail_id' }]);
    }
    assert.deepEqual(stage.calls(), []);
  }),
];

const locations = [
  inDialect('vpos', 'a running request is pending, and its transaction is not asked for', async (stage) => {
    const order = makePush();
    const { railOrderId } = await stage.gpo.send(order);
    assert.equal((await ask(stage, order, railOrderId)).result, 'pending');
    assert.deepEqual(stage.calls(), ['POST /transactions', `GET /requests/${railOrderId}`]);
  }),
  inDialect('vpos', 'a request that is done leads to its transaction in the same query', async (stage) => {
    const { railOrderId, transactionId, read } = await accept(stage);
    const outcome = await read();
    assert.deepEqual(stage.calls().slice(1), [`GET /requests/${railOrderId}`, `GET /transactions/${transactionId}`]);
    assert.deepEqual([outcome.railOrderId, outcome.providerRef], [railOrderId, transactionId]);
    assert.notEqual(railOrderId, transactionId);
  }),
  inDialect('vpos', 'of a Location only the id is used, whatever host it names', async (stage) => {
    stage.book.locate = (path) => `http://127.0.0.1:1/elsewhere${path}`;
    const { transactionId, read } = await accept(stage);
    assert.equal((await read()).result, 'approved');
    assert.equal(stage.calls().at(-1), `GET /transactions/${transactionId}`);
  }),
  inDialect('vpos', 'a push whose Location cannot be read is unknown', async (stage) => {
    const bad = [
      null,
      '',
      '/',
      '/api/v1/requests/',
      '/api/v1/requests/..',
      '/api/v1/transactions/1',
      '/requests/a%2Fb',
    ];
    for (const location of [...bad, `/requests/${'x'.repeat(65)}`, '/requests/a?b=c']) {
      stage.book.locate = () => location;
      const { result, railOrderId, details } = await stage.gpo.send(makePush());
      assert.deepEqual(
        [result, railOrderId, details.reason],
        ['unknown', null, 'location_unreadable'],
        String(location),
      );
    }
    assert.equal(stage.calls().length, 9);
  }),
  inDialect('vpos', 'a query whose Location cannot be read is unknown, and asks for nothing more', async (stage) => {
    const { read } = await accept(stage);
    for (const location of [null, '/api/v1/transactions/..', '/api/v1/requests/r1', 'http://127.0.0.1:1/']) {
      stage.book.locate = () => location;
      const before = stage.calls().length;
      assert.equal((await read()).details.reason, 'location_unreadable');
      assert.equal(stage.calls().length, before + 1);
    }
  }),
  inDialect('vpos', 'any other redirect is not read', async (stage) => {
    const { read } = await accept(stage);
    for (const status of [301, 302, 307]) {
      stage.fake.fault(status, { path: '/api/v1/requests' });
      const { result, details } = await read();
      assert.deepEqual([result, details.httpStatus], ['unknown', String(status)]);
    }
  }),
  inDialect('proxypay', 'a redirect is not followed', async (stage) => {
    const { read } = await accept(stage);
    stage.fake.fault(303);
    const { result, details } = await read();
    assert.deepEqual([result, details.reason], ['unknown', 'rail_error']);
  }),
  inDialect(
    'vpos',
    'an id that is no request’s is tried as the transaction’s: that is what a notification names',
    async (stage) => {
      const { transactionId } = await accept(stage);
      const outcome = await ask(stage, makePush(), transactionId);
      assert.deepEqual([outcome.result, outcome.providerRef], ['approved', transactionId]);
      assert.deepEqual(stage.calls().slice(1), [
        `GET /requests/${transactionId}`,
        `GET /transactions/${transactionId}`,
      ]);
    },
    { isUncertain: true },
  ),
];

/** How the rail's own words are read. */
export const OPG_READING_CASES: ContractCase<OpgBook>[] = [...money, ...identity, ...locations];
