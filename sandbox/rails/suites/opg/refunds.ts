// Cases of refunds: one full refund of a payment, and transactions that are not this refund.
import assert from 'node:assert/strict';
import { each, exactly, match, operation, uncertain } from '../../contract.ts';
import { wireCases } from '../../faults.ts';
import { REFUSED_TOKEN, declined, unknown } from '../../orders.ts';
import { DIALECTS, UNSUPPORTED, type OpgFixture } from './fixture.ts';

const dialects = DIALECTS;
const APPROVED = { result: 'approved', amountMinor: 150_000, currency: 'AOA' };
const VERDICTS = {
  2001: 'insufficient_funds',
  2002: 'issuer_refused',
  2000: 'rail_unavailable',
  4711: 'issuer_refused',
};

const listRefunds = ({ book }: OpgFixture) => [...book.transactions.values()].filter(({ type }) => type === 'refund');

const refund = operation<OpgFixture>('refund', {
  dialects,
  setUp: (fixture) => fixture.pay(),
  call: (fixture, changes) => fixture.refund(changes),
})({
  'is one POST with the id of the payment, without an amount or a supervisor’s card': {
    isUncertain: true,
    wire: ['POST /transactions'],
    sent: ({ refundOrder: { attemptId, notifyUrl: callback_url, charge } }) => ({
      headers: { 'idempotency-key': attemptId },
      body: exactly({ type: 'refund', parent_transaction_id: charge.providerRef, callback_url }),
    }),
  },
  'returns pending, then approved with its own id and the amount': async (fixture) => {
    match(await fixture.refund(), { result: 'pending', amountMinor: null, railOrderId: /./ });
    match(await fixture.queryRefund(), { result: 'pending' });
    await fixture.pass(3_000);
    const [transaction] = listRefunds(fixture);
    assert.notEqual(transaction?.id, fixture.refundOrder.charge.providerRef);
    match(await fixture.queryRefund(), { ...APPROVED, providerRef: transaction?.id });
  },
  'of a scan names the transaction of the scan': {
    dialect: 'proxypay',
    async run(fixture) {
      const { railOrderId } = await fixture.createQrCode();
      const scan = await fixture.scan('accepted');
      const charge = { ...fixture.refundOrder.charge, kind: 'qrcode', railOrderId, providerRef: scan!.id } as const;
      match(await fixture.refundAndWait({ charge }), { result: 'approved' });
    },
  },
  'can be unsupported': { requests: [{ amountMinor: 149_999 }, { currency: 'USD' }], expected: UNSUPPORTED, wire: [] },
  'returns a failure for the code of a rejection': async (fixture) => {
    for (const [reason, failureCode] of Object.entries(VERDICTS)) {
      fixture.book.refundVerdict = { status: 'rejected', reason: Number(reason) };
      match(await fixture.refundAndWait(), { ...declined(failureCode), providerRef: null, amountMinor: null });
    }
  },
  'is declined for a payment that was refunded before': uncertain(async (fixture) => {
    match(await fixture.refundAndWait(), APPROVED);
    match(await fixture.refundAndWait(), declined('issuer_refused'));
  }),
  'is unknown after a lost answer until its callback names it': async (fixture) => {
    fixture.fake.fault('drop_after');
    match(await fixture.refund(), { ...unknown('connection'), railOrderId: null });
    match(await fixture.queryRefund(), unknown('no_rail_id'));
    const { length } = fixture.fake.notices;
    await fixture.pass(3_000);
    const body = (await fixture.waitForNotices(length + 1)).at(-1)!;
    assert.equal(fixture.fake.notices.at(-1)?.url, fixture.refundOrder.notifyUrl);
    match(await fixture.queryRefund((JSON.parse(body) as { id: string }).id), APPROVED);
  },
});

const query = operation<OpgFixture>('query of an accepted refund', {
  dialects,
  async setUp(fixture) {
    await fixture.pay();
    await fixture.refundAndWait();
  },
  answer: (fixture, changes) => fixture.rewrite(changes),
  call: (fixture) => fixture.queryRefund(),
})({
  'returns the amount that was given back': [{ amount: '1400.00' }, { ...APPROVED, amountMinor: 140_000 }],
  'returns unknown for unreadable amounts': [each('amount', [null, '-1500.00', 'tudo']), unknown('amount_unreadable')],
  'returns unknown for another type, payment, terminal or id': [
    [...each('type', ['payment', null]), ...each('parent_transaction_id', ['x', null]), { pos_id: 112 }, { id: 'x' }],
    { ...unknown('other_purchase'), providerRef: null },
  ],
  'returns pending until it is whole': [
    { status: null, type: null, parent_transaction_id: null },
    { result: 'pending' },
  ],
  'is no query of a payment': async (fixture) => {
    match(await fixture.query({ railOrderId: fixture.refundId }), unknown('other_purchase'));
  },
});

const faults = wireCases<OpgFixture>('refund', {
  dialects,
  setUp: (fixture) => fixture.pay(),
  call: (fixture) => fixture.refund(),
  countEffects: (fixture) => listRefunds(fixture).length,
  expected: (reason) => ({ ...unknown(reason), railOrderId: null }),
  instead: {
    401: REFUSED_TOKEN,
    403: REFUSED_TOKEN,
    garbage: { result: 'unknown', details: { reason: /unreadable$/ } },
  },
});

export const refundCases = [...refund, ...query, ...faults];
