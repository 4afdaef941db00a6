import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import {
  addInvited,
  anyEmail,
  askToken,
  readFaults,
  PASSWORD,
  personOf,
  readLinkToken,
  readMails,
  registerPerson,
  untilDecided,
} from '../../support/people.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

const NEW_PASSWORD = 'outra palavra longa 8';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const post = (path: string, body: object) => app.call(`/api/auth/${path}`, { body, token: null });
const reset = (token: string, password = NEW_PASSWORD) => post('reset', { token, password });
const signIn = (username: string, password: string) => askToken(app, { username, password });
const userOf = async (email: string) => (await app.sql('select * from users where email = $1', [email]))[0];

async function recover(email: string): Promise<string> {
  const before = (await readMails(app, email)).length;
  expect((await post('recover', { email })).status).toBe(200);
  await until(async () => (await readMails(app, email)).length > before, 'the mail');
  return readLinkToken(app, email, 'reset');
}

describe('a password reset', () => {
  test('changes the password and ends every session of the person', async () => {
    const person = await registerPerson(app);
    const sessions = await Promise.all([person.signIn(), person.signIn()]);
    const reply = await reset(await recover(person.email));
    expect([reply.status, reply.json]).toEqual([200, { message: expect.any(String) }]);
    expect((await signIn(person.email, PASSWORD)).json.error).toBe('invalid_grant');
    expect((await signIn(person.email, NEW_PASSWORD)).status).toBe(200);
    for (const { refreshToken } of sessions) {
      const refreshed = await askToken(app, { grant_type: 'refresh_token', refresh_token: refreshToken });
      expect(refreshed.json.error).toBe('invalid_grant');
    }
    app.clock.leap(31_000);
    for (const { token } of sessions) expect((await app.call('/api/profile', { token })).status).toBe(401);
    const texts = (await readMails(app, person.email)).map(({ subject }) => subject);
    expect(texts).toHaveLength(3);
    const entries = await app.sql('select * from audit_entries where target = $1 order by seq desc', [person.userId]);
    expect(entries[0]).toMatchObject({ action: 'password.reset', actor_kind: 'user', actor_id: person.userId });
  });

  test('confirms the email address', async () => {
    const email = anyEmail();
    await post('register', { email, password: PASSWORD, firstName: 'Ana', lastName: 'Neto' });
    const verification = await readLinkToken(app, email, 'verify-email');
    expect((await reset(await recover(email))).status).toBe(200);
    expect((await userOf(email)).verified_at).not.toBeNull();
    expect((await signIn(email, NEW_PASSWORD)).status).toBe(200);
    // A reset makes earlier links invalid.
    expect((await post('verify-email', { token: verification })).json.code).toBe('link_invalid');
  });

  test('ends the lockout of its own account only', async () => {
    const [person, other] = await Promise.all([registerPerson(app), registerPerson(app)]);
    for (const { email } of [person, other])
      for (let nth = 0; nth < 5; nth++) await signIn(email, 'not the right one 7');
    expect((await signIn(person.email, PASSWORD)).status).toBe(429);
    await reset(await recover(person.email));
    expect((await signIn(person.email, NEW_PASSWORD)).status).toBe(200);
    expect((await signIn(other.email, PASSWORD)).status).toBe(429);
    app.clock.leap(HOUR_MS);
  });

  test('accepts its link once', async () => {
    const { email } = await registerPerson(app);
    const token = await recover(email);
    expect((await reset(token)).status).toBe(200);
    expect((await reset(token, PASSWORD)).json.code).toBe('link_invalid');
    expect((await signIn(email, NEW_PASSWORD)).status).toBe(200);
  });

  test('rejects its link after an hour', async () => {
    const [early, late] = [await registerPerson(app), await registerPerson(app)];
    const tokens = [await recover(early.email), await recover(late.email)];
    app.clock.leap(HOUR_MS - 1);
    expect((await reset(tokens[0]!)).status).toBe(200);
    app.clock.leap(1);
    expect((await reset(tokens[1]!)).json.code).toBe('link_invalid');
    expect((await signIn(late.email, PASSWORD)).status).toBe(200);
  });

  test('accepts only the newest link', async () => {
    const { email } = await registerPerson(app);
    const [first, second] = [await recover(email), await recover(email)];
    expect((await reset(first)).json.code).toBe('link_invalid');
    expect((await reset(second)).status).toBe(200);
  });

  test('rejects a link that was mailed for another purpose', async () => {
    const email = anyEmail();
    await post('register', { email, password: PASSWORD, firstName: 'Ana', lastName: 'Neto' });
    expect((await reset(await readLinkToken(app, email, 'verify-email'))).json.code).toBe('link_invalid');
    const { email: known } = await registerPerson(app);
    const token = await recover(known);
    expect((await post('verify-email', { token })).json.code).toBe('link_invalid');
    expect((await reset(token)).status).toBe(200);
  });

  test('refuses a weak password, after which its link is still valid', async () => {
    const { email } = await registerPerson(app, { firstName: 'Kiala', lastName: 'Fortunato' });
    const token = await recover(email);
    expect(readFaults(await reset(token, 'kiala.fortunato'))).toEqual(['/password password_common']);
    expect((await reset(token)).status).toBe(200);
  });

  test('sends no mail to an email address without an account', async () => {
    const { email: invited } = await addInvited(app);
    const unknown = anyEmail();
    await untilDecided(app, 'reset', 2, async () => {
      for (const email of [invited, unknown]) await post('recover', { email });
    });
    for (const each of [invited, unknown]) expect(await readMails(app, each)).toEqual([]);
  });

  test('is mailed at most ten times an hour, and the newest link is accepted', async () => {
    const { email } = await registerPerson(app);
    let token = '';
    for (let nth = 0; nth < 10; nth++) token = await recover(email);
    await untilDecided(app, 'reset', 3, async () => {
      for (let nth = 0; nth < 3; nth++) await post('recover', { email });
    });
    expect(await readMails(app, email)).toHaveLength(11);
    expect((await reset(token)).status).toBe(200);
  });
});

describe('the acceptance of an invitation', () => {
  async function invite(userId: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const hash = createHash('sha256').update(token).digest('base64url');
    const expiresAt = new Date(app.clock.now().getTime() + 30 * 24 * HOUR_MS);
    await app.sql(
      `insert into mail_tokens (user_id, purpose, hash, expires_at) values ($1, 'invite', $2, $3)
       on conflict (user_id, purpose) do update set hash = excluded.hash, expires_at = excluded.expires_at`,
      [userId, hash, expiresAt],
    );
    return token;
  }
  const accept = (token: string, more: object = {}) =>
    post('accept-invitation', { token, password: PASSWORD, firstName: 'Zola', lastName: 'Neto', ...more });

  test('creates the user account', async () => {
    const { email, userId } = await addInvited(app);
    const reply = await accept(await invite(userId), { phoneNumber: '923456789', language: 'fr' });
    expect([reply.status, reply.json]).toEqual([200, { message: expect.any(String) }]);
    expect((await signIn(email, PASSWORD)).status).toBe(200);
    const { json } = await personOf(app, { email, password: PASSWORD, userId }).call('/api/profile');
    const person = { firstName: 'Zola', lastName: 'Neto', phoneNumber: '+244923456789', language: 'fr' };
    expect(json).toMatchObject({ id: userId, ...person });
  });

  test('is possible once per link', async () => {
    const { userId } = await addInvited(app);
    const token = await invite(userId);
    expect((await accept(token)).status).toBe(200);
    expect((await accept(token, { firstName: 'Outro' })).json.code).toBe('link_invalid');
  });

  test('is refused for an account in use that has no open invitation', async () => {
    const { email, userId } = await registerPerson(app);
    const before = await userOf(email);
    expect((await accept(await invite(userId))).json.code).toBe('link_invalid');
    expect(await userOf(email)).toEqual(before);
  });

  test('takes over an account that was registered with the invited email address and not confirmed', async () => {
    const { email, userId } = await addInvited(app);
    const token = await invite(userId);
    const stolen = { email, password: 'palavra de outra pessoa', firstName: 'X', lastName: 'Y' };
    await post('register', stolen);
    expect((await accept(token)).status).toBe(200);
    expect((await signIn(email, stolen.password)).json.error).toBe('invalid_grant');
    const verification = await readLinkToken(app, email, 'verify-email');
    expect((await post('verify-email', { token: verification })).json.code).toBe('link_invalid');
  });

  test('refuses a weak password, after which its link is still valid', async () => {
    const { email, userId } = await addInvited(app);
    const token = await invite(userId);
    expect(readFaults(await accept(token, { password: email.slice(0, 20) }))).toEqual(['/password password_common']);
    expect((await accept('A'.repeat(43))).json.code).toBe('link_invalid');
    expect((await accept(token)).status).toBe(200);
  });

  test('is refused after 30 days', async () => {
    const { userId } = await addInvited(app);
    const token = await invite(userId);
    app.clock.leap(30 * 24 * HOUR_MS);
    expect((await accept(token)).json.code).toBe('link_invalid');
  });
});
