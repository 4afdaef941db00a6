// Time travel through the whole 72 hours of deliveries that nobody confirms: when they are tried, what they carry, how they end.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WAITS_MS } from '../../../server/webhooks/schedule.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { countEvents, openReference, readAttempts, receive } from '../../support/deliveries.ts';
import { NOTIFY_ENV } from '../../support/notify.ts';
import { travelUntil } from '../../support/payments.ts';
import { createCode, notifyScan } from '../../support/qrcodes.ts';
import { RECEIVER_ENV, startReceiver, TAKEN, type Receiver, type Said } from '../../support/receiver.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** Nodes look each second; an open circuit lets a lone delivery through after a minute at most. */
const LATE_MS = 62 * SECOND;

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp({ env: { ...RECEIVER_ENV, ...NOTIFY_ENV } });
});
beforeEach(async () => {
  merchant = await startReceiver();
  shop = await openShop(app, merchant.url);
  return () => merchant.stop();
});

const nowMs = () => app.clock.now().getTime();
const readDelivery = async () => (await shop.deliveries())[0];
const isRecorded = async (number: number) => {
  const { attempts, leased_until } = await readDelivery();
  return attempts >= number && !leased_until;
};

/** Money that the merchant is told of; answers its payment. */
async function sellTold(): Promise<string> {
  const sold = await openReference(app, shop);
  await receive(app, sold);
  return sold.internalId;
}

type Tried = { at: number; dueAt: number | null; endedAt: number; status: string };

/** Goes from attempt to attempt until the delivery is over. @param endMs how long a call takes, on the clock */
async function travelThrough(endMs = 0, most = 20): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (let number = 1; number <= most; number++) {
    await travelUntil(app, async () => (await readDelivery()).attempts >= number, `attempt ${number}`, LATE_MS);
    if (endMs > 0) {
      await merchant.received(number);
      app.clock.leap(endMs);
    }
    await until(() => isRecorded(number), `attempt ${number} being recorded`);
    const { id, status, due_at } = await readDelivery();
    const dueAt = due_at && new Date(due_at).getTime();
    const { started_at } = (await readAttempts(app.sql, id)).at(-1);
    tried.push({ at: new Date(started_at).getTime(), dueAt, endedAt: nowMs(), status });
    if (!dueAt) return tried;
    // Everybody looks once before its time.
    app.clock.leap(dueAt - nowMs() - 1);
    await travelUntil(app, async () => (await readDelivery()).attempts > number, `attempt ${number + 1}`, LATE_MS);
  }
  return tried;
}

/** Each wait is the schedule's, give or take 10 %, and each attempt comes when it is due. */
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

/** What every attempt of one delivery has in common, and its numbers. */
function expectSameTold(count: number): void {
  const told = merchant.requests.filter((_request, nth) => nth < count);
  expect(new Set(told.map(({ body }) => body)).size).toBe(1);
  expect(new Set(told.map(({ headers }) => headers['balcao-delivery'])).size).toBe(1);
  expect(told.map(({ headers }) => Number(headers['balcao-attempt']))).toEqual(told.map((_, nth) => nth + 1));
}

describe('a merchant that never confirms', () => {
  test.each<{ name: string; said: Said; endMs?: number; attempt: object }>([
    { name: 'answers 500', said: { status: 500, body: 'oops' }, attempt: { outcome: 'status', status: 500 } },
    {
      name: 'says Success: false',
      said: { body: { Success: false } },
      attempt: { outcome: 'refused', status: 200, answer: '{"Success":false}' },
    },
    { name: 'says "true" as a text', said: { body: { Success: 'true' } }, attempt: { outcome: 'refused' } },
    { name: 'answers garbage', said: { body: '<html>ok</html>' }, attempt: { outcome: 'refused', status: 200 } },
    {
      name: 'redirects',
      said: { status: 302, headers: { location: '/elsewhere' } },
      attempt: { outcome: 'status', status: 302 },
    },
    { name: 'hangs', said: 'hang', endMs: 10_000, attempt: { outcome: 'timeout', status: null, answer: null } },
    { name: 'closes the connection', said: 'drop', attempt: { outcome: 'connection', status: null } },
  ])('$name: tried for 72 hours, then abandoned', async ({ said, endMs, attempt }) => {
    merchant.say(said);
    const payment = await sellTold();
    const tried = await travelThrough(endMs);
    expectSchedule(tried);
    const [first, last] = [tried[0] as Tried, tried.at(-1) as Tried];
    expect(tried.length).toBeGreaterThanOrEqual(13);
    expect(last).toMatchObject({ status: 'Abandoned', dueAt: null });
    expect(last.at - first.at).toBeLessThanOrEqual(72 * HOUR + LATE_MS);
    expect(last.at - first.at).toBeGreaterThan(72 * HOUR - 13.2 * HOUR);
    const { id } = await readDelivery();
    const attempts = await readAttempts(app.sql, id);
    expect(attempts.map(({ number }) => number)).toEqual(tried.map((_, nth) => nth + 1));
    for (const one of attempts) expect(one).toMatchObject(attempt);
    expectSameTold(tried.length);
    expect(await countEvents(app.sql, payment)).toEqual({ 'callback.failed': 1, 'callback.abandoned': 1 });
    // And that is the end of it.
    app.clock.leap(24 * HOUR);
    await app.clock.advance(2_000);
    expect((await readAttempts(app.sql, id)).length).toBe(tried.length);
  });

  test('until the last attempt: Delivered', async () => {
    merchant.say((_request, nth) => (nth < 13 ? { status: 500 } : TAKEN));
    const payment = await sellTold();
    const tried = await travelThrough();
    expect(tried).toHaveLength(13);
    expect(tried.at(-1)).toMatchObject({ status: 'Delivered', dueAt: null });
    expectSameTold(13);
    expect(await countEvents(app.sql, payment)).toEqual({ 'callback.failed': 1, 'callback.delivered': 1 });
    expect((await readDelivery()).delivered_at).toEqual(app.clock.now());
  });

  test('and has it sent again afterwards: a new run of 72 hours, the numbers go on', async () => {
    merchant.say({ status: 500 });
    const payment = await sellTold();
    const tried = await travelThrough();
    const { id } = await readDelivery();
    expect(
      (await shop.call(`/api/callbacks/${id}/replay`, { method: 'POST', token: await shop.tokenFor({}) })).status,
    ).toBe(202);
    await travelUntil(app, async () => (await readDelivery()).tries === 1, 'its attempt', LATE_MS);
    const { status, due_at, attempts } = await readDelivery();
    expect({ status, attempts }).toEqual({ status: 'Pending', attempts: tried.length + 1 });
    expect(new Date(due_at).getTime() - nowMs()).toBeLessThanOrEqual(5_500);
    expectSameTold(tried.length + 1);
    merchant.say(TAKEN);
    await travelUntil(app, async () => (await readDelivery()).status === 'Delivered', 'its end', 70_000);
    expect(await countEvents(app.sql, payment)).toMatchObject({ 'callback.abandoned': 1, 'callback.delivered': 1 });
  });
});

describe('a merchant that says when', () => {
  const waitAfter = async (headers: Record<string, string>, status = 429) => {
    merchant.say((_request, nth) => (nth === 1 ? { status, headers } : TAKEN));
    await sellTold();
    await until(() => isRecorded(1), 'the first attempt');
    return new Date((await readDelivery()).due_at).getTime() - nowMs();
  };

  test('in seconds is called then', async () => {
    expect(await waitAfter({ 'retry-after': '600' })).toBe(600 * SECOND);
    app.clock.leap(599 * SECOND);
    await travelUntil(app, () => merchant.requests.length === 2, 'the second attempt', 5_000);
  });

  test('as a date is called then, whatever the status', async () => {
    const date = new Date(nowMs() + 2 * HOUR).toUTCString();
    const wait = await waitAfter({ 'retry-after': date }, 503);
    expect(wait).toBeGreaterThan(2 * HOUR - SECOND);
    expect(wait).toBeLessThanOrEqual(2 * HOUR);
  });

  test.each(['86400', 'Fri, 31 Dec 2099 23:59:59 GMT'])('beyond 12 hours is called after 12: %s', async (header) => {
    expect(await waitAfter({ 'retry-after': header })).toBe(12 * HOUR);
  });

  test.each(['0', '-5', 'later', 'Mon, 02 Mar 2020 09:00:00 GMT'])(
    'too early, or nothing sensible, is called by the schedule: %s',
    async (header) => {
      const wait = await waitAfter({ 'retry-after': header });
      expect(wait).toBeGreaterThanOrEqual(4_500);
      expect(wait).toBeLessThanOrEqual(5_500);
    },
  );
});

test('410 ends it at once', async () => {
  merchant.say({ status: 410, body: 'gone' });
  const payment = await sellTold();
  const tried = await travelThrough();
  expect(tried).toMatchObject([{ status: 'Abandoned', dueAt: null }]);
  expect(await countEvents(app.sql, payment)).toEqual({ 'callback.abandoned': 1 });
});

test('410 after other failures ends it too', async () => {
  merchant.say((_request, nth) => ({ status: nth < 3 ? 500 : 410 }));
  const payment = await sellTold();
  expect((await travelThrough()).map(({ status }) => status)).toEqual(['Pending', 'Pending', 'Abandoned']);
  expect(await countEvents(app.sql, payment)).toEqual({ 'callback.failed': 1, 'callback.abandoned': 1 });
});

test('a QR code’s callback keeps its id and its schedule as well', async () => {
  const [{ merchant_id: merchantId }] = await app.sql(`select merchant_id from clients where id = 'demo'`);
  const body = { url: merchant.url, accessKey: 'an-access-key-of-the-demo' };
  await app.call(`/api/merchants/${merchantId}/callback`, { method: 'PUT', body });
  merchant.say((_request, nth) => (nth < 4 ? { status: 500 } : TAKEN));
  const code = await createCode(app);
  await notifyScan(app, code);
  const demo = async () => (await app.sql('select * from deliveries where merchant_id = $1', [merchantId]))[0];
  await travelUntil(app, async () => (await demo())?.status === 'Delivered', 'it being delivered', HOUR);
  expectSameTold(4);
  const [money] = await app.sql('select t.provider_ref from transactions t where payment_id = $1', [code.id]);
  expect(merchant.requests[0]?.json).toMatchObject({ id: money.provider_ref, status: 'ACCEPTED' });
});
