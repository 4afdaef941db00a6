// POST /rails/gpo/notifications: who is believed, what is stored, and what comes of each, once.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import {
  approved,
  createPushed,
  declined,
  NOTIFY_ENV,
  NOTIFY_PATH,
  notify,
  readEventTypes,
  readPayment,
  sendNotification,
  untilApplied,
  untilSent,
  SOMEBODY,
  type Verdict,
  writeNotification,
} from '../../support/notify.ts';
import { authorization } from '../../support/authorizations.ts';
import { untilLooked } from '../../support/idle.ts';
import { operateJson } from '../../support/operator.ts';
import { create, purchase, webframe } from '../../support/payments.ts';
import { sendRaw } from '../../support/raw.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const readInbox = () => app.sql('select notification_id, body, outcome from inbox order by received_at, id');
const secondsFromNow = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1000);

describe('a notification nobody can believe', () => {
  /** An approval that would pay, sent in a way that proves nothing. */
  test.each<[string, (body: string) => Promise<{ status: number }>]>([
    ['not signed', (body) => app.call(NOTIFY_PATH, { body, token: null })],
    ['with a merchant’s token', (body) => app.call(NOTIFY_PATH, { body })],
    ['signed with another key', (body) => sendNotification(app, body, { key: 'another key of somebody' })],
    ['signed 301 s ago', (body) => sendNotification(app, body, { signedAt: secondsFromNow(-301) })],
    ['signed 301 s ahead', (body) => sendNotification(app, body, { signedAt: secondsFromNow(301) })],
    ['without its time', (body) => sendNotification(app, body, { headers: { 'Rail-Timestamp': '' } })],
    ['with another time', (body) => sendNotification(app, body, { headers: { 'Rail-Timestamp': '1772442001' } })],
    ['with a time that is no number', (body) => sendNotification(app, body, { headers: { 'Rail-Timestamp': '1e9' } })],
    ['with half a signature', (body) => sendNotification(app, body, { headers: { 'Rail-Signature': 'v1=00' } })],
    ['with an empty signature', (body) => sendNotification(app, body, { headers: { 'Rail-Signature': '' } })],
    ['about a body that was changed', (body) => sendNotification(app, body, { instead: body.replace('1500', '9500') })],
  ])('%s, is refused and not stored', async (_name, send) => {
    const { payment, attemptId } = await createPushed(app);
    const before = await readInbox();
    const reply = await send(writeNotification(app, attemptId, approved()));
    expect(reply.status).toBe(401);
    expect(await readInbox()).toEqual(before);
    expect((await readPayment(app, payment.id)).status).toBe('Processing');
  });

  test('of two megabytes is refused unread', async () => {
    const before = await readInbox();
    expect((await sendNotification(app, 'x'.repeat(2_000_000))).status).toBe(413);
    expect(await readInbox()).toEqual(before);
  });
});

describe('a notification that is signed', () => {
  test.each([-300, 300])('%i s from our clock is taken', async (seconds) => {
    const { payment, attemptId } = await createPushed(app);
    const id = randomUUID();
    const body = writeNotification(app, attemptId, approved(), id);
    const reply = await sendNotification(app, body, { signedAt: secondsFromNow(seconds) });
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ received: true });
    expect(await untilApplied(app, id)).toBe('applied');
    expect((await readPayment(app, payment.id)).status).toBe('Paid');
  });

  test('is stored word for word, and the payment has its transaction’s details', async () => {
    const { payment, attemptId } = await createPushed(app);
    const id = randomUUID();
    const body = ` ${writeNotification(app, attemptId, approved({ transactionId: '123456789012345678' }), id)}\n`;
    await sendNotification(app, body);
    await untilApplied(app, id);
    const [row] = await app.sql('select * from inbox where strpos(body, $1) > 0', [id]);
    expect(row).toMatchObject({ rail: 'gpo', body, outcome: 'applied', due_at: null });
    const { transactions, completedAt } = await readPayment(app, payment.id);
    expect(transactions).toMatchObject([{ transactionNumber: '7', clearingPeriod: '20', terminalId: 'demo-pos' }]);
    expect(transactions[0].occurredAt).toBe(completedAt);
    const { json } = await app.call(`/api/payments/${payment.id}/events`);
    expect(json.data.at(-1).details).toMatchObject({ attemptId, via: 'notification' });
  });

  test('twice is stored and applied once, and acknowledged each time', async () => {
    const { payment, attemptId } = await createPushed(app);
    const id = randomUUID();
    const body = writeNotification(app, attemptId, approved(), id);
    for (let n = 0; n < 3; n++) {
      expect((await sendNotification(app, body)).json).toEqual({ received: true });
      await untilApplied(app, id);
    }
    expect(await app.sql('select from inbox where strpos(body, $1) > 0', [id])).toHaveLength(1);
    expect((await readPayment(app, payment.id)).transactions).toHaveLength(1);
    expect(await readEventTypes(app, payment.id)).toEqual(['payment.created', 'payment.processing', 'payment.paid']);
  });

  test('with amounts and ids as JSON numbers is read digit by digit', async () => {
    const { payment, attemptId } = await createPushed(app);
    const id = randomUUID();
    const text = writeNotification(app, attemptId, approved({ transactionId: '987654321098765432' }), id);
    await sendNotification(
      app,
      text.replace('"1500.00"', '1500.00').replace('"987654321098765432"', '987654321098765432'),
    );
    expect(await untilApplied(app, id)).toBe('applied');
    expect(await readPayment(app, payment.id)).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
    const [row] = await app.sql('select provider_ref from transactions where attempt_id = $1', [attemptId]);
    expect(row.provider_ref).toBe('987654321098765432');
  });
});

describe('a notification that helps nobody', () => {
  /** What the rail might send by mistake; signed, so it is kept for a person to look at. */
  test.each([
    ['no JSON', '<html>Bad gateway', 'unreadable'],
    ['nothing', '', 'unreadable'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x01]), 'unreadable'],
    ['another kind', JSON.stringify({ id: randomUUID(), type: 'holiday', purchase: {} }), 'unreadable'],
    ['no purchase', JSON.stringify({ id: randomUUID(), type: 'purchase' }), 'unreadable'],
    [
      'a purchase of no attempt of ours',
      JSON.stringify({ id: randomUUID(), type: 'purchase', purchase: { id: 'x' } }),
      'unreadable',
    ],
    ['60 000 levels', '['.repeat(60_000), 'unreadable'],
  ])('%s is acknowledged, kept and marked %3$s', async (_name, body, outcome) => {
    const before = await readInbox();
    expect((await sendNotification(app, body)).status).toBe(200);
    const added = await until(async () => {
      const rows = (await readInbox()).slice(before.length);
      return rows[0]?.outcome && rows;
    }, 'it being looked at');
    expect(added).toMatchObject([{ outcome }]);
    // What has no id of its own is known again by its bytes.
    await sendNotification(app, body);
    expect((await readInbox()).length).toBe(before.length + 1);
  });

  test('about an attempt nobody knows is tried again for a while, then left to a person', async () => {
    const id = randomUUID();
    expect((await sendNotification(app, writeNotification(app, randomUUID(), approved(), id))).status).toBe(200);
    const readRow = async () => (await app.sql('select * from inbox where strpos(body, $1) > 0', [id]))[0];
    expect((await readRow()).applied_at).toBeNull();
    await until(async () => {
      await app.clock.advance(2_000);
      return (await readRow()).applied_at;
    }, 'it being given up');
    expect(await readRow()).toMatchObject({ outcome: 'unmatched', due_at: null, due_count: 5 });
    expect(await app.sql('select from transactions where provider_ref = $1', [id])).toEqual([]);
  });

  test('about an attempt that becomes known in between is applied then', async () => {
    const payment = await create(app, webframe());
    const [attemptId, id] = [randomUUID(), randomUUID()];
    await sendNotification(app, writeNotification(app, attemptId, approved(), id));
    const readRow = async () => (await app.sql('select * from inbox where strpos(body, $1) > 0', [id]))[0];
    await until(async () => {
      await app.clock.advance(2_000);
      return (await readRow()).due_count > 0;
    }, 'a second try');
    expect((await readRow()).applied_at).toBeNull();
    await app.sql(
      `insert into attempts (id, payment_id, phone, status, created_at, sent_at) values ($1, $2, '+244923000001', 'Unsent', $3, $3)`,
      [attemptId, payment.id, app.clock.now()],
    );
    await until(async () => {
      await app.clock.advance(2_000);
      return (await readRow()).applied_at;
    }, 'it being applied');
    expect((await readRow()).outcome).toBe('applied');
    expect((await readPayment(app, payment.id)).status).toBe('Paid');
  });
});

describe('a notification of another kind than what was asked', () => {
  /** Until it was applied or given up: each of its tries ends by itself. */
  const untilLeft = (id: string) =>
    until(async () => {
      await untilLooked(app);
      await app.clock.advance(2_000);
      const [row] = await app.sql('select * from inbox where strpos(body, $1) > 0 and applied_at is not null', [id]);
      return row;
    }, 'it being left to a person');
  const listUnmatched = () => operateJson(app, 'money', 'unmatched') as Promise<any[]>;

  test.each([
    ['purchase', 'authorization'],
    ['purchase', 'capture'],
    ['purchase', 'void'],
    ['authorization', 'purchase'],
    ['authorization', 'void'],
  ] as const)('of a %s said to be a %s: changes nothing, and is a person’s after a few tries', async (asked, kind) => {
    const payment = await create(app, asked === 'purchase' ? purchase(SOMEBODY) : authorization());
    const attempt = await untilSent(app, payment.id);
    expect(attempt.kind).toBe(asked);
    const id = randomUUID();
    const verdict: Verdict = kind === 'void' ? { status: 'APPROVED' } : approved();
    const body = writeNotification(app, attempt.id, verdict, id, kind);
    expect((await sendNotification(app, body)).status).toBe(200);
    expect(await untilLeft(id)).toMatchObject({ outcome: 'unmatched', due_at: null, due_count: 5 });
    expect(await readPayment(app, payment.id)).toMatchObject({ status: 'Processing', amountPaid: 0, flags: [] });
    expect(await app.sql('select from transactions where payment_id = $1', [payment.id])).toEqual([]);
    const kept = (await listUnmatched()).find((message) => message.body === body);
    expect(kept).toMatchObject({ rail: 'gpo', why: 'unmatched' });
    // What the rail says of what was asked counts as ever.
    expect(await notify(app, attempt.id, approved(), asked)).toBe('applied');
    expect((await readPayment(app, payment.id)).status).toBe(asked === 'purchase' ? 'Paid' : 'Authorized');
  });

  test('one that fails each time is given up after three days, and is a person’s', async () => {
    const id = randomUUID();
    const body = `{"of":"an account that is not here","id":"${id}"}`;
    const now = app.clock.now();
    // All but the last hour of its tries is over.
    const receivedAt = new Date(now.getTime() - 71.5 * 3_600_000);
    await app.sql(
      `insert into inbox (id, rail, notification_id, body, received_at, due_at, due_count) values ($1, $2, $3, $4, $5, $6, 150)`,
      [id, randomUUID(), id, body, receivedAt, now],
    );
    const readRow = async () => (await app.sql('select * from inbox where id = $1', [id]))[0];
    await until(async () => {
      await app.clock.advance(2_000);
      const { due_at: dueAt, due_count: count } = await readRow();
      return count === 151 && Date.parse(dueAt) - app.clock.now().getTime() > 60_000;
    }, 'a try that fails');
    expect((await listUnmatched()).find((message) => message.body === body)?.why).toMatch(/failed 151 times/);
    app.clock.leap(3_600_000);
    expect(await untilLeft(id)).toMatchObject({ outcome: 'unmatched', due_at: null, due_count: 152 });
    expect((await listUnmatched()).some((message) => message.body === body)).toBe(true);
  });
});

test('out of order: the approval first, the refusal it replaced after it', async () => {
  const { payment, attemptId } = await createPushed(app);
  expect(await notify(app, attemptId, approved())).toBe('applied');
  expect(await notify(app, attemptId, declined('TIMED_OUT'))).toBe('applied');
  expect(await readPayment(app, payment.id)).toMatchObject({ status: 'Paid', failure: null, flags: [] });
});

test('only POST is taken', async () => {
  expect((await sendRaw(app.url, `GET ${NOTIFY_PATH}`)).headers.get('allow')).toBe('POST');
});
