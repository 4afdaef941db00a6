// The sandbox's clock: moves affect due work but no tokens, and time never goes back.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../../test/support/app.ts';
import { openCallbackFixture } from '../../../../test/support/callbacks.ts';
import { freshDatabase } from '../../../../test/support/database.ts';
import { readFieldFaults } from '../../../../test/support/ppr.ts';
import { create, creepUntil, purchase, travelToStatus, webframe } from '../../../../test/support/payments.ts';
import { RECEIVER_ENV, startReceiver } from '../../../../test/support/receiver.ts';
import { durationMs } from '../../../time.ts';

const DAY_S = 86_400;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
});

const move = (node: TestApp, body: object) => node.call('/sandbox/clock', { body, token: null });
const readTime = async (node: TestApp) => (await node.call('/sandbox/clock', { token: null })).json;

test('a move of the clock expires payments, and does not change tokens and pushes', async () => {
  const payment = await create(app, webframe());
  const { now, aheadSeconds } = await readTime(app);
  const tomorrow = new Date(Date.parse(now) + DAY_S * 1_000).toISOString();
  const reply = await move(app, { advance: 'P1D' });
  expect([reply.status, reply.json]).toEqual([200, { now: tomorrow, aheadSeconds: aheadSeconds + DAY_S }]);
  // The node queries due work once a second.
  await creepUntil(
    app,
    async () => (await app.call(`/api/payments/${payment.id}`)).json.status === 'Expired',
    'its end',
  );
  const paid = await create(app, purchase('900000000'));
  expect(paid.createdAt.slice(0, 10)).toBe(tomorrow.slice(0, 10));
  await travelToStatus(app, paid.id, 'Paid');
});

test('a failed webhook is repeated after a move of the clock, and its signature has the real time', async () => {
  const merchant = await startReceiver({ answer: { status: 500 } });
  const shop = await openCallbackFixture(app);
  const made = await shop.call('/api/webhooks', { body: { url: merchant.url, events: ['payment.created'] } });
  expect(made.status, made.text).toBe(201);
  await create({ ...app, call: shop.call }, webframe());
  await until(() => merchant.requests[0], 'the first attempt');
  const recorded = 'select 1 from deliveries where merchant_id = $1 and first_tried_at is not null';
  await until(async () => (await app.sql(recorded, [shop.merchantId]))[0], 'it being recorded');
  await move(app, { advance: 'PT1H' });
  await creepUntil(app, async () => merchant.requests.length > 1, 'the second attempt');
  const [first, second] = merchant.requests.map(({ headers }) => Number(headers['webhook-timestamp']));
  // The clock of the app runs while the test waits, but not by the hour of the move.
  expect(second! - first!).toBeLessThan(1_800);
});

test('concurrent moves of the clock add up, and a node that starts later has their sum', async () => {
  const database = await freshDatabase();
  const first = await startTestApp({ databaseUrl: database.url });
  await Promise.all([move(first, { advance: 'P30D' }), move(first, { advance: 'PT2H' })]);
  expect((await readTime(first)).aheadSeconds).toBe(30 * DAY_S + 7_200);
  await first.stop();
  const second = await startTestApp({ databaseUrl: database.url });
  expect((await readTime(second)).aheadSeconds).toBe(30 * DAY_S + 7_200);
  await second.stop();
});

test('a running node applies a move of another node’s clock within a second, and never moves back', async () => {
  const twin = await app.startTwin();
  const payment = await create(twin, webframe());
  const before = (await readTime(twin)).aheadSeconds;
  await Promise.all([move(app, { advance: 'P1D' }), move(twin, { advance: 'PT1H' }), move(app, { advance: 'PT2H' })]);
  const both = async () => [(await readTime(app)).aheadSeconds, (await readTime(twin)).aheadSeconds];
  const total = before + DAY_S + 3 * 3_600;
  await creepUntil(twin, async () => (await both()).every((ahead) => ahead === total), 'both being there');
  const isOver = async () => (await twin.call(`/api/payments/${payment.id}`)).json.status === 'Expired';
  await creepUntil(twin, isOver, 'its end');
  await app.clock.advance(2_000);
  expect(await both()).toEqual([total, total]);
  await twin.stop();
});

test('the button of the sandbox page moves the clock and leads back to the page', async () => {
  const before = (await readTime(app)).aheadSeconds;
  const form = { method: 'POST', body: new URLSearchParams({ advance: 'P7D' }), redirect: 'manual' } as const;
  const response = await fetch(`${app.url}/sandbox/clock`, form);
  expect([response.status, response.headers.get('location')]).toEqual([303, '/sandbox#time']);
  expect((await readTime(app)).aheadSeconds).toBe(before + 7 * DAY_S);
  const page = (await app.call('/sandbox', { token: null })).text;
  expect(page).toContain('mais tarde do que lá fora');
});

test.each([
  [{}, '/advance required'],
  [{ advance: 5 }, '/advance invalid_type'],
  [{ advance: 'tomorrow' }, '/advance invalid_format'],
  [{ advance: 'P0D' }, '/advance invalid_format'],
  [{ advance: '-P1D' }, '/advance invalid_format'],
  [{ advance: 'P367D' }, '/advance date_too_far'],
])('%o is refused with %s, and the clock stays', async (body, fault) => {
  const before = (await readTime(app)).aheadSeconds;
  const reply = await move(app, body);
  expect([reply.status, readFieldFaults(reply)]).toEqual([400, [fault]]);
  expect((await readTime(app)).aheadSeconds).toBe(before);
});

test.each([
  ['PT1S', '2026-01-31T10:00:00Z', '2026-01-31T10:00:01Z'],
  ['P1DT2H3M4S', '2026-01-31T10:00:00Z', '2026-02-01T12:03:04Z'],
  ['P2W', '2026-01-31T10:00:00Z', '2026-02-14T10:00:00Z'],
  ['P1M', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z'],
  ['P1Y', '2028-02-29T10:00:00Z', '2029-02-28T10:00:00Z'],
])('the duration %s after %s ends at %s', (text, start, end) => {
  expect(durationMs(text, new Date(start))).toBe(Date.parse(end) - Date.parse(start));
});

test.each(['', 'P', 'PT', 'P1', '1D', 'P1DT', 'P1.5D', 'p1d', 'P1D '])('%o is not a duration', (text) => {
  expect(durationMs(text, new Date())).toBeNull();
});
