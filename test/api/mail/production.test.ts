import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { postMail, startMailServer, type MailServer } from '../../support/mail.ts';
import { creepUntil } from '../../support/payments.ts';

const PRODUCTION = {
  BALCAO_ENV: 'production',
  PUBLIC_URL: 'https://pay.example',
  GPO_URL: 'https://127.0.0.1:9',
  GPO_KEY: 'a key of a real rail',
  MAIL_FROM: 'no-reply@pay.example',
  TRUSTED_PROXIES: 'none',
};

let plain: MailServer;
let selfSigned: MailServer;
let app: TestApp;
beforeAll(async () => {
  // The certificate is part of a test package and self-signed.
  [plain, selfSigned] = await Promise.all([startMailServer(), startMailServer(0, { disabledCommands: [] })]);
});
afterEach(() => app?.stop());
afterAll(() => Promise.all([plain?.close(), selfSigned?.close()]));

test.each([
  ['a server without TLS', () => plain, (port: number) => `smtp://127.0.0.1:${port}`],
  ['a server with a self-signed certificate', () => selfSigned, (port: number) => `smtp://127.0.0.1:${port}`],
  [
    'a server whose URL disables verification',
    () => selfSigned,
    (port: number) => `smtp://127.0.0.1:${port}/?requireTLS=false&tls.rejectUnauthorized=false`,
  ],
])('a production gateway does not send mail to %s', async (_what, server, urlOf) => {
  const { port, asked, delivered } = server();
  app = await startTestApp({ env: { ...PRODUCTION, SMTP_URL: urlOf(port) } });
  await postMail(app);
  const row = async () => (await app.sql('select * from mails'))[0];
  await creepUntil(app, async () => (await row()).error !== null, 'the failure being noted');
  expect(await row()).toMatchObject({ sent_at: null, due_at: expect.anything() });
  expect((await row()).error).toMatch(/^(ETLS|ESOCKET|ECONNECTION|DEPTH_ZERO|SELF_SIGNED|CERT|ERR_(SSL|TLS))/);
  expect([asked, delivered]).toEqual([[], []]);
});

test("a production gateway does not serve the sandbox's mail inbox", async () => {
  app = await startTestApp({ env: { ...PRODUCTION, SMTP_URL: plain.url } });
  expect((await app.call('/sandbox/inbox', { token: null })).status).toBe(404);
});
