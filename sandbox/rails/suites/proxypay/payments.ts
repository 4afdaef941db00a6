// One payment as ProxyPay writes it: where each field goes, what is made good, and what nobody can read.
import assert from 'node:assert/strict';
import {
  DIGITS,
  ENTITY,
  fakeOf,
  listAll,
  orderOf,
  OTHER_ID,
  payAtRail,
  railOf,
  REFERENCE_ID,
  takeOne,
  type ProxypayCase,
  type ProxypayRig,
} from './rig.ts';
import { START } from '../../rig.ts';

async function listOne(rig: ProxypayRig) {
  const [payment, ...others] = await listAll(rig);
  assert.ok(payment);
  assert.deepEqual(others, []);
  return payment;
}

/** Anything the rail might write where a field of another kind is expected. */
const as = <T>(value: unknown) => value as T;

export const paymentCases: ProxypayCase[] = [
  {
    name: 'payment: every field has its place',
    async run(rig) {
      const { id } = await takeOne(rig);
      assert.deepEqual(await listOne(rig), {
        providerRef: String(id),
        entity: ENTITY,
        reference: DIGITS,
        amountMinor: 300_000,
        currency: 'AOA',
        occurredAt: new Date(START),
        details: {
          clearingPeriod: '2252',
          transactionNumber: '1',
          terminalType: 'ATM',
          terminalId: '0000054321',
          terminalLocation: 'LUANDA',
          fee: '50.00',
        },
        referenceId: REFERENCE_ID,
        receipt: String(id),
      });
    },
  },
  {
    name: 'payment: the rail writes digits without their first zeros, and they come back',
    async run(rig) {
      const told = await takeOne(rig);
      assert.deepEqual([told.reference_id, told.entity_id], [12_345_678, 1234]);
      const { reference, entity } = await listOne(rig);
      assert.deepEqual([reference, entity], [DIGITS, ENTITY]);
    },
  },
  {
    name: 'payment: integers as text are the same payment',
    async run(rig) {
      await takeOne(rig);
      const asNumbers = await listAll(rig);
      fakeOf(rig).book.style.integersAsText = true;
      assert.deepEqual(await listAll(rig), asNumbers);
    },
  },
  {
    name: 'payment: amount and fee as numbers are exact',
    async run(rig) {
      await takeOne(rig, { amount: as(3000.1), fee: as(12.5) });
      const { amountMinor, details } = await listOne(rig);
      assert.deepEqual([amountMinor, details.fee], [300_010, '12.5']);
    },
  },
  {
    name: 'payment: an id as text with zeros before it is the same money',
    async run(rig) {
      const { id } = await takeOne(rig);
      fakeOf(rig).book.queue.set(0, await takeOne(rig, { id: as(`00${id}`) }));
      const ids = new Set((await listAll(rig)).map(({ providerRef }) => providerRef));
      assert.deepEqual([...ids], [String(id)]);
    },
  },
  ...['2026-03-02T08:30:00Z', '2026-03-02T09:30:00+01:00', '2026-03-02T08:30:00.000000Z'].map((datetime) => ({
    name: `payment: ${datetime} is trusted`,
    async run(rig: ProxypayRig) {
      await takeOne(rig, { datetime });
      const { occurredAt, details } = await listOne(rig);
      assert.equal(occurredAt.toISOString(), '2026-03-02T08:30:00.000Z');
      assert.equal('railTime' in details, false);
    },
  })),
  {
    name: 'payment: a time without zone is nobody’s: it counts from when it was heard, and theirs is kept',
    isUncertain: true,
    async run(rig) {
      fakeOf(rig).book.style.hasZone = false;
      await takeOne(rig);
      await rig.pass(60_000);
      const { occurredAt, details } = await listOne(rig);
      assert.deepEqual(occurredAt, rig.account.clock.now());
      assert.equal(details.railTime, '2026-03-02T10:00:00.000');
    },
  },
  {
    name: 'payment: without any time it counts from when it was heard',
    isUncertain: true,
    async run(rig) {
      await takeOne(rig, { datetime: as(null) });
      assert.deepEqual((await listOne(rig)).occurredAt, rig.account.clock.now());
    },
  },
  ...[3_600_000, -86_400_000].map((skewMs) => ({
    name: `payment: a rail’s clock that is ${skewMs / 3_600_000} hours off is told as it is`,
    async run(rig: ProxypayRig) {
      const datetime = new Date(Date.parse(START) + skewMs).toISOString();
      await takeOne(rig, { datetime });
      assert.equal((await listOne(rig)).occurredAt.toISOString(), datetime);
    },
  })),
  {
    name: 'payment: another amount than was asked is told as it was paid',
    async run(rig) {
      await railOf(rig).register(orderOf());
      await fakeOf(rig).book.pay(DIGITS, '2999.99');
      assert.equal((await listOne(rig)).amountMinor, 299_999);
    },
  },
  {
    name: 'payment: each of several to one reference is its own money',
    async run(rig) {
      await railOf(rig).register(orderOf({ type: 'Charging', amountMinor: 0 }));
      for (const amount of ['100.00', '100.00', '250.00']) await payAtRail(rig, DIGITS, amount);
      const payments = await listAll(rig);
      assert.equal(new Set(payments.map(({ providerRef }) => providerRef)).size, 3);
      assert.deepEqual(
        payments.map(({ amountMinor, referenceId }) => [amountMinor, referenceId]),
        [100_00, 100_00, 250_00].map((minor) => [minor, REFERENCE_ID]),
      );
    },
  },
  ...[{ balcao_reference: 'no-uuid' }, { other: OTHER_ID }, {}, null, 'text'].map((customFields) => ({
    name: `payment: custom_fields ${JSON.stringify(customFields)} name no reference of ours`,
    async run(rig: ProxypayRig) {
      await takeOne(rig, { custom_fields: as(customFields) });
      const { referenceId, reference } = await listOne(rig);
      assert.deepEqual([referenceId, reference], [null, DIGITS]);
    },
  })),
  {
    name: 'payment: our id in capitals is our id',
    async run(rig) {
      await takeOne(rig, { custom_fields: { balcao_reference: REFERENCE_ID.toUpperCase() } });
      assert.equal((await listOne(rig)).referenceId, REFERENCE_ID);
    },
  },
  {
    name: 'payment: unknown terminals, unknown fields and nulls do not hide it',
    async run(rig) {
      const odd = { terminal_type: 'KIOSK', terminal_id: null, terminal_location: 'HUÍLA, SÉ', fee: null, news: [1] };
      await takeOne(rig, odd);
      const { details } = await listOne(rig);
      assert.deepEqual(details, {
        clearingPeriod: '2252',
        transactionNumber: '1',
        terminalType: 'KIOSK',
        terminalLocation: 'HUÍLA, SÉ',
      });
    },
  },
  ...[
    { amount: as<string>(null) },
    { amount: '3.000,00' },
    { amount: '3000.001' },
    { amount: '-3000.00' },
    { amount: '0.00' },
    { id: as<number>('7b') },
    { id: as<number>(null) },
    { reference_id: 1_234_567_890 },
    { reference_id: as<number>(null) },
    { entity_id: 123_456 },
  ].map((changes) => ({
    name: `payment: ${JSON.stringify(changes)} is kept for a person and hides no other`,
    async run(rig: ProxypayRig) {
      await takeOne(rig);
      await takeOne(rig, changes);
      const { payments, unreadable, next } = await railOf(rig).listPayments(null);
      assert.deepEqual([payments.length, unreadable.length, next], [1, 1, 'queue']);
      assert.equal(JSON.parse(unreadable[0] ?? '').transaction_id, '2');
    },
  })),
  {
    name: 'payment: entries that are no objects are kept for a person',
    async run(rig) {
      const { queue } = fakeOf(rig).book;
      for (const [id, entry] of [null, 'text', 7, []].entries()) queue.set(id, as(entry));
      assert.deepEqual((await railOf(rig).listPayments(null)).unreadable, ['null', '"text"', '"7"', '[]']);
    },
  },
];
