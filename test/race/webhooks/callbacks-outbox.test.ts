// Deliveries are there when their money is there, never without it; and what races with the endpoint's removal is not lost.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../server/database/orm.ts';
import { recordEvent } from '../../../server/events/record.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { moneyOf, openReference, receive, tellOf } from '../../support/deliveries.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { travelUntil } from '../../support/payments.ts';
import { RECEIVER_ENV, startReceiver, TAKEN, type Receiver, type Said } from '../../support/receiver.ts';

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
});
beforeEach(async () => {
  merchant = await startReceiver();
  shop = await openShop(app, merchant.url);
  return () => merchant.stop();
});

/** An event of the payment's first money, as another change of the payment would write it. */
const eventOf = (paymentId: string, transactionId: string) => ({
  merchantId: shop.merchantId,
  paymentId,
  type: 'payment.transaction_accepted',
  status: 'Paid',
  occurredAt: app.clock.now(),
  details: { transactionId },
});

/** Money that nobody was told of: its delivery is taken away, as if it had never been written. */
async function receiveUntold() {
  const sold = await openReference(app, shop);
  await receive(app, sold);
  await until(async () => (await shop.deliveries()).every(({ status }) => status === 'Delivered'), 'it being told');
  const [gone] = await app.sql(
    `with gone as (delete from deliveries where payment_id = $1 returning transaction_id)
     delete from usage_entries u using gone where u.transaction_id = gone.transaction_id returning u.transaction_id`,
    [sold.internalId],
  );
  merchant.requests.length = 0;
  return { ...sold, transactionId: gone.transaction_id as string };
}

describe('one transaction', () => {
  test('that rolls back leaves no delivery, and nothing is sent', async () => {
    const { internalId, transactionId } = await receiveUntold();
    const rolledBack = inTransaction(app.node.core, async (db) => {
      await recordEvent(db, eventOf(internalId, transactionId));
      const { rows } = await db.pool.query('select status from deliveries where transaction_id = $1', [transactionId]);
      expect(rows).toEqual([{ status: 'Pending' }]);
      throw new Error('back');
    });
    await expect(rolledBack).rejects.toThrow('back');
    expect(await shop.deliveries()).toEqual([]);
    // Another's is sent meanwhile.
    await receive(app, await openReference(app, shop));
    await merchant.received(1);
    expect(moneyOf(merchant.requests[0]!)).not.toBe(transactionId);
  });

  test('that is open hides its delivery from the engine; once committed, it is sent without anybody’s polling', async () => {
    const { internalId, transactionId } = await receiveUntold();
    await inTransaction(app.node.core, async (db) => {
      await recordEvent(db, eventOf(internalId, transactionId));
      await receive(app, await openReference(app, shop));
      await merchant.received(1);
    });
    await merchant.received(2);
    expect(merchant.requests.map(moneyOf).indexOf(transactionId)).toBe(1);
  });

  test('writes one delivery for one money, however many events tell of it', async () => {
    const { internalId, transactionId } = await receiveUntold();
    for (let nth = 0; nth < 3; nth++) await recordEvent(app.node.core, eventOf(internalId, transactionId));
    await merchant.received(1);
    expect(await shop.deliveries()).toHaveLength(1);
  });

  test('whose node cannot wake anybody is found within two seconds by its clock', async () => {
    const { internalId, transactionId } = await receiveUntold();
    // As a node leaves it that dies right after its commit.
    await app.sql(
      `insert into deliveries (id, merchant_id, endpoint_id, kind, type, payment_id, transaction_id, status, due_at, created_at)
       select $1, $2, id, 'callback', 'callback.ppr', $3, $4, 'Pending', $5, $5 from endpoints where merchant_id = $2`,
      [randomUUID(), shop.merchantId, internalId, transactionId, app.clock.now()],
    );
    await travelUntil(app, () => merchant.requests.length === 1, 'the poll', 2_000);
  });
});

describe('money that is being recorded while the endpoint is removed', () => {
  /** The money's statement has seen the endpoint and is not committed when `meanwhile` runs. */
  async function receiveDuring(meanwhile: () => Promise<unknown>): Promise<void> {
    const { internalId, transactionId } = await receiveUntold();
    await inTransaction(app.node.core, async (db) => {
      await recordEvent(db, eventOf(internalId, transactionId));
      // It may also wait for the money to be recorded, and go on after it.
      await Promise.race([meanwhile(), until(async () => (await countWaiting(app.databaseUrl, '')) > 0, 'a wait')]);
    });
  }

  test('is Skipped at last, and can be replayed', async () => {
    await receiveDuring(() => shop.call(shop.endpointPath, { method: 'DELETE' }));
    await until(async () => (await shop.call(shop.endpointPath)).status === 404, 'it being removed');
    const skipped = async () => (await shop.deliveries())[0]?.status === 'Skipped';
    await travelUntil(app, skipped, 'the delivery being Skipped', 20_000);
    await shop.setEndpoint(merchant.url);
    const replayed = await shop.call('/api/callbacks/replay', { method: 'POST', body: {} });
    expect(replayed.json).toEqual({ replayed: 1 });
    await merchant.received(1);
  });

  test('is not lost when another endpoint takes its place', async () => {
    await receiveDuring(async () => {
      await shop.call(shop.endpointPath, { method: 'DELETE' });
      await shop.setEndpoint(`${merchant.url}/new`);
    });
    await until(async () => (await shop.call(shop.endpointPath)).status === 200, 'the new endpoint');
    const [delivery] = await shop.deliveries();
    const isSettled = async () => (await shop.deliveries())[0]?.status !== 'Pending';
    await travelUntil(app, isSettled, `delivery ${delivery.id} being Skipped or Delivered`, 20_000);
  });
});

describe('a call that is under way while the endpoint is removed', () => {
  /** Its merchant has been called, the endpoint is gone, and the answer comes when the test says so. */
  async function removeDuringCall() {
    let answer: (said: Said) => void = () => {};
    const told = new Promise<Said>((resolve) => (answer = resolve));
    merchant.say((_request, nth) => (nth === 1 ? told : TAKEN));
    await receive(app, await openReference(app, shop));
    await merchant.received(1);
    expect((await shop.call(shop.endpointPath, { method: 'DELETE' })).status).toBe(204);
    return answer;
  }
  const readAttempt = () =>
    app.sql(
      'select a.outcome from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.merchant_id = $1',
      [shop.merchantId],
    );

  test('and confirms: Delivered', async () => {
    (await removeDuringCall())(TAKEN);
    await until(async () => (await shop.deliveries())[0]?.status === 'Delivered', 'the confirmation');
  });

  test('and fails: Skipped, and sent to the next endpoint by a replay (the clock stands still)', async () => {
    (await removeDuringCall())({ status: 500 });
    await until(async () => (await readAttempt()).length === 1, 'its record');
    expect(await shop.deliveries()).toMatchObject([{ status: 'Skipped', due_at: null }]);
    await shop.setEndpoint(`${merchant.url}/new`);
    expect((await shop.call('/api/callbacks/replay', { method: 'POST', body: {} })).json).toEqual({ replayed: 1 });
    await merchant.received(2);
    expect(merchant.requests[1]?.path).toBe('/new');
    await until(async () => (await shop.deliveries())[0]?.status === 'Delivered', 'its confirmation');
  });
});

test('money that waits for its payment’s lock is told after what went before it', async () => {
  const sold = await openReference(app, shop);
  await receive(app, sold, '1.00');
  await merchant.received(1);
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${sold.internalId}' for update`);
  await Promise.all(['2.00', '3.00', '4.00'].map((amount) => tellOf(app, sold, amount)));
  await until(async () => (await countWaiting(app.databaseUrl, '')) >= 2, 'several waiting').finally(release);
  await merchant.received(4);
  const events = await app.sql(
    `select distinct on (details ->> 'transactionId') details ->> 'transactionId' as id, seq from events
     where payment_id = $1 and details ->> 'transactionId' is not null and type like 'payment.%' order by 1, seq`,
    [sold.internalId],
  );
  const recorded = events.toSorted((a, b) => Number(a.seq) - Number(b.seq)).map(({ id }) => id);
  expect(merchant.requests.map(moneyOf)).toEqual(recorded);
});
