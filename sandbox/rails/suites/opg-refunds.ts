// Cases of the OPG connector: the whole of a payment given back, once, and what counts as this refund and no other transaction.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { RailOutcome, RefundOrder } from '../../../server/providers/provider.ts';
import type { ContractCase } from '../legacy.ts';
import type { OpgBook } from '../opg-book.ts';
import { until } from '../rig.ts';
import { inBoth, inDialect, makeCode, openRefunds, pushAndWait, rewrite, type OpgStage } from './opg-stage.ts';

function refundOf(providerRef: string, change: Partial<RefundOrder> = {}): RefundOrder {
  return {
    attemptId: randomUUID(),
    gpoMerchantId: '',
    charge: { kind: 'purchase', id: randomUUID(), railOrderId: null, providerRef, amountMinor: 150_000 },
    amountMinor: 150_000,
    currency: 'AOA',
    description: null,
    notifyUrl: 'http://127.0.0.1:1/rails/opg/r-1/notifications',
    ...change,
  };
}

/** A payment that was accepted, and an order to give it back. */
async function pay(stage: OpgStage): Promise<RefundOrder> {
  const { providerRef } = await pushAndWait(stage);
  return refundOf(providerRef!);
}

function ask(stage: OpgStage, order: RefundOrder, railOrderId: string | null): Promise<RailOutcome> {
  return openRefunds(stage.account).queryRefund({ ...order, railOrderId, sentAt: stage.account.clock.now() });
}

async function refundAndWait(stage: OpgStage, order: RefundOrder): Promise<RailOutcome> {
  const { railOrderId } = await openRefunds(stage.account).refund(order);
  await stage.pass(3_000);
  return ask(stage, order, railOrderId);
}

/** The transactions of the book that give something back. */
const listRefunds = ({ book }: OpgStage) => [...book.transactions.values()].filter(({ type }) => type === 'refund');

const UNCERTAIN = { isUncertain: true } as const;

const asking = [
  ...inBoth(
    'a refund is one POST with the payment’s id, without an amount or a supervisor’s card',
    async (stage) => {
      const order = await pay(stage);
      await openRefunds(stage.account).refund(order);
      const { method, path, headers, body } = stage.fake.requests.at(-1)!;
      assert.equal(`${method} ${path.split('/').at(-1)}`, 'POST transactions');
      assert.equal(headers['idempotency-key'], order.attemptId);
      const { providerRef: parent_transaction_id } = order.charge;
      assert.deepEqual(JSON.parse(body), { type: 'refund', parent_transaction_id, callback_url: order.notifyUrl });
    },
    UNCERTAIN,
  ),
  ...inBoth('an accepted refund is told with its own id and what was given back', async (stage) => {
    const order = await pay(stage);
    const sent = await openRefunds(stage.account).refund(order);
    assert.deepEqual([sent.result, sent.amountMinor], ['pending', null]);
    assert.ok(sent.railOrderId);
    assert.equal((await ask(stage, order, sent.railOrderId)).result, 'pending');
    await stage.pass(3_000);
    const { result, providerRef, amountMinor, currency } = await ask(stage, order, sent.railOrderId);
    assert.deepEqual([result, amountMinor, currency], ['approved', 150_000, 'AOA']);
    assert.equal(providerRef, listRefunds(stage)[0]?.id);
    assert.notEqual(providerRef, order.charge.providerRef);
  }),
  inDialect('proxypay', 'what a scan brought is given back by its transaction', async (stage) => {
    const { railOrderId } = await stage.gpo.createQrCode(makeCode());
    const scan = await stage.book.scan(railOrderId!, { status: 'accepted', reason: null });
    const order = refundOf(scan!.id);
    const charge = { ...order.charge, kind: 'qrcode', railOrderId } as const;
    assert.equal((await refundAndWait(stage, { ...order, charge })).result, 'approved');
  }),
  ...inBoth('a part, and another currency, are declined without a request', async (stage) => {
    const order = await pay(stage);
    const before = stage.calls().length;
    for (const change of [{ amountMinor: 149_999 }, { currency: 'USD' }]) {
      const { result, failureCode, details } = await openRefunds(stage.account).refund({ ...order, ...change });
      assert.deepEqual([result, failureCode, details.reason], ['declined', 'acquirer_setup', 'unsupported']);
    }
    assert.equal(stage.calls().length, before);
  }),
];

const reading = [
  ...inBoth('a rejected refund has the words of a rejection', async (stage) => {
    for (const [reason, failureCode] of [
      [2001, 'insufficient_funds'],
      [2002, 'issuer_refused'],
      [2000, 'rail_unavailable'],
      [4711, 'issuer_refused'],
    ] as const) {
      stage.book.refundVerdict = { status: 'rejected', reason };
      const outcome = await refundAndWait(stage, await pay(stage));
      assert.deepEqual([outcome.result, outcome.failureCode], ['declined', failureCode]);
      assert.deepEqual([outcome.providerRef, outcome.amountMinor], [null, null]);
    }
  }),
  ...inBoth('another amount is told as it was given back, one that nobody can read is unknown', async (stage) => {
    const order = await pay(stage);
    const { railOrderId } = await openRefunds(stage.account).refund(order);
    await stage.pass(3_000);
    rewrite(stage, { amount: '1400.00' });
    assert.equal((await ask(stage, order, railOrderId)).amountMinor, 140_000);
    for (const amount of [null, '-1500.00', 'tudo']) {
      rewrite(stage, { amount });
      const { result, details } = await ask(stage, order, railOrderId);
      assert.deepEqual([result, details.reason], ['unknown', 'amount_unreadable']);
    }
  }),
  ...inBoth('what is no refund, of another payment or of another terminal is not this one', async (stage) => {
    const order = await pay(stage);
    const { railOrderId } = await openRefunds(stage.account).refund(order);
    await stage.pass(3_000);
    for (const change of [
      { type: 'payment' },
      { type: null },
      { parent_transaction_id: 'another' },
      { parent_transaction_id: null },
      { pos_id: 112 },
      { id: 'another' },
    ]) {
      rewrite(stage, change);
      const { result, providerRef, details } = await ask(stage, order, railOrderId);
      assert.deepEqual([result, providerRef, details.reason], ['unknown', null, 'other_purchase']);
    }
    rewrite(stage, { status: null, type: null, parent_transaction_id: null });
    assert.equal((await ask(stage, order, railOrderId)).result, 'pending');
  }),
  ...inBoth('a refund is never read as a payment', async (stage) => {
    const order = await pay(stage);
    const { railOrderId } = await openRefunds(stage.account).refund(order);
    await stage.pass(3_000);
    const asked = { kind: 'purchase', attemptId: order.attemptId, railOrderId, sentAt: new Date(0) } as const;
    assert.equal((await stage.gpo.query(asked)).details.reason, 'other_purchase');
  }),
  ...inBoth(
    'a payment that was given back before is not given back again',
    async (stage) => {
      const order = await pay(stage);
      assert.equal((await refundAndWait(stage, order)).result, 'approved');
      const again = await refundAndWait(stage, { ...order, attemptId: randomUUID() });
      assert.deepEqual([again.result, again.failureCode], ['declined', 'issuer_refused']);
    },
    UNCERTAIN,
  ),
];

const losses = [
  ...inBoth('a refund’s lost answer is unknown and nothing can be asked; its callback names it', async (stage) => {
    const order = await pay(stage);
    stage.fake.fault('drop_after');
    const sent = await openRefunds(stage.account).refund(order);
    assert.deepEqual([sent.result, sent.railOrderId, sent.details.reason], ['unknown', null, 'connection']);
    const asked = await ask(stage, order, null);
    assert.deepEqual([asked.result, asked.details.reason], ['unknown', 'no_rail_id']);
    const before = stage.fake.notices.length;
    await stage.pass(3_000);
    await until(() => stage.fake.notices.length > before);
    const notice = stage.fake.notices.at(-1)!;
    assert.equal(notice.url, order.notifyUrl);
    const { id } = JSON.parse(notice.body) as { id: string };
    assert.equal((await ask(stage, order, id)).result, 'approved');
  }),
  ...inBoth('whatever comes in place of an answer to a refund is unknown, and it is sent once', async (stage) => {
    for (const [fault, reason] of [
      ['drop_before', 'connection'],
      ['error_before', 'rail_error'],
      ['error_after', 'rail_error'],
      ['oversize', 'too_large'],
      [400, 'rail_refused'],
    ] as const) {
      const order = await pay(stage);
      const before = stage.calls().length;
      stage.fake.fault(fault);
      const { result, details } = await openRefunds(stage.account).refund(order);
      assert.deepEqual([result, details.reason], ['unknown', reason]);
      assert.equal(stage.calls().length, before + 1);
    }
  }),
  ...inBoth('a refused token asked for no refund', async (stage) => {
    const order = await pay(stage);
    stage.book.token = 'another';
    const { result, failureCode, details } = await openRefunds(stage.account).refund(order);
    assert.deepEqual([result, failureCode, details.reason], ['declined', 'acquirer_setup', 'token_refused']);
    assert.equal(listRefunds(stage).length, 0);
  }),
];

/** What is asked, how it is read, and what is lost. */
export const OPG_REFUND_CASES: ContractCase<OpgBook>[] = [...asking, ...reading, ...losses];
