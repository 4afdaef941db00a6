import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { blockAttempts } from '../../support/callback-gateway.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import {
  attemptOf,
  countEvents,
  expectInOrder,
  expectOnce,
  moneyOf,
  openReference,
  readAttempts,
  receive,
  notifyPayment,
  type OpenReference,
} from '../../support/deliveries.ts';
import { countWaiting } from '../../support/locks.ts';
import {
  RECEIVER_ENV,
  startReceiver,
  CONFIRMATION,
  type Receiver,
  type ReceiverAnswer,
} from '../../support/receiver.ts';

/** The lease of a claimed delivery lasts 15 s. */
const AFTER_LEASE_MS = 16_000;
const FAILED = { status: 500 };

let app: TestApp;
/** The second node has a clock of its own. */
let twin: TestApp;
let merchant: Receiver;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp({ clock: testClock(), env: RECEIVER_ENV });
  twin = await startTestApp({ clock: testClock(), env: RECEIVER_ENV, databaseUrl: app.databaseUrl });
});
beforeEach(async () => {
  const ahead = twin.clock.now().getTime() - app.clock.now().getTime();
  await app.clock.advance(Math.max(0, ahead));
  merchant = await startReceiver();
  fixture = await openCallbackFixture(app, merchant.url);
  return () => merchant.stop();
});

const nodeOf = (nth: number) => (nth % 2 ? twin : app);
const times = <T>(count: number, make: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => make(nth)));

const creepBoth = (check: () => Promise<boolean>, what: string, stepMs = 250) =>
  until(
    async () => {
      await Promise.all([app.clock.advance(stepMs), twin.clock.advance(stepMs)]);
      return check();
    },
    what,
    undefined,
    5,
  );

test('two nodes send every attempt once and first attempts in order, while some endpoints fail', async () => {
  const fixtures = await times(5, async (nth) => {
    const receiver = await startReceiver({
      // No endpoint fails five times in a row, so that no circuit opens.
      answer: (_request, count) => (count % 4 === nth % 4 ? FAILED : CONFIRMATION),
    });
    const own = await openCallbackFixture(app, receiver.url);
    const sold = await times(4, () => openReference(app, own));
    return { receiver, own, sold };
  });
  const all = fixtures.flatMap(({ sold }) => sold);
  const blocked = await blockAttempts(app.databaseUrl);
  await times(all.length * 10, (nth) =>
    notifyPayment(nodeOf(nth), all[nth % all.length] as OpenReference, `${nth + 1}.00`),
  );
  const ids = fixtures.map(({ own }) => own.merchantId);
  const count = async (where: string) =>
    (await app.sql(`select from deliveries where merchant_id = any($1) and ${where}`, [ids])).length;
  await until(async () => (await count('true')) === all.length * 10, 'all money being recorded');
  // PostgreSQL cancels a claim that waits for 10 s. The node then claims again after a second of its clock.
  await creepBoth(async () => (await countWaiting(app.databaseUrl, 'with probe as')) > 0, 'a claim being stopped');
  // Both nodes can claim the same number of deliveries.
  await blocked.release();
  await creepBoth(async () => (await count(`status <> 'Delivered'`)) === 0, 'everything being delivered');
  for (const { receiver, sold } of fixtures) {
    expectOnce(receiver.requests);
    const own = new Set(sold.map(({ internalId }) => internalId));
    const mine = async (text: string) => (await app.sql(text)).filter(({ payment_id }) => own.has(payment_id));
    await expectInOrder(mine, receiver.requests);
  }
  const attempts = await app.sql(
    `select a.delivery_id || ' ' || a.number as attempt
     from delivery_attempts a join deliveries d on d.id = a.delivery_id
     where d.merchant_id = any($1)`,
    [ids],
  );
  const sent = fixtures.flatMap(({ receiver }) => receiver.requests.map(attemptOf));
  expect(attempts.map(({ attempt }) => attempt).toSorted()).toEqual(sent.toSorted());
  await Promise.all(fixtures.map(({ receiver }) => receiver.stop()));
});

test('every transaction is delivered despite concurrent replays, removals and new endpoints', async () => {
  const sold = await times(6, () => openReference(app, fixture));
  const token = [fixture.token, await fixture.tokenFor({ node: twin })] as const;
  const ask = (nth: number, path: string, method: string, body?: object) =>
    nodeOf(nth).call(path, { method, token: token[nth % 2] ?? null, ...(body && { body }) });
  const set = (nth: number) =>
    ask(nth, fixture.endpointPath, 'PUT', { url: `${merchant.url}/${nth}`, accessKey: 'another-key-of-tests' });
  merchant.answerWith((_request, nth) => (nth % 7 === 0 ? FAILED : CONFIRMATION));
  const telling = times(120, (nth) =>
    notifyPayment(nodeOf(nth), sold[nth % sold.length] as OpenReference, `${nth + 1}.00`),
  );
  const replies = await times(40, async (nth) => {
    const kind = nth % 4;
    if (kind === 0) return ask(nth >> 2, fixture.endpointPath, 'DELETE');
    if (kind === 1) return set(nth >> 2);
    return ask(nth >> 2, '/api/callbacks/replay', 'POST', kind === 2 ? {} : { status: 'Delivered' });
  });
  await telling;
  expect(replies.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([]);
  await until(async () => (await fixture.deliveries()).length === 120, 'all money being recorded');
  expect((await set(1)).status).toBe(200);
  merchant.answerWith(CONFIRMATION);
  const areDelivered = async () => {
    // A delivery whose call is in progress at the removal becomes Skipped after the call.
    expect((await ask(0, '/api/callbacks/replay', 'POST', { status: 'Skipped' })).status).toBe(202);
    return (await fixture.deliveries()).every(({ status }) => status === 'Delivered');
  };
  await creepBoth(areDelivered, 'everything being delivered', 2_000);
  const reportedIds = new Set(merchant.requests.map(moneyOf));
  expect([...reportedIds].toSorted()).toEqual(
    (await fixture.deliveries()).map(({ transaction_id }) => transaction_id).toSorted(),
  );
  expectOnce(merchant.requests);
});

describe('a node that is suspended during its call', () => {
  /** The call of the first node outlasts its lease, and the second node sends the next attempt. */
  async function sleepDuringCall(second: ReceiverAnswer | Promise<ReceiverAnswer>) {
    let answerFirst: (said: ReceiverAnswer) => void = () => {};
    const first = new Promise<ReceiverAnswer>((resolve) => (answerFirst = resolve));
    merchant.answerWith((_request, nth) => (nth === 1 ? first : nth === 2 ? second : CONFIRMATION));
    const sold = await openReference(app, fixture);
    await receive(app, sold);
    await merchant.received(1);
    await until(async () => {
      await twin.clock.advance(AFTER_LEASE_MS / 8);
      return merchant.requests.length === 2;
    }, 'the other node taking over');
    return { sold, answerFirst };
  }
  const read = async () => (await fixture.deliveries())[0];
  const outcomes = async () => (await readAttempts(app.sql, (await read()).id)).map(({ outcome }) => outcome);

  test('does not change the result of the second node’s attempt', async () => {
    const { sold, answerFirst } = await sleepDuringCall(CONFIRMATION);
    await until(async () => (await read()).status === 'Delivered', 'it being taken');
    expect(await outcomes()).toEqual(['interrupted', 'delivered']);
    const before = await read();
    answerFirst(FAILED);
    await until(async () => (await outcomes())[0] === 'status', 'the late answer being recorded');
    expect(await read()).toEqual(before);
    expect(await countEvents(app.sql, sold.internalId)).toEqual({ 'callback.delivered': 1 });
    expectOnce(merchant.requests);
  });

  test('records a late confirmation as Delivered, and a failure of the second node does not change this', async () => {
    let answerSecond: (said: ReceiverAnswer) => void = () => {};
    const { sold, answerFirst } = await sleepDuringCall(new Promise((resolve) => (answerSecond = resolve)));
    answerFirst(CONFIRMATION);
    await until(async () => (await read()).status === 'Delivered', 'it being taken');
    // The node of the second attempt may stop before it records the result.
    expect(await outcomes()).toEqual(['delivered', 'interrupted']);
    answerSecond(FAILED);
    await until(async () => (await outcomes())[1] === 'status', 'both recorded');
    expect(await read()).toMatchObject({ status: 'Delivered', due_at: null, attempts: 2 });
    expect(await countEvents(app.sql, sold.internalId)).toEqual({ 'callback.delivered': 1 });
    const end = twin.clock.now().getTime() + 20_000;
    await creepBoth(async () => twin.clock.now().getTime() >= end, 'every retry’s time passing');
    expect(merchant.requests).toHaveLength(2);
  });

  test('writes one event although both attempts are confirmed late', async () => {
    const { sold, answerFirst } = await sleepDuringCall(CONFIRMATION);
    await until(async () => (await read()).status === 'Delivered', 'it being taken');
    answerFirst(CONFIRMATION);
    await until(async () => (await outcomes())[0] === 'delivered', 'the late answer being recorded');
    expect(await countEvents(app.sql, sold.internalId)).toEqual({ 'callback.delivered': 1 });
  });

  test('does not delay later callbacks of the payment longer than the second node’s attempt', async () => {
    const { sold, answerFirst } = await sleepDuringCall(FAILED);
    await receive(twin, sold, '2.00');
    await merchant.received(3);
    answerFirst(FAILED);
    await until(async () => (await outcomes())[0] === 'status', 'the late answer being recorded');
    expect(merchant.requests.map(({ json }) => json.montantePago)).toEqual([1500, 1500, 2]);
    expect(await read()).toMatchObject({ status: 'Pending', tries: 1, attempts: 2 });
  });
});
