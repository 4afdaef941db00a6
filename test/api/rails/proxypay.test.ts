// A merchant with a contract of ProxyPay, over HTTP with its fake: references under its own entity, and a queue that is emptied only
// of what is committed here.
import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { PPR } from '../../support/ppr.ts';
import { travelUntil } from '../../support/payments.ts';
import {
  countCalls,
  enterProxypay,
  openShop,
  readInbox,
  readPayment,
  untilApplied,
  type Shop,
} from '../../support/rail-stage.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const read = async (shop: Shop, digits: string) => (await shop.call(`${PPR}/${digits}`)).json;
const untilRead = (shop: Shop, digits: string, check: (found: any) => unknown, what: string) =>
  until(async () => {
    const found = await read(shop, digits);
    return check(found) && found;
  }, what);
const untilPaid = (shop: Shop, digits: string) => untilRead(shop, digits, ({ status }) => status === 'Paid', 'Paid');
const readTransactions = async (shop: Shop, { internalId }: { internalId: string }) =>
  (await readPayment(shop, internalId)).transactions;

/** Every test's entity is its own, as every merchant's is. */
let entities = 700;

/** A shop with an account, and a reference of 1500 that can be paid. */
async function openPayable(settings: Record<string, unknown> = {}) {
  const shop = await openShop(app, { entity: null });
  const entity = `00${++entities}`;
  const { fake, account } = await enterProxypay(shop, { entity, settings: { isExclusive: true, ...settings, entity } });
  const { json } = await shop.call(PPR, { body: { amount: 1500 } });
  const { reference } = await untilRead(
    shop,
    json.reference,
    ({ registeredAt }) => registeredAt,
    'the rail knowing it',
  );
  return { shop, fake, account, entity, reference, internalId: json.internalId as string };
}

/** How often a payment was taken off the queue, or tried to be. */
const countReceipts = (fake: Parameters<typeof countCalls>[0]) => countCalls(fake, 'DELETE', '/payments');

describe('a payment', () => {
  test('is recorded with its period, terminal and fee, and taken off the queue after that', async () => {
    const { shop, fake, reference, entity } = await openPayable();
    expect(fake.book.references.get(reference)).toMatchObject({ amount: '1500.00', endDay: '2026-04-02' });
    const release = await holdLock(app.databaseUrl, 'lock table events in exclusive mode');
    onTestFinished(release);
    const money = await fake.book.pay(reference, '1500.00');
    expect(fake.notices).toMatchObject([{ status: 200 }]);
    const isWritten = async () => (await countWaiting(app.databaseUrl, 'insert into events%')) > 0;
    await until(isWritten, 'it being written');
    expect([countReceipts(fake), fake.book.queue.size]).toEqual([0, 1]);
    await release();
    const paid = await untilPaid(shop, reference);
    expect(paid).toMatchObject({ entity, amountPaid: 1500 });
    await until(() => fake.book.queue.size === 0, 'it being taken off the queue');
    expect(await readTransactions(shop, paid)).toMatchObject([
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

  test('of which no webhook told is found in the queue', async () => {
    const { shop, fake, reference } = await openPayable();
    fake.book.notifyUrl = null;
    await fake.book.pay(reference, '1500.00');
    await travelUntil(app, async () => (await read(shop, reference)).status === 'Paid', 'Paid', 120_000);
    await until(() => fake.book.queue.size === 0, 'it being taken off the queue');
  });

  test.each(['drop_before', 'drop_after', 'error_before'] as const)(
    'whose acknowledgement was lost (%s) is acknowledged again, and recorded once',
    async (fault) => {
      const { shop, fake, account, reference } = await openPayable();
      fake.fault(fault, { method: 'DELETE', path: '/payments' });
      const money = await fake.book.pay(reference, '1500.00');
      const paid = await untilPaid(shop, reference);
      await until(() => countReceipts(fake) === 1, 'the acknowledgement being lost');
      await fake.book.notify(money);
      app.clock.leap(61_000);
      await travelUntil(app, () => fake.book.queue.size === 0, 'the queue being empty', 120_000);
      expect(await readTransactions(shop, paid)).toHaveLength(1);
      expect(await untilApplied(shop, account, 1)).toMatchObject([{ outcome: 'applied' }]);
    },
  );

  test('that comes after the withdrawal is late money', async () => {
    const { shop, fake, reference } = await openPayable();
    await shop.call(`${PPR}/${reference}/cancel`, { method: 'POST' });
    await until(() => !fake.book.references.has(reference), 'the withdrawal');
    await fake.book.pay(reference, '1500.00');
    const late = await untilPaid(shop, reference);
    expect(await readTransactions(shop, late)).toMatchObject([{ amount: 1500, late: true }]);
    await travelUntil(app, () => fake.book.queue.size === 0, 'the queue being empty', 120_000);
  });

  test('whose signature is wrong is refused, and nothing of it is kept', async () => {
    const { shop, fake, account, reference } = await openPayable();
    const [key] = [fake.book.apiKey];
    fake.book.notifyUrl = null;
    const money = await fake.book.pay(reference, '1500.00');
    const body = JSON.stringify(money);
    const sign = (secret: string) => ({ 'X-Signature': createHmac('sha256', secret).update(body).digest('hex') });
    await fake.notify(account.notificationUrl, body, sign('another key'));
    await fake.notify(account.notificationUrl, `${body} `, sign(key));
    await fake.notify(account.notificationUrl, body);
    expect(fake.notices.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await readInbox(shop, account)).toEqual([]);
    expect(await read(shop, reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
  });
});

describe('an account that names somebody else’s entity', () => {
  test('moves nothing of that one’s, and tells that one nothing', async () => {
    const victim = await openPayable();
    const shop = await openShop(app, { entity: null });
    const { fake, account } = await enterProxypay(shop, { entity: victim.entity });
    // It knows all there is to know, and signs with its own key.
    const { customFields } = victim.fake.book.references.get(victim.reference)!;
    fake.book.references.set(victim.reference, { amount: '1500.00', endDay: null, customFields });
    await fake.book.pay(victim.reference, '1500.00');
    const [stored] = await untilApplied(shop, account, 2);
    expect(stored).toMatchObject({ is_proven: true });
    const kept = (await readInbox(shop, account)).map(({ outcome }) => outcome);
    expect(kept).toEqual(['unknown_reference', 'unknown_reference']);
    expect(await read(victim.shop, victim.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
    const told = await app.sql(`select merchant_id from events where type = 'reference.unknown_paid'`);
    expect(told).toEqual([{ merchant_id: shop.merchantId }]);

    await fake.notify(victim.account.notificationUrl, ...signed(fake));
    expect(fake.notices.at(-1)).toMatchObject({ status: 401 });
    expect(await readInbox(victim.shop, victim.account)).toEqual([]);

    await victim.fake.book.pay(victim.reference, '1500.00');
    expect(await untilPaid(victim.shop, victim.reference)).toMatchObject({ amountPaid: 1500 });
  });

  const signed = (fake: Awaited<ReturnType<typeof enterProxypay>>['fake']) => {
    const { body } = fake.notices[0]!;
    const signature = createHmac('sha256', fake.book.apiKey).update(body).digest('hex');
    return [body, { 'X-Signature': signature }] as const;
  };
});

describe('the digits of an entity that others use too', () => {
  const RESERVED = 500;
  const countReserved = async ({ id }: { id: string }) =>
    (await app.sql('select count(*)::int as n from reserved_references where rail = $1', [id]))[0].n;
  const openShared = async () => {
    const shop = await openShop(app, { entity: null });
    const entity = `00${++entities}`;
    return { shop, ...(await enterProxypay(shop, { entity, settings: { isExclusive: false, entity } })) };
  };
  const createMany = (shop: Shop, count: number) =>
    shop.call(`${PPR}/bulk`, { body: { references: Array.from({ length: count }, () => ({ amount: 1500 })) } });
  const countReservations = (fake: Parameters<typeof countCalls>[0]) => countCalls(fake, 'POST', '/reference_ids');

  test('are reserved ahead, and the largest request makes no call for them', async () => {
    const { shop, fake, account } = await openShared();
    await travelUntil(app, async () => (await countReserved(account)) >= RESERVED, 'digits being ahead');
    const before = countReservations(fake);
    fake.fault(Promise.withResolvers<void>().promise, { method: 'POST', path: '/reference_ids', times: 1_000 });
    const { status, json } = await createMany(shop, RESERVED);
    expect(status).toBe(201);
    expect(new Set(json.data.map((one: any) => one.reference)).size).toBe(RESERVED);
    expect(json.data.every((one: any) => one.registeredAt === null)).toBe(true);
    // Four lanes reserve the next ones in the background, and their first calls are held back.
    expect(countReservations(fake) - before).toBeLessThanOrEqual(4);
  });

  test('are reserved in the background if too few are left, while the request gets 503', async () => {
    const { shop, fake } = await openShared();
    fake.fault(503, { method: 'POST', path: '/reference_ids', times: 1_000 });
    const { status, json, headers } = await createMany(shop, 40);
    expect([status, json.type]).toMatchObject([503, expect.stringContaining('rail_unavailable')]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
    // Its own calls would be at most one for ten references.
    expect(countReservations(fake)).toBeLessThanOrEqual(8);
  });

  test('are reused after a refused request', async () => {
    const { shop, account } = await openShared();
    await travelUntil(app, async () => (await countReserved(account)) >= RESERVED, 'digits being ahead');
    const read = () => app.sql('select reference from reserved_references where rail = $1 order by 1', [account.id]);
    const before = await read();
    const items = [{ amount: 1500 }, { amount: 1500, reference: '900000001' }];
    expect((await shop.call(PPR, { body: { amount: 1500, reference: '900000001' } })).status).toBe(201);
    expect((await shop.call(`${PPR}/bulk`, { body: { references: items } })).status).toBe(400);
    // The background may have reserved more.
    expect(await read()).toEqual(expect.arrayContaining(before));
  });
});

test('an entity that others use too has its numbers reserved, and leaves others’ payments in the queue', async () => {
  const { shop, fake, account, reference } = await openPayable({ isExclusive: false });
  expect(reference).toMatch(/^012345\d{3}$/);
  const foreign = await fake.book.pay('555555555', '20.00');
  await fake.book.pay(reference, '1500.00');
  await untilPaid(shop, reference);
  await until(() => fake.book.queue.size === 1, 'ours being taken off the queue');
  expect([...fake.book.queue.keys()]).toEqual([foreign.id]);
  app.clock.leap(61_000);
  const sweeps = countCalls(fake, 'GET', '/payments');
  await travelUntil(app, () => countCalls(fake, 'GET', '/payments') > sweeps, 'the queue being read', 120_000);
  expect([...fake.book.queue.keys()]).toEqual([foreign.id]);
  const kept = (await readInbox(shop, account)).filter(({ outcome }) => outcome === 'unknown_reference');
  expect(new Set(kept.map(({ body }) => body.includes('555555555')))).toEqual(new Set([true]));
});
