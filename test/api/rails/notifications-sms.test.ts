// POST /rails/sms/notifications: who is believed, what is stored, and what comes of each, once.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { NOTIFY_ENV } from '../../support/notify.ts';
import { sendRaw } from '../../support/raw.ts';
import { addUnits, listSent, MERCHANT, passUntil, readBalance, sendText } from '../../support/sms.ts';
import { sendSmsNotification, SMS_NOTIFY_PATH, notifySms, writeAnswer, writeReport } from '../../support/notify.ts';

/** The rail takes it on, and says nothing more by itself. */
const SILENT = '+244900000003';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { ...NOTIFY_ENV, SMS_KEY: 'a key for messages to phones' } });
  await addUnits(app, MERCHANT, 1_000);
});

const readInbox = () => app.sql('select notification_id, rail, body, outcome from inbox order by received_at, id');
const secondsFromNow = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1000);

/** The merchant's message as the history shows it. */
const find = async (id: string) => (await listSent(app)).find((one) => one.id === id);

/** A message that the rail has, and of which nothing more will be heard but what a test says. */
async function sendSilent(): Promise<string> {
  const { json } = await sendText(app, [SILENT]);
  return passUntil(
    app,
    async () => {
      const [message] = await listSent(app, `&batchId=${json.batchId}`);
      return message?.estado === 'Enviado' ? (message.id as string) : null;
    },
    'the message being sent',
  );
}

describe('a report', () => {
  test('of a delivery is kept word for word, and applied once however often it comes', async () => {
    const id = await sendSilent();
    const body = writeReport(app, id);
    expect(await notifySms(app, body)).toBe('applied');
    expect(await find(id)).toMatchObject({ estado: 'Entregue', entregueEm: JSON.parse(body).message.decidedAt });
    expect((await sendSmsNotification(app, body)).status).toBe(200);
    expect((await readInbox()).filter((row) => row.body === body)).toMatchObject([{ rail: 'sms', outcome: 'applied' }]);
  });

  test('of a failure gives its units back, once', async () => {
    const id = await sendSilent();
    const before = await readBalance(app);
    const failed = { status: 'UNDELIVERED', reason: 'NUMBER_NOT_ACTIVE' };
    expect(await notifySms(app, writeReport(app, id, failed))).toBe('applied');
    expect(await notifySms(app, writeReport(app, id, failed))).toBe('applied');
    expect(await find(id)).toMatchObject({ estado: 'Falhado' });
    expect(await readBalance(app)).toBe(before + 1);
  });

  test('with a word that nobody knows changes nothing', async () => {
    const id = await sendSilent();
    await notifySms(app, writeReport(app, id, { status: 'LOST' }));
    expect(await find(id)).toMatchObject({ estado: 'Enviado' });
  });

  test('of what is not ours is kept for a person', async () => {
    const body = writeReport(app, randomUUID());
    expect((await sendSmsNotification(app, body)).status).toBe(200);
    const outcome = await passUntil(
      app,
      async () => (await readInbox()).find((row) => row.body === body)?.outcome,
      'the report given up',
    );
    expect(outcome).toBe('unmatched');
  });

  test.each([
    ['of another type', () => writeReport(app, randomUUID()).replace('message_status', 'message_lost')],
    ['about an id that is none of ours', () => writeReport(app, '4711')],
  ])('%s is kept, and left alone', async (_what, write) => {
    const body = write();
    expect((await sendSmsNotification(app, body)).status).toBe(200);
    const find = async () => (await readInbox()).find((row) => row.body === body)?.outcome;
    expect(await until(find)).toBe('unreadable');
  });
});

describe('an answer', () => {
  const refuses = async (phone: string) =>
    (await app.sql('select from sms_opt_outs where merchant_id = $1 and phone = $2', [MERCHANT, phone])).length > 0;

  test('PARAR to a message is applied to whose it was; without the message, to the last one from that sender', async () => {
    const messageId = await sendSilent();
    expect(await notifySms(app, writeAnswer(app, { from: SILENT, messageId }))).toBe('applied');
    expect(await refuses(SILENT)).toBe(true);
    expect(await notifySms(app, writeAnswer(app, { from: '900 000 003', messageId, text: 'Voltar' }))).toBe('applied');
    expect(await refuses(SILENT)).toBe(false);
    expect(await notifySms(app, writeAnswer(app, { from: SILENT }))).toBe('applied');
    expect(await refuses(SILENT)).toBe(true);
    await notifySms(app, writeAnswer(app, { from: SILENT, messageId, text: 'Voltar' }));
  });
});

describe('news nobody can believe', () => {
  test.each<[string, (body: string) => Promise<{ status: number }>]>([
    ['not signed', (body) => app.call(SMS_NOTIFY_PATH, { body, token: null })],
    ['with a merchant’s token', (body) => app.call(SMS_NOTIFY_PATH, { body })],
    ['signed with another key', (body) => sendSmsNotification(app, body, { key: 'another key of somebody' })],
    ['signed with the other rail’s key', (body) => sendSmsNotification(app, body, { key: NOTIFY_ENV.GPO_KEY })],
    ['signed 301 s ago', (body) => sendSmsNotification(app, body, { signedAt: secondsFromNow(-301) })],
    [
      'about a body that was changed',
      (body) => sendSmsNotification(app, body, { instead: body.replace('DELI', 'UNDELI') }),
    ],
  ])('%s, is refused and not stored', async (_name, send) => {
    const id = await sendSilent();
    const before = await readInbox();
    expect((await send(writeReport(app, id))).status).toBe(401);
    expect(await readInbox()).toEqual(before);
    expect(await find(id)).toMatchObject({ estado: 'Enviado' });
  });

  test('of a hundred kilobytes is refused unread', async () => {
    const before = await readInbox();
    expect((await sendSmsNotification(app, writeAnswer(app, { text: 'x'.repeat(100_000) }))).status).toBe(413);
    expect(await readInbox()).toEqual(before);
  });
});

test('only POST is taken', async () => {
  expect((await sendRaw(app.url, `GET ${SMS_NOTIFY_PATH}`)).headers.get('allow')).toBe('POST');
});

test('a node without SMS_KEY believes its own simulator, and nobody with another’s key', async () => {
  const other = await startTestApp();
  const body = writeReport(other, randomUUID());
  expect((await sendSmsNotification(other, body)).status).toBe(200);
  expect((await sendSmsNotification(other, body, { key: 'a key for messages to phones' })).status).toBe(401);
  await other.stop();
});
