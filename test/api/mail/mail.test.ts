import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../../server/database/orm.ts';
import { writeMail } from '../../../server/mail/write.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { postMail, startMailServer, type MailServer } from '../../support/mail.ts';
import { creepUntil } from '../../support/payments.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

let server: MailServer;
let app: TestApp;
const lines: string[] = [];
beforeAll(async () => {
  server = await startMailServer();
  const logTo = new PassThrough();
  logTo.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const env = { SMTP_URL: server.url, MAIL_FROM: 'Balcão <no-reply@pay.example>', LOG_LEVEL: 'info' };
  app = await startTestApp({ env, logTo });
});
afterAll(async () => {
  await server?.close();
});
beforeEach(() => {
  server.refuseWith(null);
  server.delivered.length = 0;
  server.asked.length = 0;
  lines.length = 0;
});
afterEach(async () => {
  await app.sql('delete from mails');
});

type Row = { to: string; error: string | null; due_at: string | null; sent_at: string | null; sealed_text: string };
const readMail = async () => (await app.sql<Row & { sealed_html: string; id: string }>('select * from mails'))[0]!;
const untilSent = () => creepUntil(app, async () => (await readMail()).sent_at !== null, 'the mail being sent');
const untilFailed = () => creepUntil(app, async () => (await readMail()).error !== null, 'the mail having failed');
const countLines = (about: string) => lines.filter((line) => line.includes(about)).length;

test('a mail is sent once as text and HTML, and its content is then deleted', async () => {
  await postMail(app, { to: 'ana@example.ao' });
  const before = await readMail();
  expect(JSON.stringify(before)).not.toContain('t'.repeat(43));
  await untilSent();
  await app.clock.pass(5 * MINUTE_MS);
  expect(server.delivered).toHaveLength(1);
  const { from, to, raw } = server.delivered[0]!;
  expect([from, to]).toEqual(['no-reply@pay.example', ['ana@example.ao']]);
  expect(raw).toMatch(/^From: =\?UTF-8\?.*<no-reply@pay\.example>/m);
  expect(raw).toMatch(/^Message-ID: <.*@localhost>/m);
  expect(raw).toContain(`Message-ID: <${before.id}@localhost>`);
  expect(raw).toMatch(/^Date: Mon, 02 Mar 2026 09:0\d/m);
  expect(raw).toMatch(/^Auto-Submitted: auto-generated/m);
  expect(raw).toContain('Content-Type: text/plain; charset=utf-8');
  expect(raw).toContain('Content-Type: text/html; charset=utf-8');
  expect(await readMail()).toMatchObject({ due_at: null, error: null, sealed_text: '', sealed_html: '' });
});

test('a mail of a rolled-back transaction is not sent', async () => {
  const { core } = app.node;
  const undone = inTransaction(core, async (db) => {
    await writeMail(core, db, {
      to: 'ana@example.ao',
      language: 'pt',
      template: 'passwordChanged',
      values: { firstName: '' },
    });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await app.sql('select from mails')).toEqual([]);
});

test('a mail that the mail server refuses temporarily is sent again after growing waits', async () => {
  server.refuseWith({ code: 451, text: 'try again later' });
  await postMail(app);
  for (const [tries, seconds] of [10, 60, 300].entries()) {
    const isNoted = () => countLines('could not send mail; will retry') > tries;
    // The steps are short, because the node may take long to note a failure at its time.
    await creepUntil(app, isNoted, `try ${tries + 1} being noted`, 10);
    const { error, sent_at, due_at, sealed_text } = await readMail();
    expect([error, sent_at]).toEqual(['EENVELOPE · RCPT TO · 451 try again later', null]);
    expect(sealed_text).not.toBe('');
    const waitMs = new Date(due_at!).getTime() - app.clock.now().getTime();
    expect(waitMs).toBeLessThanOrEqual(seconds * 1000);
    expect(waitMs).toBeGreaterThan((seconds - 5) * 1000);
    expect(server.asked).toHaveLength(tries + 1);
    app.clock.leap(waitMs);
  }
});

test('a mail is no longer retried after a day', async () => {
  server.refuseWith({ code: 451, text: 'try again later' });
  await postMail(app);
  app.clock.leap(24 * 60 * MINUTE_MS);
  await creepUntil(app, () => countLines('giving up') > 0, 'the end of it');
  expect(await readMail()).toMatchObject({ sent_at: null, due_at: null, sealed_text: '', sealed_html: '' });
  expect((await readMail()).error).toContain('451');
});

test('a mail with a refused recipient is not retried, and neither address nor secret is in the log', async () => {
  server.refuseWith({
    code: 550,
    text: 'no ana@example.ao here, see https://mail.example/why?token=abcdefghijklmnopqrstu',
  });
  await postMail(app);
  await untilFailed();
  expect(await readMail()).toMatchObject({ due_at: null, sent_at: null, sealed_text: '', sealed_html: '' });
  const { error } = await readMail();
  expect(error).toContain('EENVELOPE');
  expect(error).toContain('550');
  for (const hidden of ['ana@', 'token', 'mail.example']) expect(error).not.toContain(hidden);
  const logged = await until(() => lines.find((line) => line.includes('giving up')), 'the line about it');
  expect(logged).toContain('a***@example.ao');
  expect(lines.join('')).not.toContain('ana@');
  app.clock.leap(25 * 60 * MINUTE_MS);
  await app.clock.advance(5_000);
  expect(server.asked).toHaveLength(1);
});

test('a mail is sent again later if the mail server refuses its sender', async () => {
  const strict = await startMailServer(0, {
    onMailFrom: (_address, _session, done) => done(Object.assign(new Error('who are you'), { responseCode: 553 })),
  });
  const other = await startTestApp({ env: { SMTP_URL: strict.url } });
  await postMail(other);
  const row = () => other.sql<Row>('select * from mails').then(([mail]) => mail!);
  await creepUntil(other, async () => (await row()).error !== null, 'the refusal');
  expect((await row()).error).toContain('553');
  expect((await row()).due_at).not.toBeNull();
  await other.stop();
  await strict.close();
});

test('the node signs in with the credentials of SMTP_URL, and errors do not contain them', async () => {
  const asked: string[] = [];
  const guarded = await startMailServer(0, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      asked.push(`${username} ${password}`);
      done(Object.assign(new Error('bad credentials'), { responseCode: 535 }));
    },
  });
  const other = await startTestApp({ env: { SMTP_URL: `smtp://balc%C3%A3o:p%40ss-word@127.0.0.1:${guarded.port}` } });
  await postMail(other);
  const row = () => other.sql<Row>('select * from mails').then(([mail]) => mail!);
  await creepUntil(other, async () => (await row()).error !== null, 'the refusal');
  expect(asked).toContain('balcão p@ss-word');
  expect((await row()).error).toContain('EAUTH');
  expect((await row()).error).not.toMatch(/ss-word|balc/);
  expect((await row()).due_at).not.toBeNull();
  await other.stop();
  await guarded.close();
});
