// While the rail is unreachable, orders that never arrived fail after 30 s. Others stay open and are not sent again.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { startAppBehind, until, type TestApp } from '../../support/app.ts';
import { expectOnePayable, replaceable, switchOver } from '../../support/fallback.ts';
import { create, creepUntil, purchase, travelToStatus, untilCalled, webframe } from '../../support/payments.ts';
import { startRail, type Rail } from '../../support/rail.ts';
import { expectTruth } from '../../support/truth.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

const PHONE = '923000001';

let app: TestApp;
let rail: Rail;
let isAway = false;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startRail));
});
afterEach(async () => {
  if (isAway) await comeBack();
  await expectTruth(app.sql, await rail.books());
});

async function goAway(): Promise<void> {
  await rail.calls.stop();
  isAway = true;
}

async function comeBack(): Promise<void> {
  await rail.calls.start();
  isAway = false;
}

const readPayment = async (id: string) => (await app.call(`/api/payments/${id}`)).json;
const pay = ({ clientToken }: { clientToken: string }) =>
  app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PHONE }, token: null });
/** Moves the clock in small steps, so that due polls run. */
const pass = async (ms: number) => {
  const end = app.clock.now().getTime() + ms;
  const stepMs = ms < MINUTE_MS ? 1_000 : 5_000;
  while (app.clock.now().getTime() < end) {
    await app.clock.advance(stepMs);
    await app.sql('select 1');
  }
};

test('a purchase fails after 30 s in which no call reached the rail', async () => {
  await goAway();
  const payment = await create(app, purchase(PHONE));
  expect(payment).toMatchObject({ status: 'Processing', failure: null });
  await untilCalled(app, payment.id);
  await pass(29_000);
  expect(await readPayment(payment.id)).toMatchObject({ status: 'Processing', failure: null });
  const failed = await travelToStatus(app, payment.id, 'Failed', 1_000);
  expect(failed).toMatchObject({ failure: { code: 'rail_unavailable' }, transactions: [], amountPaid: 0 });
  await comeBack();
  await pass(5 * MINUTE_MS);
  expect(await rail.books(payment.reference)).toEqual([]);
  // The reference is free again, since no money moved.
  const again = await create(app, purchase(PHONE, { reference: payment.reference }));
  await until(async () => (await rail.books(payment.reference)).length === 1, 'the second purchase reaching the rail');
  await rail.answerPush(payment.reference, 'approve');
  await travelToStatus(app, again.id, 'Paid');
});

test('a purchase is sent once if the rail is reachable again within 30 s', async () => {
  await goAway();
  const payment = await create(app, purchase(PHONE));
  await untilCalled(app, payment.id);
  await pass(10_000);
  expect(await readPayment(payment.id)).toMatchObject({ status: 'Processing' });
  await comeBack();
  await creepUntil(app, async () => (await rail.books(payment.reference)).length > 0, 'the push reaching the rail');
  await rail.answerPush(payment.reference, 'approve');
  await travelToStatus(app, payment.id, 'Paid');
  expect(await rail.books(payment.reference)).toMatchObject([{ calls: 1 }]);
});

test('a purchase that may have arrived stays open until the rail reports it as unknown', async () => {
  await rail.orderFault({ on: 'purchase', kind: 'reset_before' });
  const payment = await create(app, purchase(PHONE));
  await untilCalled(app, payment.id);
  await goAway();
  await pass(5 * MINUTE_MS);
  expect(await readPayment(payment.id)).toMatchObject({ status: 'Processing', failure: null });
  await comeBack();
  const failed = await travelToStatus(app, payment.id, 'Failed');
  expect(failed).toMatchObject({ failure: { code: 'rail_unavailable' }, transactions: [], amountPaid: 0 });
});

test('a payer can switch to a reference after a push that did not reach the rail', async () => {
  await goAway();
  const payment = await create(app, replaceable());
  await pay(payment);
  await untilCalled(app, payment.id);
  expect(await switchOver(app, payment)).toMatchObject({ status: 409, json: { code: 'payment_in_progress' } });
  await travelToStatus(app, payment.id, 'Pending');
  expect(await switchOver(app, payment)).toMatchObject({ status: 201 });
  const [chain] = await expectOnePayable(app);
  expect(chain).toMatchObject({ first: 'Canceled', second: 'Pending' });
  await comeBack();
  await pass(MINUTE_MS);
  expect(await rail.books(payment.reference)).toEqual([]);
});

test('a webframe payment accepts another push after a push that did not reach the rail', async () => {
  await goAway();
  const payment = await create(app, webframe());
  expect(await pay(payment)).toMatchObject({ status: 202, json: { status: 'Processing' } });
  await untilCalled(app, payment.id);
  const open = await travelToStatus(app, payment.id, 'Pending');
  expect(open).toMatchObject({ failure: { code: 'rail_unavailable' }, completedAt: null });
  await comeBack();
  expect(await pay(payment)).toMatchObject({ status: 202, json: { status: 'Processing', attemptsLeft: 3 } });
  await until(async () => (await rail.books(payment.reference)).length === 1, 'the second push reaching the rail');
  await rail.answerPush(payment.reference, 'approve');
  expect(await travelToStatus(app, payment.id, 'Paid')).toMatchObject({ failure: null, amountPaid: 1500 });
});

test('an approved push whose notification is lost is Paid as soon as the rail is reachable again', async () => {
  await rail.orderFault({ on: 'notification', kind: 'drop' });
  const payment = await create(app, purchase(PHONE));
  await untilCalled(app, payment.id);
  await goAway();
  await rail.answerPush(payment.reference, 'approve');
  await pass(3 * MINUTE_MS);
  expect(await readPayment(payment.id)).toMatchObject({ status: 'Processing' });
  await comeBack();
  await travelToStatus(app, payment.id, 'Paid');
  expect(await rail.books(payment.reference)).toMatchObject([{ calls: 1 }]);
});

test('POST …/sync returns 503 while the rail is unreachable, and changes nothing', async () => {
  const payment = await create(app, purchase(PHONE));
  await untilCalled(app, payment.id);
  await goAway();
  const reply = await app.call(`/api/payments/${payment.id}/sync`, { method: 'POST' });
  expect(reply).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await readPayment(payment.id)).toMatchObject({ status: 'Processing' });
  await comeBack();
  await rail.answerPush(payment.reference, 'decline');
  const synced = await app.call(`/api/payments/${payment.id}/sync`, { method: 'POST' });
  expect(synced.status).toBe(200);
  expect(await readPayment(payment.id)).toMatchObject({ status: 'Failed', failure: { code: 'customer_refused' } });
});
