import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WAITS_MS } from '../../../server/webhooks/schedule.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { countEvents, openReference, readAttempts, receive } from '../../support/deliveries.ts';
import { NOTIFY_ENV } from '../../support/notify.ts';
import { travelUntil } from '../../support/payments.ts';
import { createCode, notifyScan } from '../../support/qrcodes.ts';
import { RECEIVER_ENV, startReceiver, CONFIRMATION, type Receiver } from '../../support/receiver.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** Nodes poll every second, and an open circuit sends a probe every minute. */
const LATE_MS = 62 * SECOND;

let app: TestApp;
let merchant: Receiver;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp({ env: { ...RECEIVER_ENV, ...NOTIFY_ENV } });
});
beforeEach(async () => {
  merchant = await startReceiver();
  fixture = await openCallbackFixture(app, merchant.url);
  return () => merchant.stop();
});

const nowMs = () => app.clock.now().getTime();
const readDelivery = async () => (await fixture.deliveries())[0];
const isRecorded = async (number: number) => {
  const { attempts, leased_until } = await readDelivery();
  return attempts >= number && !leased_until;
};

async function sellTold(): Promise<string> {
  const sold = await openReference(app, fixture);
  await receive(app, sold);
  return sold.internalId;
}

type Tried = { at: number; dueAt: number | null; endedAt: number; status: string };

/** Moves the clock from attempt to attempt until the delivery ends. */
async function travelThrough(most = 20): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (let number = 1; number <= most; number++) {
    await travelUntil(app, async () => (await readDelivery()).attempts >= number, `attempt ${number}`, LATE_MS);
    await until(() => isRecorded(number), `attempt ${number} being recorded`);
    const { id, status, due_at } = await readDelivery();
    const dueAt = due_at && new Date(due_at).getTime();
    const { started_at } = (await readAttempts(app.sql, id)).at(-1);
    tried.push({ at: new Date(started_at).getTime(), dueAt, endedAt: nowMs(), status });
    if (!dueAt) return tried;
    // The nodes poll once more before the attempt is due.
    app.clock.leap(dueAt - nowMs() - 1);
    await travelUntil(app, async () => (await readDelivery()).attempts > number, `attempt ${number + 1}`, LATE_MS);
  }
  return tried;
}

/** Expects the waits of the schedule with a tolerance of 10 %, and each attempt at its due time. */
function expectSchedule(tried: Tried[]): void {
  for (const [nth, { dueAt, endedAt }] of tried.entries()) {
    if (dueAt === null) continue;
    const wait = WAITS_MS[Math.min(nth, WAITS_MS.length - 1)] as number;
    const text = `wait ${nth + 1}: ${dueAt - endedAt} for ${wait}`;
    expect(dueAt - endedAt, text).toBeGreaterThanOrEqual(wait * 0.9 - 1);
    expect(dueAt - endedAt, text).toBeLessThanOrEqual(wait * 1.1 + 1);
    const next = tried[nth + 1];
    if (!next) continue;
    expect(next.at, `attempt ${nth + 2} not before its time`).toBeGreaterThanOrEqual(dueAt);
    expect(next.at - dueAt, `attempt ${nth + 2} in time`).toBeLessThanOrEqual(LATE_MS);
  }
}

/** Expects the same body and delivery id in each attempt, and consecutive attempt numbers. */
function expectSameTold(count: number): void {
  const attempts = merchant.requests.filter((_request, nth) => nth < count);
  expect(new Set(attempts.map(({ body }) => body)).size).toBe(1);
  expect(new Set(attempts.map(({ headers }) => headers['balcao-delivery'])).size).toBe(1);
  expect(attempts.map(({ headers }) => Number(headers['balcao-attempt']))).toEqual(attempts.map((_, nth) => nth + 1));
}

describe('a callback that the endpoint does not confirm', () => {
  test('is retried for 72 hours and then abandoned, and a replay restarts it', async () => {
    merchant.answerWith({ status: 500, body: 'oops' });
    const payment = await sellTold();
    const tried = await travelThrough();
    expectSchedule(tried);
    const [first, last] = [tried[0] as Tried, tried.at(-1) as Tried];
    expect(tried.length).toBeGreaterThanOrEqual(13);
    expect(last).toMatchObject({ status: 'Abandoned', dueAt: null });
    expect(last.at - first.at).toBeLessThanOrEqual(72 * HOUR + LATE_MS);
    expect(last.at - first.at).toBeGreaterThan(72 * HOUR - 13.2 * HOUR);
    const { id } = await readDelivery();
    const attempts = await readAttempts(app.sql, id);
    expect(attempts.map(({ number }) => number)).toEqual(tried.map((_, nth) => nth + 1));
    for (const one of attempts) expect(one).toMatchObject({ outcome: 'status', status: 500 });
    expectSameTold(tried.length);
    expect(await countEvents(app.sql, payment)).toEqual({ 'callback.failed': 1, 'callback.abandoned': 1 });
    app.clock.leap(24 * HOUR);
    await app.clock.advance(2_000);
    expect((await readAttempts(app.sql, id)).length).toBe(tried.length);

    expect((await fixture.call(`/api/callbacks/${id}/replay`, { method: 'POST' })).status).toBe(202);
    await travelUntil(app, async () => (await readDelivery()).tries === 1, 'its attempt', LATE_MS);
    const again = await readDelivery();
    expect(again).toMatchObject({ status: 'Pending', attempts: tried.length + 1 });
    expect(new Date(again.due_at).getTime() - nowMs()).toBeLessThanOrEqual(5_500);
    expectSameTold(tried.length + 1);
    merchant.answerWith(CONFIRMATION);
    await travelUntil(app, async () => (await readDelivery()).status === 'Delivered', 'its end', 70_000);
    expect(await countEvents(app.sql, payment)).toMatchObject({ 'callback.abandoned': 1, 'callback.delivered': 1 });
  });

  test('ends an attempt with `timeout` after 10 s without a response', async () => {
    merchant.answerWith('hang');
    await sellTold();
    await merchant.received(1);
    app.clock.leap(10_000);
    await until(() => isRecorded(1), 'the attempt being recorded');
    const [attempt] = await readAttempts(app.sql, (await readDelivery()).id);
    expect(attempt).toMatchObject({ outcome: 'timeout', status: null, answer: null });
  });

  test('is retried after the time of the Retry-After header', async () => {
    merchant.answerWith((_request, nth) =>
      nth === 1 ? { status: 429, headers: { 'retry-after': '600' } } : CONFIRMATION,
    );
    await sellTold();
    await until(() => isRecorded(1), 'the first attempt');
    expect(new Date((await readDelivery()).due_at).getTime() - nowMs()).toBe(600 * SECOND);
    app.clock.leap(599 * SECOND);
    await travelUntil(app, () => merchant.requests.length === 2, 'the second attempt', 5_000);
  });

  test('is abandoned after the status 410, also if earlier attempts failed with another status', async () => {
    merchant.answerWith((_request, nth) => ({ status: nth < 3 ? 500 : 410 }));
    const payment = await sellTold();
    expect((await travelThrough()).map(({ status }) => status)).toEqual(['Pending', 'Pending', 'Abandoned']);
    expect(await countEvents(app.sql, payment)).toEqual({ 'callback.failed': 1, 'callback.abandoned': 1 });
  });
});

test('the callback of a QR code has the same id in all attempts', async () => {
  const [{ merchant_id: merchantId }] = await app.sql(`select merchant_id from clients where id = 'demo'`);
  const body = { url: merchant.url, accessKey: 'an-access-key-of-the-demo' };
  await app.call(`/api/merchants/${merchantId}/callback`, { method: 'PUT', body });
  merchant.answerWith((_request, nth) => (nth < 4 ? { status: 500 } : CONFIRMATION));
  const code = await createCode(app);
  await notifyScan(app, code);
  const demo = async () => (await app.sql('select * from deliveries where merchant_id = $1', [merchantId]))[0];
  await travelUntil(app, async () => (await demo())?.status === 'Delivered', 'it being delivered', HOUR);
  expectSameTold(4);
  const [money] = await app.sql('select t.provider_ref from transactions t where payment_id = $1', [code.id]);
  expect(merchant.requests[0]?.json).toMatchObject({ id: money.provider_ref, status: 'ACCEPTED' });
});
