import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until } from '../../support/app.ts';
import {
  AFTER_LEASE_MS,
  startCallbackGateway,
  blockAttempts,
  type CallbackGateway,
} from '../../support/callback-gateway.ts';
import { killChildren } from '../../support/child.ts';
import { testClock } from '../../support/clock.ts';
import { attemptOf, countEvents, readAttempts } from '../../support/deliveries.ts';
import { CONFIRMATION, type ReceiverAnswer } from '../../support/receiver.ts';

const CLAIM = 'with probe as';
const RECORD = 'with result as';

let gateway: CallbackGateway;
beforeAll(async () => {
  gateway = await startCallbackGateway();
});
beforeEach(() => {
  gateway.receiver.requests.length = 0;
  gateway.receiver.answerWith(CONFIRMATION);
});
afterAll(async () => {
  await killChildren();
});

const kill = () => gateway.nodes[0]?.kill();
const recorded = async (paymentId: string) =>
  until(
    async () => (await gateway.sql('select from transactions where payment_id = $1', [paymentId])).length > 0,
    'the money',
  );

/** Expects the outcomes of all attempts, and the numbers of those that the merchant received. */
async function expectDelivered(paymentId: string, outcomes: string[], received: number[]): Promise<void> {
  const isTaken = async () => (await gateway.delivery(paymentId))?.status === 'Delivered';
  await until(isTaken, 'the callback being taken');
  const { id, attempts, due_at, leased_until } = await gateway.delivery(paymentId);
  const made = await readAttempts(gateway.sql, id);
  expect(made.map(({ number, outcome }) => `${number} ${outcome}`)).toEqual(
    outcomes.map((outcome, nth) => `${nth + 1} ${outcome}`),
  );
  expect({ attempts, due_at, leased_until }).toEqual({ attempts: outcomes.length, due_at: null, leased_until: null });
  expect(gateway.receiver.requests.map(attemptOf)).toEqual(received.map((number) => `${id} ${number}`));
  expect(new Set(gateway.receiver.requests.map(({ body }) => body)).size).toBe(1);
  expect(await countEvents(gateway.sql, paymentId)).toEqual({ 'callback.delivered': 1 });
}

describe('a kill -9 of the node', () => {
  afterEach(async () => {
    // After a failed test, the other tests still need a running node.
    if (gateway.nodes[0]?.process.signalCode) await gateway.restart(0, 0);
  });

  /** If the endpoint has a failure, the node claims the callback after the payment's commit, not within it. */
  const failOnce = () => gateway.sql('update endpoints set failures = 1');

  /** Kills the node while the claim of a paid reference's callback waits for a lock. */
  async function killDuringClaim() {
    const sold = await gateway.createReference();
    await failOnce();
    const blocked = await blockAttempts(gateway.databaseUrl);
    await gateway.pay(sold, '1500.00');
    await blocked.untilBlocked(CLAIM);
    await kill();
    return { sold, blocked };
  }

  test('before it claims a callback leaves the first attempt to the next node', async () => {
    const { sold, blocked } = await killDuringClaim();
    await blocked.abort();
    expect(await gateway.delivery(sold.internalId)).toMatchObject({
      status: 'Pending',
      attempts: 0,
      leased_until: null,
    });
    await gateway.restart(0, 0);
    await expectDelivered(sold.internalId, ['delivered'], [1]);
  });

  test('after it claims a callback leads to a second attempt', async () => {
    const { sold, blocked } = await killDuringClaim();
    await blocked.release();
    await until(async () => (await gateway.delivery(sold.internalId)).attempts === 1, 'the claim');
    expect(gateway.receiver.requests).toEqual([]);
    await gateway.restart(0, AFTER_LEASE_MS);
    await expectDelivered(sold.internalId, ['interrupted', 'delivered'], [2]);
  });

  test('during the call to the merchant leads to a second attempt', async () => {
    const sold = await gateway.createReference();
    gateway.receiver.answerWith((_request, nth) => (nth === 1 ? 'hang' : CONFIRMATION));
    await gateway.pay(sold, '1500.00');
    await gateway.receiver.received(1);
    await kill();
    await gateway.restart(0, AFTER_LEASE_MS);
    await expectDelivered(sold.internalId, ['interrupted', 'delivered'], [1, 2]);
  });

  test('during two calls to the merchant leads to a third attempt', async () => {
    const sold = await gateway.createReference();
    gateway.receiver.answerWith((_request, nth) => (nth <= 2 ? 'hang' : CONFIRMATION));
    await gateway.pay(sold, '1500.00');
    for (let nth = 1; nth <= 2; nth++) {
      await gateway.receiver.received(nth);
      await kill();
      await gateway.restart(0, AFTER_LEASE_MS);
    }
    await expectDelivered(sold.internalId, ['interrupted', 'interrupted', 'delivered'], [1, 2, 3]);
  });

  /** Kills the node while it records a confirmed attempt. */
  async function killWhileRecording() {
    const sold = await gateway.createReference();
    let answer: (said: ReceiverAnswer) => void = () => {};
    const pendingAnswer = new Promise<ReceiverAnswer>((resolve) => (answer = resolve));
    gateway.receiver.answerWith((_request, nth) => (nth === 1 ? pendingAnswer : CONFIRMATION));
    await gateway.pay(sold, '1500.00');
    await gateway.receiver.received(1);
    await recorded(sold.internalId);
    const blocked = await blockAttempts(gateway.databaseUrl);
    answer(CONFIRMATION);
    await blocked.untilBlocked(RECORD);
    await kill();
    return { sold, stopped: blocked };
  }

  test('between the merchant’s response and its record leads to a second attempt', async () => {
    const { sold, stopped: blocked } = await killWhileRecording();
    await blocked.abort();
    expect(await gateway.delivery(sold.internalId)).toMatchObject({ status: 'Pending', attempts: 1 });
    await gateway.restart(0, AFTER_LEASE_MS);
    await expectDelivered(sold.internalId, ['interrupted', 'delivered'], [1, 2]);
  });

  test('after the record was sent leads to no second attempt', async () => {
    const { sold, stopped: blocked } = await killWhileRecording();
    await blocked.release();
    await until(async () => (await gateway.delivery(sold.internalId)).status === 'Delivered', 'the record');
    await gateway.restart(0, AFTER_LEASE_MS);
    // After this wait the next node has polled all due callbacks.
    const other = await gateway.createReference();
    await gateway.pay(other, '10.00');
    await gateway.receiver.received(2);
    await until(async () => (await gateway.delivery(other.internalId)).status === 'Delivered', 'another being taken');
    gateway.receiver.requests.pop();
    await expectDelivered(sold.internalId, ['delivered'], [1]);
  });

  test('during the first callback of a payment keeps the order of its callbacks', async () => {
    // All references are registered first, because the lease of the first callback runs in real time.
    const [sold, other] = [await gateway.createReference(), await gateway.createReference()];
    gateway.receiver.answerWith((_request, nth) => (nth === 1 ? 'hang' : CONFIRMATION));
    await gateway.pay(sold, '1.00');
    await gateway.receiver.received(1);
    for (const amount of ['2.00', '3.00']) {
      const before = (await gateway.sql('select from deliveries where payment_id = $1', [sold.internalId])).length;
      await gateway.pay(sold, amount);
      await until(
        async () =>
          (await gateway.sql('select from deliveries where payment_id = $1', [sold.internalId])).length > before,
        'the next money',
      );
    }
    await kill();
    // The lease has not ended, and the first attempt may have arrived.
    await gateway.restart(0, 0);
    await gateway.pay(other, '10.00');
    await until(async () => (await gateway.delivery(other.internalId))?.status === 'Delivered', 'another being taken');
    await kill();
    await gateway.restart(0, AFTER_LEASE_MS);
    await gateway.receiver.received(5);
    expect(gateway.receiver.requests.map(({ json }) => json.montantePago)).toEqual([1, 10, 1, 2, 3]);
  });
});

test('a node takes over the attempt of a killed node within 30 seconds', async () => {
  const clock = testClock(gateway.now().toISOString());
  const { databaseUrl, env } = gateway;
  // The second node's clock does not run until the first node is dead, so that the second makes no call before.
  const living = await startTestApp({ databaseUrl, env, clock });
  try {
    const sold = await gateway.createReference();
    gateway.receiver.answerWith((_request, nth) => (nth === 1 ? 'hang' : CONFIRMATION));
    await gateway.pay(sold, '1500.00');
    await gateway.receiver.received(1);
    await recorded(sold.internalId);
    await kill();
    const { leased_until } = await gateway.delivery(sold.internalId);
    clock.leap(new Date(leased_until).getTime() - clock.now().getTime() - 1_000);
    // From here on, the test clock advances hardly faster than real time.
    const isTaken = async () => {
      await clock.advance(20);
      return (await gateway.delivery(sold.internalId)).status === 'Delivered';
    };
    await until(isTaken, 'it being taken');
    const attempts = await readAttempts(gateway.sql, (await gateway.delivery(sold.internalId)).id);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['interrupted', 'delivered']);
    const [from, to] = attempts.map(({ started_at }) => new Date(started_at).getTime());
    expect(Number(to) - Number(from)).toBeGreaterThanOrEqual(15_000);
    expect(Number(to) - Number(from)).toBeLessThanOrEqual(30_000);
  } finally {
    await living.stop();
  }
});
