// SMS in the sandbox's inbox: found by any spelling of a phone, and replied to.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../../../test/support/app.ts';
import { listInbox, postMail, receiveMail } from '../../../../test/support/mail.ts';
import { sendMessage } from '../../../../test/support/sms.ts';

const REPLY = '/sandbox/inbox/reply';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  await app.call('/sandbox/inbox', { method: 'DELETE', token: null });
});

const textsFor = async (to: string) => (await listInbox(app, to)).map(({ text }) => text);

/** Sends the reply form of a message as a browser does. */
function submit(fields: Record<string, string>): Promise<Reply> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
  return app.call(REPLY, { body: new URLSearchParams(fields).toString(), token: null, headers });
}

/** The replies that the rail reported to the gateway, oldest first. */
async function listAnswers(from: string) {
  const rows = await app.sql<{ rail: string; body: string }>(
    `select rail, body from inbox where body like '%message_reply%' and body like '%' || $1 || '%'
       order by received_at, id`,
    [from],
  );
  return rows.map(({ rail, body }) => ({ rail, ...JSON.parse(body) }));
}

test('the inbox shows a message with its phone, sender and text when it is sent', async () => {
  const { messageId, to, text } = await sendMessage(app, { sender: 'LOJA' });
  expect(await listInbox(app, to)).toEqual([
    { id: messageId, kind: 'sms', to, subject: 'LOJA', text, receivedAt: app.clock.now().toISOString() },
  ]);
});

test('the inbox finds an SMS by any spelling of the phone, and mail by its e-mail address', async () => {
  await sendMessage(app, { to: '+244923456789', text: 'um' });
  await sendMessage(app, { to: '+244923456780', text: 'dois' });
  await postMail(app, { to: 'ana@example.ao' });
  await receiveMail(app, 'ana@example.ao');
  for (const to of ['+244923456789', '923456789', '923 456 789', '00244923456789', '244 923 456 789', ' 923456789 ']) {
    expect(await textsFor(to), to).toEqual(['um']);
  }
  // The caller did not escape this `+`.
  const headers = { accept: 'application/json' };
  const { json } = await app.call('/sandbox/inbox?to=+244923456789', { token: null, headers });
  expect(json.data).toMatchObject([{ text: 'um' }]);
  for (const to of ['92345678', '923456', '+351923456789', 'BALCAO']) expect(await textsFor(to), to).toEqual([]);
  expect(await listInbox(app, 'ANA@example.ao')).toHaveLength(1);
  expect((await listInbox(app, '')).map(({ kind }) => kind)).toEqual(['mail', 'sms', 'sms']);
});

test('the inbox page shows phone numbers without +244, and a reply form below SMS only', async () => {
  await sendMessage(app, { to: '+244923456789', sender: 'LOJA', text: '<b>Olá</b> http://localhost/x' });
  await postMail(app, { to: 'ana@example.ao' });
  await receiveMail(app, 'ana@example.ao');
  const headers = { accept: 'text/html' };
  const page = await app.call('/sandbox/inbox', { token: null, headers });
  expect(page.text).toContain('SMS de LOJA');
  expect(page.text).toContain('Para 923 456 789');
  expect(page.text).toContain('&lt;b>Olá&lt;/b>');
  expect(page.text.match(/action="\/sandbox\/inbox\/reply"/g)).toHaveLength(1);
  const found = await app.call('/sandbox/inbox?to=%2B244923456789', { token: null, headers });
  expect(found.text).toContain('1 mensagem para 923 456 789');
});

test('the inbox drops the oldest SMS above its limit, and no mail', async () => {
  await postMail(app, { to: 'ana@example.ao' });
  await receiveMail(app, 'ana@example.ao');
  await app.sql(
    `insert into simulator.inbox (id, kind, recipient, text, received_at)
     select 'many' || n, 'sms', '+244923000000', '', now() from generate_series(1, 2100) n`,
  );
  const { to } = await sendMessage(app);
  const kept = await app.sql('select kind, count(*)::int from simulator.inbox group by kind order by kind');
  expect(kept).toEqual([
    { kind: 'mail', count: 1 },
    { kind: 'sms', count: 2_000 },
  ]);
  expect(await listInbox(app, to)).toHaveLength(1);
});

describe('a reply to an SMS', () => {
  test('by the form reaches the gateway, and the page confirms it below the SMS', async () => {
    const { messageId, to } = await sendMessage(app, { sender: 'LOJA' });
    await sendMessage(app);
    const reply = await submit({ id: messageId, text: ' Parar já ', to: '' });
    const query = `?replied=${messageId}`;
    expect([reply.status, reply.headers.get('location')]).toEqual([303, `/sandbox/inbox${query}#${messageId}`]);
    const [told] = await until(async () => {
      const answers = await listAnswers(to);
      return answers.length > 0 ? answers : null;
    });
    expect(told).toMatchObject({
      rail: 'sms',
      type: 'message_reply',
      reply: { from: to, to: 'LOJA', text: 'Parar já', messageId, receivedAt: expect.any(String) },
    });
    const { text } = await app.call(`/sandbox/inbox${query}`, { token: null, headers: { accept: 'text/html' } });
    const article = text.slice(text.indexOf(`id="${messageId}"`), text.indexOf(`value="${messageId}"`));
    expect(article).toContain('Resposta enviada.');
    expect(text.match(/Resposta enviada\./g)).toHaveLength(1);
  });

  test('reaches the same recipient again', async () => {
    const { messageId } = await sendMessage(app);
    const reply = await submit({ id: messageId, text: 'Sim', to: '923 & 456' });
    const location = new URL(reply.headers.get('location') ?? '', app.url);
    expect(Object.fromEntries(location.searchParams)).toEqual({ to: '923 & 456', replied: messageId });
  });

  test('by JSON returns 202 with the id of its notification', async () => {
    const { messageId, to } = await sendMessage(app);
    const reply = await app.call(REPLY, { body: { id: messageId, text: 'STOP' }, token: null });
    expect(reply.status).toBe(202);
    await until(async () => (await listAnswers(to)).some(({ id }) => id === reply.json.id));
  });

  test.each<[string, object, string[]]>([
    ['nothing', {}, ['/id required', '/text required']],
    ['no words', { id: randomUUID(), text: '  ' }, ['/text too_short']],
    ['too many', { id: randomUUID(), text: 'x'.repeat(1_531) }, ['/text too_long']],
    ['no text', { id: randomUUID(), text: 7 }, ['/text invalid_type']],
    ['a text that cannot be kept', { id: randomUUID(), text: 'a\0b' }, ['/text invalid_text']],
  ])('by JSON with %s is refused with the fault’s pointer', async (_what, body, faults) => {
    const reply = await app.call(REPLY, { body, token: null });
    expect(reply.status).toBe(400);
    const seen = reply.json.errors.map((fault: { pointer: string; code: string }) => `${fault.pointer} ${fault.code}`);
    expect(seen).toEqual(faults);
  });

  test('to an unknown SMS returns 404 as a page and as JSON', async () => {
    for (const id of [randomUUID(), 'x', '..', '../phones']) {
      expect((await app.call(REPLY, { body: { id, text: 'Olá' }, token: null })).status, id).toBe(404);
      const page = await submit({ id, text: 'Olá' });
      expect(page.status, id).toBe(404);
      expect(page.text).toContain('Não encontramos essa mensagem');
    }
  });

  test('without text returns an error page to browsers', async () => {
    const { messageId, to } = await sendMessage(app);
    const page = await submit({ id: messageId, text: ' ' });
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(page.text).toContain('A resposta não tem palavras');
    expect(await listAnswers(to)).toEqual([]);
  });
});

test('the inbox has no SMS of an external rail, and reports a simulated rail that is down', async () => {
  const SMS = { SMS_URL: 'http://127.0.0.1:9', SMS_KEY: 'a key that nobody uses' };
  const other = await startTestApp({ env: SMS });
  const headers = { accept: 'text/html' };
  const page = await other.call('/sandbox/inbox', { token: null, headers });
  expect(page.text).toContain('Os SMS saem agora por SMS_URL');
  const reply = await other.call(REPLY, { body: { id: randomUUID(), text: 'Olá' }, token: null });
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '2']);
  await other.stop();
});
