// Cases of refunds: one refund by the id of its charge, and incomplete answers.
import assert from 'node:assert/strict';
import type { RefundOrder } from '../../../../server/providers/provider.ts';
import { exactly, match, operation, uncertain } from '../../contract.ts';
import { declined, unknown } from '../../orders.ts';
import { addStatus, type AppyPayFixture, faultsOf, QUERIES } from './fixture.ts';

const APPROVED = { result: 'approved', amountMinor: 400_00, currency: 'AOA' };
const UNPROVEN = unknown('refund_unproven');
const REFUSALS = { 209: 'insufficient_funds', 213: 'limit_exceeded', 201: 'issuer_refused', 206: 'acquirer_setup' };
const plan = (code: number) => (fixture: AppyPayFixture) => fixture.book.plans.push({ code });

const refund = operation<AppyPayFixture, Partial<RefundOrder>>('refund', {
  setUp: (fixture) => fixture.payForRefund(),
  call: (fixture, changes) => fixture.refund(changes),
})({
  'names the charge in its path and the amount exactly': {
    request: { description: 'Chávena partida!' },
    wire: ({ charge }) => [`POST /refunds/${charge.id}`],
    sent: { text: /"amount":400\.00,/, body: exactly({ amount: 400, description: 'Chavena partida' }) },
  },
  'is approved with the requested amount, since the answer has no amount': uncertain(async (fixture) => {
    const { providerRef, railOrderId, ...money } = await fixture.refund();
    match(money, APPROVED);
    assert.equal(providerRef, railOrderId);
    assert.notEqual(providerRef, fixture.charge.id);
  }),
  'of a scan names the charge of the scan, not the code': async (fixture) => {
    await fixture.scan(1);
    const {
      railOrderId,
      charge: { id: providerRef },
    } = fixture;
    const charge = { ...fixture.refundOrder.charge, kind: 'qrcode', railOrderId, providerRef } as const;
    match(await fixture.refund({ charge, amountMinor: 250_00 }), { result: 'approved' });
    assert.equal(fixture.calls.at(-1), `POST /refunds/${providerRef}`);
  },
  'of a reference’s payment or of 1 AOA is declined without a request': async (fixture) => {
    const { length } = fixture.calls;
    const charge = { ...fixture.refundOrder.charge, kind: 'reference' } as const;
    match(await fixture.refund({ amountMinor: 1_00 }), declined('issuer_refused', 'amount_too_low'));
    match(await fixture.refund({ charge }), declined('issuer_refused', 'unsupported'));
    assert.equal(fixture.calls.length, length);
    match(await fixture.refund({ charge: { ...charge, kind: 'purchase' }, amountMinor: 1_01 }), { result: 'approved' });
  },
  'whose answer names only the charge is approved under a name of our own, and cannot be queried': uncertain(
    async (fixture) => {
      fixture.book.namesCharge = true;
      const first = await fixture.refund();
      const second = await fixture.refund({ attemptId: 's' });
      const outcome = { ...APPROVED, railOrderId: null, providerRef: new RegExp(`^${fixture.charge.id}`) };
      match([first, second], [outcome, outcome]);
      assert.notEqual(first.providerRef, second.providerRef);
    },
  ),
  'of too much is declined': [
    { amountMinor: 1500_01 },
    { ...declined('limit_exceeded'), details: { railCode: '760' } },
  ],
  'of an unknown charge is declined': async (fixture) => {
    const charge = { ...fixture.refundOrder.charge, providerRef: 'no-such-charge' };
    match(await fixture.refund({ charge }), declined('issuer_refused'));
    assert.equal(fixture.book.refunded.size, 0);
  },
  'is declined for the codes of a final refusal': {
    steps: Object.entries(REFUSALS).map(([code, failureCode]) => ({
      answer: plan(Number(code)),
      expected: { ...declined(failureCode), providerRef: null, amountMinor: null },
    })),
  },
  'is unknown for codes that only a payer can cause': {
    isUncertain: true,
    steps: [231, 210, 233, 999].map((code) => ({
      answer: plan(code),
      expected: { result: 'unknown', failureCode: null, details: { railCode: String(code) } },
    })),
  },
  ...Object.fromEntries(
    [101, 302].map((code) => [
      `is pending for the code ${code} until its own event decides it`,
      uncertain(async (fixture: AppyPayFixture) => {
        plan(code)(fixture);
        match(await fixture.refund(), { result: 'pending' });
        match(await fixture.queryRefund(), { result: 'pending' });
        const event = fixture.charge.transactionEvents.at(-1)!;
        addStatus(fixture.charge, { code: 100, successful: true }, event);
        match(await fixture.queryRefund(), { ...APPROVED, providerRef: fixture.refundId });
        addStatus(fixture.charge, { code: 209, successful: false }, event);
        match(await fixture.queryRefund(), declined('insufficient_funds'));
      }),
    ]),
  ),
  'is unproven after a lost answer: the events of the charge may be another refund’s': uncertain(async (fixture) => {
    fixture.fake.fault('drop_after', { path: '/v2.0/refunds' });
    match(await fixture.refund(), { ...unknown('connection'), railOrderId: null });
    assert.equal(fixture.book.refunded.get(fixture.charge.id), 400);
    match(await fixture.queryRefund(), UNPROVEN);
  }),
  'is not settled by the event of another refund of the same charge': async (fixture) => {
    const first = await fixture.refund();
    plan(209)(fixture);
    const second = await fixture.refund({ attemptId: 's' });
    match(await fixture.queryRefund(first.railOrderId), APPROVED);
    match(await fixture.queryRefund(second.railOrderId), { result: 'declined' });
    match(await fixture.queryRefund('a third'), UNPROVEN);
  },
  'is not settled by the answer of another charge': async (fixture) => {
    await fixture.refund();
    fixture.charge.id = 'another';
    match(await fixture.queryRefund(), { result: 'unknown' });
  },
});

const faults = [
  ...faultsOf('refund', {
    setUp: (fixture) => fixture.payForRefund(),
    where: { path: '/v2.0/refunds' },
    call: (fixture) => fixture.refund(),
    countEffects: ({ book }) => book.refunded.size,
    after: async (fixture) => match(await fixture.queryRefund(), { result: 'unknown' }),
  }),
  ...faultsOf('query of a refund', {
    async setUp(fixture) {
      await fixture.payForRefund();
      await fixture.refund();
    },
    where: QUERIES,
    call: (fixture) => fixture.queryRefund(),
    expected: () => ({ result: 'unknown', failureCode: null }),
    after: async (fixture) => match(await fixture.queryRefund(), APPROVED),
  }),
];

export const refundCases = [...refund, ...faults];
