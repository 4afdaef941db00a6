import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import {
  attemptOf,
  expectInOrder,
  moneyOf,
  openReference,
  openReferences,
  receive,
  sellOne,
  notifyPayment,
  type OpenReference,
} from '../../support/deliveries.ts';
import { travelUntil } from '../../support/payments.ts';
import {
  RECEIVER_ENV,
  startReceiver,
  CONFIRMATION,
  type Receiver,
  type ReceiverAnswer,
} from '../../support/receiver.ts';
import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../../server/database/orm.ts';
import { recordEvent } from '../../../server/events/record.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';

/** The number of concurrent attempts per endpoint. */
const ROOM = 16;

let app: TestApp;
let merchant: Receiver;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
});
beforeEach(async () => {
  merchant = await startReceiver();
  fixture = await openCallbackFixture(app, merchant.url);
  return () => merchant.stop();
});

const times = <T>(count: number, make: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => make(nth)));

describe('an endpoint that does not respond', () => {
  test('does not delay other merchants, even if 20 such endpoints use all their slots', async () => {
    const hanging: { receiver: Receiver; slow: CallbackFixture }[] = [];
    for (let nth = 0; nth < 20; nth++) {
      const receiver = await startReceiver({ answer: 'hang' });
      onTestFinished(() => receiver.stop());
      const slow = await openCallbackFixture(app, receiver.url);
      const sold = await openReferences(app, slow, ROOM + 1);
      await Promise.all(sold.map((one) => notifyPayment(app, one)));
      // Each endpoint has some slots of its own, also if all other slots of the node are in use.
      await receiver.received(nth < 10 ? ROOM : 4);
      hanging.push({ receiver, slow });
    }

    const others = await times(4, async () => {
      const receiver = await startReceiver();
      onTestFinished(() => receiver.stop());
      const quick = await openCallbackFixture(app, receiver.url);
      // The merchant's server never responds to one of these callbacks.
      const [slowest, ...sold] = await openReferences(app, quick, 4);
      receiver.answerWith(({ json }) => (json.refPagamento === slowest?.reference ? 'hang' : CONFIRMATION));
      await receive(app, slowest as OpenReference);
      await receiver.received(1);
      await Promise.all(sold.map((one) => receive(app, one)));
      return { receiver, quick };
    });
    await Promise.all(others.map(({ receiver }) => receiver.received(4)));
    const ended = await app.sql(
      `select from deliveries d join delivery_attempts a on a.delivery_id = d.id where d.merchant_id = any($1)`,
      [hanging.map(({ slow }) => slow.merchantId)],
    );
    expect(ended).toEqual([]);
    expect(Math.max(...hanging.map(({ receiver }) => receiver.requests.length))).toBeLessThanOrEqual(ROOM);
    // The next test needs the slots, which each call uses until its failure is counted.
    await Promise.all([...hanging, ...others].map(({ receiver }) => receiver.stop()));
    const merchantIds = [...hanging.map(({ slow }) => slow.merchantId), ...others.map(({ quick }) => quick.merchantId)];
    const failing = 'select from endpoints where merchant_id = any($1) and failures > 0';
    const areCounted = async () => (await app.sql(failing, [merchantIds])).length === merchantIds.length;
    await until(areCounted, 'the failures being counted');
  });

  test('for one payment delays neither other payments nor their later callbacks', async () => {
    const slow = await times(ROOM - 1, () => openReference(app, fixture));
    const digits = new Set(slow.map(({ reference }) => reference));
    merchant.answerWith(({ json }) => (digits.has(json.refPagamento) ? 'hang' : CONFIRMATION));
    await Promise.all(slow.map((sold) => receive(app, sold)));
    await merchant.received(ROOM - 1);
    const quick = await times(3, () => openReference(app, fixture));
    for (const amount of ['10.00', '20.00', '30.00'])
      await Promise.all(quick.map((sold) => receive(app, sold, amount)));
    await merchant.received(ROOM - 1 + 9);
    expect(merchant.requests.filter(({ json }) => digits.has(json.refPagamento))).toHaveLength(ROOM - 1);
  });

  test('delays later callbacks of the same payment until the first attempt times out', async () => {
    merchant.answerWith((_, nth) => (nth === 1 ? 'hang' : CONFIRMATION));
    const sold = await openReference(app, fixture);
    await receive(app, sold, '10.00');
    await merchant.received(1);
    await receive(app, sold, '20.00');
    await receive(app, sold, '30.00');
    // The node finds all other deliveries by polling.
    await app.clock.advance(9_000);
    await sellOne(app, fixture);
    await merchant.received(2);
    expect(merchant.requests.map(({ json }) => json.montantePago)).toEqual([10, 1500]);
    await app.clock.advance(1_000);
    await merchant.received(4);
    await fixture.untilQuiet();
    expect(merchant.requests.slice(2).map(({ json }) => json.montantePago)).toEqual([20, 30]);
    await travelUntil(app, () => merchant.requests.length === 5, 'its second attempt', 10_000);
    expect(merchant.requests.map(attemptOf).at(-1)).toBe(`${merchant.requests[0]?.headers['balcao-delivery']} 2`);
  });
});

describe('callbacks of one payment', () => {
  test.each([
    ['500', { status: 500 }],
    ['a missing confirmation', { status: 200, body: { Success: false } }],
    ['410', { status: 410 }],
  ])('are sent immediately after the first attempt of the previous callback fails with %s', async (_name, said) => {
    merchant.answerWith((_request, nth) => (nth <= 2 ? said : CONFIRMATION));
    const sold = await openReference(app, fixture);
    for (const amount of ['10.00', '20.00', '30.00']) await receive(app, sold, amount);
    await merchant.received(3);
    await fixture.untilQuiet();
    expect(merchant.requests.map(({ json }) => json.montantePago)).toEqual([10, 20, 30]);
    expect(merchant.requests.map(({ headers }) => headers['balcao-attempt'])).toEqual(['1', '1', '1']);
  });

  test('arrive in the order of their transactions', async () => {
    const sold: OpenReference[] = await times(4, () => openReference(app, fixture));
    await times(80, (nth) => notifyPayment(app, sold[nth % 4] as OpenReference, `${nth + 1}.00`));
    await merchant.received(80);
    await fixture.untilQuiet();
    const own = new Set(sold.map(({ internalId }) => internalId));
    const mine = async (text: string, values?: unknown[]) =>
      (await app.sql(text, values)).filter(({ payment_id }) => own.has(payment_id));
    await expectInOrder(mine, merchant.requests);
    expect(merchant.requests).toHaveLength(80);
    expect(new Set(merchant.requests.map(moneyOf)).size).toBe(80);
  });
});

const eventOf = (paymentId: string, transactionId: string) => ({
  merchantId: fixture.merchantId,
  paymentId,
  type: 'payment.transaction_accepted',
  status: 'Paid',
  occurredAt: app.clock.now(),
  details: { transactionId },
});

/** Deletes the delivery of a paid reference, as if the node had not written it. */
async function receiveUntold() {
  const sold = await openReference(app, fixture);
  await receive(app, sold);
  await until(async () => (await fixture.deliveries()).every(({ status }) => status === 'Delivered'), 'it being told');
  const [gone] = await app.sql(
    `with gone as (delete from deliveries where payment_id = $1 returning transaction_id)
     delete from usage_entries u using gone where u.transaction_id = gone.transaction_id returning u.transaction_id`,
    [sold.internalId],
  );
  merchant.requests.length = 0;
  return { ...sold, transactionId: gone.transaction_id as string };
}

describe('the delivery of an event', () => {
  test('is not written if its transaction is rolled back', async () => {
    const { internalId, transactionId } = await receiveUntold();
    const rolledBack = inTransaction(app.node.core, async (db) => {
      await recordEvent(db, eventOf(internalId, transactionId));
      const { rows } = await db.pool.query('select status from deliveries where transaction_id = $1', [transactionId]);
      expect(rows).toEqual([{ status: 'Pending' }]);
      throw new Error('back');
    });
    await expect(rolledBack).rejects.toThrow('back');
    expect(await fixture.deliveries()).toEqual([]);
    // The engine sends the delivery of another event.
    await receive(app, await openReference(app, fixture));
    await merchant.received(1);
    expect(moneyOf(merchant.requests[0]!)).not.toBe(transactionId);
  });

  test('is sent without a poll as soon as its transaction commits', async () => {
    const { internalId, transactionId } = await receiveUntold();
    await inTransaction(app.node.core, async (db) => {
      await recordEvent(db, eventOf(internalId, transactionId));
      await receive(app, await openReference(app, fixture));
      await merchant.received(1);
    });
    await merchant.received(2);
    expect(merchant.requests.map(moneyOf).indexOf(transactionId)).toBe(1);
  });

  test('is written once for a transaction with several events', async () => {
    const { internalId, transactionId } = await receiveUntold();
    for (let nth = 0; nth < 3; nth++) await recordEvent(app.node.core, eventOf(internalId, transactionId));
    await merchant.received(1);
    expect(await fixture.deliveries()).toHaveLength(1);
  });

  test('is found within two seconds if its node could not wake the engine', async () => {
    const { internalId, transactionId } = await receiveUntold();
    // The database is in this state after a node died directly after its commit.
    await app.sql(
      `insert into deliveries
         (id, merchant_id, endpoint_id, kind, type, payment_id, transaction_id, status, due_at, created_at)
       select $1, $2, id, 'callback', 'callback.ppr', $3, $4, 'Pending', $5, $5 from endpoints where merchant_id = $2`,
      [randomUUID(), fixture.merchantId, internalId, transactionId, app.clock.now()],
    );
    await travelUntil(app, () => merchant.requests.length === 1, 'the poll', 2_000);
  });
});

describe('a delivery that is committed after the removal of its endpoint', () => {
  /** Runs `duringRead` after the transaction has read the endpoint and before the transaction commits. */
  async function receiveDuring(duringRead: () => Promise<unknown>): Promise<void> {
    const { internalId, transactionId } = await receiveUntold();
    await inTransaction(app.node.core, async (db) => {
      await recordEvent(db, eventOf(internalId, transactionId));
      // The work of `duringRead` may wait for this transaction.
      await Promise.race([duringRead(), until(async () => (await countWaiting(app.databaseUrl, '')) > 0, 'a wait')]);
    });
  }

  test('becomes Skipped and can be replayed', async () => {
    await receiveDuring(() => fixture.call(fixture.endpointPath, { method: 'DELETE' }));
    await until(async () => (await fixture.call(fixture.endpointPath)).status === 404, 'it being removed');
    const skipped = async () => (await fixture.deliveries())[0]?.status === 'Skipped';
    await travelUntil(app, skipped, 'the delivery being Skipped', 20_000);
    await fixture.setEndpoint(merchant.url);
    const replayed = await fixture.call('/api/callbacks/replay', { method: 'POST', body: {} });
    expect(replayed.json).toEqual({ replayed: 1 });
    await merchant.received(1);
  });

  test('becomes Skipped, or Delivered if another endpoint was set', async () => {
    await receiveDuring(async () => {
      await fixture.call(fixture.endpointPath, { method: 'DELETE' });
      await fixture.setEndpoint(`${merchant.url}/new`);
    });
    await until(async () => (await fixture.call(fixture.endpointPath)).status === 200, 'the new endpoint');
    const [delivery] = await fixture.deliveries();
    const isSettled = async () => (await fixture.deliveries())[0]?.status !== 'Pending';
    await travelUntil(app, isSettled, `delivery ${delivery.id} being Skipped or Delivered`, 20_000);
  });
});

describe('a call that is in progress at the removal of its endpoint', () => {
  /** Returns the response to a callback whose endpoint was removed during the call. */
  async function removeDuringCall() {
    let answer: (said: ReceiverAnswer) => void = () => {};
    const pendingAnswer = new Promise<ReceiverAnswer>((resolve) => (answer = resolve));
    merchant.answerWith((_request, nth) => (nth === 1 ? pendingAnswer : CONFIRMATION));
    await receive(app, await openReference(app, fixture));
    await merchant.received(1);
    expect((await fixture.call(fixture.endpointPath, { method: 'DELETE' })).status).toBe(204);
    return answer;
  }
  const readAttempt = () =>
    app.sql(
      'select a.outcome from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.merchant_id = $1',
      [fixture.merchantId],
    );

  test('makes its delivery Delivered if it is confirmed', async () => {
    (await removeDuringCall())(CONFIRMATION);
    await until(async () => (await fixture.deliveries())[0]?.status === 'Delivered', 'the confirmation');
  });

  test('makes its delivery Skipped if it fails, and a replay sends it to the next endpoint', async () => {
    (await removeDuringCall())({ status: 500 });
    await until(async () => (await readAttempt()).length === 1, 'its record');
    expect(await fixture.deliveries()).toMatchObject([{ status: 'Skipped', due_at: null }]);
    await fixture.setEndpoint(`${merchant.url}/new`);
    expect((await fixture.call('/api/callbacks/replay', { method: 'POST', body: {} })).json).toEqual({ replayed: 1 });
    await merchant.received(2);
    expect(merchant.requests[1]?.path).toBe('/new');
    await until(async () => (await fixture.deliveries())[0]?.status === 'Delivered', 'its confirmation');
  });
});

test("callbacks of transactions that wait for one payment's lock are sent in the order of their commits", async () => {
  const sold = await openReference(app, fixture);
  await receive(app, sold, '1.00');
  await merchant.received(1);
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${sold.internalId}' for update`);
  await Promise.all(['2.00', '3.00', '4.00'].map((amount) => notifyPayment(app, sold, amount)));
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
