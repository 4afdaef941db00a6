import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { postMail, startMailServer, type MailServer } from '../../support/mail.ts';
import { creepUntil } from '../../support/payments.ts';

const MAILS = 40;

let server: MailServer;
let first: TestApp;
let second: TestApp;
beforeAll(async () => {
  server = await startMailServer();
  const env = { SMTP_URL: server.url };
  first = await startTestApp({ env });
  second = await first.startTwin();
});
afterAll(async () => {
  await server?.close();
});

test('two nodes send each mail once', async () => {
  const addresses = Array.from({ length: MAILS }, (_, nth) => `ana${nth}@example.ao`);
  await Promise.all(addresses.map((to, nth) => postMail(nth % 2 ? first : second, { to })));
  const countDue = async () => (await first.sql('select from mails where sent_at is null')).length;
  await creepUntil(first, async () => (await countDue()) === 0, 'everything being sent');
  // The clock moves until every lease has ended.
  first.clock.leap(10 * 60_000);
  await first.clock.advance(3_000);
  expect(server.delivered.flatMap(({ to }) => to).sort()).toEqual(addresses.sort());
});
