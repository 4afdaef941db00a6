import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { killChildren, startChild, type Child } from '../../support/child.ts';
import { freshDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { postMail, startMailServer, type MailServer } from '../../support/mail.ts';
import { creepUntil } from '../../support/payments.ts';

/** After this time the lease of a claimed mail has ended. */
const LATE_MS = 6 * 60_000;

describe('a mail', () => {
  let app: TestApp;
  let server: MailServer;
  beforeEach(async () => {
    server = await startMailServer(await freePort());
    app = await startTestApp({ env: { SMTP_URL: server.url } });
  });
  afterEach(async () => {
    await app?.stop();
    await server?.close();
  });
  const row = async () => (await app.sql('select * from mails'))[0];

  test('waits while the mail server is unreachable, and the node stays ready', async () => {
    await server.close();
    await postMail(app);
    await creepUntil(app, async () => (await row()).error !== null, 'the first try');
    expect((await row()).error).toMatch(/ECONNREFUSED/);
    expect((await app.call('/readyz', { token: null })).status).toBe(200);
    server = await startMailServer(server.port);
    app.clock.leap(10_000);
    await creepUntil(app, async () => (await row()).sent_at !== null, 'the mail being sent');
    expect(server.delivered).toHaveLength(1);
  });

  test('is sent again after a broken connection', async () => {
    await server.close();
    let breaks = 1;
    server = await startMailServer(server.port, {
      onMailFrom(_address, _session, done) {
        if (breaks-- > 0) server.cut();
        else done();
      },
    });
    await postMail(app);
    await creepUntil(app, async () => (await row()).error !== null, 'the broken try');
    app.clock.leap(10_000);
    await creepUntil(app, async () => (await row()).sent_at !== null, 'the mail being sent');
    expect(server.delivered).toHaveLength(1);
  });
});

test('a node that stops finishes sending the current mail and records it as sent', async () => {
  const database = await freshDatabase();
  let answer: (() => void) | null = null;
  const server = await startMailServer(0, {
    onData(stream, _session, done) {
      stream.on('end', () => (answer = done)).resume();
    },
  });
  const app = await startTestApp({ databaseUrl: database.url, env: { SMTP_URL: server.url } });
  await postMail(app);
  await creepUntil(app, () => answer !== null, 'the mail being taken');
  const stopped = app.stop();
  await until(() => app.node.core.stopping.aborted, 'the node stopping');
  (answer as unknown as () => void)();
  await stopped;
  const next = await startTestApp({ databaseUrl: database.url, env: { SMTP_URL: server.url } });
  expect(await next.sql('select sent_at, due_at from mails')).toEqual([{ sent_at: expect.anything(), due_at: null }]);
  await next.stop();
  await server.close();
  await database.drop();
});

describe('a kill -9 of the node', () => {
  let server: MailServer;
  let child: Child;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  afterEach(async () => {
    await killChildren();
    await server?.close();
    await database?.drop();
  });
  const register = async () => {
    const body = {
      email: 'ana@example.ao',
      password: 'mulemba kitanda roxo 57',
      firstName: 'Ana',
      lastName: 'Domingos',
    };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${child.url}/api/auth/register`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
  };
  const idOf = ({ raw }: { raw: string }) => /^Message-ID: (.*)$/m.exec(raw)?.[1]?.trim();

  test('before it sends a mail leaves the mail to the next node', async () => {
    server = await startMailServer();
    database = await freshDatabase();
    const env = { DATABASE_URL: database.url, SMTP_URL: server.url };
    server.refuseWith({ code: 451, text: 'not now' });
    child = await startChild({ env });
    await register();
    await until(() => server.asked.length > 0, 'the first try');
    await child.kill();
    server.refuseWith(null);
    child = await startChild({ env, lateMs: LATE_MS });
    await until(() => server.delivered.length > 0, 'the mail');
    expect(server.delivered.map(({ to }) => to)).toEqual([['ana@example.ao']]);
  });

  test('while it sends a mail leads to a second mail with the same Message-ID', async () => {
    let answer: (() => void) | null = null;
    let isHolding = true;
    server = await startMailServer(0, {
      onData(stream, { envelope }, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const to = envelope.rcptTo.map(({ address }) => address);
          server.delivered.push({ from: '', to, raw: Buffer.concat(chunks).toString('utf8') });
          if (isHolding) answer = done;
          else done();
        });
      },
    });
    database = await freshDatabase();
    const env = { DATABASE_URL: database.url, SMTP_URL: server.url };
    child = await startChild({ env });
    await register();
    await until(() => answer, 'the mail being taken');
    await child.kill();
    isHolding = false;
    child = await startChild({ env, lateMs: LATE_MS });
    await until(() => server.delivered.length === 2, 'the mail coming again');
    const [first, again] = server.delivered.map(idOf);
    expect(first).toMatch(/^<.+@.+>$/);
    expect(again).toBe(first);
  });
});
