import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { addInvited, anyEmail, askToken, PASSWORD, readMails, registerPerson } from '../../support/people.ts';
import { addAccess } from '../../support/members.ts';
import { watchWork } from '../../support/statements.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  // Runs each operation once before the measurement, because the first run does extra work.
  const { email } = await registerPerson(app);
  await askToken(app, { username: email, password: 'wrong words for this' });
});

const post = (path: string, body: object) => app.call(`/api/auth/${path}`, { body, token: null });
const register = (email: string) => post('register', { email, password: PASSWORD, firstName: 'Eva', lastName: 'Neto' });

const KINDS: Record<string, () => Promise<string>> = {
  unknown: async () => anyEmail(),
  known: async () => (await registerPerson(app)).email,
  unverified: async () => {
    const email = anyEmail();
    await register(email);
    return email;
  },
  invited: async () => {
    const { merchantId } = await app.addMerchant();
    const { email, userId } = await addInvited(app);
    const expiresAt = new Date(app.clock.now().getTime() + 1_000_000);
    await addAccess(app, { userId, merchantId, role: 'Viewer', expiresAt });
    return email;
  },
};

/** Returns the response without the parts that differ between any two responses. */
function visible({ status, headers, text }: Reply): object {
  const told = Object.fromEntries(headers);
  for (const name of ['x-request-id', 'date', 'ratelimit']) delete told[name];
  return { status, told, text: text.replace(/urn:request:[\w-]+/, '') };
}

async function compare(ask: (email: string) => Promise<Reply>) {
  const seen = [];
  for (const [kind, make] of Object.entries(KINDS)) {
    const email = await make();
    const { result, statements, hashes } = await watchWork(() => ask(email));
    seen.push({ kind, answer: visible(result), statements, hashes });
  }
  return seen;
}

test('a registration does equal work for a known and an unknown email address', async () => {
  const seen = await compare(register);
  expect(seen[0]!.answer).toMatchObject({ status: 201 });
  for (const { answer, statements, hashes } of seen) {
    expect(answer).toEqual(seen[0]!.answer);
    expect(hashes).toBe(1);
    expect(statements).toHaveLength(seen[0]!.statements.length);
    expect(statements.filter((each) => each === 'insert into mails')).toHaveLength(1);
  }
  expect(seen[0]!.statements.length).toBeGreaterThan(3);
});

test('the password grant does equal work for a wrong password and an unknown email address', async () => {
  const seen = await compare((username) => askToken(app, { username, password: 'not the right one 7' }));
  expect(seen[0]!.answer).toMatchObject({ status: 400, text: expect.stringContaining('invalid_grant') });
  for (const { answer, statements, hashes } of seen) {
    expect(answer).toEqual(seen[0]!.answer);
    expect(hashes).toBe(1);
    expect(statements).toEqual(seen[0]!.statements);
  }
  expect(seen[0]!.statements).toContain('insert into sign_in_failures');
});

test('the password grant does equal work for an email address that is not confirmed', async () => {
  const unproven = await KINDS['unverified']!();
  const ask = (username: string) => watchWork(() => askToken(app, { username, password: PASSWORD }));
  const { result, statements, hashes } = await ask(unproven);
  const unknown = await ask(anyEmail());
  expect(visible(result)).toEqual(visible(unknown.result));
  expect([statements, hashes]).toEqual([unknown.statements, unknown.hashes]);
});

test('sign-ins of a locked account do equal work for known and unknown email addresses', async () => {
  const seen = await compare(async (username) => {
    for (let nth = 0; nth < 5; nth++) await askToken(app, { username, password: 'not the right one 7' });
    return askToken(app, { username, password: 'not the right one 7' });
  });
  expect(seen[0]!.answer).toMatchObject({ status: 429 });
  for (const { answer, hashes } of seen) {
    expect(answer).toEqual(seen[0]!.answer);
    expect(hashes).toBe(5);
  }
});

describe.each(['recover', 'verify-email/resend'])('%s', (path) => {
  test('returns the same response for known and unknown email addresses', async () => {
    const seen = await compare((email) => post(path, { email }));
    for (const { answer, hashes } of seen) {
      expect(answer).toEqual(seen[0]!.answer);
      expect(answer).toMatchObject({ status: 200 });
      expect(hashes).toBe(0);
    }
  });

  test('returns its response before its statements have finished', async () => {
    const email = await KINDS['unverified']!();
    const before = (await readMails(app, email)).length;
    const holder = await app.node.core.pool.connect();
    try {
      await holder.query('begin');
      // Requests of earlier tests may still hold locks on these tables.
      for (const table of ['sign_in_failures', 'users', 'mail_tokens'])
        await holder.query(`lock table ${table} in access exclusive mode`);
      for (const each of [email, anyEmail()]) expect((await post(path, { email: each })).status).toBe(200);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await until(async () => (await readMails(app, email)).length === before + 1, 'the mail');
  });
});

test('unknown links return the same response', async () => {
  const made = await Promise.all(
    ['x', 'A'.repeat(43)].map((token) => post('reset', { token, password: 'outra palavra longa 8' })),
  );
  const [one, other] = made.map(visible);
  expect(one).toEqual(other);
  expect(one).toMatchObject({ status: 400 });
});

// These requests continue after their response, and a later test would count their statements.
describe.each([
  ['register', { password: PASSWORD, firstName: 'Eva', lastName: 'Neto' }, 1],
  ['resend', {}, 0],
  ['recover', {}, 0],
] as const)('the page /account/%s', (page, fields, work) => {
  test('returns the same page for every email address', async () => {
    const seen = await compare(async (email) => {
      const body = new URLSearchParams({ ...fields, email }).toString();
      const form = { 'content-type': 'application/x-www-form-urlencoded', 'accept-encoding': 'identity' };
      const headers = { accept: 'text/html', ...form };
      const reply = await app.call(`/account/${page}`, { token: null, body, headers });
      // The form contains the typed email address.
      return { ...reply, text: reply.text.replaceAll(email, '') };
    });
    for (const { answer, hashes } of seen) {
      expect(answer).toEqual(seen[0]!.answer);
      expect(answer).toMatchObject({ status: 200 });
      expect(hashes).toBe(work);
    }
  });
});
