// ProxyPay behind a complete gateway. The contract suite tests the connector alone.
import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { PPR } from '../../support/ppr.ts';
import { travelUntil } from '../../support/payments.ts';
import { startProxy } from '../../support/proxy.ts';
import {
  countCalls,
  enterProxypay,
  openMerchant,
  openProxypay,
  readInbox,
  untilApplied,
  type Merchant,
} from '../../support/rail-accounts.ts';
import { readPayment } from '../../support/notify.ts';
import { stopLater } from '../../support/stop-later.ts';

const TIMEOUT_S = 40;
/** The lease of a call is the timeout of the rail plus 5 s. */
const LEASE_MS = (TIMEOUT_S + 5) * 1_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { PPR_TIMEOUT_S: String(TIMEOUT_S) } });
});

const read = async (merchant: Merchant, digits: string) => (await merchant.call(`${PPR}/${digits}`)).json;
const untilRead = (merchant: Merchant, digits: string, check: (found: any) => unknown, what: string) =>
  until(async () => {
    const found = await read(merchant, digits);
    return check(found) && found;
  }, what);
const untilPaid = (merchant: Merchant, digits: string) =>
  untilRead(merchant, digits, ({ status }) => status === 'Paid', 'Paid');
const readTransactions = async (merchant: Merchant, { internalId }: { internalId: string }) =>
  (await readPayment(merchant, internalId)).transactions;

/** Each test uses another entity, because an entity belongs to one merchant. */
let entities = 700;

async function proxypayFixture(isExclusive = true) {
  const merchant = await openMerchant(app, { entity: null });
  const entity = `00${++entities}`;
  return { merchant, entity, ...(await enterProxypay(merchant, { entity, settings: { isExclusive, entity } })) };
}
type Fake = Awaited<ReturnType<typeof proxypayFixture>>['fake'];

/** Creates a rail account and a registered reference over 1500. */
async function payableFixture(isExclusive = true) {
  const fixture = await proxypayFixture(isExclusive);
  const { json } = await fixture.merchant.call(PPR, { body: { amount: 1500 } });
  const isKnown = ({ registeredAt }: any) => registeredAt;
  const { reference } = await untilRead(fixture.merchant, json.reference, isKnown, 'the registration');
  return { ...fixture, reference: reference as string, internalId: json.internalId as string };
}

/** Returns the requests by which the gateway acknowledges a payment, which removes it from the queue. */
const countReceipts = (fake: Fake) => countCalls(fake, 'DELETE', '/payments');
const isQueueEmpty =
  ({ book }: Fake) =>
  () =>
    book.queue.size === 0;

describe("a payment in ProxyPay's queue", () => {
  test('is committed with its period, terminal and fee before the gateway acknowledges it', async () => {
    const { merchant, fake, reference, entity } = await payableFixture();
    expect(fake.book.references.get(reference)).toMatchObject({ amount: '1500.00', endDay: '2026-04-02' });
    const release = await holdLock(app.databaseUrl, 'lock table events in exclusive mode');
    onTestFinished(release);
    const money = await fake.book.pay(reference, '1500.00');
    expect(fake.notices).toMatchObject([{ status: 200 }]);
    const isWriting = async () => (await countWaiting(app.databaseUrl, 'insert into events%')) > 0;
    await until(isWriting, 'the insert');
    expect([countReceipts(fake), fake.book.queue.size]).toEqual([0, 1]);
    await release();
    const paid = await untilPaid(merchant, reference);
    expect(paid).toMatchObject({ entity, amountPaid: 1500 });
    await until(isQueueEmpty(fake), 'the empty queue');
    expect(await readTransactions(merchant, paid)).toMatchObject([
      {
        amount: 1500,
        occurredAt: '2026-03-02T09:00:00.000Z',
        clearingPeriod: String(money.period_id),
        transactionNumber: String(money.transaction_id),
        terminalType: 'ATM',
        terminalId: '0000054321',
        fee: '50.00',
      },
    ]);
  });

  test('is recorded from the queue if no notification arrives', async () => {
    const { merchant, fake, reference } = await payableFixture();
    fake.book.notifyUrl = null;
    await fake.book.pay(reference, '1500.00');
    await travelUntil(app, async () => (await read(merchant, reference)).status === 'Paid', 'Paid', 120_000);
    await until(isQueueEmpty(fake), 'the empty queue');
  });

  test.each(['drop_before', 'drop_after'] as const)(
    'is recorded once although its acknowledgement fails with %s and is repeated',
    async (fault) => {
      const { merchant, fake, account, reference } = await payableFixture();
      fake.fault(fault, { method: 'DELETE', path: '/payments' });
      const money = await fake.book.pay(reference, '1500.00');
      const paid = await untilPaid(merchant, reference);
      await until(() => countReceipts(fake) === 1, 'the lost acknowledgement');
      await fake.book.notify(money);
      app.clock.leap(61_000);
      await travelUntil(app, isQueueEmpty(fake), 'the empty queue', 120_000);
      expect(await readTransactions(merchant, paid)).toHaveLength(1);
      expect(await untilApplied(merchant, account, 1)).toMatchObject([{ outcome: 'applied' }]);
    },
  );

  test('is late money if its reference was withdrawn before', async () => {
    const { merchant, fake, reference } = await payableFixture();
    await merchant.call(`${PPR}/${reference}/cancel`, { method: 'POST' });
    await until(() => !fake.book.references.has(reference), 'the withdrawal');
    await fake.book.pay(reference, '1500.00');
    const late = await untilPaid(merchant, reference);
    expect(await readTransactions(merchant, late)).toMatchObject([{ amount: 1500, late: true }]);
    await travelUntil(app, isQueueEmpty(fake), 'the empty queue', 120_000);
  });

  test('is not stored by a notification with a wrong signature, which gets 401', async () => {
    const { merchant, fake, account, reference } = await payableFixture();
    fake.book.notifyUrl = null;
    const body = JSON.stringify(await fake.book.pay(reference, '1500.00'));
    const sign = (key: string) => ({ 'X-Signature': createHmac('sha256', key).update(body).digest('hex') });
    await fake.notify(account.notificationUrl, body, sign('another key'));
    await fake.notify(account.notificationUrl, `${body} `, sign(fake.book.apiKey));
    await fake.notify(account.notificationUrl, body);
    expect(fake.notices.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await readInbox(merchant, account)).toEqual([]);
    expect(await read(merchant, reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
  });
});

test('a rail account with another merchant’s entity cannot record money for that merchant', async () => {
  const victim = await payableFixture();
  const merchant = await openMerchant(app, { entity: null });
  const { fake, account } = await enterProxypay(merchant, { entity: victim.entity, apiKey: 'key-of-another-merchant' });
  // The forged notification has all fields of the reference and the signature of another key.
  const { customFields } = victim.fake.book.references.get(victim.reference)!;
  fake.book.references.set(victim.reference, { amount: '1500.00', endDay: null, customFields });
  const money = await fake.book.pay(victim.reference, '1500.00');
  const stored = await untilApplied(merchant, account, 2);
  expect(stored[0]).toMatchObject({ is_proven: true });
  expect(stored.map(({ outcome }) => outcome)).toEqual(['unknown_reference', 'unknown_reference']);
  expect(await read(victim.merchant, victim.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
  const events = await app.sql(`select merchant_id from events where type = 'reference.unknown_paid'`);
  expect(events).toEqual([{ merchant_id: merchant.merchantId }]);
  const { body, headers } = fake.book.sign(money);
  await fake.notify(victim.account.notificationUrl, body, headers);
  expect(fake.notices.at(-1)).toMatchObject({ status: 401 });
  expect(await readInbox(victim.merchant, victim.account)).toEqual([]);
  await victim.fake.book.pay(victim.reference, '1500.00');
  expect(await untilPaid(victim.merchant, victim.reference)).toMatchObject({ amountPaid: 1500 });
});

describe('an entity that several systems share', () => {
  const RESERVED = 500;
  const readReserved = ({ id }: { id: string }) =>
    app.sql('select reference from reserved_references where rail = $1 order by 1', [id]);
  const untilReserved = (account: { id: string }) =>
    travelUntil(app, async () => (await readReserved(account)).length >= RESERVED, 'the reserve');
  const createMany = (merchant: Merchant, references: object[]) =>
    merchant.call(`${PPR}/bulk`, { body: { references } });
  const countReservations = (fake: Fake) => countCalls(fake, 'POST', '/reference_ids');
  const repeat = (count: number) => Array.from({ length: count }, () => ({ amount: 1500 }));

  test('has digits reserved in advance, so that the largest request needs no call for digits', async () => {
    const { merchant, fake, account } = await proxypayFixture(false);
    await untilReserved(account);
    const before = countReservations(fake);
    fake.fault(Promise.withResolvers<void>().promise, { method: 'POST', path: '/reference_ids', times: 1_000 });
    const { status, json } = await createMany(merchant, repeat(RESERVED));
    expect(status).toBe(201);
    expect(new Set(json.data.map((one: any) => one.reference)).size).toBe(RESERVED);
    expect(json.data.every((one: any) => one.registeredAt === null)).toBe(true);
    // Four background tasks reserve more digits, and the fake rail holds their first calls.
    expect(countReservations(fake) - before).toBeLessThanOrEqual(4);
  });

  test('returns 503 if too few digits are reserved, and reserves more in the background', async () => {
    const { merchant, fake } = await proxypayFixture(false);
    fake.fault(503, { method: 'POST', path: '/reference_ids', times: 1_000 });
    const { status, json, headers } = await createMany(merchant, repeat(40));
    expect([status, json.type]).toMatchObject([503, expect.stringContaining('rail_unavailable')]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
    // Each request makes at most one call, which reserves digits for ten references.
    expect(countReservations(fake)).toBeLessThanOrEqual(8);
  });

  test('keeps the reserved digits of a refused request for later references', async () => {
    const { merchant, account } = await proxypayFixture(false);
    await untilReserved(account);
    const before = await readReserved(account);
    const taken = { amount: 1500, reference: '900000001' };
    expect((await merchant.call(PPR, { body: taken })).status).toBe(201);
    expect((await createMany(merchant, [{ amount: 1500 }, taken])).status).toBe(400);
    // The background tasks may have reserved more digits since the request.
    expect(await readReserved(account)).toEqual(expect.arrayContaining(before));
  });

  test("leaves payments of other systems in ProxyPay's queue", async () => {
    const { merchant, fake, account, reference } = await payableFixture(false);
    expect(reference).toMatch(/^012345\d{3}$/);
    const foreign = await fake.book.pay('555555555', '20.00');
    await fake.book.pay(reference, '1500.00');
    await untilPaid(merchant, reference);
    await until(() => fake.book.queue.size === 1, 'our payment leaving the queue');
    expect([...fake.book.queue.keys()]).toEqual([foreign.id]);
    app.clock.leap(61_000);
    const sweeps = countCalls(fake, 'GET', '/payments');
    await travelUntil(app, () => countCalls(fake, 'GET', '/payments') > sweeps, 'the queue being read', 120_000);
    expect([...fake.book.queue.keys()]).toEqual([foreign.id]);
    const kept = (await readInbox(merchant, account)).filter(({ outcome }) => outcome === 'unknown_reference');
    expect(new Set(kept.map(({ body }) => body.includes('555555555')))).toEqual(new Set([true]));
  });
});

/** ProxyPay identifies a reference only by its digits, so a late registration makes withdrawn digits payable again. */
describe('a registration that arrives late at ProxyPay', () => {
  const PUT = { method: 'PUT', path: '/references' };
  type Fixture = Awaited<ReturnType<typeof lateFixture>>;
  type Made = { internalId: string; reference: string };

  /** Creates a rail account behind a proxy that can hold calls. When it returns, no call is in progress. */
  async function lateFixture() {
    const merchant = await openMerchant(app, { entity: null });
    const entity = `00${++entities}`;
    const { fake } = await openProxypay(app.clock, { entity });
    const calls = stopLater(await startProxy(() => fake.url));
    await enterProxypay(merchant, { fake, entity, settings: { baseUrl: calls.url } });
    // After the creation, the gateway reads the queue until two responses are equal.
    await travelUntil(app, () => countCalls(fake, 'GET', '/payments') > 1, 'the queue being read');
    return { merchant, fake, calls };
  }

  /** Holds the call to ProxyPay that `work` causes. */
  async function holdCall({ calls }: Fixture, work: () => Promise<unknown>): Promise<void> {
    calls.holdAt('request');
    await work();
    await until(() => calls.held() === 1, 'the held call');
    calls.holdAt(null);
  }

  /** Releases the held registration and waits until ProxyPay has received it. */
  async function arrive({ fake, calls }: Fixture): Promise<void> {
    const seen = countCalls(fake, PUT.method, PUT.path);
    calls.release();
    await until(() => countCalls(fake, PUT.method, PUT.path) > seen, 'the registration arriving');
  }

  async function create({ merchant }: Fixture, reference?: string): Promise<Made> {
    const { status, text, json } = await merchant.call(PPR, {
      body: { amount: 1500, ...(reference && { reference }) },
    });
    expect(status, text).toBe(201);
    return json;
  }

  const cancel = ({ merchant }: Fixture, { reference }: Made) =>
    merchant.call(`${PPR}/${reference}/cancel`, { method: 'POST' });
  const readRow = async ({ internalId }: Made) =>
    (await app.sql('select * from payment_references where payment_id = $1', [internalId]))[0];
  const isWithdrawn = async (made: Made) => (await readRow(made)).withdrawn_at !== null;
  const countWithdrawals = ({ fake }: Fixture) => countCalls(fake, 'DELETE', '/references');

  /** Pays and withdraws a reference while the proxy holds the second call of its registration. */
  async function payWhileRepeated(fixture: Fixture): Promise<Made> {
    const { fake, calls } = fixture;
    fake.fault('drop_after', PUT);
    const made = await create(fixture);
    await until(() => fake.book.references.has(made.reference), 'the registration');
    await holdCall(fixture, () => travelUntil(app, () => calls.held() === 1, 'the repeated registration'));
    await fake.book.pay(made.reference, '1500.00');
    await until(() => !fake.book.references.has(made.reference), 'the withdrawal');
    return made;
  }

  test('is withdrawn after its response if the reference is already paid', async () => {
    const fixture = await lateFixture();
    const { reference } = await payWhileRepeated(fixture);
    await arrive(fixture);
    await until(() => countWithdrawals(fixture) === 2, 'the second withdrawal');
    expect(fixture.fake.book.references.has(reference)).toBe(false);
  });

  test('without a response is withdrawn at the end of its lease, and writes one event', async () => {
    const fixture = await lateFixture();
    const made = await payWhileRepeated(fixture);
    const closedAt = app.clock.now().getTime();
    fixture.fake.fault('drop_after', PUT);
    await arrive(fixture);
    await until(() => fixture.fake.book.references.has(made.reference), 'the revived reference');
    await travelUntil(app, () => isWithdrawn(made), 'the withdrawal');
    expect(fixture.fake.book.references.has(made.reference)).toBe(false);
    expect(app.clock.now().getTime() - closedAt).toBeGreaterThanOrEqual(LEASE_MS);
    const withdrawn = `select from events where payment_id = $1 and type = 'reference.withdrawn'`;
    expect(await app.sql(withdrawn, [made.internalId])).toHaveLength(1);
    const money = { status: 'Paid', amountPaid: 1500, transactions: [{ amount: 1500 }] };
    expect(await readPayment(fixture.merchant, made.internalId)).toMatchObject(money);
  });

  test('reserves the digits until its lease ends, so that no new reference gets them', async () => {
    const fixture = await lateFixture();
    const digits = '012000001';
    let first = { internalId: '', reference: digits };
    await holdCall(fixture, async () => (first = await create(fixture, digits)));
    expect((await cancel(fixture, first)).status).toBe(200);
    await until(() => countWithdrawals(fixture) === 1, 'the withdrawal');
    const next = await create(fixture, digits);
    await until(async () => (await readRow(next)).rail_fault === 'REFERENCE_TAKEN', 'the next reference waiting');
    await arrive(fixture);
    await travelUntil(app, async () => (await readRow(next)).registered_at, 'the next registration');
    const { customFields } = fixture.fake.book.references.get(digits)!;
    expect(customFields['balcao_reference']).toBe((await readRow(next)).id);
    expect(await isWithdrawn(first)).toBe(true);
    await fixture.fake.book.pay(digits, '1500.00');
    await until(async () => (await readPayment(fixture.merchant, next.internalId)).status === 'Paid', 'Paid');
  });

  test('cannot happen after the lease, so that one withdrawal is enough', async () => {
    const fixture = await lateFixture();
    const made = await create(fixture);
    await until(async () => (await readRow(made)).registered_at, 'the registration');
    app.clock.leap(LEASE_MS);
    expect((await cancel(fixture, made)).status).toBe(200);
    await until(() => isWithdrawn(made), 'the withdrawal');
    expect(countWithdrawals(fixture)).toBe(1);
  });
});
