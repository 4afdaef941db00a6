// Cases of webhooks, which are hints, and of the rail statement, which lists the charges of a day.
import assert from 'node:assert/strict';
import { writeStatus } from '../../appypay-book.ts';
import { each, exactly, match, operation, uncertain } from '../../contract.ts';
import { NO_OBJECTS } from '../../faults.ts';
import type { FakeRequest } from '../../fake.ts';
import { addStatus, type AppyPayFixture, faultsOf, QUERIES } from './fixture.ts';

const HEADER = { name: 'X-Portal-Key', value: 'a-long-fixed-key' };
const BASIC = { name: 'AUTHORIZATION', value: 'Basic dXNlcjpwYXNz' };
const HINT = { notificationId: 'c1:100', about: 'hint' };
const attempt = { attemptId: null, railKey: 'k1', railOrderId: 'c1' };

const write = (changes: object = {}) =>
  JSON.stringify({
    id: 'c1',
    merchantTransactionId: 'k1',
    amount: 1500,
    reference: null,
    responseStatus: writeStatus(100),
    ...changes,
  });

/** Returns the webhooks that AppyPay's fake sends while `work` runs. */
const receive = (fixture: AppyPayFixture, work: () => Promise<unknown>): Promise<FakeRequest[]> =>
  fixture.receive((url) => {
    fixture.book.notifyUrl = url;
    return work();
  });

const readAll = (fixture: AppyPayFixture, arrivals: FakeRequest[]) =>
  arrivals.flatMap(({ body }) => fixture.read(body));

const header = operation<AppyPayFixture, object>('webhook', {
  call: (fixture, headers) => fixture.with({ secrets: { notificationHeader: HEADER } }).verify(headers),
})({
  'is a hint without a header in the secrets': { act: (fixture) => fixture.verify({}, ''), expected: 'hint' },
  'is only a hint with the header of the secrets': [{ 'x-portal-key': HEADER.value }, 'hint'],
  'is a hint with its header in capitals in the secrets': {
    act: (fixture) => fixture.with({ secrets: { notificationHeader: BASIC } }).verify({ authorization: BASIC.value }),
    expected: 'hint',
  },
  'is refused without the header, with another and with a part of it': [
    [
      {},
      { 'x-other-key': HEADER.value },
      ...each('x-portal-key', ['', 'a-long-fixed', `${HEADER.value} `, [HEADER.value, HEADER.value]]),
    ],
    'refused',
  ],
});

const reading = operation<AppyPayFixture, string>('webhook', { call: (fixture, body) => fixture.read(body) })({
  'of a push names it by our key and the rail’s id alone': [write(), [exactly({ ...HINT, attempt })]],
  'of a reference names its digits': [
    write({ reference: { referenceNumber: '012345678', dueDate: '2026-03-06', entity: '10116' } }),
    [exactly({ ...HINT, reference: '012345678' })],
  ],
  'with other texts or its code as text is the same notification': [
    [{ message: 'Ficheiro de compensação' }, { code: '100' }].map((changes) =>
      write({ responseStatus: { ...writeStatus(100), ...changes } }),
    ),
    [HINT],
  ],
  'differs by its code': [write({ responseStatus: writeStatus(231) }), [{ notificationId: 'c1:231' }]],
  'without an id is empty': [[...NO_OBJECTS, '{}', write({ id: null }), write({ id: 'x'.repeat(65) })], []],
  'with numeric digits names its attempt, also with an unknown code': [
    write({ reference: { referenceNumber: 12345678, entity: 10116 }, responseStatus: writeStatus(999) }),
    [{ notificationId: 'c1:999', attempt: { railOrderId: 'c1' } }],
  ],
});

const history = operation<AppyPayFixture>('webhook')({
  'is answered with exactly 200': ({ connector }) => assert.deepEqual(connector.reply, { status: 200, body: '' }),
  'of an approved push leads to the query that decides it, and a repeat is the same notification': async (fixture) => {
    await fixture.push();
    fixture.book.notifyHeader = HEADER;
    const arrivals = await receive(fixture, async () => {
      for (const action of ['approve', 'tell again']) await fixture.press(fixture.railOrderId!, action);
    });
    match(fixture.fake.notices, [{ status: 200 }, { status: 200 }]);
    const account = fixture.with({ secrets: { notificationHeader: HEADER } });
    assert.ok(arrivals.every(({ headers }) => account.verify(headers) === 'hint'));
    const [hint, again] = readAll(fixture, arrivals);
    assert.deepEqual(again, hint);
    match(hint, { attempt: { railKey: fixture.connector.keyOf?.(fixture.order.attemptId) } });
    match(await fixture.query(), { result: 'approved', amountMinor: 1500_00 });
  },
  'that arrives out of order changes nothing, since the query returns the decision': async (fixture) => {
    const id = await fixture.decide('approve');
    for (const code of [100, 101, 231]) {
      match(fixture.read(write({ id, responseStatus: writeStatus(code) })), [{ about: 'hint' }]);
      match(await fixture.query(), { result: 'approved' });
    }
  },
  'of a paid reference and the event of its clearing file are one payment': async (fixture) => {
    await fixture.register();
    const { id } = fixture.charge;
    const arrivals = await receive(fixture, async () => {
      for (const action of ['pay', 'clear']) await fixture.press(id, action);
    });
    assert.notDeepEqual(arrivals[0]?.body, arrivals[1]?.body);
    const hint = { notificationId: `${id}:100`, about: 'hint', reference: '123456789' };
    assert.deepEqual(readAll(fixture, arrivals), [hint, hint]);
    assert.equal((await fixture.queryReference()).payments.length, 1);
  },
  'of a scan names the code by our key': uncertain(async (fixture) => {
    const { railOrderId } = await fixture.createQrCode();
    const [hint] = readAll(fixture, await receive(fixture, () => fixture.press(railOrderId!, 'scan')));
    match(hint, {
      attempt: { railKey: fixture.connector.keyOf?.(fixture.code.attemptId), railOrderId: fixture.charge.id },
    });
  }),
});

const statement = operation<AppyPayFixture>('statement')({
  'has the approved charges of a day with our keys, and no period': uncertain(async (fixture) => {
    const { keyOf } = fixture.connector;
    const id = await fixture.decide('approve');
    const railKey = keyOf!(fixture.order.attemptId);
    for (const action of ['refuse', 'time out', 'fail']) await fixture.decide(action);
    await fixture.scan(1);
    const common = { kind: 'payment', ownId: null, currency: 'AOA', period: null, occurredAt: fixture.now };
    const code = { providerRef: fixture.charge.id, railKey: keyOf!(fixture.code.attemptId), amountMinor: 250_00 };
    const { movements, unreadable } = await fixture.readDay();
    assert.deepEqual(unreadable, []);
    assert.deepEqual(movements, [
      { ...common, providerRef: id, railKey, amountMinor: 1500_00 },
      { ...common, ...code },
    ]);
  }),
  'of pushes has no references, and of references no pushes': async (fixture) => {
    const push = await fixture.decide('approve');
    const reference = await fixture.pay();
    assert.deepEqual([(await fixture.readDay()).refs, (await fixture.readDay('ppr')).refs], [[push], [reference]]);
  },
  'requests one day more of pushes and 35 of references, since the rail’s day is undocumented': uncertain(
    async (fixture) => {
      for (const kind of ['gpo', 'ppr'] as const) await fixture.readDay(kind);
      const asked = fixture.requests.map(({ query }) => [query.get('dateFrom'), query.get('dateTo')].join());
      assert.deepEqual(asked, ['2026-03-01,2026-03-03', '2026-01-26,2026-03-03']);
    },
  ),
  'has every page, however short': async (fixture) => {
    const ids = [];
    for (let nth = 0; nth < 5; nth++) ids.push(await fixture.decide('approve'));
    fixture.book.pageSize = 2;
    assert.deepEqual((await fixture.readDay()).refs, ids);
  },
  'has the amount of a charge whose refund failed': uncertain(async (fixture) => {
    const id = await fixture.decide('approve');
    const event = fixture.charge.transactionEvents.at(-1)!;
    addStatus(fixture.charge, { code: 209, successful: false }, { ...event, type: 'Refund' });
    assert.deepEqual((await fixture.readDay()).refs, [id]);
    assert.equal(fixture.statement().listsRefunds, false);
  }),
  'has a charge with an unreadable amount or a contradicting event as unreadable': async (fixture) => {
    for (const _ of 'abc') await fixture.decide('approve');
    const [plain, second, third] = fixture.book.charges;
    second!.amount = '12,5';
    addStatus(third!, { code: 201, successful: false }, third!.transactionEvents.at(-1));
    const { refs, unreadable } = await fixture.readDay();
    assert.deepEqual([refs, unreadable.length], [[plain!.id], 2]);
  },
  'is unlisted without a request for a period that is no day': {
    act: (fixture) => fixture.statement().listMovements({ period: '156' }, null),
    expected: { result: 'unlisted' },
    wire: [],
  },
  'finds one charge, or that it is absent, or unknown': async (fixture) => {
    const find = (id: string) => fixture.statement().findMovement!(id);
    const refused = await fixture.decide('refuse');
    const paid = await fixture.decide('approve');
    match(await find(paid), { amountMinor: 1500_00 });
    assert.deepEqual([await find(refused), await find('no-such-charge')], [null, null]);
    fixture.charge.amount = 'x';
    assert.equal(await find(paid), 'unknown');
  },
});

const statementFaults = [
  ...faultsOf('statement', {
    where: QUERIES,
    call: (fixture) => fixture.statement().listMovements({ period: '2026-03-02' }, null),
    expected: () => ({ result: 'unknown', next: null }),
  }),
  ...faultsOf('statement of one charge', {
    setUp: (fixture) => fixture.decide('approve'),
    where: QUERIES,
    call: async (fixture) => ({ result: await fixture.statement().findMovement!(fixture.railOrderId!) }),
    expected: () => ({ result: 'unknown' }),
    instead: { 404: null },
  }),
];

export const notificationCases = [...header, ...reading, ...history, ...statement, ...statementFaults];
