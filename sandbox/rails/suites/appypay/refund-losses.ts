// Cases: a refund's answer that was lost, or is none: it stays open, and is never sent again.
import assert from 'node:assert/strict';
import { askRefund, pay, REFUNDS, refundsOf } from './refunds.ts';
import { fakeOf, listApiCalls, passTimeout, type AppyPayCase } from './rig.ts';

const QUERIES = { path: '/v2.0/charges', method: 'GET' };

export const refundLossCases: AppyPayCase[] = [
  {
    name: 'a lost answer stays unknown: what the charge says of refunds may be anybody’s',
    isUncertain: true,
    async run(rig) {
      const order = await pay(rig);
      fakeOf(rig).fault('drop_after', REFUNDS);
      const sent = await refundsOf(rig).refund(order);
      assert.deepEqual([sent.result, sent.railOrderId, sent.details.reason], ['unknown', null, 'connection']);
      assert.equal(fakeOf(rig).book.refunded.get(order.charge.providerRef), 400);
      const asked = await askRefund(rig, order, null);
      assert.deepEqual([asked.result, asked.details.reason], ['unknown', 'refund_unproven']);
    },
  },
  {
    name: 'a refund that never arrived is unknown as well: no query can say that it was not seen',
    async run(rig) {
      const order = await pay(rig);
      fakeOf(rig).fault('drop_before', REFUNDS);
      assert.equal((await refundsOf(rig).refund(order)).result, 'unknown');
      assert.equal((await askRefund(rig, order, null)).result, 'unknown');
    },
  },
  {
    name: 'a refund is sent once: a lost connection is not tried again',
    async run(rig) {
      const order = await pay(rig);
      const before = listApiCalls(rig, 'POST').length;
      fakeOf(rig).fault('drop_after', REFUNDS);
      await refundsOf(rig).refund(order);
      assert.equal(listApiCalls(rig, 'POST').length, before + 1);
    },
  },
  {
    name: 'whatever comes in place of an answer to a refund is unknown',
    async run(rig) {
      const order = await pay(rig, { amountMinor: 10_00 });
      for (const [fault, reason] of [
        ['error_before', 'rail_error'],
        ['error_after', 'rail_error'],
        [503, 'rail_error'],
        ['oversize', 'too_large'],
        ['garbage', 'unreadable'],
      ] as const) {
        fakeOf(rig).fault(fault, REFUNDS);
        const { result, failureCode, details } = await refundsOf(rig).refund(order);
        assert.deepEqual([result, failureCode, details.reason], ['unknown', null, reason]);
      }
      fakeOf(rig).fault('hang', REFUNDS);
      const refunding = refundsOf(rig).refund(order);
      // Three of those before had their effect, of 10 each.
      await passTimeout(rig, () => fakeOf(rig).book.refunded.get(order.charge.providerRef) ?? 0, 40);
      assert.equal((await refunding).details.reason, 'timeout');
    },
  },
  {
    name: 'where no token is to be had, no refund was asked for',
    async run(rig) {
      const order = await pay(rig);
      fakeOf(rig).book.clientSecret = 'another';
      fakeOf(rig).book.tokens.clear();
      const { result, failureCode, details } = await refundsOf(rig).refund(order);
      assert.deepEqual([result, failureCode, details.reason], ['declined', 'acquirer_setup', 'token_refused']);
      assert.equal(fakeOf(rig).book.refunded.size, 0);
    },
  },
  {
    name: 'a query that fails, or answers with another charge, learns nothing of a refund',
    async run(rig) {
      const order = await pay(rig);
      const { railOrderId } = await refundsOf(rig).refund(order);
      for (const fault of ['drop_before', 'error_before', 'oversize', 'garbage', 404] as const) {
        fakeOf(rig).fault(fault, QUERIES);
        assert.deepEqual([fault, (await askRefund(rig, order, railOrderId)).result], [fault, 'unknown']);
      }
      fakeOf(rig).book.charges[0]!.id = 'another';
      assert.equal((await askRefund(rig, order, railOrderId)).result, 'unknown');
    },
  },
  {
    name: 'an event of another refund of the same charge is not this one’s',
    async run(rig) {
      const order = await pay(rig);
      const first = await refundsOf(rig).refund(order);
      fakeOf(rig).book.plans.push({ code: 209 });
      const second = await refundsOf(rig).refund({ ...order, attemptId: 's' });
      assert.equal((await askRefund(rig, order, first.railOrderId)).result, 'approved');
      assert.equal((await askRefund(rig, order, second.railOrderId)).result, 'declined');
      assert.equal((await askRefund(rig, order, 'a third')).details.reason, 'refund_unproven');
    },
  },
];
