// Registering and withdrawing at ProxyPay: which calls are made, and what is refused before any is.
import assert from 'node:assert/strict';
import {
  API_KEY,
  DIGITS,
  fakeOf,
  lastBody,
  listAll,
  listCalls,
  liveOrder,
  orderOf,
  OTHER_ID,
  payAtRail,
  railOf,
  REFERENCE_ID,
  type ProxypayCase,
  type ProxypayRig,
} from './rig.ts';

const orders: ProxypayCase[] = [
  {
    name: 'register: 204 is an active reference',
    isLive: true,
    async run(rig) {
      assert.deepEqual(await railOf(rig).register(await liveOrder(rig)), { result: 'active', details: {} });
    },
  },
  {
    name: 'register: nine digits of our own choice are taken, and let go of',
    isLive: true,
    async run(rig) {
      const order = await liveOrder(rig, { reference: '987654321' });
      assert.equal((await railOf(rig).register(order)).result, 'active');
      assert.equal((await railOf(rig).withdraw(order)).result, 'ended');
    },
  },
  {
    name: 'register: one PUT by the digits, their first zero kept',
    async run(rig) {
      await railOf(rig).register(orderOf());
      assert.deepEqual(listCalls(rig), [`PUT /references/${DIGITS}`]);
    },
  },
  {
    name: 'register: token, media type and content type travel as headers',
    async run(rig) {
      await railOf(rig).register(orderOf());
      const headers = fakeOf(rig).requests[0]?.headers;
      assert.equal(headers?.authorization, `Token ${API_KEY}`);
      assert.equal(headers.accept, 'application/vnd.proxypay.v2+json');
      assert.equal(headers['content-type'], 'application/json');
    },
  },
  {
    name: 'register: the body is amount, day and our id, and nothing else',
    async run(rig) {
      await railOf(rig).register(orderOf());
      const custom_fields = { balcao_reference: REFERENCE_ID };
      assert.deepEqual(lastBody(rig), { amount: '3000.00', end_datetime: '2026-03-31', custom_fields });
    },
  },
  {
    name: 'register: the amount as text with two decimals is taken',
    isUncertain: true,
    isLive: true,
    async run(rig) {
      const order = await liveOrder(rig, { amountMinor: 123_450 });
      assert.equal((await railOf(rig).register(order)).result, 'active');
      assert.ok((await payAtRail(rig, order.reference, '1234.50')) < 300);
      const paid = (await listAll(rig)).find(({ reference }) => reference === order.reference);
      assert.equal(paid?.amountMinor, 123_450);
    },
  },
  {
    name: 'register: an open amount is left out, and any is paid',
    isUncertain: true,
    isLive: true,
    async run(rig) {
      const order = await liveOrder(rig, { type: 'Charging', amountMinor: 0 });
      assert.equal((await railOf(rig).register(order)).result, 'active');
      if (rig.fake) assert.equal('amount' in lastBody(rig), false);
      assert.ok((await payAtRail(rig, order.reference, '777.00')) < 300);
      assert.ok((await listAll(rig)).some(({ reference }) => reference === order.reference));
    },
  },
  {
    name: 'register: the end is the day in Luanda, which begins an hour before that of UTC',
    async run(rig) {
      await railOf(rig).register(orderOf({ expiresAt: new Date('2026-03-31T23:30:00Z') }));
      assert.equal(lastBody(rig).end_datetime, '2026-04-01');
    },
  },
  {
    name: 'register: an end at Luanda’s midnight is that of the day before',
    async run(rig) {
      await railOf(rig).register(orderOf({ expiresAt: new Date('2026-03-31T23:00:00Z') }));
      assert.equal(lastBody(rig).end_datetime, '2026-03-31');
    },
  },
  {
    name: 'register: the rail takes payments until the day is over in Luanda, and then no more',
    isUncertain: true,
    async run(rig) {
      await railOf(rig).register(orderOf({ expiresAt: new Date('2026-03-02T10:00:00Z') }));
      await rig.pass(Date.parse('2026-03-02T22:59:50Z') - rig.account.clock.now().getTime());
      assert.equal(await payAtRail(rig, DIGITS, '3000.00'), 200);
      await rig.pass(7_000);
      assert.equal(await payAtRail(rig, DIGITS, '3000.00'), 400);
    },
  },
  {
    name: 'register: a repetition has the same bytes and is active again',
    async run(rig) {
      const outcomes = [await railOf(rig).register(orderOf()), await railOf(rig).register(orderOf())];
      assert.deepEqual(
        outcomes.map(({ result }) => result),
        ['active', 'active'],
      );
      const [first, second] = fakeOf(rig).requests;
      assert.equal(first?.body, second?.body);
      assert.equal(fakeOf(rig).book.references.size, 1);
    },
  },
  {
    name: 'register: a PUT onto live digits writes over them: what is paid then is the later reference’s',
    async run(rig) {
      await railOf(rig).register(orderOf());
      assert.equal(
        (await railOf(rig).register(orderOf({ referenceId: OTHER_ID, amountMinor: 5_000 }))).result,
        'active',
      );
      assert.equal(await payAtRail(rig, DIGITS, '3000.00'), 400);
      assert.equal(await payAtRail(rig, DIGITS, '50.00'), 200);
      assert.deepEqual(
        (await listAll(rig)).map(({ referenceId }) => referenceId),
        [OTHER_ID],
      );
    },
  },
];

const refusals: ProxypayCase[] = [
  ...['0123456789', '012345678901234'].map((reference) => ({
    name: `register: ${reference.length} digits are refused and not asked for`,
    async run(rig: ProxypayRig) {
      const { result, details } = await railOf(rig).register(orderOf({ reference }));
      assert.deepEqual([result, details.reason], ['refused', 'reference_not_nine_digits']);
      assert.deepEqual(listCalls(rig), []);
    },
  })),
  {
    name: 'register: another entity’s reference is refused and not asked for',
    async run(rig) {
      const { result, details } = await railOf(rig).register(orderOf({ entity: '99999' }));
      assert.deepEqual([result, details.reason], ['refused', 'other_entity']);
      assert.deepEqual(listCalls(rig), []);
    },
  },
  {
    name: 'register: another currency is refused and not asked for',
    async run(rig) {
      const { result, details } = await railOf(rig).register(orderOf({ currency: 'USD' }));
      assert.deepEqual([result, details.reason], ['refused', 'currency_not_supported']);
      assert.deepEqual(listCalls(rig), []);
    },
  },
];

const withdrawals: ProxypayCase[] = [
  {
    name: 'withdraw: 204 has ended it, and it cannot be paid any more',
    isLive: true,
    async run(rig) {
      const order = await liveOrder(rig);
      await railOf(rig).register(order);
      assert.deepEqual(await railOf(rig).withdraw(order), { result: 'ended', details: { railStatus: 'WITHDRAWN' } });
      assert.ok((await payAtRail(rig, order.reference, '3000.00')) >= 400);
    },
  },
  {
    name: 'withdraw: one DELETE by the digits',
    async run(rig) {
      await railOf(rig).withdraw(orderOf());
      assert.deepEqual(listCalls(rig), [`DELETE /references/${DIGITS}`]);
    },
  },
  {
    name: 'withdraw: 404, also after it was withdrawn before, has ended it',
    isLive: true,
    async run(rig) {
      const order = await liveOrder(rig);
      await railOf(rig).register(order);
      await railOf(rig).withdraw(order);
      assert.equal((await railOf(rig).withdraw(order)).result, 'ended');
    },
  },
  {
    name: 'withdraw: more than nine digits were never there: ended and not asked for',
    async run(rig) {
      assert.equal((await railOf(rig).withdraw(orderOf({ reference: '0123456789' }))).result, 'ended');
      assert.deepEqual(listCalls(rig), []);
    },
  },
  {
    name: 'withdraw: the same digits of another entity are let alone',
    async run(rig) {
      await railOf(rig).register(orderOf());
      const { result, details } = await railOf(rig).withdraw(orderOf({ entity: '99999' }));
      assert.deepEqual([result, details.reason], ['unknown', 'other_entity']);
      assert.equal(fakeOf(rig).book.references.has(DIGITS), true);
    },
  },
  {
    name: 'withdraw: what was paid before stays in the queue, with our id',
    async run(rig) {
      await railOf(rig).register(orderOf());
      await payAtRail(rig, DIGITS, '3000.00');
      await railOf(rig).withdraw(orderOf());
      assert.deepEqual(
        (await listAll(rig)).map(({ referenceId }) => referenceId),
        [REFERENCE_ID],
      );
    },
  },
  {
    name: 'query: one reference cannot be asked about, and is not',
    isUncertain: true,
    async run(rig) {
      await railOf(rig).register(orderOf());
      assert.deepEqual(await railOf(rig).query(orderOf()), { result: 'unsupported', payments: [] });
      assert.equal(listCalls(rig).length, 1);
    },
  },
];

export const registrationCases = [...orders, ...refusals, ...withdrawals];
