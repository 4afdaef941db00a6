// Cases of the OPG connector: what a push says, how the rail's answers and decisions are read, and what is never asked.
import assert from 'node:assert/strict';
import type { OrderKind, RailOrder } from '../../../server/providers/provider.ts';
import type { ContractCase } from '../legacy.ts';
import type { OpgBook } from '../opg-book.ts';
import { ask, inBoth, inDialect, makePush, openGpo, pushAndWait, rewrite, type OpgStage } from './opg-stage.ts';

const REASONS = {
  1000: 'rail_unavailable',
  2000: 'rail_unavailable',
  2001: 'insufficient_funds',
  2002: 'issuer_refused',
  2003: 'limit_exceeded',
  2004: 'timed_out',
  3000: 'customer_refused',
};

/** Sends a push and asks about it once it is accepted there, with whatever is said of it overwritten. */
async function readAccepted(stage: OpgStage, changes: Record<string, unknown>) {
  rewrite(stage, {});
  const order = makePush();
  const { railOrderId } = await stage.gpo.send(order);
  await stage.pass(3_000);
  rewrite(stage, changes);
  return ask(stage, order, railOrderId);
}

const sending = [
  ...inBoth('a push is one POST with token, key and exactly the fields of the protocol', async (stage) => {
    const order = makePush({ phone: '+244923456789', amountMinor: 12_345 });
    await stage.gpo.send(order);
    assert.deepEqual(stage.calls(), ['POST /transactions']);
    const { headers, body } = stage.fake.requests[0]!;
    assert.equal(headers.authorization, `Bearer ${stage.book.token}`);
    assert.equal(headers['idempotency-key'], order.attemptId);
    assert.match(String(headers['content-type']), /^application\/json/);
    const { notifyUrl: callback_url } = order;
    const sent = { type: 'payment', pos_id: 111, mobile: '923456789', amount: '123.45', callback_url };
    assert.deepEqual(JSON.parse(body), sent);
  }),
  ...inBoth('the same order is the same bytes', async (stage) => {
    const order = makePush();
    await stage.gpo.send(order);
    await openGpo(stage.account).send(order);
    const [first, second] = stage.fake.requests;
    assert.equal(first?.body, second?.body);
  }),
  ...inBoth('whole kwanzas, cents and the highest amount are written exactly', async (stage) => {
    const amounts = { '1.00': 100, '0.07': 7, '1500.50': 150_050, '10000000.00': 1_000_000_000 };
    for (const amountMinor of Object.values(amounts)) await stage.gpo.send(makePush({ amountMinor }));
    const sent = stage.fake.requests.map(({ body }) => JSON.parse(body).amount);
    assert.deepEqual(sent, Object.keys(amounts));
  }),
  ...inBoth('a terminal given as digits goes out as an integer, and is known again', async (stage) => {
    const settings = { ...stage.account.settings, posId: '000111' };
    const order = makePush();
    const gpo = openGpo({ ...stage.account, settings });
    const { railOrderId } = await gpo.send(order);
    assert.equal(JSON.parse(stage.fake.requests[0]!.body).pos_id, 111);
    await stage.pass(3_000);
    const asked = await gpo.query({ ...order, railOrderId, sentAt: new Date() });
    assert.equal(asked.result, 'approved');
  }),
  inDialect('proxypay', 'a push taken is pending under the transaction’s id', async (stage) => {
    const outcome = await stage.gpo.send(makePush());
    const [id] = stage.book.transactions.keys();
    assert.equal(outcome.result, 'pending');
    assert.equal(outcome.railOrderId, id);
    assert.equal(outcome.amountMinor, null);
  }),
  inDialect('vpos', 'a push taken is pending under the request’s id', async (stage) => {
    const outcome = await stage.gpo.send(makePush());
    const [id] = stage.book.requests.keys();
    assert.equal(outcome.result, 'pending');
    assert.equal(outcome.railOrderId, id);
  }),
  inDialect('proxypay', 'a push that is decided in its own answer is believed', async (stage) => {
    stage.book.callsBackFirst = true;
    const approved = await stage.gpo.send(makePush());
    assert.equal(approved.result, 'approved');
    assert.equal(approved.providerRef, approved.railOrderId);
    const declined = await stage.gpo.send(makePush({ phone: '+244900002001' }));
    assert.equal(declined.failureCode, 'insufficient_funds');
  }),
  inDialect('proxypay', 'an answer whose money nobody can read is unknown, but can be asked about', async (stage) => {
    stage.book.callsBackFirst = true;
    rewrite(stage, { amount: 'a lot' });
    const { result, railOrderId, details } = await stage.gpo.send(makePush());
    assert.deepEqual([result, details.reason, details.railAmount], ['unknown', 'amount_unreadable', 'a lot']);
    assert.equal(railOrderId, [...stage.book.transactions.keys()][0]);
  }),
  inDialect('proxypay', 'an answer with nothing but an id is pending', async (stage) => {
    stage.book.write = ({ id }) => ({ id });
    const outcome = await stage.gpo.send(makePush());
    assert.equal(outcome.result, 'pending');
    assert.ok(outcome.railOrderId);
  }),
  ...inBoth('authorization, capture and void are declined without a request', async (stage) => {
    const push = makePush();
    const orders: RailOrder[] = [
      { ...push, kind: 'authorization' },
      { ...push, kind: 'capture', authorizationId: push.attemptId },
      { ...push, kind: 'void', target: 'authorization', targetId: push.attemptId },
      { ...push, kind: 'void', target: 'qrcode', targetId: push.attemptId },
    ];
    for (const order of orders) {
      const { result, failureCode, details } = await stage.gpo.send(order);
      assert.deepEqual([result, failureCode, details.reason], ['declined', 'acquirer_setup', 'unsupported']);
    }
    for (const kind of ['authorization', 'capture', 'void'] satisfies OrderKind[]) {
      const asked = await stage.gpo.query({ kind, attemptId: push.attemptId, railOrderId: 'x', sentAt: new Date() });
      assert.equal(asked.details.reason, 'unsupported');
    }
    assert.deepEqual(stage.calls(), []);
  }),
  ...inBoth('another wallet or currency is declined without a request', async (stage) => {
    for (const changes of [{ wallet: 'unitel_money' }, { currency: 'USD' }]) {
      const { result, details } = await stage.gpo.send(makePush(changes));
      assert.deepEqual([result, details.reason], ['declined', 'unsupported']);
    }
    assert.deepEqual(stage.calls(), []);
  }),
  ...inBoth('terminals are refused without a request', async (stage) => {
    const move = { operationId: 'o', posId: '111', action: 'open' as const, supervisorId: null };
    for (const outcome of [await stage.gpo.moveTerminal(move), await stage.gpo.queryTerminal('111')]) {
      assert.deepEqual([outcome.result, outcome.details.reason], ['refused', 'unsupported']);
    }
    assert.deepEqual(stage.calls(), []);
  }),
];

const deciding = [
  ...inBoth(
    'the number that accepts is approved, with what was taken',
    async (stage) => {
      const outcome = await pushAndWait(stage);
      assert.equal(outcome.result, 'approved');
      assert.equal(outcome.failureCode, null);
      assert.equal(outcome.amountMinor, 150_000);
      assert.equal(outcome.currency, 'AOA');
      assert.match(outcome.providerRef ?? '', /^\S{1,64}$/);
    },
    { isLive: true },
  ),
  ...inBoth(
    'the number that refuses is the customer’s refusal',
    async (stage) => {
      const outcome = await pushAndWait(stage, { phone: '+244900003000' });
      assert.deepEqual([outcome.result, outcome.failureCode], ['declined', 'customer_refused']);
      assert.deepEqual([outcome.providerRef, outcome.amountMinor], [null, null]);
    },
    { isLive: true },
  ),
  inDialect(
    'vpos',
    'the number that times out is timed out',
    async (stage) => {
      const outcome = await pushAndWait(stage, { phone: '+244900002004' });
      assert.deepEqual([outcome.result, outcome.failureCode], ['declined', 'timed_out']);
    },
    { isLive: true },
  ),
  inDialect(
    'proxypay',
    'the number that times out is timed out',
    async (stage) => {
      const outcome = await pushAndWait(stage, { phone: '+244900002004' });
      assert.deepEqual([outcome.result, outcome.failureCode], ['declined', 'timed_out']);
    },
    { isLive: true, isUncertain: true },
  ),
  ...inBoth('nobody’s answer is pending until the window is over, then timed out', async (stage) => {
    const order = makePush({ phone: '+244923456789' });
    const { railOrderId } = await stage.gpo.send(order);
    await stage.pass(89_000);
    assert.equal((await ask(stage, order, railOrderId)).result, 'pending');
    await stage.pass(2_000);
    assert.equal((await ask(stage, order, railOrderId)).failureCode, 'timed_out');
  }),
  ...inBoth('approved: number, time by the rail’s clock, clearing period, and nothing else', async (stage) => {
    const order = makePush();
    const { railOrderId } = await stage.gpo.send(order);
    await stage.pass(2_000);
    assert.deepEqual(await ask(stage, order, railOrderId), {
      result: 'approved',
      failureCode: null,
      railOrderId,
      providerRef: [...stage.book.transactions.keys()][0],
      amountMinor: 150_000,
      currency: 'AOA',
      occurredAt: new Date('2026-03-02T09:00:02.000Z'),
      details: { clearingPeriod: '156' },
    });
  }),
  ...inBoth('each number of a rejection, as text and as integer, is our word for it', async (stage) => {
    for (const [reason, failureCode] of Object.entries(REASONS)) {
      for (const status_reason of [reason, Number(reason)]) {
        const outcome = await readAccepted(stage, { status: 'rejected', status_reason });
        assert.deepEqual([outcome.result, outcome.failureCode], ['declined', failureCode], reason);
        assert.equal(outcome.details.railReason, reason);
        assert.ok(outcome.occurredAt);
      }
    }
  }),
  ...inBoth('another number is the issuer’s refusal, and kept', async (stage) => {
    for (const status_reason of [1, 2005, '4711']) {
      const outcome = await readAccepted(stage, { status: 'rejected', status_reason });
      assert.deepEqual([outcome.result, outcome.failureCode], ['declined', 'issuer_refused']);
      assert.deepEqual(outcome.details.railReason, String(status_reason));
    }
  }),
  ...inBoth('a refusal’s number without the word rejected declines nothing', async (stage) => {
    for (const status of [null, 'pending', 'reversed']) {
      for (const status_reason of [1000, 2000, 3000]) {
        const outcome = await readAccepted(stage, { status, status_reason });
        assert.deepEqual([outcome.result, outcome.failureCode], ['pending', null], String(status));
      }
    }
  }),
  ...inBoth('without a status, or with an unknown word, it is pending, and the word is kept', async (stage) => {
    assert.equal((await readAccepted(stage, { status: null })).result, 'pending');
    for (const status of ['pending', 'reversed', 'ACCEPTED', 'toString']) {
      const { result, providerRef, details } = await readAccepted(stage, { status });
      assert.deepEqual([result, providerRef, details.railStatus], ['pending', null, status]);
    }
  }),
  ...inBoth(
    'a rejection without a number is pending until it has one',
    async (stage) => {
      for (const status_reason of [null, '', 'NO_FUNDS', {}]) {
        const outcome = await readAccepted(stage, { status: 'rejected', status_reason });
        assert.deepEqual([outcome.result, outcome.failureCode], ['pending', null]);
      }
    },
    { isUncertain: true },
  ),
  ...inBoth(
    'an acceptance with a refusal’s number is not believed, with another number it is',
    async (stage) => {
      assert.equal((await readAccepted(stage, { status_reason: 2001 })).result, 'pending');
      assert.equal((await readAccepted(stage, { status_reason: 1 })).result, 'approved');
    },
    { isUncertain: true },
  ),
];

/** What is sent, what is decided, and what is refused before it is sent. */
export const OPG_PUSH_CASES: ContractCase<OpgBook>[] = [...sending, ...deciding];
