// The sandbox's inbox: its mail and its access.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openInbox } from '../../../simulator/inbox.ts';
import { startTestApp, until, type TestApp } from '../../../../test/support/app.ts';
import { linkIn, listInbox, postMail, receiveMail } from '../../../../test/support/mail.ts';

const JSON_WANTED = { accept: 'application/json' };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  expect((await app.call('/sandbox/inbox', { method: 'DELETE', token: null })).status).toBe(204);
});

const keep = (id: string, changes: object = {}) =>
  openInbox(app.node.core.pool, app.clock).keep('mail', {
    id,
    to: 'ana@example.ao',
    subject: 'Assunto',
    text: `Texto de ${id}`,
    html: null,
    ...changes,
  });

test('the inbox shows mail as text with its link, and the table of sent mail contains no secret', async () => {
  await postMail(app, { to: 'ana@example.ao' });
  const letter = await receiveMail(app, 'ana@example.ao');
  expect(letter).toEqual({
    id: expect.any(String),
    kind: 'mail',
    to: 'ana@example.ao',
    subject: 'Escolha uma nova palavra-passe',
    text: expect.stringContaining('Olá, Ana.'),
    receivedAt: expect.stringMatching(/^2026-03-02T09:0\d:\d\d\.\d{3}Z$/),
  });
  expect(linkIn(letter)).toBe(`/account/reset?token=${'t'.repeat(43)}&lang=pt`);
  // The node sends the mail first and records it as sent afterwards.
  const row = await until(async () => {
    const [mail] = await app.sql('select * from mails');
    return mail.due_at === null && mail;
  }, 'it being done');
  expect(row).toMatchObject({ sealed_text: '', sealed_html: '', error: null });
});

test('the inbox lists mail newest first, for all e-mail addresses or for one in any spelling', async () => {
  await keep('1');
  await keep('2', { to: 'rui@example.ao' });
  await keep('3');
  const texts = async (to: string) => (await listInbox(app, to)).map(({ text }) => text);
  expect(await texts('')).toEqual(['Texto de 3', 'Texto de 2', 'Texto de 1']);
  expect(await texts('ana@example.ao')).toEqual(['Texto de 3', 'Texto de 1']);
  expect(await texts(' ANA@Example.ao ')).toEqual(['Texto de 3', 'Texto de 1']);
  expect(await texts('ana')).toEqual([]);
  expect(await texts("' or ''='")).toEqual([]);
});

test('the inbox keeps a repeated mail once and drops the oldest mail above its limit', async () => {
  await keep('again');
  await keep('again', { text: 'another' });
  expect((await listInbox(app, '')).map(({ text }) => text)).toEqual(['Texto de again']);
  await app.sql(
    `insert into simulator.inbox (id, kind, recipient, text, received_at)
     select 'many' || n, 'mail', 'many@example.ao', '', now() from generate_series(1, 600) n`,
  );
  await keep('last');
  const [{ count }] = (await app.sql('select count(*)::int from simulator.inbox')) as [{ count: number }];
  expect(count).toBeLessThanOrEqual(500);
  expect((await listInbox(app, ''))[0]?.text).toBe('Texto de last');
});

test('the inbox page escapes text, makes links of URLs only, and clears the inbox by a form', async () => {
  await keep('1', { subject: '<b>Olá</b>', text: 'Abra http://localhost/x?a=1&b="><script>alert(1)</script> já' });
  const page = await app.call('/sandbox/inbox?to=ana@example.ao', { token: null, headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('vary')).toContain('Accept');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.text).toContain('&lt;b>Olá&lt;/b>');
  expect(page.text).not.toContain('<script>alert');
  expect([...page.text.matchAll(/href="(http[^"]*)"/g)].map(([, href]) => href)).toEqual([
    'http://localhost/x?a=1&amp;b=&quot;>&lt;script>alert(1)&lt;/script>',
  ]);
  const emptied = await app.call('/sandbox/inbox/empty', {
    method: 'POST',
    token: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect([emptied.status, emptied.headers.get('location')]).toEqual([303, '/sandbox/inbox']);
  expect(await listInbox(app, '')).toEqual([]);
});

test('the inbox requires the sandbox password from other machines', async () => {
  const SANDBOX_PASSWORD = 'a long enough password';
  const guarded = await startTestApp({ env: { SANDBOX_PASSWORD, PUBLIC_URL: 'https://demo.example' } });
  const basic = (password: string) => ({ authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}` });
  for (const [headers, status] of [
    [{}, 401],
    [basic('wrong'), 401],
    [basic(SANDBOX_PASSWORD), 200],
  ] as const) {
    const reply = await guarded.call('/sandbox/inbox', { token: null, headers: { ...JSON_WANTED, ...headers } });
    expect(reply.status).toBe(status);
  }
  await guarded.stop();
});

test('the inbox exists although the sandbox simulates no rail', async () => {
  const rails = { GPO_URL: 'http://127.0.0.1:9', GPO_KEY: 'sixteen letters or more' };
  const references = { PPR_URL: 'http://127.0.0.1:9', PPR_KEY: 'sixteen letters or more' };
  const messages = { SMS_URL: 'http://127.0.0.1:9', SMS_KEY: 'sixteen letters or more' };
  const other = await startTestApp({ env: { ...rails, ...references, ...messages } });
  await postMail(other);
  expect((await receiveMail(other, 'ana@example.ao')).to).toBe('ana@example.ao');
  await other.stop();
});
