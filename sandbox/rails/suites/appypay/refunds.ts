// Cases: money given back by the id of its charge, once, and what is made of an answer that says less than it should.
import assert from 'node:assert/strict';
import type { RailOutcome, RefundOrder, RefundQuery, RefundRail } from '../../../../server/providers/provider.ts';
import {
  actOn,
  fakeOf,
  gpoOf,
  lastBody,
  listApiCalls,
  pushAndAct,
  qrOf,
  type AppyPayCase,
  type AppyPayRig,
} from './rig.ts';

export const refundsOf = ({ clients }: AppyPayRig) => clients.refunds as RefundRail;

/** A refund of 400.00 of the 1500.00 of a charge. */
function refundOf(chargeId: string, change: Partial<RefundOrder> = {}): RefundOrder {
  return {
    attemptId: 'r',
    gpoMerchantId: '',
    charge: { kind: 'purchase', id: 'a', railOrderId: chargeId, providerRef: chargeId, amountMinor: 1500_00 },
    amountMinor: 400_00,
    currency: 'AOA',
    description: null,
    notifyUrl: 'https://gateway.example/n',
    ...change,
  };
}

export function askRefund(rig: AppyPayRig, order: RefundOrder, railOrderId: string | null): Promise<RailOutcome> {
  const asked: RefundQuery = { ...order, railOrderId, sentAt: rig.account.clock.now() };
  return refundsOf(rig).queryRefund(asked);
}

/** A paid charge, and an order to give some of it back. */
export async function pay(rig: AppyPayRig, change: Partial<RefundOrder> = {}): Promise<RefundOrder> {
  return refundOf(await pushAndAct(rig, 'a', 'approve'), change);
}

export const REFUNDS = { path: '/v2.0/refunds', method: 'POST' };

const asking: AppyPayCase[] = [
  {
    name: 'a refund names the charge in its address, and the amount exactly',
    async run(rig) {
      const order = await pay(rig, { description: 'Chávena partida!' });
      const { result } = await refundsOf(rig).refund(order);
      assert.equal(result, 'approved');
      const call = listApiCalls(rig, 'POST').at(-1);
      assert.equal(call?.path, `/v2.0/refunds/${order.charge.providerRef}`);
      assert.ok(call?.body.includes('"amount":400.00,'));
      assert.deepEqual(lastBody(rig), { amount: 400, description: 'Chavena partida' });
    },
  },
  {
    name: 'what a scan of a code brought is given back by the scan’s charge, not by the code',
    async run(rig) {
      const { railOrderId } = await gpoOf(rig).createQrCode(qrOf('q'));
      await actOn(rig, railOrderId as string, 'scan');
      const { scans } = await gpoOf(rig).queryQrCode({ attemptId: 'q', railOrderId, sentAt: new Date(0) });
      const { providerRef, amountMinor } = scans[0]!;
      const charge = { kind: 'qrcode', id: 'q', railOrderId, providerRef, amountMinor } as const;
      assert.equal((await refundsOf(rig).refund(refundOf('', { charge, amountMinor }))).result, 'approved');
    },
  },
  {
    name: 'money of a reference, and an amount of 1 AOA or less, are declined without asking',
    async run(rig) {
      const order = await pay(rig);
      const before = fakeOf(rig).requests.length;
      const charge = { ...order.charge, kind: 'reference' } as const;
      const outcomes = [
        await refundsOf(rig).refund({ ...order, charge }),
        await refundsOf(rig).refund({ ...order, amountMinor: 1_00 }),
      ];
      assert.deepEqual(
        outcomes.map(({ result, failureCode, details }) => [result, failureCode, details.reason]),
        [
          ['declined', 'issuer_refused', 'unsupported'],
          ['declined', 'issuer_refused', 'amount_too_low'],
        ],
      );
      assert.equal(fakeOf(rig).requests.length, before);
      assert.equal((await refundsOf(rig).refund({ ...order, amountMinor: 1_01 })).result, 'approved');
    },
  },
  {
    name: 'an account of references has no refunds, one of pushes has',
    async run({ connector, account }) {
      assert.equal(connector.open({ ...account, kind: 'ppr' }).refunds, undefined);
      for (const [kind, refund] of [
        ['gpo', 'part'],
        ['ppr', 'none'],
      ] as const) {
        const can = connector.capabilities(kind, account.settings as never);
        assert.ok('refund' in can);
        assert.deepEqual([can.refund, can.refundRepeat], [refund, false]);
      }
    },
  },
];

const answers: AppyPayCase[] = [
  {
    name: 'a success is the refund of what was asked for: its answer names no amount',
    isUncertain: true,
    async run(rig) {
      const order = await pay(rig);
      const outcome = await refundsOf(rig).refund(order);
      const { result, amountMinor, currency, providerRef, railOrderId } = outcome;
      assert.deepEqual([result, amountMinor, currency], ['approved', 400_00, 'AOA']);
      assert.equal(providerRef, railOrderId);
      assert.notEqual(providerRef, order.charge.providerRef);
    },
  },
  {
    name: 'an answer that names the charge alone is a refund that nobody can ask about, with a name of our own',
    isUncertain: true,
    async run(rig) {
      fakeOf(rig).book.namesCharge = true;
      const order = await pay(rig);
      const first = await refundsOf(rig).refund(order);
      const second = await refundsOf(rig).refund({ ...order, attemptId: 's' });
      assert.deepEqual([first.result, first.railOrderId, second.result], ['approved', null, 'approved']);
      assert.notEqual(first.providerRef, second.providerRef);
      for (const { providerRef } of [first, second]) assert.ok(providerRef?.startsWith(order.charge.providerRef));
    },
  },
  {
    name: 'more than is left, and a charge that it does not know, are declined',
    async run(rig) {
      const order = await pay(rig);
      const tooMuch = await refundsOf(rig).refund({ ...order, amountMinor: 1500_01 });
      assert.deepEqual(
        [tooMuch.result, tooMuch.failureCode, tooMuch.details.railCode],
        ['declined', 'limit_exceeded', '760'],
      );
      const unknown = await refundsOf(rig).refund(refundOf('no-such-charge'));
      assert.deepEqual([unknown.result, unknown.failureCode], ['declined', 'issuer_refused']);
      assert.equal(fakeOf(rig).book.refunded.size, 0);
    },
  },
  {
    name: 'what it says of the merchant’s money or the issuer declines a refund',
    async run(rig) {
      const order = await pay(rig);
      for (const [code, failureCode] of [
        [209, 'insufficient_funds'],
        [213, 'limit_exceeded'],
        [201, 'issuer_refused'],
        [206, 'acquirer_setup'],
      ] as const) {
        fakeOf(rig).book.plans.push({ code });
        const outcome = await refundsOf(rig).refund(order);
        assert.deepEqual([outcome.result, outcome.failureCode], ['declined', failureCode]);
        assert.deepEqual([outcome.providerRef, outcome.amountMinor], [null, null]);
      }
    },
  },
  {
    name: 'what only a payer can be told says nothing sure of a refund: unknown',
    isUncertain: true,
    async run(rig) {
      const order = await pay(rig);
      for (const code of [231, 210, 233, 999]) {
        fakeOf(rig).book.plans.push({ code });
        const { result, failureCode, details } = await refundsOf(rig).refund(order);
        assert.deepEqual([result, failureCode, details.railCode], ['unknown', null, String(code)]);
      }
    },
  },
  {
    name: 'a refund taken on or failed in transport is pending, and its own event settles it',
    isUncertain: true,
    async run(rig) {
      const { book } = fakeOf(rig);
      for (const code of [101, 302]) {
        const order = await pay(rig, { attemptId: `r ${code}` });
        book.plans.push({ code });
        const { result, railOrderId } = await refundsOf(rig).refund(order);
        assert.deepEqual([result, (await askRefund(rig, order, railOrderId)).result], ['pending', 'pending']);
        const charge = book.charges.at(-1)!;
        const event = charge.transactionEvents.at(-1)!;
        charge.transactionEvents.push({ ...event, responseStatus: { code: 100, successful: true } });
        const asked = await askRefund(rig, order, railOrderId);
        assert.deepEqual([asked.result, asked.amountMinor, asked.providerRef], ['approved', 400_00, railOrderId]);
        charge.transactionEvents.push({ ...event, responseStatus: { code: 209, successful: false } });
        assert.equal((await askRefund(rig, order, railOrderId)).failureCode, 'insufficient_funds');
        book.charges.length = 0;
        book.keys.clear();
      }
    },
  },
  {
    name: 'other input that it refuses is for a person to look at: unknown, with its number',
    async run(rig) {
      const order = await pay(rig);
      for (const status of [400, 403, 404, 405]) {
        fakeOf(rig).fault(status, REFUNDS);
        const { result, details } = await refundsOf(rig).refund(order);
        assert.deepEqual([result, details.reason, details.httpStatus], ['unknown', 'rail_refused', String(status)]);
      }
    },
  },
];

/** What is asked, and what is answered. */
export const refundCases: AppyPayCase[] = [...asking, ...answers];
