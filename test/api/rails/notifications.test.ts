// Notifications of the operator's rails: they are signed, stored before they are processed, and applied once.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { authorization } from '../../support/authorizations.ts';
import { untilNoStatementRuns } from '../../support/idle.ts';
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
  PENDING_PHONE,
  untilApplied,
  untilSent,
  writeNotification,
  type SendOptions,
  type Verdict,
} from '../../support/notify.ts';
import { operateJson } from '../../support/cli.ts';
import { create, purchase, webframe } from '../../support/payments.ts';
import { moneyFor, PPR_NOTIFY_PATH, sendPprNotification, pprNotificationBody } from '../../support/ppr.ts';
import { sendRaw } from '../../support/raw.ts';
import { sendSmsNotification, SMS_NOTIFY_PATH, writeReport } from '../../support/notify.ts';

let app: TestApp;
beforeAll(async () => {
  const env = { ...NOTIFY_ENV, PPR_KEY: 'a key for payments by reference', SMS_KEY: 'a key for messages to phones' };
  app = await startTestApp({ env });
});

type Send = (app: TestApp, body: string | Uint8Array, options?: SendOptions) => Promise<Reply>;
/** For each rail: the path, a function that signs and sends, a valid message, and the part that the test changes. */
const RAILS: [rail: string, path: string, send: Send, write: () => Promise<string>, part: string][] = [
  [
    'gpo',
    NOTIFY_PATH,
    sendNotification,
    async () => writeNotification(app, (await createPushed(app)).attemptId, approved()),
    '1500',
  ],
  [
    'ppr',
    PPR_NOTIFY_PATH,
    sendPprNotification,
    async () => pprNotificationBody(moneyFor(app, { entity: '00999', reference: '123456789' })),
    '1500',
  ],
  ['sms', SMS_NOTIFY_PATH, sendSmsNotification, async () => writeReport(app, randomUUID()), 'DELI'],
];

const readInbox = () => app.sql('select notification_id, rail, body, outcome from inbox order by received_at, id');
/** Returns the inbox row whose body contains `text`. */
const readRow = async (text: string) => (await app.sql('select * from inbox where strpos(body, $1) > 0', [text]))[0];
const secondsFromNow = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1000);

describe.each(RAILS)('POST /rails/%s/notifications', (rail, path, send, write, part) => {
  test('returns 401 for a message without a valid signature, and stores nothing', async () => {
    const body = await write();
    const before = await readInbox();
    const forged = [
      app.call(path, { body, token: null }),
      app.call(path, { body }),
      send(app, body, { key: 'another key of somebody' }),
      ...(rail === 'gpo' ? [] : [send(app, body, { key: NOTIFY_ENV.GPO_KEY })]),
      send(app, body, { signedAt: secondsFromNow(-301) }),
      send(app, body, { signedAt: secondsFromNow(301) }),
      send(app, body, { headers: { 'Rail-Timestamp': '' } }),
      send(app, body, { headers: { 'Rail-Timestamp': '1772442001' } }),
      send(app, body, { headers: { 'Rail-Timestamp': '1e9' } }),
      send(app, body, { headers: { 'Rail-Signature': 'v1=00' } }),
      send(app, body, { headers: { 'Rail-Signature': '' } }),
      send(app, body, { instead: body.replace(part, 'x') }),
    ];
    const statuses = (await Promise.all(forged)).map(({ status }) => status);
    expect(statuses).toEqual(forged.map(() => 401));
    expect(await readInbox()).toEqual(before);
  });

  test('returns 413 for a body of 100 kilobytes, and stores nothing', async () => {
    const before = await readInbox();
    expect((await send(app, 'x'.repeat(100_000))).status).toBe(413);
    expect(await readInbox()).toEqual(before);
  });

  test.each<[string, string | Uint8Array]>([
    ['no JSON', `<html>Bad gateway of ${rail}`],
    ['no text', Buffer.from([0xff, 0xfe, 0x00, rail.charCodeAt(0)])],
    ['60 000 levels', '['.repeat(60_000)],
    ['another type', JSON.stringify({ id: randomUUID(), type: 'holiday' })],
  ])('stores %s once, with the mark `unreadable`', async (_name, body) => {
    const before = await readInbox();
    expect((await send(app, body)).status).toBe(200);
    const added = await until(async () => {
      const rows = (await readInbox()).slice(before.length);
      return rows[0]?.outcome && rows;
    }, 'the outcome');
    expect(added).toMatchObject([{ rail, outcome: 'unreadable' }]);
    // The node recognizes the repeat of a message without an id by equal bytes.
    await send(app, body);
    expect((await readInbox()).length).toBe(before.length + 1);
  });

  test('allows only the method POST', async () => {
    expect((await sendRaw(app.url, `GET ${path}`)).headers.get('allow')).toBe('POST');
  });
});

test('a node without rail keys accepts notifications of its own simulator and of no other', async () => {
  const other = await startTestApp();
  for (const [rail, , send] of RAILS.slice(1)) {
    const body = JSON.stringify({ id: randomUUID(), type: rail });
    expect((await send(other, body)).status).toBe(200);
    expect((await send(other, body, { key: 'a key of another node' })).status).toBe(401);
  }
  await other.stop();
});

describe('a signed rail notification about a push', () => {
  test.each([-300, 300])('is applied if its signature is %i s away from the clock of the node', async (seconds) => {
    const { payment, attemptId } = await createPushed(app);
    const id = randomUUID();
    const body = writeNotification(app, attemptId, approved(), id);
    const { status, json } = await sendNotification(app, body, { signedAt: secondsFromNow(seconds) });
    expect([status, json]).toEqual([200, { received: true }]);
    expect(await untilApplied(app, id)).toBe('applied');
    expect((await readPayment(app, payment.id)).status).toBe('Paid');
  });

  test('is stored byte for byte, and its fields appear in the transaction', async () => {
    const { payment, attemptId } = await createPushed(app);
    const id = randomUUID();
    const body = ` ${writeNotification(app, attemptId, approved({ transactionId: '123456789012345678' }), id)}\n`;
    await sendNotification(app, body);
    await untilApplied(app, id);
    expect(await readRow(id)).toMatchObject({ rail: 'gpo', body, outcome: 'applied', due_at: null });
    const { transactions, completedAt } = await readPayment(app, payment.id);
    expect(transactions).toMatchObject([{ transactionNumber: '7', clearingPeriod: '20', terminalId: 'demo-pos' }]);
    expect(transactions[0].occurredAt).toBe(completedAt);
    const { json } = await app.call(`/api/payments/${payment.id}/events`);
    expect(json.data.at(-1).details).toMatchObject({ attemptId, via: 'notification' });
  });

  test('is stored and applied once although the rail sends it three times', async () => {
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

  test('keeps every digit of amounts and ids that are JSON numbers', async () => {
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

  test('changes nothing if it reports a refusal after an approval', async () => {
    const { payment, attemptId } = await createPushed(app);
    expect(await notify(app, attemptId, approved())).toBe('applied');
    expect(await notify(app, attemptId, declined('TIMED_OUT'))).toBe('applied');
    expect(await readPayment(app, payment.id)).toMatchObject({ status: 'Paid', failure: null, flags: [] });
  });

  test('is retried if its attempt is unknown, and later stored for manual review', async () => {
    const id = randomUUID();
    expect((await sendNotification(app, writeNotification(app, randomUUID(), approved(), id))).status).toBe(200);
    expect((await readRow(id)).applied_at).toBeNull();
    await until(async () => {
      // A retry that loses its lease would be counted twice.
      await untilNoStatementRuns(app);
      await app.clock.advance(2_000);
      return (await readRow(id)).applied_at;
    }, 'the last retry');
    expect(await readRow(id)).toMatchObject({ outcome: 'unmatched', due_at: null, due_count: 5 });
    expect(await app.sql('select from transactions where provider_ref = $1', [id])).toEqual([]);
  });

  test('is applied by a retry if its attempt is committed after it arrives', async () => {
    const payment = await create(app, webframe());
    const [attemptId, id] = [randomUUID(), randomUUID()];
    await sendNotification(app, writeNotification(app, attemptId, approved(), id));
    await until(async () => {
      await app.clock.advance(2_000);
      return (await readRow(id)).due_count > 0;
    }, 'a retry');
    expect((await readRow(id)).applied_at).toBeNull();
    await app.sql(
      `insert into attempts (id, payment_id, phone, status, created_at, sent_at) ` +
        `values ($1, $2, '+244923000001', 'Unsent', $3, $3)`,
      [attemptId, payment.id, app.clock.now()],
    );
    await until(async () => {
      await app.clock.advance(2_000);
      return (await readRow(id)).applied_at;
    }, 'the effect');
    expect((await readRow(id)).outcome).toBe('applied');
    expect((await readPayment(app, payment.id)).status).toBe('Paid');
  });
});

describe('a rail notification that is stored for manual review', () => {
  /** The test waits for the end of each retry before the next one is due. */
  const untilLeft = (id: string) =>
    until(async () => {
      await untilNoStatementRuns(app);
      await app.clock.advance(2_000);
      const [row] = await app.sql('select * from inbox where strpos(body, $1) > 0 and applied_at is not null', [id]);
      return row;
    }, 'the last retry');
  const listUnmatched = () => operateJson(app, 'money', 'unmatched') as Promise<any[]>;

  test.each([
    ['purchase', 'authorization'],
    ['purchase', 'capture'],
    ['purchase', 'void'],
    ['authorization', 'purchase'],
    ['authorization', 'void'],
  ] as const)('reports a %s as a %s, and changes no payment', async (sent, kind) => {
    const payment = await create(app, sent === 'purchase' ? purchase(PENDING_PHONE) : authorization());
    const attempt = await untilSent(app, payment.id);
    expect(attempt.kind).toBe(sent);
    const id = randomUUID();
    const verdict: Verdict = kind === 'void' ? { status: 'APPROVED' } : approved();
    const body = writeNotification(app, attempt.id, verdict, id, kind);
    expect((await sendNotification(app, body)).status).toBe(200);
    expect(await untilLeft(id)).toMatchObject({ outcome: 'unmatched', due_at: null, due_count: 5 });
    expect(await readPayment(app, payment.id)).toMatchObject({ status: 'Processing', amountPaid: 0, flags: [] });
    expect(await app.sql('select from transactions where payment_id = $1', [payment.id])).toEqual([]);
    const kept = (await listUnmatched()).find((message) => message.body === body);
    expect(kept).toMatchObject({ rail: 'gpo', why: 'unmatched' });
    // A notification of the right kind for the same attempt is still applied.
    expect(await notify(app, attempt.id, approved(), sent)).toBe('applied');
    expect((await readPayment(app, payment.id)).status).toBe(sent === 'purchase' ? 'Paid' : 'Authorized');
  });

  test('failed at every retry for three days', async () => {
    const id = randomUUID();
    const body = `{"of":"an account that is not here","id":"${id}"}`;
    const now = app.clock.now();
    // The three days of retries end in half an hour.
    const receivedAt = new Date(now.getTime() - 71.5 * 3_600_000);
    await app.sql(
      `insert into inbox (id, rail, notification_id, body, received_at, due_at, due_count) ` +
        `values ($1, $2, $3, $4, $5, $6, 150)`,
      [id, randomUUID(), id, body, receivedAt, now],
    );
    await until(async () => {
      await untilNoStatementRuns(app);
      await app.clock.advance(2_000);
      const { due_at: dueAt, due_count: count } = await readRow(id);
      return count === 151 && Date.parse(dueAt) - app.clock.now().getTime() > 60_000;
    }, 'a failed retry');
    expect((await listUnmatched()).find((message) => message.body === body)?.why).toMatch(/failed 151 times/);
    app.clock.leap(3_600_000);
    expect(await untilLeft(id)).toMatchObject({ outcome: 'unmatched', due_at: null, due_count: 152 });
    expect((await listUnmatched()).some((message) => message.body === body)).toBe(true);
  });
});
