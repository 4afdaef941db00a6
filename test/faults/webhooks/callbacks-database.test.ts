import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { startCallbackGateway, type CallbackGateway } from '../../support/callback-gateway.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { killChildren } from '../../support/child.ts';
import { attemptOf, countEvents, openReference, readAttempts, receive } from '../../support/deliveries.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/own-postgres.ts';
import { travelUntil } from '../../support/payments.ts';
import {
  RECEIVER_ENV,
  startReceiver,
  CONFIRMATION,
  type Receiver,
  type ReceiverAnswer,
} from '../../support/receiver.ts';

describe('a database outage', () => {
  let postgres: OwnPostgres;
  let app: TestApp;
  let merchant: Receiver;
  let fixture: CallbackFixture;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    app = await startTestApp({ databaseUrl: postgres.url, env: RECEIVER_ENV });
  });
  afterAll(async () => {
    await app?.stop();
    await postgres?.remove();
  });
  beforeEach(async () => {
    merchant = await startReceiver();
    fixture = await openCallbackFixture(app, merchant.url);
    return () => merchant.stop();
  });

  const read = async () => (await fixture.deliveries().catch(() => []))[0];
  const travelToDelivered = () =>
    travelUntil(app, async () => (await read())?.status === 'Delivered', 'the callback being taken', 120_000);

  /** Returns a paid reference, and the function that sends the merchant's held response to its callback. */
  async function receiveHeld() {
    let answer: (said: ReceiverAnswer) => void = () => {};
    const pendingAnswer = new Promise<ReceiverAnswer>((resolve) => (answer = resolve));
    merchant.answerWith((_request, nth) => (nth === 1 ? pendingAnswer : CONFIRMATION));
    const sold = await openReference(app, fixture);
    await receive(app, sold);
    await merchant.received(1);
    return { sold, answer };
  }

  test.each([
    ['the confirmation', CONFIRMATION],
    ['the failure', { status: 500 } as ReceiverAnswer],
  ])('during %s of a callback leads to a second attempt', async (_name, said) => {
    const { sold, answer } = await receiveHeld();
    await postgres.stop();
    answer(said);
    // During the outage the recording and every poll of the queue fail.
    for (let nth = 0; nth < 5; nth++) await app.clock.advance(1_000);
    await postgres.start();
    await travelToDelivered();
    const { id } = await read();
    expect(merchant.requests.map(attemptOf)).toEqual([`${id} 1`, `${id} 2`]);
    expect((await readAttempts(app.sql, id)).map(({ outcome }) => outcome)).toEqual(['interrupted', 'delivered']);
    expect(await countEvents(app.sql, sold.internalId)).toEqual({ 'callback.delivered': 1 });
  });

  test('loses no attempt if it ends before the merchant responds', async () => {
    const { sold, answer } = await receiveHeld();
    await postgres.stop();
    for (let nth = 0; nth < 3; nth++) await app.clock.advance(1_000);
    await postgres.start();
    answer(CONFIRMATION);
    await until(async () => (await read())?.status === 'Delivered', 'its record');
    expect(merchant.requests).toHaveLength(1);
    expect(await countEvents(app.sql, sold.internalId)).toEqual({ 'callback.delivered': 1 });
  });

  test('delays a due retry until the database is available again', async () => {
    merchant.answerWith((_request, nth) => (nth === 1 ? { status: 500 } : CONFIRMATION));
    await receive(app, await openReference(app, fixture));
    await until(async () => (await read()).tries === 1, 'the first attempt');
    await postgres.stop();
    for (let nth = 0; nth < 20; nth++) await app.clock.advance(1_000);
    expect(merchant.requests).toHaveLength(1);
    await postgres.start();
    await travelToDelivered();
    expect(merchant.requests.map(({ headers }) => headers['balcao-attempt'])).toEqual(['1', '2']);
  });
});

describe('a node after SIGTERM', () => {
  let gateway: CallbackGateway;
  beforeAll(async () => {
    gateway = await startCallbackGateway();
  });
  afterEach(() => gateway.receiver.answerWith(CONFIRMATION));
  afterAll(async () => {
    await killChildren();
  });

  test('finishes and records its callback, and exits with 0', async () => {
    const sold = await gateway.createReference();
    let answer: (said: ReceiverAnswer) => void = () => {};
    const pendingAnswer = new Promise<ReceiverAnswer>((resolve) => (answer = resolve));
    gateway.receiver.answerWith((_request, nth) => (nth === 1 ? pendingAnswer : CONFIRMATION));
    await gateway.pay(sold, '1.00');
    await gateway.receiver.received(1);
    const [node] = gateway.nodes;
    node?.process.kill('SIGTERM');
    // The node accepts no new request and finishes the running ones.
    await until(
      () =>
        fetch(`${node?.url}/readyz`).then(
          ({ status }) => status === 503,
          () => true,
        ),
      'it stopping',
    );
    expect(node?.process.exitCode).toBeNull();
    answer(CONFIRMATION);
    expect(await node?.exited).toBe(0);
    const { id, status } = await gateway.delivery(sold.internalId);
    expect(status).toBe('Delivered');
    expect((await readAttempts(gateway.sql, id)).map(({ outcome }) => outcome)).toEqual(['delivered']);
    await gateway.restart(0, 20_000);
    await gateway.pay(sold, '2.00');
    await gateway.receiver.received(2);
    expect(gateway.receiver.requests.map(({ json }) => json.montantePago)).toEqual([1, 2]);
  });

  test('records the timeout of its callback, and exits with 0', async () => {
    const sold = await gateway.createReference();
    const before = gateway.receiver.requests.length;
    gateway.receiver.answerWith((_request, nth) => (nth === before + 1 ? 'hang' : CONFIRMATION));
    await gateway.pay(sold, '3.00');
    await gateway.receiver.received(before + 1);
    const [node] = gateway.nodes;
    node?.process.kill('SIGTERM');
    expect(await node?.exited).toBe(0);
    const { id, status, leased_until } = await gateway.delivery(sold.internalId);
    expect({ status, leased_until }).toEqual({ status: 'Pending', leased_until: null });
    expect((await readAttempts(gateway.sql, id)).map(({ outcome }) => outcome)).toEqual(['timeout']);
    await gateway.restart(0, 6_000);
    await gateway.receiver.received(before + 2);
    expect(gateway.receiver.requests.slice(before).map(attemptOf)).toEqual([`${id} 1`, `${id} 2`]);
  });
});
