// Cases of references: single and bulk registration, and the list of payments.
import assert from 'node:assert/strict';
import type { ReferenceOrder } from '../../../../server/providers/provider.ts';
import { writeStatus } from '../../appypay-book.ts';
import { exactly, match, operation, uncertain } from '../../contract.ts';
import { makeReference } from '../../orders.ts';
import { addStatus, type AppyPayFixture, CHARGES, faultsOf, QUERIES } from './fixture.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../shared/durations.ts';

const ACTIVE = { result: 'active' };
const TAKEN = { result: 'taken' };
const OTHER_ENTITY = { result: 'refused', details: { reason: 'other_entity' } };
const PAST = { expiresAt: new Date('2026-03-01T12:00:00Z') };
const NO_METHOD = { result: 'refused', details: { reason: 'method_missing' } };
const unknown = (reason: string, details: object = {}) => ({ result: 'unknown', details: { ...details, reason } });
const many = (count: number): ReferenceOrder[] =>
  Array.from({ length: count }, (_, nth) =>
    makeReference({ referenceId: `r${nth}`, reference: String(100_000_000 + nth) }),
  );
/** Deactivates the reference in AppyPay's fake. */
const end = ({ book }: AppyPayFixture) => (book.references.get('123456789')!.isActive = false);

const registration = operation<AppyPayFixture, Partial<ReferenceOrder>>('registration', {
  call: (fixture, changes) => fixture.register(changes),
})({
  'of an amount is a charge with our digits and our key': {
    isUncertain: true,
    request: { amountMinor: 12_500_50 },
    expected: ACTIVE,
    wire: ['POST /charges'],
    sent: ({ connector, book }) => ({
      text: /"amount":12500\.50,/,
      body: exactly({
        amount: 12500.5,
        currency: 'AOA',
        description: 'Propina de Marco',
        merchantTransactionId: connector.keyOf?.('r'),
        paymentMethod: book.methods[1],
        paymentInfo: { referenceNumber: '123456789', dueDate: '2026-03-06' },
      }),
    }),
  },
  'ends with the last day of Luanda on which a payment is in time': {
    isUncertain: true,
    steps: [
      ['2026-03-06T22:59:59Z', '2026-03-06'],
      ['2026-03-06T23:00:00Z', '2026-03-06'],
      ['2026-03-06T23:00:01Z', '2026-03-07'],
    ].map(([expiresAt, dueDate], nth) => ({
      request: { referenceId: `r${nth}`, reference: `10000000${nth}`, expiresAt: new Date(expiresAt!) },
      sent: { body: { paymentInfo: { dueDate } } },
    })),
  },
  'queries the reference if the answer does not name it': {
    answer: ({ book }) => (book.drawsLater = true),
    expected: ACTIVE,
    wire: ['POST /charges', 'GET /references/123456789'],
  },
  'of digits that exist is active for the same amount only, while they can be paid': {
    steps: [
      { request: { referenceId: 'r' }, expected: ACTIVE },
      { request: { referenceId: 's' }, expected: ACTIVE },
      { request: { referenceId: 't', amountMinor: 1500_01 }, expected: TAKEN },
      { answer: end, request: { referenceId: 'u' }, expected: TAKEN },
    ],
  },
  'of our own ended reference is unknown, since it may have been paid': {
    isUncertain: true,
    steps: [{ expected: ACTIVE }, { answer: end, expected: { result: 'unknown' } }],
  },
  'is refused under another entity than payers see': {
    steps: ['r', 's'].map((referenceId) => ({
      request: { referenceId, entity: '99999' },
      expected: { ...OTHER_ENTITY, details: { reason: 'other_entity', railEntity: '10116' } },
    })),
  },
  'is refused with the rail’s code for a past day and a wrong contract': {
    steps: [
      { request: PAST, expected: { result: 'refused', details: { railCode: '762' } } },
      { answer: ({ book }) => (book.methods = []), expected: { result: 'refused', details: { railCode: '206' } } },
    ],
  },
  'of an open amount has bounds, and queries the reference for its entity': {
    request: { type: 'Charging', amountMinor: 0 },
    steps: [
      {
        expected: ACTIVE,
        wire: ['POST /references', 'GET /references/123456789'],
        act: async (fixture, request) => {
          const outcome = await fixture.register(request);
          const days = { startDate: '2026-03-02', expirationDate: '2026-03-06' };
          const bounds = { currency: 'AOA', minAmount: 1, maxAmount: 10_000_000 };
          const references = [{ referenceNumber: '123456789', ...bounds, ...days }];
          const paymentMethod = fixture.book.methods[1];
          assert.deepEqual(fixture.lastBody, { paymentMethod, createdBy: 'balcao', references });
          return outcome;
        },
      },
      { expected: ACTIVE },
      { request: { type: 'Charging', referenceId: 's', amountMinor: 100_00 }, expected: TAKEN },
    ],
  },
  'of a fixed amount for many payments has no bounds': uncertain(async (fixture) => {
    match(await fixture.register({ type: 'Charging' }), ACTIVE);
    const amounts = [{ amount: 1500, descriptionLine1: 'Propina de Marco' }];
    match(fixture.lastBody['references'], [{ amounts, minAmount: undefined }]);
  }),
  'of many references is one call, with an outcome for each': uncertain(async (fixture) => {
    await fixture.register({ reference: '100000001', amountMinor: 1_00 });
    const orders = many(4).with(3, { ...many(4)[3]!, ...PAST });
    match(await fixture.registerMany(orders), [ACTIVE, TAKEN, ACTIVE, { result: 'refused' }]);
    assert.equal(fixture.calls.filter((call) => call === 'POST /references').length, 1);
  }),
  'of 501 references is two calls, since the rail refuses more than 500 in one': async (fixture) => {
    match(
      await fixture.registerMany(many(501)),
      many(501).map(() => ACTIVE),
    );
    assert.equal(fixture.calls.filter((call) => call === 'POST /references').length, 2);
  },
  'of many references leaves only the references of a lost call unknown': {
    answer: ({ fake }) => fake.fault('drop_after', { path: '/v2.0/references', method: 'POST' }),
    act: (fixture) => fixture.registerMany(many(502)),
    expected: many(502).map((_, nth) => (nth < 500 ? { result: 'unknown' } : ACTIVE)),
  },
  'of many references under another entity is refused, although the answer has no entity': {
    answer: ({ book }) => (book.entity = '99999'),
    act: (fixture) => fixture.registerMany(many(3)),
    expected: many(3).map(() => OTHER_ENTITY),
  },
  'of no reference makes no request': { act: (fixture) => fixture.registerMany([]), expected: [], wire: [] },
  'is refused without a request by an account without the key of references': async (fixture) => {
    const other = fixture.with({ settings: { methods: { gpo: fixture.book.methods[0] } } });
    match([await other.register(), ...(await other.registerMany(many(1)))], [NO_METHOD, NO_METHOD]);
    assert.equal(fixture.fake.requests.length, 0);
  },
  'cannot be withdrawn, and no request tries it': {
    isUncertain: true,
    act: ({ clients }) => clients.ppr.withdraw(makeReference()),
    expected: exactly({ result: 'unsupported', details: { reason: 'unsupported' } }),
    wire: [],
  },
});

const registrationFaults = faultsOf('registration', {
  where: CHARGES,
  call: (fixture) => fixture.register(),
  countEffects: ({ book }) => book.references.size,
  expected: unknown,
  instead: { garbage: { result: 'unknown' } },
  async after(fixture) {
    match(await fixture.register(), ACTIVE);
    assert.equal(fixture.book.references.size, 1);
  },
});

const query = operation<AppyPayFixture, Partial<ReferenceOrder>>('query of a reference', {
  call: (fixture, changes) => fixture.queryReference(changes),
})({
  'returns what was paid with our id of the reference': {
    isUncertain: true,
    answer: (fixture) => fixture.pay('123456789', 'r'),
    expected: ({ charge: { id: providerRef }, now: occurredAt }) => {
      const details = { providerTransactionId: 'P2', railTime: '2026-03-02T09:00:00.0005991' };
      const money = { providerRef, entity: '10116', amountMinor: 1500_00, currency: 'AOA', occurredAt, details };
      return { result: 'told', payments: [exactly({ ...money, reference: '123456789', referenceId: 'r' })] };
    },
  },
  'returns no payments of an unpaid reference': {
    answer: (fixture) => fixture.register(),
    expected: exactly({ result: 'told', payments: [] }),
  },
  'is unsupported for a reference of many payments, which the list returns': uncertain(async (fixture) => {
    await fixture.register({ type: 'Charging' });
    await fixture.press('123456789', 'pay');
    assert.deepEqual(await fixture.queryReference(), { result: 'unsupported', payments: [] });
    match(await fixture.listAll(), { amounts: [1500_00] });
  }),
  'returns unknown for an amount or digits that cannot be this reference’s': async (fixture) => {
    await fixture.pay('123456789', 'r');
    const { charge } = fixture;
    charge.amount = 'many';
    assert.deepEqual(await fixture.queryReference(), { result: 'unknown', payments: [] });
    Object.assign(charge, { amount: 1500, reference: { ...charge.reference, referenceNumber: '987654321' } });
    match(await fixture.queryReference(), { result: 'unknown' });
  },
});

const list = operation<AppyPayFixture, string>('list of payments', {
  call: (fixture, after) => fixture.listPayments(after),
})({
  'has paid references, and no pushes and open references': async (fixture) => {
    await fixture.decide('approve');
    await fixture.push();
    await fixture.open('111111111');
    const id = await fixture.pay();
    match(await fixture.listAll(), { refs: [id], unreadable: [] });
  },
  'dates a payment by the time of the call, since its own time has no zone': uncertain(async (fixture) => {
    await fixture.pay();
    await fixture.pass(60_000);
    const { payments } = await fixture.listPayments();
    match(payments, [{ occurredAt: fixture.now, details: { railTime: '2026-03-02T09:00:00.0005991' } }]);
  }),
  'requests days of Luanda, and its cursor is short and printable': {
    isUncertain: true,
    expected: { next: /^[\x20-\x7e]{1,256}$/ },
    sent: { query: { dateFrom: '2026-01-26', dateTo: '2026-03-03', skip: '0', limit: '100' } },
  },
  'reads pages until one is empty, then its cursor stays the same': async (fixture) => {
    fixture.book.pageSize = 2;
    const refs = [];
    for (let nth = 0; nth < 5; nth++) refs.push(await fixture.pay(`10000000${nth}`));
    const all = await fixture.listAll();
    assert.deepEqual(all.refs, refs);
    match(await fixture.listPayments(all.next), { payments: [], next: all.next });
    const late = await fixture.pay('100000009');
    match(await fixture.listAll(all.next), { refs: [late] });
  },
  'has a late payment in its next sweep, though it read the charge before': async (fixture) => {
    const id = await fixture.open();
    const { next, refs } = await fixture.listAll();
    assert.deepEqual(refs, []);
    await fixture.press(id, 'pay');
    await fixture.pass(5 * 60_000);
    const again = await fixture.listAll(next);
    assert.deepEqual(again.refs, [id]);
    assert.notEqual(again.next, next);
  },
  'begins a sweep four days before the last one, and 35 days on a new day': async (fixture) => {
    const dateFrom = () => fixture.requests.at(-1)?.query.get('dateFrom');
    const first = await fixture.listAll();
    await fixture.pass(6 * 60_000);
    const second = await fixture.listAll(first.next);
    assert.equal(dateFrom(), '2026-02-26');
    await fixture.pass(10 * DAY_MS);
    const id = await fixture.pay();
    const third = await fixture.listAll(second.next);
    // The window of days starts relative to the last deep sweep.
    assert.equal(dateFrom(), '2026-01-26');
    assert.ok(third.refs.includes(id));
  },
  'has a payment weeks after the registration in the first sweep of a day': uncertain(async (fixture) => {
    const id = await fixture.open();
    let { next } = await fixture.listAll();
    for (const passMs of [20 * DAY_MS, 6 * 60_000]) {
      await fixture.pass(passMs);
      ({ next } = await fixture.listAll(next));
    }
    await fixture.press(id, 'pay');
    await fixture.pass(DAY_MS);
    match(await fixture.listAll(next), { refs: [id] });
  }),
  'has one payment for both events of the clearing file': async (fixture) => {
    const id = await fixture.pay();
    const { next } = await fixture.listAll();
    addStatus(fixture.charge, writeStatus(100));
    await fixture.pass(5 * 60_000);
    match(await fixture.listAll(next), { refs: [id], amounts: [1500_00] });
  },
  'returns unreadable entries as JSON, and reads the others': async (fixture) => {
    const ids = [];
    for (let nth = 0; nth < 6; nth++) ids.push(await fixture.pay(`10000000${nth}`));
    const [amount, digits, entity, contradicted, silent] = fixture.book.charges;
    amount!.amount = '';
    // A reference that AppyPay writes as a JSON number may have lost its leading zeros.
    digits!.reference!.referenceNumber = 123456789;
    entity!.reference!.entity = 'entity';
    addStatus(contradicted!, writeStatus(209));
    silent!.transactionEvents = [];
    const { refs, unreadable } = await fixture.listAll();
    assert.deepEqual(refs, [ids[5]]);
    assert.deepEqual(
      unreadable.map((entry) => (JSON.parse(entry) as { id: string }).id),
      ids.slice(0, 5),
    );
  },
  'reads an entity that is written as a number': async (fixture) => {
    await fixture.pay();
    fixture.charge.reference!.entity = 10116;
    match(await fixture.listPayments(), { payments: [{ entity: '10116' }] });
  },
  'starts at the beginning for a cursor that is not ours': {
    answer: (fixture) => fixture.pay(),
    act: async (fixture) => {
      for (const cursor of ['', 'x', '2026-03-02 2026-13-41T99:00:00.000Z 0', '0'.repeat(300)]) {
        match(await fixture.listPayments(cursor), { payments: [{ providerRef: fixture.charge.id }] });
      }
    },
  },
  'loses no payment if the clock is set back, and its cursor stays the same': async (fixture) => {
    const { next } = await fixture.listAll();
    await fixture.pass(-HOUR_MS);
    match(await fixture.listAll(next), { next });
    await fixture.pass(HOUR_MS + 5 * MINUTE_MS);
    const id = await fixture.pay();
    assert.ok((await fixture.listAll(next)).refs.includes(id));
  },
});

const listFaults = [
  ...faultsOf('list of payments', {
    setUp: (fixture) => fixture.pay(),
    where: QUERIES,
    call: (fixture) => fixture.listPayments(),
    expected: () => exactly({ result: 'unknown', payments: [], unreadable: [], next: null }),
  }),
  ...faultsOf('query of a reference', {
    setUp: (fixture) => fixture.pay('123456789', 'r'),
    where: QUERIES,
    call: (fixture) => fixture.queryReference(),
    expected: () => exactly({ result: 'unknown', payments: [] }),
  }),
];

export const referenceCases = [...registration, ...registrationFaults, ...query, ...list, ...listFaults];
