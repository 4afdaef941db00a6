// Cases of ProxyPay's payments: their fields, the queue with its acknowledgements, and notifications.
import { HOUR_MS } from '../../../../shared/durations.ts';
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { each, exactly, match, operation } from '../../contract.ts';
import { wireCases } from '../../faults.ts';
import { START } from '../../fixture.ts';
import { API_KEY, DIGITS, ENTITY, OTHER_ID, REFERENCE_ID, type ProxypayFixture } from './fixture.ts';

const UNKNOWN_QUEUE = { result: 'unknown', payments: [], unreadable: [], next: null };
/** The expected page of payments with one readable payment. */
const one = (payment: object) => ({ result: 'told', payments: [payment], unreadable: [] });
const at = (hours: number) => new Date(Date.parse(START) + hours * HOUR_MS);
const withoutZone = ({ book }: ProxypayFixture) => (book.style.hasZone = false);
const UNZONED = { railTime: '2026-03-02T10:00:00.000' };
const DETAILS = { clearingPeriod: '2252', transactionNumber: '1', terminalType: 'ATM' };
const UNREADABLE = [
  ...each('amount', [null, '3.000,00', '3000.001', '-3000.00', '0.00']),
  ...each('id', ['7b', null]),
  ...each('reference_id', [1_234_567_890, null]),
  { entity_id: 123_456 },
];

const payment = operation<ProxypayFixture>('payment', {
  call: (fixture) => fixture.list(),
  async answer(fixture, changes) {
    fixture.book.queue.clear();
    await fixture.take(changes);
  },
})({
  'has its amount, time, terminal, fee, reference and receipt': [
    {},
    ({ receipt }) => {
      const money = { amountMinor: 300_000, currency: 'AOA', occurredAt: at(0), providerRef: receipt, receipt };
      const to = { entity: ENTITY, reference: DIGITS, referenceId: REFERENCE_ID };
      const details = { ...DETAILS, terminalId: '0000054321', terminalLocation: 'LUANDA', fee: '50.00' };
      return one(exactly({ ...money, ...to, details }));
    },
  ],
  'regains the leading zeros that the rail’s integers lose': {
    async answer(fixture) {
      const { reference_id, entity_id } = await fixture.take();
      assert.deepEqual([reference_id, entity_id], [12_345_678, 1234]);
    },
    expected: one({ reference: DIGITS, entity: ENTITY }),
  },
  async 'is equal if its integers are text'(fixture) {
    await fixture.take();
    const asNumbers = await fixture.listReadable();
    fixture.book.style.integersAsText = true;
    assert.deepEqual(await fixture.listReadable(), asNumbers);
  },
  'has exact numbers': [{ amount: 3000.1, fee: 12.5 }, one({ amountMinor: 300_010, details: { fee: '12.5' } })],
  async 'has one id with and without leading zeros'(fixture) {
    const { id } = await fixture.take();
    fixture.book.queue.set(0, await fixture.take({ id: `00${id}` }));
    const ids = new Set((await fixture.listReadable()).map(({ providerRef }) => providerRef));
    assert.deepEqual([...ids], [String(id)]);
  },
  'has the time of a text with a zone': [
    each('datetime', ['2026-03-02T08:30:00Z', '2026-03-02T09:30:00+01:00', '2026-03-02T08:30:00.000000Z']),
    one({ occurredAt: at(-0.5), details: { railTime: undefined } }),
  ],
  'has the time of its arrival, and the rail’s text, if that has no zone': {
    isUncertain: true,
    steps: [
      { answer: withoutZone },
      { answer: {} },
      { passMs: 60_000, expected: ({ now }) => one({ occurredAt: now, details: UNZONED }) },
    ],
  },
  'has the time of its arrival': [{ datetime: null }, ({ now }) => one({ occurredAt: now }), { isUncertain: true }],
  'keeps the time of a clock that is an hour fast or a day slow': {
    outcomes: [1, -24].map((hours) => [{ datetime: at(hours).toISOString() }, one({ occurredAt: at(hours) })] as const),
  },
  'has the paid amount, not the ordered one': [{ amount: '2999.99' }, one({ amountMinor: 299_999 })],
  async 'is separate from others to the same reference'(fixture) {
    await fixture.register({ type: 'Charging', amountMinor: 0 });
    for (const amount of ['100.00', '100.00', '250.00']) await fixture.pay(amount);
    const payments = await fixture.listReadable();
    assert.equal(new Set(payments.map(({ providerRef }) => providerRef)).size, 3);
    match(
      payments,
      [100_00, 100_00, 250_00].map((amountMinor) => ({ amountMinor, referenceId: REFERENCE_ID })),
    );
  },
  'has no reference of ours without our id in its custom fields': [
    each('custom_fields', [{ balcao_reference: 'no-uuid' }, { other: OTHER_ID }, {}, null, 'text']),
    one({ referenceId: null, reference: DIGITS }),
  ],
  'has our id in capitals too': [
    { custom_fields: { balcao_reference: REFERENCE_ID.toUpperCase() } },
    one({ referenceId: REFERENCE_ID }),
  ],
  'is readable with unknown terminals and fields, and with nulls': [
    { terminal_type: 'KIOSK', terminal_id: null, terminal_location: 'HUÍLA, SÉ', fee: null, news: [1] },
    one({ details: exactly({ ...DETAILS, terminalType: 'KIOSK', terminalLocation: 'HUÍLA, SÉ' }) }),
  ],
  'is kept as unreadable text with an invalid amount, id, reference or entity, and hides no other': {
    steps: UNREADABLE.map((changes) => ({
      async answer(fixture) {
        fixture.book.queue.clear();
        fixture.book.lastId = 0;
        for (const change of [{}, changes]) await fixture.take(change);
      },
      expected: { payments: [{ providerRef: /1$/ }], unreadable: [/"transaction_id":"2"/], next: 'queue' },
    })),
  },
  'is kept as unreadable text if it is no object': {
    answer: ({ book }) => [null, 'text', 7, []].forEach((entry, id) => book.queue.set(id, entry as never)),
    expected: { payments: [], unreadable: ['null', '"text"', '"7"', '[]'] },
  },
});

const queue = operation<ProxypayFixture>('queue', {
  call: (fixture) => fixture.list(),
  answer: ({ book }, onlyAnswer) => (book.onlyAnswer = onlyAnswer as never),
})({
  'returns an empty list': { expected: exactly({ result: 'told', payments: [], unreadable: [], next: 'queue' }) },
  async 'is read twice by a reader that follows `next`, without a query string'(fixture) {
    await fixture.take();
    const { next } = await fixture.list();
    assert.equal((await fixture.rail.listPayments(next)).next, next);
    assert.ok(fixture.requests.every(({ query }) => query.size === 0));
  },
  async 'returns more than 64 KiB'(fixture) {
    const { book } = fixture;
    for (let paid = 0; paid < 200; paid++) await book.pay(DIGITS, '100.00');
    assert.ok(JSON.stringify([...book.queue.values()]).length > 65_536);
    assert.equal(new Set((await fixture.listReadable()).map(({ providerRef }) => providerRef)).size, 200);
  },
  'returns the oldest payment first': {
    async answer(fixture) {
      for (const hour of [7, 5, 6])
        await fixture.take({ amount: `${hour}.00`, datetime: `2026-03-02T0${hour}:00:00Z` });
    },
    expected: { payments: each('amountMinor', [500, 600, 700]) },
  },
  'is unknown for an answer that is no list': [
    [{ status: 503, body: [] }, ...each('body', [{}, { payments: [] }]).map((body) => ({ status: 200, ...body }))],
    UNKNOWN_QUEUE,
  ],
});
const queueFaults = wireCases<ProxypayFixture>('queue', {
  setUp: (fixture) => fixture.take(),
  call: (fixture) => fixture.list(),
  where: { path: '/payments' },
  expected: () => UNKNOWN_QUEUE,
  after: async (fixture) => assert.equal((await fixture.listReadable()).length, 1),
});

const [ACKNOWLEDGED, UNCERTAIN] = [{ result: true }, { result: false }];
const acknowledgement = operation<ProxypayFixture, string>('acknowledgement', {
  call: (fixture, receipt) => fixture.acknowledge(receipt),
  where: { method: 'DELETE' },
})({
  'returns true for 204, after which the queue omits the payment of our reference': {
    isLive: true,
    async run(fixture) {
      await fixture.registerLive();
      assert.ok((await fixture.pay('3000.00')) < 300);
      const { referenceId, entity } = fixture.order;
      const found = await fixture.findPayment();
      match(found, { referenceId, entity, amountMinor: 300_000, providerRef: /^\d{1,12}$/ });
      assert.deepEqual(await fixture.acknowledge(found?.receipt ?? ''), ACKNOWLEDGED);
      assert.equal(await fixture.findPayment(), undefined);
    },
  },
  async 'is one DELETE that removes this payment alone'(fixture) {
    const [{ id }, other] = [await fixture.take(), await fixture.take()];
    await fixture.acknowledge(String(id));
    assert.equal(fixture.calls.at(-1), `DELETE /payments/${id}`);
    assert.deepEqual([...fixture.book.queue.keys()], [other.id]);
  },
  'returns false for 200 instead of 204, and true after a repetition': {
    steps: [{ answer: (fixture) => fixture.take(), fault: 200, expected: UNCERTAIN }, { expected: ACKNOWLEDGED }],
  },
  'returns false for no receipt': { requests: ['', '../references/012345678', '1/2'], expected: UNCERTAIN, wire: [] },
  async 'is never part of another call'(fixture) {
    const { body } = fixture.book.sign(await fixture.take());
    for (const call of ['list', 'probe', 'withdraw'] as const) await fixture[call]();
    fixture.notified(body);
    assert.equal(fixture.book.queue.size, 1);
  },
  async 'is possible in a shared entity only for payments that name our reference'(fixture) {
    await fixture.take();
    await fixture.book.pay('111222333', '10.00', { custom_fields: { order: '77' } });
    const readTypes = async (reader: ProxypayFixture) =>
      (await reader.list()).payments.map(({ receipt }) => typeof receipt).sort();
    assert.deepEqual(await readTypes(fixture.with({ settings: { isExclusive: false } })), ['object', 'string']);
    assert.deepEqual(await readTypes(fixture), ['string', 'string']);
  },
});
const acknowledgementFaults = wireCases<ProxypayFixture>('acknowledgement', {
  setUp: (fixture) => fixture.take(),
  call: (fixture) => fixture.acknowledge(),
  where: { method: 'DELETE' },
  countEffects: ({ book }) => -book.queue.size,
  expected: () => UNCERTAIN,
  instead: { 404: ACKNOWLEDGED, garbage: null, oversize: null },
  async after(fixture) {
    assert.deepEqual(await fixture.acknowledge(), ACKNOWLEDGED);
    assert.equal(fixture.book.queue.size, 0);
  },
});

const sign = (body: string | Buffer, algorithm = 'sha256', key = API_KEY) =>
  createHmac(algorithm, key).update(body).digest('hex');
const BODY = '{"id":225200000001}';
const BYTES = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
const signature = operation<ProxypayFixture, string | undefined>('signature', {
  call: (fixture, header) => fixture.verify(header === undefined ? {} : { 'x-signature': header }, BODY),
})({
  'is proven as the HMAC-SHA256 of the body with the API key, in lower-case hex': {
    isUncertain: true,
    async run(fixture) {
      const { body, headers } = fixture.book.sign(await fixture.take());
      assert.equal(headers['X-Signature'], sign(body));
      assert.equal(fixture.verify({ 'x-signature': sign(body) }, body), 'proven');
    },
  },
  'is refused if it is missing or empty, or has another key, body or algorithm': [
    [undefined, '', sign(BODY, 'sha256', 'another'), sign(`${BODY} `), sign(BODY, 'sha512')],
    'refused',
  ],
  'is refused in capitals, cut, with a prefix or with accents': [
    [sign(BODY).toUpperCase(), sign(BODY).slice(0, 63), `sha256=${sign(BODY)}`, 'é'.repeat(64)],
    'refused',
  ],
  'covers bytes that are no text'(fixture) {
    const headers = { 'x-signature': sign(BYTES) };
    assert.equal(fixture.verify(headers, BYTES), 'proven');
    assert.equal(fixture.verify(headers, BYTES.toString('utf8')), 'refused');
  },
});

const HINT = [{ about: 'hint', reference: DIGITS }];
const readIds = (bodies: string[], fixture: ProxypayFixture) =>
  bodies.flatMap((body) => fixture.notified(body)).map(({ notificationId }) => notificationId);
const notification = operation<ProxypayFixture>('notification', {
  call: async (fixture, changes: object) => fixture.notified(await fixture.notice(changes)),
})({
  'is proven as it arrives, and equals the payment of the queue': (fixture) =>
    fixture.receive(async (url, arrivals) => {
      fixture.book.notifyUrl = url;
      await fixture.register();
      await fixture.pay('3000.00');
      const [arrival] = arrivals;
      assert.ok(arrival);
      assert.equal(fixture.verify(arrival.headers, arrival.body), 'proven');
      const found = await fixture.findPayment();
      const expected = { notificationId: `payment ${found?.providerRef}`, about: 'reference', payment: found };
      assert.deepEqual(fixture.notified(arrival.body), [expected]);
      assert.deepEqual([found?.referenceId, found?.receipt], [REFERENCE_ID, found?.providerRef]);
    }),
  'has the same id if it is repeated, also after the acknowledgement': (fixture) =>
    fixture.receive(async (url, arrivals) => {
      fixture.book.notifyUrl = url;
      const paid = await fixture.take();
      await fixture.book.notify(paid);
      await fixture.acknowledge();
      await fixture.book.notify(paid);
      const read = arrivals.map(({ body }) => JSON.stringify(fixture.notified(body)));
      assert.deepEqual([read.length, new Set(read).size], [3, 1]);
    }),
  'is enough without the queue, and can still be acknowledged': {
    isUncertain: true,
    steps: [
      { expected: [{ about: 'reference', payment: { amountMinor: 300_000, referenceId: REFERENCE_ID } }] },
      { answer: ({ book }) => book.queue.clear(), act: (fixture) => fixture.list(), expected: { payments: [] } },
      { act: (fixture) => fixture.acknowledge(), expected: ACKNOWLEDGED },
    ],
  },
  async 'is independent of the order of arrival'(fixture) {
    const texts = [await fixture.notice(), await fixture.notice({ amount: '1.00' })];
    assert.deepEqual(readIds(texts.toReversed(), fixture), readIds(texts, fixture).toReversed());
    assert.equal(new Set(readIds(texts, fixture)).size, 2);
  },
  'has the time of its arrival, and the rail’s text, if that has no zone': {
    isUncertain: true,
    answer: withoutZone,
    expected: [{ payment: { occurredAt: at(0), details: UNZONED } }],
  },
  'is a hint without a time and an arrival': {
    isUncertain: true,
    answer: withoutZone,
    act: async (fixture) => fixture.notified(await fixture.notice(), 'proven', null),
    expected: HINT,
  },
  'is a hint if unproven': { act: async (fixture) => fixture.notified(await fixture.notice(), 'hint'), expected: HINT },
  'has no receipt': [{ custom_fields: {} }, [{ about: 'reference', payment: { receipt: null, referenceId: null } }]],
  'is empty for a body without a payment': {
    act: (fixture, body) => fixture.notified(body),
    requests: ['', 'null', '7', '[]', '{}', '<html>', '{"id":1,"amount":"x"}'],
    expected: [],
  },
  'is readable with 64 KiB of other fields': [
    { custom_fields: { balcao_reference: REFERENCE_ID, long: 'x'.repeat(65_536) } },
    [{ payment: { referenceId: REFERENCE_ID } }],
  ],
});

const page = operation<ProxypayFixture>('fake')({
  async 'has buttons that pay a reference and notify again'(fixture) {
    await fixture.register({ type: 'Charging', amountMinor: 0 });
    const { fake } = fixture;
    const findAndPress = async (id: string, action: string) => {
      const text = await (await fetch(fake.url)).text();
      assert.ok(text.includes(`value="${id}"`) && text.includes(`value="${action}"`));
      await fixture.press(id, action);
    };
    await findAndPress(DIGITS, 'pay 2500.00');
    const found = await fixture.findPayment();
    assert.equal(found?.amountMinor, 250_000);
    fake.book.notifyUrl = `${fake.url}/nobody`;
    await findAndPress(`payment ${found.providerRef}`, 'notify');
    assert.equal(fake.notices.length, 1);
  },
});

export const paymentCases = [
  payment,
  queue,
  queueFaults,
  acknowledgement,
  acknowledgementFaults,
  signature,
  notification,
  page,
].flat();
