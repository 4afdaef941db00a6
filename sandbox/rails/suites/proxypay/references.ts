// Cases of ProxyPay's registrations and withdrawals: the requests, and the outcome of each answer and fault.
import assert from 'node:assert/strict';
import { exactly, operation } from '../../contract.ts';
import { wireCases } from '../../faults.ts';
import { API_KEY, DIGITS, OTHER_ID, REFERENCE_ID, type ProxypayFixture } from './fixture.ts';

const outcome = (result: string, reason: string) => ({ result, details: { reason } });
const unknown = (reason: string) => outcome('unknown', reason);
const ACTIVE = { result: 'active', details: exactly({}) };
const ENDED = { result: 'ended' };
const REFUSED = [400, 404, 405, 406, 409, 415, 422].map((status) => {
  const details = { reason: 'rail_refused', httpStatus: String(status) };
  return [status, { result: 'refused', details }];
});
const FAULTS = {
  where: { path: '/references/' },
  expected: unknown,
  instead: {
    ...Object.fromEntries(REFUSED),
    // These HTTP statuses do not refuse the reference. A repeat of the order may succeed.
    401: 'token_refused',
    403: 'not_allowed',
    408: 'rail_timeout',
    425: 'too_early',
    429: 'too_many_requests',
    // An answer with status 204 has no body.
    garbage: null,
    oversize: null,
  },
};

const registration = operation<ProxypayFixture, object>('registration', {
  call: (fixture, changes) => fixture.register(changes),
})({
  'returns active for 204': { isLive: true, act: (fixture) => fixture.registerLive(), expected: ACTIVE },
  'accepts digits of our choice': {
    isLive: true,
    act: async (fixture) => [await fixture.registerLive({ reference: '987654321' }), await fixture.withdraw()],
    expected: [ACTIVE, ENDED],
  },
  'is one PUT with the digits, the token, and the amount, day and id of the reference': {
    wire: [`PUT /references/${DIGITS}`],
    sent: {
      headers: {
        authorization: `Token ${API_KEY}`,
        accept: 'application/vnd.proxypay.v2+json',
        'content-type': 'application/json',
      },
      body: exactly({
        amount: '3000.00',
        end_datetime: '2026-03-31',
        custom_fields: { balcao_reference: REFERENCE_ID },
      }),
    },
  },
  'writes the least and the greatest amount exactly': {
    steps: Object.entries({ '1.00': 100, '999999999.99': 99_999_999_999 }).map(([amount, amountMinor]) => ({
      request: { amountMinor },
      sent: { body: { amount } },
    })),
  },
  'writes the amount as text with two decimals, which can be paid': {
    isUncertain: true,
    isLive: true,
    steps: [
      { act: (fixture) => fixture.registerLive({ amountMinor: 123_450 }), expected: ACTIVE },
      { act: async (fixture) => (await fixture.pay('1234.50')) < 300, expected: true },
      { act: (fixture) => fixture.findPayment(), expected: { amountMinor: 123_450 } },
    ],
  },
  'omits an open amount, so that any amount can be paid': {
    isUncertain: true,
    isLive: true,
    async run(fixture) {
      assert.equal((await fixture.registerLive({ type: 'Charging', amountMinor: 0 })).result, 'active');
      if (fixture.server) assert.equal('amount' in fixture.lastBody, false);
      assert.ok((await fixture.pay('777.00')) < 300);
      assert.ok(await fixture.findPayment());
    },
  },
  'ends with the day of Luanda, and for its midnight with the day before': {
    steps: [
      { request: { expiresAt: new Date('2026-03-31T23:30:00Z') }, sent: { body: { end_datetime: '2026-04-01' } } },
      { request: { expiresAt: new Date('2026-03-31T23:00:00Z') }, sent: { body: { end_datetime: '2026-03-31' } } },
    ],
  },
  async 'has equal bytes if it is repeated, and is active again'(fixture) {
    for (let nth = 0; nth < 2; nth++) assert.equal((await fixture.register()).result, 'active');
    assert.equal(fixture.requests[0]?.body, fixture.requests[1]?.body);
    assert.equal(fixture.book.references.size, 1);
  },
  async 'replaces another reference with the same digits'(fixture) {
    await fixture.register();
    assert.equal((await fixture.register({ referenceId: OTHER_ID, amountMinor: 5_000 })).result, 'active');
    assert.deepEqual([await fixture.pay('3000.00'), await fixture.pay('50.00')], [400, 200]);
    const ids = (await fixture.listReadable()).map(({ referenceId }) => referenceId);
    assert.deepEqual(ids, [OTHER_ID]);
  },
  'returns refused without a request for more than nine digits, another entity or currency': {
    steps: [
      { request: { reference: '0123456789' }, expected: outcome('refused', 'reference_not_nine_digits') },
      { request: { entity: '99999' }, expected: outcome('refused', 'other_entity') },
      { request: { currency: 'USD' }, expected: outcome('refused', 'currency_not_supported') },
    ],
    wire: [],
  },
  'returns unknown for 200 instead of 204': { isUncertain: true, fault: 200, expected: { result: 'unknown' } },
});
const registrationFaults = wireCases<ProxypayFixture>('registration', {
  ...FAULTS,
  call: (fixture) => fixture.register(),
  countEffects: ({ book }) => book.references.size,
  async after(fixture) {
    assert.equal((await fixture.register()).result, 'active');
    assert.equal(fixture.book.references.size, 1);
  },
});

const withdrawal = operation<ProxypayFixture, object>('withdrawal', { call: (fixture, key) => fixture.withdraw(key) })({
  'returns ended for 204, after which the reference cannot be paid': {
    isLive: true,
    steps: [
      { act: (fixture) => fixture.registerLive() },
      { expected: { ...ENDED, details: exactly({ railStatus: 'WITHDRAWN' }) } },
      { act: async (fixture) => (await fixture.pay('3000.00')) >= 400, expected: true },
    ],
  },
  'is one DELETE with the digits': { wire: [`DELETE /references/${DIGITS}`] },
  'returns ended twice': {
    isLive: true,
    steps: [{ act: (fixture) => fixture.registerLive() }, { expected: ENDED }, { expected: ENDED }],
  },
  'returns ended for ten digits without a request': { request: { reference: '0123456789' }, expected: ENDED, wire: [] },
  'returns unknown for the same digits of another entity, and leaves them registered': {
    steps: [
      { act: (fixture) => fixture.register() },
      { request: { entity: '99999' }, expected: unknown('other_entity'), wire: [] },
      { act: ({ book }) => book.references.has(DIGITS), expected: true },
    ],
  },
  'leaves an earlier payment in the queue with our id': {
    steps: [
      { act: (fixture) => fixture.register() },
      { act: (fixture) => fixture.pay('3000.00') },
      { expected: ENDED },
      { act: (fixture) => fixture.findPayment(), expected: { referenceId: REFERENCE_ID } },
    ],
  },
});
const withdrawalFaults = wireCases<ProxypayFixture>('withdrawal', {
  ...FAULTS,
  setUp: (fixture) => fixture.register(),
  call: (fixture) => fixture.withdraw(),
  countEffects: ({ book }) => -book.references.size,
  instead: { ...FAULTS.instead, 404: ENDED },
  async after(fixture) {
    assert.equal((await fixture.withdraw()).result, 'ended');
    assert.equal(fixture.book.references.size, 0);
  },
});

const query = operation<ProxypayFixture>('query', { call: ({ rail, order }) => rail.query(order) })({
  'is unsupported': { isUncertain: true, expected: exactly({ result: 'unsupported', payments: [] }), wire: [] },
});

export const referenceCases = [...registration, ...registrationFaults, ...withdrawal, ...withdrawalFaults, ...query];
