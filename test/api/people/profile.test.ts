import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  anyEmail,
  askToken,
  readFaults,
  PASSWORD,
  readMails,
  registerPerson,
  type Person,
} from '../../support/people.ts';
import { addAccess } from '../../support/members.ts';
import { DAY_MS } from '../../../shared/durations.ts';

const PATH = '/api/profile/sessions';
const NEW_PASSWORD = 'outra palavra longa 8';
/** A node reads the session of a token again every 30 s. */
const RECHECK_MS = 31_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

type Listed = { id: string; isCurrent: boolean };

const list = async (token: string, query = ''): Promise<any> => (await app.call(PATH + query, { token })).json;
const idOf = async (token: string) => (await list(token)).data.find(({ isCurrent }: Listed) => isCurrent).id as string;
const end = (token: string, id = '', headers = {}) =>
  app.call(id ? `${PATH}/${id}` : PATH, { method: 'DELETE', token, headers });
const refresh = (refresh_token: string) => askToken(app, { grant_type: 'refresh_token', refresh_token });

describe('GET /api/profile', () => {
  test('returns a person without a merchant', async () => {
    const createdAt = app.clock.now().toISOString();
    const email = anyEmail();
    const person = await registerPerson(app, { email, phoneNumber: '923456789', language: 'en' });
    const reply = await person.call('/api/profile');
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      id: person.userId,
      email,
      firstName: 'Ana',
      lastName: 'Domingos',
      phoneNumber: '+244923456789',
      language: 'en',
      noticeMail: null,
      emailVerifiedAt: createdAt,
      mfaEnabled: false,
      recoveryCodesLeft: 0,
      createdAt,
      merchants: [],
    });
    expect(reply.text).not.toMatch(/argon2|passwordHash|totp/);
  });

  test("lists the person's merchants, the oldest first, without expired invitations", async () => {
    const person = await registerPerson(app);
    const [first, second, lapsed] = [
      await app.addMerchant({ name: 'Um' }),
      await app.addMerchant(),
      await app.addMerchant(),
    ];
    await addAccess(app, { userId: person.userId, merchantId: first.merchantId });
    app.clock.leap(1000);
    const expiresAt = new Date(app.clock.now().getTime() + 2 * DAY_MS);
    await addAccess(app, { userId: person.userId, merchantId: second.merchantId, role: 'Viewer', expiresAt });
    await addAccess(app, {
      userId: person.userId,
      merchantId: lapsed.merchantId,
      role: 'Viewer',
      expiresAt: new Date(expiresAt.getTime() - DAY_MS),
    });
    app.clock.leap(DAY_MS);
    const { json } = await person.call('/api/profile');
    expect(json.merchants).toEqual([
      {
        merchantId: first.merchantId,
        name: 'Um',
        role: 'Owner',
        roleId: '00000000-0000-4000-8000-000000000005',
        createdAt: expect.any(String),
      },
      expect.objectContaining({ merchantId: second.merchantId, role: 'Viewer' }),
    ]);
  });
});

describe('PUT /api/profile', () => {
  const names = { firstName: 'Rita', lastName: 'Neto', phoneNumber: '+244 911 222 333', language: 'fr' };

  test('changes every field', async () => {
    const person = await registerPerson(app);
    const reply = await person.call('/api/profile', { method: 'PUT', body: { ...names, email: 'x@y.ao', id: '1' } });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ ...names, phoneNumber: '+244911222333', email: person.email });
    expect((await person.call('/api/profile')).json).toEqual(reply.json);
    const entries = await app.sql(`select * from audit_entries where target = $1 and action = 'profile.changed'`, [
      person.userId,
    ]);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ merchant_id: null, actor_kind: 'user', actor_id: person.userId });
    expect(entries[0].changes).toMatchObject({ firstName: { before: 'Ana', after: 'Rita' } });
  });

  describe('with an absent field', () => {
    let person: Person;
    beforeAll(async () => {
      person = await registerPerson(app, { phoneNumber: '923456789', language: 'pt' });
    });

    const countEntries = async () => {
      const about = `select from audit_entries where target = $1 and action = 'profile.changed'`;
      return (await app.sql(about, [person.userId])).length;
    };

    // These tests run in order and change one person's profile.
    test.each([
      [{}, {}],
      [{ firstName: null, lastName: null, language: null }, {}],
      [{ firstName: 'Rita' }, { firstName: 'Rita' }],
      [{ phoneNumber: null }, { phoneNumber: null }],
      [{ language: 'EN' }, { language: 'en' }],
    ])('keeps the value of the field: %j', async (body, changed) => {
      const [{ json: before }, entries] = [await person.call('/api/profile'), await countEntries()];
      const { json } = await person.call('/api/profile', { method: 'PUT', body });
      expect(json).toEqual({ ...before, ...changed });
      if (Object.keys(changed).length > 0) expect(json).not.toEqual(before);
      expect(await countEntries()).toBe(entries + (Object.keys(changed).length > 0 ? 1 : 0));
    });
  });

  test('is applied once for an Idempotency-Key, which only the same person can repeat', async () => {
    const [person, other] = [await registerPerson(app), await registerPerson(app)];
    const headers = { 'idempotency-key': randomUUID() };
    const change = (who: typeof person, firstName: string) =>
      who.call('/api/profile', { method: 'PUT', body: { firstName }, headers });
    const first = await change(person, 'Rita');
    await person.call('/api/profile', { method: 'PUT', body: { firstName: 'Eva' } });
    const again = await change(person, 'Rita');
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.json).toEqual(first.json);
    expect((await person.call('/api/profile')).json.firstName).toBe('Eva');
    expect((await change(person, 'Zola')).status).toBe(422);
    expect((await change(other, 'Zola')).json.firstName).toBe('Zola');
  });
});

describe('GET /api/profile/sessions', () => {
  test('returns each session, the newest first, and marks the session of the caller', async () => {
    const person = await registerPerson(app);
    const { merchantId } = await app.addMerchant();
    const first = await person.signIn();
    app.clock.leap(1000);
    await addAccess(app, { userId: person.userId, merchantId });
    const { token } = await person.signIn();
    const { data, ...page } = await list(token);
    expect(page).toEqual({ pageNumber: 1, pageSize: 20, totalPages: 1, totalItems: 2 });
    const at = app.clock.now().toISOString();
    expect(data[0]).toEqual({
      id: expect.any(String),
      clientId: 'web',
      merchantId,
      address: '127.0.0.1',
      userAgent: expect.any(String),
      createdAt: at,
      lastUsedAt: at,
      isCurrent: true,
    });
    expect(data[1]).toMatchObject({ merchantId: null, isCurrent: false });
    app.clock.leap(1000);
    expect((await refresh(first.refreshToken)).status).toBe(200);
    expect((await list(token)).data[1].lastUsedAt).toBe(app.clock.now().toISOString());
  });

  test('has pages, and omits sessions that ended or expired and sessions of other people', async () => {
    const person = await registerPerson(app);
    await (await registerPerson(app)).signIn();
    await person.signIn();
    app.clock.leap(31 * DAY_MS);
    const ids = [];
    for (let nth = 0; nth < 4; nth++) {
      app.clock.leap(1);
      ids.push(await idOf((await person.signIn()).token));
    }
    const { token } = await person.signIn();
    await end(token, ids[3]);
    const pages = await Promise.all([1, 2].map((page) => list(token, `?page=${page}&pageSize=2`)));
    expect(pages.map(({ totalItems, totalPages }) => [totalItems, totalPages])).toEqual([
      [4, 2],
      [4, 2],
    ]);
    const listed = pages.flatMap(({ data }) => data.map(({ id }: Listed) => id));
    expect(listed).toEqual([await idOf(token), ids[2], ids[1], ids[0]]);
    expect(readFaults(await app.call(`${PATH}?page=0`, { token }))).toEqual(['/query/page too_small']);
  });
});

describe('a request that ends sessions', () => {
  test('invalidates the tokens of one session by its id', async () => {
    const person = await registerPerson(app);
    const [mine, theirs] = [await person.signIn(), await person.signIn()];
    const id = await idOf(theirs.token);
    expect((await end(mine.token, id)).status).toBe(204);
    expect((await refresh(theirs.refreshToken)).json.error).toBe('invalid_grant');
    app.clock.leap(RECHECK_MS);
    expect((await app.call('/api/profile', { token: theirs.token })).status).toBe(401);
    expect((await app.call('/api/profile', { token: mine.token })).status).toBe(200);
    expect((await end(mine.token, id)).status).toBe(404);
    const [entry] = await app.sql(`select * from audit_entries where action = 'session.ended' and target = $1`, [
      person.userId,
    ]);
    expect(entry).toMatchObject({ changes: { sessionId: id }, actor_id: person.userId });
  });

  test('can end the session of the caller', async () => {
    const person = await registerPerson(app);
    const { token, refreshToken } = await person.signIn();
    expect((await end(token, await idOf(token))).status).toBe(204);
    expect((await refresh(refreshToken)).json.error).toBe('invalid_grant');
  });

  test('for all other sessions keeps the session of the caller', async () => {
    const person = await registerPerson(app);
    const others = [await person.signIn(), await person.signIn()];
    const { token, refreshToken } = await person.signIn();
    const stranger = await (await registerPerson(app)).signIn();
    expect((await end(token)).status).toBe(204);
    expect((await refresh(stranger.refreshToken)).status).toBe(200);
    for (const other of others) expect((await refresh(other.refreshToken)).json.error).toBe('invalid_grant');
    expect((await list(token)).data).toHaveLength(1);
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  test('returns the first response for a repeated Idempotency-Key', async () => {
    const person = await registerPerson(app);
    const [mine, theirs] = [await person.signIn(), await person.signIn()];
    const id = await idOf(theirs.token);
    const headers = { 'idempotency-key': randomUUID() };
    for (let nth = 0; nth < 2; nth++) expect((await end(mine.token, id, headers)).status).toBe(204);
  });
});

describe('a change of the password', () => {
  const change = (person: Person, body: object, token?: string) =>
    person.call('/api/profile/password', { body, ...(token && { token }) });

  test('ends every other session, and the gateway mails the person', async () => {
    const person = await registerPerson(app);
    const [mine, theirs] = [await person.signIn(), await person.signIn()];
    const reply = await change(person, { currentPassword: PASSWORD, password: NEW_PASSWORD }, mine.token);
    expect([reply.status, reply.json]).toEqual([200, { message: expect.any(String) }]);
    const signIn = (password: string) => askToken(app, { username: person.email, password });
    expect((await signIn(PASSWORD)).json.error).toBe('invalid_grant');
    expect((await signIn(NEW_PASSWORD)).status).toBe(200);
    expect((await refresh(theirs.refreshToken)).json.error).toBe('invalid_grant');
    expect((await refresh(mine.refreshToken)).status).toBe(200);
    expect(await readMails(app, person.email)).toHaveLength(2);
    const entries = await app.sql(
      `select changes from audit_entries where target = $1 and action = 'password.changed'`,
      [person.userId],
    );
    expect(entries).toEqual([{ changes: {} }]);
  });

  test('requires the current password, and a wrong one counts as a failed sign-in', async () => {
    const person = await registerPerson(app);
    await person.signIn();
    const wrong = { currentPassword: 'not the right one 7', password: NEW_PASSWORD };
    for (let nth = 0; nth < 5; nth++)
      expect(readFaults(await change(person, wrong))).toEqual(['/currentPassword wrong_password']);
    const locked = await change(person, { currentPassword: PASSWORD, password: NEW_PASSWORD });
    expect([locked.status, locked.json.code, locked.headers.get('retry-after')]).toEqual([
      429,
      'too_many_failures',
      '30',
    ]);
    expect((await askToken(app, { username: person.email, password: PASSWORD })).status).toBe(429);
    app.clock.leap(30_000);
    expect((await change(person, { currentPassword: PASSWORD, password: NEW_PASSWORD })).status).toBe(200);
  });

  test('refuses a weak password', async () => {
    const person = await registerPerson(app, { firstName: 'Kiala', lastName: 'Fortunato' });
    const of = async (password: unknown) => readFaults(await change(person, { currentPassword: PASSWORD, password }));
    expect(await of('kiala.fortunato')).toEqual(['/password password_common']);
  });
});
