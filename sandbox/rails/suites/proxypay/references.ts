// Cases of registrations and withdrawals: the requests, and how each answer or fault is read.
import assert from 'node:assert/strict';
import { cases, type Row } from '../../contract.ts';
import { wireCases } from '../../faults.ts';
import { API_KEY, DIGITS, OTHER_ID, REFERENCE_ID, type ProxypayFixture } from './fixture.ts';

const outcome = (result: string, reason: string) => ({ result, details: { reason } });
const unknown = (reason: string) => outcome('unknown', reason);
const ACTIVE = { result: 'active', details: {} };
/** Statuses that say nothing of the reference: the same order may succeed later. */
const LATER = {
  401: 'token_refused',
  403: 'not_allowed',
  408: 'rail_timeout',
  425: 'too_early',
  429: 'too_many_requests',
};
const REFUSED = Object.fromEntries(
  [400, 404, 405, 406, 409, 415, 422].map((status) => [
    status,
    { result: 'refused', details: { reason: 'rail_refused', httpStatus: String(status) } },
  ]),
);
/** 204 has no body. */
const NO_BODY = { garbage: null, oversize: null };

type R = Row<ProxypayFixture>;
const register = (fixture: ProxypayFixture, changes?: object) => fixture.register(changes);

const registration = cases<ProxypayFixture, object>(
  'registration',
  { call: register, where: { path: '/references/' } },
  [
    { name: 'returns active for 204', isLive: true, call: (fixture) => fixture.registerLive(), expected: ACTIVE },
    {
      name: 'accepts digits of our choice, which a withdrawal ends',
      isLive: true,
      async run(fixture) {
        assert.equal((await fixture.registerLive({ reference: '987654321' })).result, 'active');
        assert.equal((await fixture.withdraw()).result, 'ended');
      },
    },
    {
      name: 'is one PUT with the digits, the token and the amount, day and id of the reference',
      wire: [`PUT /references/${DIGITS}`],
      sent: {
        headers: {
          authorization: `Token ${API_KEY}`,
          accept: 'application/vnd.proxypay.v2+json',
          'content-type': 'application/json',
        },
        text: /^\{"amount":"3000\.00","end_datetime":"2026-03-31","custom_fields":\{"balcao_reference":"[0-9a-f-]+"\}\}$/,
        body: { custom_fields: { balcao_reference: REFERENCE_ID } },
      },
    },
    {
      name: 'writes the amount as text with two decimals, which can be paid',
      isUncertain: true,
      isLive: true,
      async run(fixture) {
        assert.equal((await fixture.registerLive({ amountMinor: 123_450 })).result, 'active');
        assert.ok((await fixture.pay('1234.50')) < 300);
        assert.equal((await fixture.findPayment())?.amountMinor, 123_450);
      },
    },
    {
      name: 'omits an open amount, so that any amount can be paid',
      isUncertain: true,
      isLive: true,
      async run(fixture) {
        assert.equal((await fixture.registerLive({ type: 'Charging', amountMinor: 0 })).result, 'active');
        if (fixture.server) assert.equal('amount' in fixture.lastBody, false);
        assert.ok((await fixture.pay('777.00')) < 300);
        assert.ok(await fixture.findPayment());
      },
    },
    ...(
      [
        ['the day of Luanda', '2026-03-31T23:30:00Z', '2026-04-01'],
        ['the day before for midnight in Luanda', '2026-03-31T23:00:00Z', '2026-03-31'],
      ] as const
    ).map(([day, expiresAt, end_datetime]): R => ({
      name: `ends with ${day}`,
      request: { expiresAt: new Date(expiresAt) },
      sent: { body: { end_datetime } },
    })),
    {
      name: 'is payable until its day ends in Luanda',
      isUncertain: true,
      async run(fixture) {
        await fixture.register({ expiresAt: new Date('2026-03-02T10:00:00Z') });
        await fixture.pass(Date.parse('2026-03-02T22:59:50Z') - fixture.now.getTime());
        assert.equal(await fixture.pay('3000.00'), 200);
        await fixture.pass(7_000);
        assert.equal(await fixture.pay('3000.00'), 400);
      },
    },
    {
      name: 'has equal bytes if it is repeated, and is active again',
      async run(fixture) {
        for (let nth = 0; nth < 2; nth++) assert.deepEqual(await fixture.register(), ACTIVE);
        assert.equal(fixture.requests[0]?.body, fixture.requests[1]?.body);
        assert.equal(fixture.book.references.size, 1);
      },
    },
    {
      name: 'replaces another reference with the same digits',
      async run(fixture) {
        await fixture.register();
        assert.deepEqual(await fixture.register({ referenceId: OTHER_ID, amountMinor: 5_000 }), ACTIVE);
        assert.deepEqual([await fixture.pay('3000.00'), await fixture.pay('50.00')], [400, 200]);
        assert.deepEqual(
          (await fixture.listReadable()).map(({ referenceId }) => referenceId),
          [OTHER_ID],
        );
      },
    },
    ...(
      [
        ['ten digits', { reference: '0123456789' }, 'reference_not_nine_digits'],
        ['fifteen digits', { reference: '012345678901234' }, 'reference_not_nine_digits'],
        ['another entity', { entity: '99999' }, 'other_entity'],
        ['another currency', { currency: 'USD' }, 'currency_not_supported'],
      ] as const
    ).map(([what, request, reason]): R => ({
      name: `returns refused for ${what} without a request`,
      request,
      expected: outcome('refused', reason),
      wire: [],
    })),
    { name: 'returns unknown for 200 instead of 204', isUncertain: true, fault: 200, expected: { result: 'unknown' } },
    {
      name: 'returns unknown above the limit of calls, and active a minute later',
      async run(fixture) {
        fixture.book.callsPerMinute = 1;
        assert.deepEqual(await fixture.register(), ACTIVE);
        const late = await fixture.register({ reference: '012345679' });
        assert.deepEqual([late.result, late.details.reason], ['unknown', 'too_many_requests']);
        await fixture.pass(60_000);
        assert.deepEqual(await fixture.register({ reference: '012345679' }), ACTIVE);
      },
    },
    {
      name: 'returns unknown for a revoked key, which no detail repeats',
      async run(fixture) {
        fixture.book.apiKey = 'another';
        const refused = await fixture.register();
        assert.deepEqual([refused.result, refused.details.reason], ['unknown', 'token_refused']);
        assert.equal(JSON.stringify(refused).includes(API_KEY), false);
      },
    },
  ],
);

const registrationFaults = wireCases<ProxypayFixture>('registration', {
  call: register,
  where: { path: '/references/' },
  countEffects: ({ book }) => book.references.size,
  expected: unknown,
  instead: { ...REFUSED, ...LATER, ...NO_BODY },
  async after(fixture) {
    assert.deepEqual(await fixture.register(), ACTIVE);
    assert.equal(fixture.book.references.size, 1);
  },
});

const withdrawal = cases<ProxypayFixture, object>('withdrawal', { call: (fixture, key) => fixture.withdraw(key) }, [
  {
    name: 'returns ended for 204, after which the reference cannot be paid',
    isLive: true,
    async run(fixture) {
      await fixture.registerLive();
      assert.deepEqual(await fixture.withdraw(), { result: 'ended', details: { railStatus: 'WITHDRAWN' } });
      assert.ok((await fixture.pay('3000.00')) >= 400);
    },
  },
  { name: 'is one DELETE with the digits', wire: [`DELETE /references/${DIGITS}`] },
  {
    name: 'returns ended for the 404 of a reference that is withdrawn already',
    isLive: true,
    async run(fixture) {
      await fixture.registerLive();
      await fixture.withdraw();
      assert.equal((await fixture.withdraw()).result, 'ended');
    },
  },
  {
    name: 'returns ended for ten digits without a request',
    request: { reference: '0123456789' },
    expected: { result: 'ended' },
    wire: [],
  },
  {
    name: 'returns unknown for the same digits of another entity, without a request',
    steps: [
      { call: register },
      { request: { entity: '99999' }, expected: unknown('other_entity'), wire: [] },
      { call: ({ book }) => book.references.has(DIGITS), expected: true },
    ],
  },
  {
    name: 'leaves an earlier payment in the queue with our id',
    async run(fixture) {
      await fixture.register();
      await fixture.pay('3000.00');
      await fixture.withdraw();
      assert.equal((await fixture.findPayment())?.referenceId, REFERENCE_ID);
    },
  },
]);

const withdrawalFaults = wireCases<ProxypayFixture>('withdrawal', {
  setUp: (fixture) => fixture.register(),
  call: (fixture) => fixture.withdraw(),
  countEffects: ({ book }) => -book.references.size,
  expected: unknown,
  instead: { ...REFUSED, ...LATER, ...NO_BODY, 404: { result: 'ended' } },
  async after(fixture) {
    assert.equal((await fixture.withdraw()).result, 'ended');
    assert.equal(fixture.book.references.size, 0);
  },
});

const query = cases<ProxypayFixture>('query', {}, [
  {
    name: 'returns unsupported without a request',
    isUncertain: true,
    setUp: undefined,
    call: async ({ rail, order }) => rail.query(order),
    expected: { result: 'unsupported', payments: [] },
    wire: [],
  } as R,
]);

export const referenceCases = [...registration, ...registrationFaults, ...withdrawal, ...withdrawalFaults, ...query];
