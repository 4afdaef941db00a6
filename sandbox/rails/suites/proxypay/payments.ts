// Cases of payments: their fields, the queue with its acknowledgements, and notifications.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { cases, exactly, type Row } from '../../contract.ts';
import { wireCases } from '../../faults.ts';
import { START } from '../../fixture.ts';
import { API_KEY, DIGITS, ENTITY, OTHER_ID, REFERENCE_ID, type ProxypayFixture } from './fixture.ts';

type R = Row<ProxypayFixture>;
const UNKNOWN_QUEUE = { result: 'unknown', payments: [], unreadable: [], next: null };
/** A page with one readable payment. */
const one = (payment: unknown) => ({ result: 'told', payments: [payment], unreadable: [] });
/** A payment with these fields in the queue. */
const taken = (changes: object) => (fixture: ProxypayFixture) => fixture.take(changes);
const withoutZone = ({ book }: ProxypayFixture) => (book.style.hasZone = false);

const payment = cases<ProxypayFixture, unknown, object>(
  'payment',
  {
    call: (fixture) => fixture.list(),
    answer: async (fixture, changes) => {
      fixture.book.queue.clear();
      await fixture.take(changes);
    },
  },
  [
    {
      name: 'has its amount, time, terminal, fee, reference and receipt',
      answer: {},
      expected: ({ receipt }: ProxypayFixture) =>
        one(
          exactly({
            providerRef: receipt,
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
            receipt,
          }),
        ),
    },
    {
      name: 'regains the leading zeros that the rail’s integers lose',
      answer: async (fixture) => {
        const { reference_id, entity_id } = await fixture.take();
        assert.deepEqual([reference_id, entity_id], [12_345_678, 1234]);
      },
      expected: one({ reference: DIGITS, entity: ENTITY }),
    },
    {
      name: 'is equal if its integers are text',
      async run(fixture) {
        await fixture.take();
        const asNumbers = await fixture.listReadable();
        fixture.book.style.integersAsText = true;
        assert.deepEqual(await fixture.listReadable(), asNumbers);
      },
    },
    {
      name: 'has the exact amount and fee of numbers',
      answer: { amount: 3000.1, fee: 12.5 },
      expected: one({ amountMinor: 300_010, details: { fee: '12.5' } }),
    },
    {
      name: 'has one id with and without leading zeros',
      async run(fixture) {
        const { id } = await fixture.take();
        fixture.book.queue.set(0, await fixture.take({ id: `00${id}` }));
        const ids = new Set((await fixture.listReadable()).map(({ providerRef }) => providerRef));
        assert.deepEqual([...ids], [String(id)]);
      },
    },
    {
      name: 'has the time of a text with a zone',
      answers: ['2026-03-02T08:30:00Z', '2026-03-02T09:30:00+01:00', '2026-03-02T08:30:00.000000Z'].map((datetime) => ({
        datetime,
      })),
      expected: one({ occurredAt: new Date('2026-03-02T08:30:00.000Z'), details: { railTime: undefined } }),
    },
    {
      name: 'has the time of its arrival, and the rail’s text, if that has no zone',
      isUncertain: true,
      steps: [
        { answer: withoutZone },
        { call: (fixture) => fixture.take() },
        {
          passMs: 60_000,
          expected: (fixture: ProxypayFixture) =>
            one({ occurredAt: fixture.now, details: { railTime: '2026-03-02T10:00:00.000' } }),
        },
      ],
    },
    {
      name: 'has the time of its arrival if the rail gives none',
      isUncertain: true,
      answer: { datetime: null },
      expected: (fixture: ProxypayFixture) => one({ occurredAt: fixture.now }),
    },
    ...[1, -24].map((hours): R => ({
      name: `keeps the rail’s time although its clock is ${hours} hours off`,
      answer: { datetime: new Date(Date.parse(START) + hours * 3_600_000).toISOString() },
      expected: one({ occurredAt: new Date(Date.parse(START) + hours * 3_600_000) }),
    })),
    {
      name: 'has the paid amount, not the ordered one',
      answer: { amount: '2999.99' },
      expected: one({ amountMinor: 299_999 }),
    },
    {
      name: 'is separate from others to the same reference',
      async run(fixture) {
        await fixture.register({ type: 'Charging', amountMinor: 0 });
        for (const amount of ['100.00', '100.00', '250.00']) await fixture.pay(amount);
        const payments = await fixture.listReadable();
        assert.equal(new Set(payments.map(({ providerRef }) => providerRef)).size, 3);
        assert.deepEqual(
          payments.map(({ amountMinor, referenceId }) => [amountMinor, referenceId]),
          [100_00, 100_00, 250_00].map((minor) => [minor, REFERENCE_ID]),
        );
      },
    },
    {
      name: 'has no reference of ours without our id in its custom fields',
      answers: [{ balcao_reference: 'no-uuid' }, { other: OTHER_ID }, {}, null, 'text'].map((custom_fields) => ({
        custom_fields,
      })),
      expected: one({ referenceId: null, reference: DIGITS }),
    },
    {
      name: 'has our id in capitals too',
      answer: { custom_fields: { balcao_reference: REFERENCE_ID.toUpperCase() } },
      expected: one({ referenceId: REFERENCE_ID }),
    },
    {
      name: 'is readable with unknown terminals and fields, and with nulls',
      answer: { terminal_type: 'KIOSK', terminal_id: null, terminal_location: 'HUÍLA, SÉ', fee: null, news: [1] },
      expected: one({
        details: exactly({
          clearingPeriod: '2252',
          transactionNumber: '1',
          terminalType: 'KIOSK',
          terminalLocation: 'HUÍLA, SÉ',
        }),
      }),
    },
    {
      name: 'is kept as unreadable text with an invalid amount, id, reference or entity, and hides no other',
      answers: [
        ...[null, '3.000,00', '3000.001', '-3000.00', '0.00'].map((amount) => ({ amount })),
        ...['7b', null].map((id) => ({ id })),
        ...[1_234_567_890, null].map((reference_id) => ({ reference_id })),
        { entity_id: 123_456 },
      ].map((changes) => async (fixture: ProxypayFixture) => {
        fixture.book.queue.clear();
        fixture.book.lastId = 0;
        await fixture.take();
        await fixture.take(changes);
      }),
      expected: { payments: [{ providerRef: /^\d+1$/ }], unreadable: [/"transaction_id":"2"/], next: 'queue' },
    },
    {
      name: 'is kept as unreadable text if it is no object',
      answer: ({ book }) => [null, 'text', 7, []].forEach((entry, id) => book.queue.set(id, entry as never)),
      expected: { payments: [], unreadable: ['null', '"text"', '"7"', '[]'] },
    },
  ],
);

const queue = [
  ...cases<ProxypayFixture, unknown, object>('queue', { call: (fixture) => fixture.list() }, [
    {
      name: 'returns an empty list',
      expected: exactly({ result: 'told', payments: [], unreadable: [], next: 'queue' }),
    },
    {
      name: 'returns the payment of a reference with our id',
      isLive: true,
      async run(fixture) {
        await fixture.registerLive();
        assert.ok((await fixture.pay('3000.00')) < 300);
        const { order } = fixture;
        const found = await fixture.findPayment();
        const expected = [order.referenceId, 300_000, order.entity];
        assert.deepEqual([found?.referenceId, found?.amountMinor, found?.entity], expected);
        assert.match(found?.providerRef ?? '', /^\d{1,12}$/);
      },
    },
    {
      name: 'is read twice by a reader that follows `next`, without a query string',
      async run(fixture) {
        await fixture.take();
        let [cursor, reads]: [string | null, number] = [null, 0];
        for (let isMore = true; isMore && reads < 10; reads++) {
          const { next }: { next: string | null } = await fixture.rail.listPayments(cursor);
          isMore = next !== null && next !== cursor;
          cursor = next;
        }
        assert.equal(reads, 2);
        assert.deepEqual(
          fixture.requests.map(({ query }) => query.size),
          [0, 0, 0],
        );
      },
    },
    {
      name: 'returns a payment again until its acknowledgement',
      async run(fixture) {
        await fixture.take();
        assert.deepEqual(await fixture.listReadable(), await fixture.listReadable());
      },
    },
    {
      name: 'returns more than 64 KiB',
      async run(fixture) {
        const { book } = fixture;
        for (let paid = 0; paid < 200; paid++) await book.pay(DIGITS, '100.00');
        assert.ok(JSON.stringify([...book.queue.values()]).length > 65_536);
        assert.equal(new Set((await fixture.listReadable()).map(({ providerRef }) => providerRef)).size, 200);
      },
    },
    {
      name: 'returns the oldest payment first',
      answer: async ({ book }) => {
        for (const hour of [7, 5, 6])
          await book.pay(DIGITS, `${hour}.00`, { datetime: `2026-03-02T0${hour}:00:00+01:00` });
      },
      expected: { payments: [500, 600, 700].map((amountMinor) => ({ amountMinor })) },
    },
    {
      name: 'is unknown for an answer that is no list',
      answers: [
        { status: 503, body: [] },
        { status: 200, body: {} },
        { status: 200, body: { payments: [] } },
      ].map(
        (onlyAnswer) =>
          ({ book }: ProxypayFixture) =>
            (book.onlyAnswer = onlyAnswer),
      ),
      expected: UNKNOWN_QUEUE,
    },
  ]),
  ...wireCases<ProxypayFixture>('queue', {
    setUp: (fixture) => fixture.take(),
    call: (fixture) => fixture.list(),
    where: { path: '/payments' },
    expected: () => UNKNOWN_QUEUE,
    after: async (fixture) => assert.equal((await fixture.listReadable()).length, 1),
  }),
];

const acknowledgement = [
  ...cases<ProxypayFixture, string>(
    'acknowledgement',
    { call: (fixture, receipt) => fixture.acknowledge(receipt), where: { method: 'DELETE' } },
    [
      {
        name: 'returns true for 204, after which the queue omits the payment',
        isLive: true,
        async run(fixture) {
          await fixture.registerLive();
          await fixture.pay('3000.00');
          const { receipt } = (await fixture.findPayment()) ?? {};
          assert.deepEqual(await fixture.acknowledge(receipt ?? ''), { result: true });
          assert.equal(await fixture.findPayment(), undefined);
        },
      },
      {
        name: 'is one DELETE that removes this payment alone',
        async run(fixture) {
          const [{ id }, other] = [await fixture.take(), await fixture.take()];
          await fixture.acknowledge(String(id));
          assert.equal(fixture.calls.at(-1), `DELETE /payments/${id}`);
          assert.deepEqual([...fixture.book.queue.keys()], [other.id]);
        },
      },
      {
        name: 'returns true for the 404 of a payment that is acknowledged already',
        steps: [{ answer: taken({}), expected: { result: true } }, { expected: { result: true } }],
      },
      {
        name: 'returns false for 200 instead of 204, and true after a repetition',
        steps: [{ answer: taken({}), fault: 200, expected: { result: false } }, { expected: { result: true } }],
      },
      {
        name: 'returns false for a receipt that is no number, without a request',
        requests: ['', '../references/012345678', '1/2'],
        expected: { result: false },
        wire: [],
      },
      {
        name: 'is never part of another call',
        async run(fixture) {
          const paid = await fixture.take();
          await fixture.list();
          await fixture.probe();
          fixture.notified(fixture.book.sign(paid).body);
          await fixture.withdraw();
          assert.equal(fixture.book.queue.size, 1);
        },
      },
      {
        name: 'is possible in a shared entity only for payments that name our reference',
        async run(fixture) {
          await fixture.take();
          await fixture.book.pay('111222333', '10.00', { custom_fields: { order: '77' } });
          const readTypes = async (reader: ProxypayFixture) =>
            (await reader.list()).payments.map(({ receipt }) => typeof receipt).sort();
          const shared = fixture.with({ settings: { isExclusive: false } });
          assert.deepEqual(await readTypes(shared), ['object', 'string']);
          assert.deepEqual(await readTypes(fixture), ['string', 'string']);
        },
      },
    ],
  ),
  ...wireCases<ProxypayFixture>('acknowledgement', {
    setUp: (fixture) => fixture.take(),
    call: (fixture) => fixture.acknowledge(),
    where: { method: 'DELETE' },
    countEffects: ({ book }) => -book.queue.size,
    expected: () => ({ result: false }),
    instead: { 404: { result: true }, garbage: null, oversize: null },
    async after(fixture) {
      assert.deepEqual(await fixture.acknowledge(), { result: true });
      assert.equal(fixture.book.queue.size, 0);
    },
  }),
];

const sign = (body: string, algorithm = 'sha256', key = API_KEY) =>
  createHmac(algorithm, key).update(body).digest('hex');
const body = '{"id":225200000001}';

const signature = cases<ProxypayFixture, string | undefined>(
  'signature',
  { call: (fixture, header) => fixture.verify(header === undefined ? {} : { 'x-signature': header }, body) },
  [
    {
      name: 'is proven as the HMAC-SHA256 of the body with the API key, in lower-case hex',
      isUncertain: true,
      async run(fixture) {
        const { body: text, headers } = fixture.book.sign(await fixture.take());
        assert.equal(headers['X-Signature'], sign(text));
        assert.equal(fixture.verify({ 'x-signature': sign(text) }, text), 'proven');
      },
    },
    ...(
      [
        ['it is missing', undefined],
        ['it is empty', ''],
        ['it has another key', sign(body, 'sha256', 'another')],
        ['it is about another body', sign(`${body} `)],
        ['it is SHA-512', sign(body, 'sha512')],
        ['it is in capitals', sign(body).toUpperCase()],
        ['it is cut', sign(body).slice(0, 63)],
        ['it has a prefix', `sha256=${sign(body)}`],
        ['it is no ASCII', 'é'.repeat(64)],
      ] as const
    ).map(([what, request]): R => ({ name: `is refused if ${what}`, request, expected: 'refused' })),
    {
      name: 'covers bytes that are no text',
      run(fixture) {
        const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
        const headers = { 'x-signature': createHmac('sha256', API_KEY).update(bytes).digest('hex') };
        assert.equal(fixture.verify(headers, bytes), 'proven');
        assert.equal(fixture.verify(headers, bytes.toString('utf8')), 'refused');
      },
    },
  ],
);

/** The notification of a payment with these fields. */
const notice = async (fixture: ProxypayFixture, changes: object = {}) =>
  fixture.book.sign(await fixture.take(changes)).body;
const news = (changes?: object) => async (fixture: ProxypayFixture) => fixture.notified(await notice(fixture, changes));
const HINT = [{ about: 'hint', reference: DIGITS }];

const notification = cases<ProxypayFixture, string>(
  'notification',
  { call: (fixture, text) => fixture.notified(text) },
  [
    {
      name: 'is proven as it arrives, and equals the payment of the queue',
      run: (fixture) =>
        fixture.receive(async (url, arrivals) => {
          fixture.book.notifyUrl = url;
          await fixture.register();
          await fixture.pay('3000.00');
          const [arrival] = arrivals;
          assert.ok(arrival);
          assert.equal(fixture.verify(arrival.headers, arrival.body), 'proven');
          const found = await fixture.findPayment();
          const notificationId = `payment ${found?.providerRef}`;
          const expected = [{ notificationId, about: 'reference', payment: found }];
          assert.deepEqual(fixture.notified(arrival.body.toString()), expected);
          assert.deepEqual([found?.referenceId, found?.receipt], [REFERENCE_ID, found?.providerRef]);
        }),
    },
    {
      name: 'has the same id if it is repeated, also after the acknowledgement',
      run: (fixture) =>
        fixture.receive(async (url, arrivals) => {
          Object.assign(fixture.book, { notifyUrl: url, noticesEach: 2 });
          const paid = await fixture.book.pay(DIGITS, '3000.00');
          await fixture.acknowledge(String(paid.id));
          await fixture.book.notify(paid);
          const read = arrivals.map((arrival) => JSON.stringify(fixture.notified(arrival.body.toString())));
          assert.deepEqual([read.length, new Set(read).size], [3, 1]);
        }),
    },
    {
      name: 'is enough without the queue, and can still be acknowledged',
      isUncertain: true,
      async run(fixture) {
        const text = await notice(fixture);
        fixture.book.queue.clear();
        assert.deepEqual(await fixture.listReadable(), []);
        const [read] = fixture.notified(text);
        assert.ok(read?.about === 'reference');
        assert.deepEqual([read.payment.amountMinor, read.payment.referenceId], [300_000, REFERENCE_ID]);
        assert.deepEqual(await fixture.acknowledge(read.payment.receipt ?? ''), { result: true });
      },
    },
    {
      name: 'is independent of the order of arrival',
      async run(fixture) {
        const texts = [await notice(fixture), await notice(fixture, { amount: '1.00' })];
        const readIds = (bodies: string[]) =>
          bodies.flatMap((text) => fixture.notified(text)).map(({ notificationId }) => notificationId);
        assert.deepEqual(readIds(texts.toReversed()), readIds(texts).toReversed());
        assert.equal(new Set(readIds(texts)).size, 2);
      },
    },
    {
      name: 'is equal if its integers are text',
      async run(fixture) {
        const paid = await fixture.take();
        const asNumbers = fixture.notified(fixture.book.sign(paid).body);
        fixture.book.style.integersAsText = true;
        assert.deepEqual(fixture.notified(fixture.book.sign(paid).body), asNumbers);
        assert.equal(asNumbers.length, 1);
      },
    },
    {
      name: 'has the time of its arrival, and the rail’s text, if that has no zone',
      isUncertain: true,
      answer: withoutZone,
      call: news(),
      expected: [{ payment: { occurredAt: new Date(START), details: { railTime: '2026-03-02T10:00:00.000' } } }],
    },
    {
      name: 'is a hint without a time and an arrival',
      isUncertain: true,
      answer: withoutZone,
      call: async (fixture) => fixture.notified(await notice(fixture), 'proven', null),
      expected: HINT,
    },
    {
      name: 'is a hint if it is not proven',
      call: async (fixture) => fixture.notified(await notice(fixture), 'hint'),
      expected: HINT,
    },
    {
      name: 'has no receipt if it names no reference of ours',
      call: news({ custom_fields: {} }),
      expected: [{ about: 'reference', payment: { receipt: null, referenceId: null } }],
    },
    {
      name: 'is empty for a body without a payment',
      requests: ['', 'null', '7', '[]', '{}', '<html>', '{"id":1,"amount":"x"}'],
      expected: [],
    },
    {
      name: 'is readable with 64 KiB of unknown fields',
      call: news({ custom_fields: { balcao_reference: REFERENCE_ID, long: 'x'.repeat(65_536) } }),
      expected: [{ payment: { referenceId: REFERENCE_ID } }],
    },
  ],
);

const page = cases<ProxypayFixture>('page', {}, [
  {
    name: 'of the fake has buttons that pay a reference and notify again',
    async run(fixture) {
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
  },
]);

export const paymentCases = [...payment, ...queue, ...acknowledgement, ...signature, ...notification, ...page];
