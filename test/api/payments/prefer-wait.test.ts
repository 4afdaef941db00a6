import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { sendRaw } from '../../support/raw.ts';
import { approved, notify, NOTIFY_ENV, readPayment, PENDING_PHONE, untilSent } from '../../support/notify.ts';
import { purchase, travelUntil, webframe } from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  // The payer may decide for longer than the test, so the payer's time never ends a wait.
  app = await startTestApp({ env: { ...NOTIFY_ENV, GPO_PUSH_WINDOW_S: '86400' } });
});

type Waiting = { reply: Promise<Reply>; isAnswered(): boolean; find(): Promise<string> };

function startWaiting(prefer: string, body: Record<string, unknown> = purchase(PENDING_PHONE)): Waiting {
  let isAnswered = false;
  const reply = app.call('/api/payments', { body, headers: { prefer } }).finally(() => (isAnswered = true));
  const find = () =>
    until(async () => {
      const [row] = await app.sql('select id from payments where reference = $1', [body['reference']]);
      return row?.id as string;
    }, 'the payment being committed');
  return { reply, isAnswered: () => isAnswered, find };
}

test('a creation with Prefer: wait returns the payment as soon as it has an outcome', async () => {
  const waiting = startWaiting('wait=60');
  const id = await waiting.find();
  const attempt = await untilSent(app, id);
  expect(waiting.isAnswered()).toBe(false);
  await notify(app, attempt.id, approved());
  const reply = await waiting.reply;
  expect(reply.status).toBe(201);
  expect(reply.json).toMatchObject({ id, status: 'Paid', amountPaid: 1500 });
  expect(reply.json.transactions).toHaveLength(1);
  expect(reply.headers.get('preference-applied')).toBe('wait=60');
  expect(reply.json).toEqual(await readPayment(app, id));
});

test('a creation with wait=30 returns Processing after 30 seconds, and the push is still open', async () => {
  const startedAt = app.clock.now().getTime();
  const waiting = startWaiting('wait=30');
  const attempt = await untilSent(app, await waiting.find());
  await travelUntil(app, waiting.isAnswered, 'an answer');
  expect(app.clock.now().getTime() - startedAt).toBeGreaterThanOrEqual(30_000);
  const { status, json } = await waiting.reply;
  expect(status).toBe(201);
  expect(json.status).toBe('Processing');
  await notify(app, attempt.id, approved());
  expect((await readPayment(app, json.id)).status).toBe('Paid');
});

test('a creation with wait=3600 waits 100 seconds', async () => {
  const startedAt = app.clock.now().getTime();
  const waiting = startWaiting('respond-async, wait=3600');
  await untilSent(app, await waiting.find());
  await travelUntil(app, waiting.isAnswered, 'an answer');
  expect(app.clock.now().getTime() - startedAt).toBeGreaterThanOrEqual(100_000);
  const { headers, json } = await waiting.reply;
  expect(headers.get('preference-applied')).toBe('wait=100');
  expect(json.status).toBe('Processing');
});

describe('a creation does not wait', () => {
  test.each(['wait=0', 'return=representation', ''])('for Prefer: %s', async (prefer) => {
    // The clock stands still, so a response that waits would never arrive.
    const { reply } = startWaiting(prefer);
    expect((await reply).json.status).toBe('Processing');
    expect((await reply).headers.has('preference-applied')).toBe(false);
  });

  test('for a payment without a push', async () => {
    expect((await startWaiting('wait=60', webframe()).reply).json.status).toBe('Pending');
  });
});

test('a stopping node responds immediately to creations that wait', async () => {
  const leaving = await startTestApp();
  const body = purchase(PENDING_PHONE);
  const waiting = leaving.call('/api/payments', { body, headers: { prefer: 'wait=60' } });
  const readSent = () => leaving.sql(`select from attempts where status = 'Sent'`);
  await until(async () => (await readSent()).length === 1, 'the push being sent');
  await leaving.stop();
  expect((await waiting).json).toMatchObject({ status: 'Processing', reference: body['reference'] });
});

test('a payment is completed although its client disconnects while it waits for the response', async () => {
  const body = JSON.stringify(purchase(PENDING_PHONE));
  const headers = [
    `Authorization: Bearer ${await app.token()}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Prefer: wait=60',
  ];
  const { reference } = JSON.parse(body);
  const isOpen = new AbortController();
  const hungUp = sendRaw(app.url, 'POST /api/payments', headers, body, isOpen.signal);
  const row = await until(async () => (await app.sql('select id from payments where reference = $1', [reference]))[0]);
  const attempt = await untilSent(app, row.id);
  isOpen.abort();
  expect((await hungUp).text).toBe('');
  await notify(app, attempt.id, approved());
  expect((await readPayment(app, row.id)).status).toBe('Paid');
});
