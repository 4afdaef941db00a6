import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { signMessage } from '../../../server/http/signature.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock, listWaiting } from '../../support/locks.ts';
import { create, creepUntil, travelToStatus, travelUntil, webframe } from '../../support/payments.ts';
import { startRail, type Rail } from '../../support/rail.ts';
import { testClock } from '../../support/clock.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

const PHONE = '923000001';
/** A time that is longer than the page's, so that a push can outlive its payment. */
const WINDOW_MS = 20 * MINUTE_MS;

let app: TestApp;
let rail: Rail;
beforeAll(async () => {
  const clock = testClock();
  rail = await startRail({ clock, gatewayUrl: () => app.url, windowMs: WINDOW_MS });
  app = await startTestApp({ clock, env: { ...rail.env, GPO_PUSH_WINDOW_S: String(WINDOW_MS / 1000) } });
});

type Pushed = { id: string; reference: string; attemptId: string };

/** Creates a page that expires in five minutes, with a push whose call gets no response. */
async function createPushed(): Promise<Pushed> {
  const body = webframe({ metadata: { expiresInMinutes: 5 } });
  const { id, reference, clientToken } = await create(app, body);
  await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PHONE }, token: null });
  const [attempt] = await until(async () => {
    const rows = await app.sql(`select id from attempts where payment_id = $1 and status = 'Sent'`, [id]);
    return rows.length > 0 ? rows : null;
  }, 'the push being sent');
  return { id, reference, attemptId: attempt.id };
}

const readStatus = async (id: string) => (await app.call(`/api/payments/${id}`)).json.status;
const readTypes = async (id: string) =>
  (await app.sql('select type from events where payment_id = $1 order by seq', [id])).map(({ type }) => type);

const untilRefused = ({ id }: Pushed) =>
  until(async () => (await readStatus(id)) === 'Pending', 'the payment being open again');

test('a payment with a push in flight does not expire, and a late approval makes it Paid', async () => {
  const pushed = await Promise.all(Array.from({ length: 8 }, createPushed));
  const other = await create(app, webframe({ metadata: { expiresInMinutes: 5 } }));
  // The expiry of the payment without a push shows that the expiry job has run.
  await app.clock.advance(6 * MINUTE_MS);
  await travelToStatus(app, other.id, 'Expired');
  for (const { id } of pushed) expect(await readStatus(id)).toBe('Processing');
  await Promise.all([
    ...pushed.map(({ reference }) => rail.answerPush(reference, 'approve')),
    app.clock.advance(2_000),
  ]);
  for (const { id } of pushed) {
    await until(async () => (await readStatus(id)) === 'Paid', 'Paid');
    expect(await readTypes(id)).toEqual(['payment.created', 'payment.processing', 'payment.paid']);
  }
});

test('a payment whose push is refused after expiresAt expires', async () => {
  const { id, reference } = await createPushed();
  await app.clock.advance(6 * MINUTE_MS);
  await rail.answerPush(reference, 'decline');
  await travelToStatus(app, id, 'Expired');
  expect(await readTypes(id)).toEqual([
    'payment.created',
    'payment.processing',
    'payment.attempt_failed',
    'payment.expired',
  ]);
});

/** The rail approves a push that it has refused. The protocol permits this, but the simulator never does it. */
async function approveAfterAll({ attemptId }: Pushed): Promise<void> {
  const path = '/rails/gpo/notifications';
  const money = { amount: '1500.00', currency: 'AOA', transactionId: `T-${attemptId}` };
  const purchase = { id: attemptId, status: 'APPROVED', ...money };
  const body = JSON.stringify({ id: randomUUID(), type: 'purchase', purchase });
  const headers = signMessage(rail.env.GPO_KEY, { method: 'POST', path, body }, app.clock.now());
  expect((await app.call(path, { body, token: null, headers })).status).toBe(200);
}

test('late money and a concurrent expiry end as Paid, and as late only if the expiry came first', async () => {
  const pushed = await Promise.all(Array.from({ length: 16 }, createPushed));
  await Promise.all(pushed.map(({ reference }) => rail.answerPush(reference, 'decline')));
  await Promise.all(pushed.map(untilRefused));
  // A signature is valid for five minutes, so the clock moves less than that while the approvals are on their way.
  await app.clock.advance(4 * MINUTE_MS);
  const travel = app.clock.advance(2 * MINUTE_MS);
  await Promise.all([travel, ...pushed.map(approveAfterAll)]);
  for (const { id } of pushed) {
    const json = await travelToStatus(app, id, 'Paid');
    const hasExpired = (await readTypes(id)).includes('payment.expired');
    expect(json).toMatchObject({ amountPaid: 1500, flags: [], transactions: [{ late: hasExpired }] });
    expect((await readTypes(id)).at(-1)).toBe('payment.paid');
  }
});

const isWaiting = async (text: string) => (await countWaiting(app.databaseUrl, text)) > 0;

/** Lets an approval wait for the expiry of its payment. Returns whether the expiry still waits for its event then. */
async function approveDuringExpiry(pushed: Pushed): Promise<boolean> {
  const listWriters = () => listWaiting(app.databaseUrl, 'insert into%events');
  const release = await holdLock(app.databaseUrl, 'lock table events in exclusive mode');
  try {
    // The expiry has locked the payment's row and waits to write its event. The approval waits for the row.
    await app.clock.advance(6 * MINUTE_MS);
    const expiry = await travelUntil(app, async () => (await listWriters())[0], 'expiry waiting in the middle');
    await approveAfterAll(pushed);
    await creepUntil(app, () => isWaiting('select payments.id%'), 'the approval waiting for expiry');
    return (await listWriters()).includes(expiry);
  } finally {
    await release();
  }
}

test('late money that waits for the lock of the expiry is recorded after the expiry', async () => {
  // PostgreSQL cancels an expiry that waits for 10 s, and the money comes first. Then another payment is approved.
  let isExpiryFirst = false;
  for (let tries = 0; tries < 5 && !isExpiryFirst; tries++) {
    const pushed = await createPushed();
    await rail.answerPush(pushed.reference, 'decline');
    await untilRefused(pushed);
    isExpiryFirst = await approveDuringExpiry(pushed);
    const json = await travelToStatus(app, pushed.id, 'Paid');
    if (!isExpiryFirst) continue;
    expect((await readTypes(pushed.id)).slice(-2)).toEqual(['payment.expired', 'payment.paid']);
    expect(json).toMatchObject({ amountPaid: 1500, transactions: [{ late: true }] });
  }
  expect(isExpiryFirst).toBe(true);
});

test('a submission and an expiry at the same moment have exactly one winner', async () => {
  const payments = await Promise.all(
    Array.from({ length: 16 }, () => create(app, webframe({ metadata: { expiresInMinutes: 5 } }))),
  );
  await app.clock.advance(5 * MINUTE_MS - 1);
  const pays = payments.map(({ clientToken }) =>
    app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PHONE }, token: null }),
  );
  const [replies] = await Promise.all([Promise.all(pays), app.clock.advance(2_000)]);
  for (const [nth, { id }] of payments.entries()) {
    const isAsked = replies[nth]?.status === 202;
    if (!isAsked) expect(replies[nth]).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
    await travelToStatus(app, id, isAsked ? 'Processing' : 'Expired');
    const count = await app.sql('select count(*)::int as pushes from attempts where payment_id = $1', [id]);
    expect(count).toEqual([{ pushes: isAsked ? 1 : 0 }]);
  }
});

test('a submission after expiresAt and before the expiry job returns 409', async () => {
  const { id, clientToken } = await create(app, webframe({ metadata: { expiresInMinutes: 5 } }));
  // No expiry job runs in this test.
  await app.sql('update payments set due_at = null where id = $1', [id]);
  await app.clock.advance(5 * MINUTE_MS);
  const reply = await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PHONE }, token: null });
  expect(reply).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
  expect(await readStatus(id)).toBe('Pending');
});
