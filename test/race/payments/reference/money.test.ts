import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTwinsBehind, until, type TestApp } from '../../../support/app.ts';
import { expectCash, startProxiedRail, travelToRest, type ProxiedRail } from '../../../support/cashbook.ts';
import { untilDatabaseRests } from '../../../support/idle.ts';
import { countWaiting, holdLock, listWaiting } from '../../../support/locks.ts';
import { creepUntil, travelUntil } from '../../../support/payments.ts';
import {
  cancel,
  createReference,
  readReference,
  readSteps,
  sendPprNotification,
  untilReference,
  pprNotificationBody,
} from '../../../support/ppr.ts';
import { referenceOrder, type Digits, type RailPayment } from '../../../support/references.ts';
import { expectTakingsAgree } from '../../../support/lists.ts';
import { MINUTE_MS } from '../../../../shared/durations.ts';

let app: TestApp;
let twin: TestApp;
let rail: ProxiedRail;
beforeAll(async () => {
  ({ app, twin, rail } = await startTwinsBehind(startProxiedRail));
  await Promise.all([app.token(), twin.token()]);
});
afterEach(async () => {
  await travelToRest(app, rail);
  await expectCash(app.sql, await rail.books());
  await expectTakingsAgree(app);
});

/** Creates a registered reference. The clock moves slowly, because a failed registration is retried later. */
async function createPayable(on: TestApp, changes: Record<string, unknown> = {}): Promise<any> {
  const { reference } = await createReference(on, changes);
  const isKnown = async () => {
    const found = await readReference(on, reference);
    return found.registeredAt && found;
  };
  return creepUntil(on, isKnown, `the rail knowing ${reference}`, 1);
}

const nodeOf = (nth: number) => (nth % 2 ? twin : app);
const times = <T>(count: number, make: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => make(nth)));
const inFive = () => ({ expiryDate: new Date(app.clock.now().getTime() + 5 * MINUTE_MS).toISOString() });
/** Moves the clock to a second before the expiry. Creations of references have moved it a little. */
const passToLastSecond = ({ expiryDate }: { expiryDate: string }) =>
  app.clock.pass(Date.parse(expiryDate) - app.clock.now().getTime() - 1_000);
const sync = (node: TestApp, { internalId }: any) => node.call(`/api/payments/${internalId}/sync`, { method: 'POST' });
const countWaits = (text: string) => countWaiting(app.databaseUrl, text);
const EVENT = 'insert into%events';
/** PostgreSQL shows only the beginning of the waiting statement. */
const PAYMENT = 'select payments.id%';

/** Pays each reference at the rail, while a proxy holds the rail's notifications. */
async function payUntold(made: any[], paying: object = {}): Promise<void> {
  const before = rail.notifications.seen.length;
  rail.notifications.holdAt('request');
  for (const { entity, reference } of made) expect((await rail.pay({ entity, reference }, paying)).status).toBe(201);
  // The rail may also repeat a notification of an earlier test.
  const isOurs = ({ body }: { body: string }) => made.some(({ reference }) => body.includes(reference));
  await until(() => rail.notifications.seen.slice(before).filter(isOurs).length >= made.length, 'the notification');
  rail.notifications.holdAt(null);
}

/** Expects that the reference is Paid, and that it is late only if it had ended before. */
async function expectPaid({ reference }: any, ended: 'reference.canceled' | 'reference.expired'): Promise<void> {
  const found = await readReference(app, reference);
  expect(found).toMatchObject({ status: 'Paid', referenceStatus: 'Paid', amountPaid: 1500, flags: [] });
  const steps = await readSteps(app, reference);
  const { json } = await app.call(`/api/payments/${found.internalId}`);
  expect(json.transactions).toMatchObject([{ amount: 1500, late: steps.includes(ended) }]);
  expect(steps.filter((type) => type === 'payment.paid')).toHaveLength(1);
}

describe('a cancel of a reference', () => {
  test('and a concurrent notification of money return 200 or 409 and record the money', async () => {
    const made = await times(10, () => createPayable(app));
    await payUntold(made);
    rail.notifications.release();
    const replies = await times(10, (nth) => cancel(nodeOf(nth), made[nth].reference));
    await travelToRest(app, rail);
    for (const [nth, one] of made.entries()) {
      await expectPaid(one, 'reference.canceled');
      const wasCanceled = (await readSteps(app, one.reference)).includes('reference.canceled');
      expect(replies[nth]?.status, replies[nth]?.text).toBe(wasCanceled ? 200 : 409);
      if (!wasCanceled) expect(replies[nth]?.json.code).toBe('reference_not_cancelable');
    }
  });

  test('and a concurrent payment leave it Paid if the rail took the money, otherwise Canceled', async () => {
    const made = await times(10, () => createPayable(app));
    const replies = await times(10, async (nth) => {
      const canceled = cancel(nodeOf(nth), made[nth].reference);
      const paid = rail.pay(made[nth]);
      return [await canceled, await paid] as const;
    });
    await travelToRest(app, rail);
    for (const [nth, one] of made.entries()) {
      const [canceled, paid] = replies[nth] ?? [];
      expect([200, 409]).toContain(canceled?.status);
      if (paid?.status === 201) await expectPaid(one, 'reference.canceled');
      else {
        expect(paid?.body.code).toBe('REFERENCE_WITHDRAWN');
        expect(await readReference(app, one.reference)).toMatchObject({
          status: 'Canceled',
          referenceStatus: 'Canceled',
        });
      }
    }
  });

  /** `first` waits inside of its transaction. Then `second` waits for the lock of the payment. */
  async function runInOrder(first: () => unknown, second: () => unknown): Promise<void> {
    const release = await holdLock(app.databaseUrl, 'lock table events in exclusive mode');
    first();
    await until(async () => (await countWaits(EVENT)) === 1, 'the first in its transaction');
    second();
    await until(async () => (await countWaits(PAYMENT)) === 1, 'the second waiting for it').finally(release);
  }

  test.each([
    ['ends Canceled, then Paid late if it wins the lock', true],
    ['returns 409 if it loses the lock, and the reference is Paid', false],
  ])('%s', async (_title, isFirst) => {
    const made = await createPayable(app);
    await payUntold([made]);
    let canceled: ReturnType<typeof cancel> | undefined;
    const acts = [() => void (canceled = cancel(twin, made.reference)), () => rail.notifications.release()] as const;
    await (isFirst ? runInOrder(acts[0], acts[1]) : runInOrder(acts[1], acts[0]));
    expect((await canceled)?.status).toBe(isFirst ? 200 : 409);
    await untilReference(app, made.reference, ({ status }) => status === 'Paid', 'being paid');
    await expectPaid(made, 'reference.canceled');
    expect((await readSteps(app, made.reference)).includes('reference.canceled')).toBe(isFirst);
  });

  test('and concurrent money for a Charging reference cancel it and record the money', async () => {
    const made = await times(8, () => createPayable(app, { amount: 0, referenceType: 'Charging' }));
    await payUntold(made, { amount: '250.00' });
    rail.notifications.release();
    for (const { status } of await times(8, (nth) => cancel(nodeOf(nth), made[nth].reference)))
      expect(status).toBe(200);
    await travelToRest(app, rail);
    for (const { reference } of made)
      expect(await readReference(app, reference)).toMatchObject({
        status: 'Paid',
        referenceStatus: 'Canceled',
        amountPaid: 250,
      });
  });
});

test('20 concurrent cancels of one reference all return 200, and one of them cancels it', async () => {
  const { reference } = await createPayable(app);
  const headers = { 'idempotency-key': randomUUID() };
  const replies = await times(20, (nth) => cancel(nodeOf(nth), reference, nth < 10 ? headers : {}));
  expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(replies.map(({ json }) => json.internalId)).size).toBe(1);
  expect((await readSteps(app, reference)).filter((type) => type === 'reference.canceled')).toHaveLength(1);
});

describe('the expiry of a reference', () => {
  test('and a concurrent notification of money leave it Paid, and late only if the expiry came first', async () => {
    const five = inFive();
    const made = await times(10, () => createPayable(app, five));
    await passToLastSecond(five);
    await payUntold(made);
    const travel = app.clock.advance(2_000);
    rail.notifications.release();
    await travel;
    await travelToRest(app, rail);
    for (const one of made) await expectPaid(one, 'reference.expired');
  });

  const listWriters = () => listWaiting(app.databaseUrl, EVENT);

  /** Lets money wait for the expiry of this reference. Returns whether the expiry still waits for its event then. */
  async function payDuringExpiry(made: any, five: { expiryDate: string }): Promise<boolean> {
    const isLocked = async () =>
      (await app.sql('select from payments where id = $1 for update skip locked', [made.internalId])).length === 0;
    // The rail's list of payments would report the money earlier.
    rail.calls.holdAt('request', { lists: true });
    await passToLastSecond(five);
    await payUntold([made]);
    // The rail repeats a notification without a response. A repeat would arrive before the expiry.
    rail.notifications.holdAt('request');
    const release = await holdLock(app.databaseUrl, 'lock table events in exclusive mode');
    try {
      const findExpiry = async () => ((await isLocked()) ? (await listWriters())[0] : undefined);
      const expiry = await travelUntil(app, findExpiry, 'expiry being in the middle');
      rail.notifications.holdAt(null);
      rail.notifications.release();
      // The clock moves, because a slow machine may have to repeat the expiry or the notification.
      await creepUntil(app, async () => (await countWaits(PAYMENT)) >= 1, 'the money waiting for it');
      return (await listWriters()).includes(expiry);
    } finally {
      await release();
      rail.notifications.holdAt(null);
      rail.notifications.release();
      rail.calls.holdAt(null);
      rail.calls.release();
    }
  }

  test('and late money that waits for its lock make the reference Expired first, then Paid and late', async () => {
    // PostgreSQL cancels an expiry that waits for 10 s, and the money comes first. Then another reference is paid.
    let isExpiryFirst = false;
    for (let tries = 0; tries < 5 && !isExpiryFirst; tries++) {
      const five = inFive();
      const made = await createPayable(app, five);
      isExpiryFirst = await payDuringExpiry(made, five);
      const isPaid = async () => (await readReference(app, made.reference)).status === 'Paid';
      await creepUntil(app, isPaid, 'being paid');
      await expectPaid(made, 'reference.expired');
      if (isExpiryFirst) expect(await readSteps(app, made.reference)).toContain('reference.expired');
    }
    expect(isExpiryFirst).toBe(true);
  });

  test('happens once per reference with two nodes, and withdraws the reference once', async () => {
    const five = inFive();
    const made = await times(20, () => createPayable(app, five));
    await passToLastSecond(five);
    await travelToRest(app, rail);
    const about = made.map(({ internalId }) => internalId);
    const withdrawn = `select from events where payment_id = any($1) and type = 'reference.withdrawn'`;
    const areWithdrawn = async () => {
      // A busy machine needs time for this many calls.
      await Promise.all([app, rail].map((one) => untilDatabaseRests(one)));
      return (await app.sql(withdrawn, [about])).length === about.length;
    };
    app.clock.leap(2_000);
    await creepUntil(app, areWithdrawn, 'all being withdrawn', 20);
    await travelToRest(app, rail);
    const told = await app.sql(
      `select type, count(*)::int as times from events where payment_id = any($1) and type not like 'callback.%' group by type order by type`,
      [about],
    );
    expect(told).toEqual(
      ['payment.created', 'payment.expired', 'reference.expired', 'reference.registered', 'reference.withdrawn'].map(
        (type) => ({ type, times: 20 }),
      ),
    );
  });
});

describe('one payment at the rail', () => {
  /** Pays without a notification of the rail. */
  const payLost = async (to: Digits, amount: string): Promise<RailPayment> => {
    const { status, body } = await rail.pay(to, { amount, fault: 'lost' });
    expect(status).toBe(201);
    return body.payments[0];
  };

  test('in equal and in different notifications on two nodes is recorded as one transaction', async () => {
    const made = await createPayable(app, { amount: 0, referenceType: 'Charging' });
    const money = await payLost(made, '700.00');
    const same = pprNotificationBody(money);
    const texts = Array.from({ length: 24 }, (_, nth) => (nth < 12 ? same : pprNotificationBody(money)));
    const release = await holdLock(app.databaseUrl, 'lock table inbox in exclusive mode');
    const sent = texts.map((text, nth) => sendPprNotification(nodeOf(nth), text));
    await release();
    for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
    const applied = 'select outcome from inbox where body like $1 and applied_at is not null';
    const outcomes = await until(async () => {
      const rows = await app.sql(applied, [`%"${money.transactionId}"%`]);
      return rows.length === 13 && rows;
    }, 'all being applied');
    expect(outcomes).toEqual(Array(13).fill({ outcome: 'applied' }));
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 700 });
    expect((await readSteps(app, made.reference)).filter((type) => type === 'payment.paid')).toHaveLength(1);
  });

  test('to unknown digits in 24 concurrent notifications is stored once and reported once', async () => {
    const order = referenceOrder(app.clock);
    expect((await rail.rail.register(order)).result).toBe('active');
    const money = await payLost(order, '1500.00');
    const texts = Array.from({ length: 24 }, () => pprNotificationBody(money));
    for (const { status } of await times(24, (nth) => sendPprNotification(nodeOf(nth), texts[nth] as string)))
      expect(status).toBe(200);
    await travelToRest(app, rail);
    const told = `select from events where type = 'reference.unknown_paid' and details ->> 'reference' = $1`;
    expect(await app.sql(told, [order.reference])).toHaveLength(1);
  });

  test('by notification, list of payments and sync on two nodes is recorded once', async () => {
    const charging = await times(4, () => createPayable(app, { amount: 0, referenceType: 'Charging' }));
    const dynamic = await times(4, () => createPayable(app));
    const made = [...charging, ...charging, ...charging, ...dynamic];
    await travelToRest(app, rail);
    await payUntold(made.slice(0, 12), { amount: '10.00' });
    rail.notifications.holdAt('request');
    for (const one of dynamic) expect((await rail.pay(one)).status).toBe(201);
    await until(() => rail.notifications.held() >= made.length, 'all notifications');
    rail.notifications.holdAt(null);
    rail.notifications.release();
    app.clock.leap(MINUTE_MS);
    const replies = await Promise.all(
      [app, twin].flatMap((node) => [...charging, ...dynamic].map((one) => sync(node, one))),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(replies.length).fill(200));
    await travelToRest(app, rail);
    for (const { reference } of charging)
      expect(await readReference(app, reference)).toMatchObject({ status: 'Paid', amountPaid: 30 });
    for (const { reference } of dynamic)
      expect(await readReference(app, reference)).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
  });

  test('is accepted from only one of 20 concurrent payers of a Dynamic reference', async () => {
    const made = await createPayable(app);
    const replies = await times(20, () => rail.pay(made));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    await travelToRest(app, rail);
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
  });

  test('is recorded twice, Paid once and flagged overpaid if the rail takes it twice', async () => {
    const made = await times(8, () => createPayable(app));
    rail.notifications.holdAt('request');
    for (const one of made) expect((await rail.pay(one, { fault: 'twice' })).body.payments).toHaveLength(2);
    await until(() => rail.notifications.held() >= 16, 'the notification');
    rail.notifications.holdAt(null);
    rail.notifications.release();
    await travelToRest(app, rail);
    for (const { reference } of made)
      expect(await readReference(app, reference)).toMatchObject({
        status: 'Paid',
        amountPaid: 3000,
        flags: ['overpaid'],
      });
  });
});
