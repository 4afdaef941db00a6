import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ROLES, roleOf, type RoleName } from '../../../shared/roles.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { addMember, type Member } from '../../support/members.ts';
import { linkIn, listInbox, receiveMail, tokenIn } from '../../support/mail.ts';
import { DAY_MS } from '../../../shared/durations.ts';

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
let owner: Member;
let path: string;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await app.addMerchant();
  path = `/api/merchants/${shop.merchantId}/users`;
  owner = await addMember(app, { merchantId: shop.merchantId });
});

const own = () => app.token(shop.clientId, shop.secret);
const tokenAt = (person: Member) => person.token({ merchant_id: shop.merchantId });
const newAddress = () => `p-${randomUUID().slice(0, 8)}@loja.example`;
const now = () => app.clock.now().toISOString();

type Options = { token?: string; headers?: Record<string, string> };

const grant = async (email: string, role: RoleName, { token, headers = {} }: Options = {}) =>
  app.call(path, { body: { email, roleId: roleOf(role).id }, token: token ?? (await own()), headers });
const revoke = async (userId: string, { token, headers = {} }: Options = {}) =>
  app.call(`${path}/${userId}`, { method: 'DELETE', token: token ?? (await own()), headers });
const list = async (): Promise<any[]> => (await app.call(`${path}?pageSize=100`, { token: await own() })).json.data;
const find = async (email: string) => (await list()).find((member) => member.email === email);
const whole = { prefer: 'return=representation' };
const told = ({ status, json }: Reply) => `${status} ${json.code ?? json.message}`;

async function listEvents(): Promise<any[]> {
  const { data } = (await app.call('/api/events?limit=500', { token: await own() })).json;
  return data.map(({ type, details }: any) => [type, details]);
}

describe('a grant of access to a merchant', () => {
  test("returns a message, and the member's details only on request", async () => {
    const email = newAddress();
    const reply = await grant(email, 'Cashier');
    expect([reply.status, reply.json]).toEqual([200, { message: 'Access granted.' }]);
    const { userId } = await find(email);
    const again = await grant(email, 'Viewer', { headers: whole });
    expect(again.json).toEqual({ message: 'Access granted.', userId, role: 'Viewer', status: 'Invited' });
  });

  test.each(ROLES.map(({ name, id }) => [name, id]))(
    "by %s accepts the role's id in any letter case",
    async (name, id) => {
      const email = newAddress();
      const body = { email: ` ${email.toUpperCase()} `, roleId: id.toUpperCase() };
      expect((await app.call(path, { body, token: await own() })).status).toBe(200);
      expect(await find(email)).toMatchObject({ email, role: name, roleId: id });
    },
  );

  test('does not reveal whether the email address has an account', async () => {
    const known = await addMember(app);
    const addresses = [known.email, newAddress()];
    const replies = [];
    for (const email of addresses) replies.push(await grant(email, 'Cashier', { headers: whole }));
    const expiresAt = new Date(app.clock.now().getTime() + 30 * DAY_MS).toISOString();
    for (const [nth, email] of addresses.entries()) {
      const { userId, ...rest } = replies[nth]!.json;
      expect(rest).toEqual({ message: 'Access granted.', role: 'Cashier', status: 'Invited' });
      // A time-ordered id would reveal when the account was created.
      expect(userId).toMatch(/^.{14}4/);
      const role = { role: 'Cashier', roleId: roleOf('Cashier').id };
      const invited = { firstName: null, lastName: null, status: 'Invited', createdAt: now(), expiresAt };
      expect(await find(email)).toEqual({ userId, email, ...role, ...invited });
    }
    // The gateway writes the same rows for both email addresses.
    const written = await app.sql(
      `select (select count(*)::int from mails m where m.to = u.email) as mails,
         (select count(*)::int from mail_tokens t where t.user_id = u.id) as links
       from users u where email = any($1)`,
      [addresses],
    );
    expect(written).toEqual(Array(2).fill({ mails: 1, links: 1 }));
    const headers = (reply: Reply) => [...reply.headers.keys()].toSorted();
    expect(headers(replies[0]!)).toEqual(headers(replies[1]!));
  });

  test('sends a mail to a person with an account, and gives access at the next sign-in', async () => {
    const person = await addMember(app);
    await grant(person.email, 'Cashier');
    const mail = await receiveMail(app, person.email);
    expect(mail.text).toContain('Outra Loja');
    expect(mail.text).not.toContain('token=');
    const { json } = await person.signIn({ merchant_id: shop.merchantId });
    expect(json.scope.split(' ').toSorted()).toEqual(roleOf('Cashier').scopes.toSorted());
    const active = { status: 'Active', firstName: 'Ana', lastName: 'Neto', expiresAt: null };
    expect(await find(person.email)).toMatchObject(active);
    const reply = await grant(person.email, 'Cashier', { headers: whole });
    expect(reply.json).toMatchObject({ status: 'Active', role: 'Cashier' });
  });

  test('sends a person without an account a link to choose a password', async () => {
    const email = newAddress();
    await grant(email, 'Developer');
    const mail = await receiveMail(app, email);
    expect(mail.text).toContain('Outra Loja');
    expect(linkIn(mail)).toMatch(/^\/account\/invitation\?token=[\w-]{43}&lang=pt$/);
    const password = 'sete mulembas na ilha';
    const body = { token: tokenIn(mail), password, firstName: 'Rui', lastName: 'Paz', phoneNumber: '923456789' };
    expect((await app.call('/api/auth/accept-invitation', { body, token: null })).status).toBe(200);
    expect(await find(email)).toMatchObject({ status: 'Active', firstName: 'Rui', lastName: 'Paz' });
    const form = { grant_type: 'password', client_id: 'web', username: email, password };
    const signedIn = await app.call('/oauth/token', { body: form, token: null });
    expect(signedIn.json).toMatchObject({ merchant_id: shop.merchantId });
  });

  test('does not give access to the password of an unconfirmed registration', async () => {
    const email = newAddress();
    const person = await addMember(app, { email });
    await app.sql('update users set verified_at = null where email = $1', [email]);
    await grant(email, 'Owner');
    expect((await person.signIn({ merchant_id: shop.merchantId })).status).toBe(400);
    expect(tokenIn(await receiveMail(app, email))).toMatch(/^[\w-]{43}$/);
  });

  test("mails people without an account in the merchant's language, and others in their own", async () => {
    await app.sql(`update merchants set default_language = 'fr' where id = $1`, [shop.merchantId]);
    const [stranger, known] = [newAddress(), await addMember(app)];
    await app.sql(`update users set language = 'en' where id = $1`, [known.userId]);
    for (const email of [stranger, known.email]) await grant(email, 'Viewer');
    expect(linkIn(await receiveMail(app, stranger))).toMatch(/lang=fr$/);
    const [french, english] = [
      (await receiveMail(app, stranger)).subject,
      (await receiveMail(app, known.email)).subject,
    ];
    expect(french).toMatch(/invitation|invité/i);
    expect(english).toMatch(/access/i);
  });

  test('for another role changes the role, and for the same role changes nothing', async () => {
    const email = newAddress();
    await grant(email, 'Cashier');
    const { userId } = await find(email);
    await grant(email, 'Cashier');
    await grant(email, 'Administrator');
    await grant(email, 'Administrator');
    expect((await list()).filter((member) => member.email === email)).toHaveLength(1);
    expect(await listEvents()).toEqual([
      ['access.granted', { userId, role: 'Cashier' }],
      ['access.changed', { userId, role: 'Administrator' }],
    ]);
  });

  test('repeated later mails the invitation again, but an immediate repeat does not', async () => {
    const email = newAddress();
    await grant(email, 'Viewer');
    await receiveMail(app, email);
    await grant(email, 'Viewer');
    app.clock.leap(11 * 60_000);
    const renewedAt = app.clock.now().getTime();
    await grant(email, 'Viewer');
    await receiveMail(app, email, 2);
    await app.clock.advance(2_000);
    const letters = await listInbox(app, email);
    expect(letters).toHaveLength(2);
    expect(tokenIn(letters[0]!)).not.toBe(tokenIn(letters[1]!));
    const expiresAt = new Date((await find(email)).expiresAt).getTime();
    expect(expiresAt).toBe(renewedAt + 30 * DAY_MS);
  });

  test('and its revocation in turn send a limited number of mails', async () => {
    const email = newAddress();
    for (let nth = 0; nth < 12; nth++) {
      await grant(email, 'Viewer');
      await revoke((await find(email)).userId);
    }
    const [{ count }] = await app.sql('select count(*)::int from mails where "to" = $1', [email]);
    expect(count).toBe(10);
  });

  test('expires if the person does not accept it within 30 days, and a new grant renews it', async () => {
    const person = await addMember(app);
    await grant(person.email, 'Cashier');
    app.clock.leap(30 * DAY_MS);
    expect(await find(person.email)).toBeUndefined();
    expect((await person.signIn({ merchant_id: shop.merchantId })).status).toBe(400);
    expect((await revoke(person.userId)).status).toBe(404);
    await grant(person.email, 'Viewer');
    expect(await find(person.email)).toMatchObject({ role: 'Viewer', status: 'Invited', createdAt: now() });
    expect((await person.signIn({ merchant_id: shop.merchantId })).status).toBe(200);
    const events = (await listEvents()).map(([type, { role }]) => [type, role]);
    expect(events).toEqual([
      ['access.granted', 'Cashier'],
      ['access.granted', 'Viewer'],
    ]);
  });

  test('is applied once for repeated requests with one Idempotency-Key', async () => {
    const email = newAddress();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await grant(email, 'Cashier', { headers });
    await grant(email, 'Viewer');
    const again = await grant(email, 'Cashier', { headers });
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    expect((await find(email)).role).toBe('Viewer');
    expect((await grant(email, 'Owner', { headers })).status).toBe(422);
  });

  test('is refused after five hundred members of a merchant', async () => {
    await app.sql(
      `insert into memberships (merchant_id, user_id, role, created_at, accepted_at)
       select $1, gen_random_uuid(), 'Viewer', $2, $2 from generate_series(1, 498)`,
      [shop.merchantId, app.clock.now()],
    );
    const last = newAddress();
    expect((await grant(last, 'Viewer')).status).toBe(200);
    expect(told(await grant(newAddress(), 'Viewer'))).toBe('409 too_many_members');
    expect((await grant(last, 'Cashier')).status).toBe(200);
  });
});

describe('a revocation of access', () => {
  test('invalidates tokens within 30 s and sessions of this merchant immediately, but nothing elsewhere', async () => {
    const other = await app.addMerchant();
    const person = await addMember(app, { merchantId: shop.merchantId, role: 'Cashier' });
    await app.sql(
      `insert into memberships (merchant_id, user_id, role, created_at, accepted_at) values ($1, $2, 'Viewer', $3, $3)`,
      [other.merchantId, person.userId, app.clock.now()],
    );
    const here = (await person.signIn({ merchant_id: shop.merchantId })).json;
    const there = (await person.signIn({ merchant_id: other.merchantId })).json;
    expect((await app.call('/api/payments', { token: here.access_token })).status).toBe(200);
    const reply = await revoke(person.userId);
    expect([reply.status, reply.json]).toEqual([200, { message: 'Access revoked.' }]);
    const refresh = (refresh_token: string) =>
      app.call('/oauth/token', { body: { grant_type: 'refresh_token', client_id: 'web', refresh_token }, token: null });
    expect((await refresh(here.refresh_token)).status).toBe(400);
    expect((await refresh(there.refresh_token)).status).toBe(200);
    app.clock.leap(30_000);
    expect((await app.call('/api/payments', { token: here.access_token })).status).toBe(401);
    expect((await app.call('/api/payments', { token: there.access_token })).status).toBe(200);
    expect((await person.signIn({ merchant_id: shop.merchantId })).status).toBe(400);
    expect(await find(person.email)).toBeUndefined();
    expect(await listEvents()).toEqual([['access.revoked', { userId: person.userId, role: 'Cashier' }]]);
  });

  test('still invalidates old tokens after access is granted again', async () => {
    const person = await addMember(app, { merchantId: shop.merchantId, role: 'Cashier' });
    const { access_token: token, refresh_token } = (await person.signIn({ merchant_id: shop.merchantId })).json;
    await revoke(person.userId);
    await grant(person.email, 'Cashier');
    const body = { grant_type: 'refresh_token', client_id: 'web', refresh_token };
    expect((await app.call('/oauth/token', { body, token: null })).status).toBe(400);
    app.clock.leap(30_000);
    expect((await app.call('/api/payments', { token })).status).toBe(401);
    expect((await app.call('/api/payments', { token: await tokenAt(person) })).status).toBe(200);
  });

  test('withdraws an invitation', async () => {
    const person = await addMember(app);
    await grant(person.email, 'Cashier');
    expect((await revoke(person.userId)).status).toBe(200);
    expect((await person.signIn({ merchant_id: shop.merchantId })).status).toBe(400);
  });

  test('is applied once for one Idempotency-Key, and without a key the repeat returns 404', async () => {
    const person = await addMember(app, { merchantId: shop.merchantId, role: 'Viewer' });
    const headers = { 'idempotency-key': randomUUID() };
    for (let nth = 0; nth < 2; nth++) expect((await revoke(person.userId, { headers })).status).toBe(200);
    expect(told(await revoke(person.userId))).toBe('404 not_found');
  });
});

describe('the revocation of access for a person who created API clients', () => {
  const clientsPath = () => `/api/merchants/${shop.merchantId}/clients`;
  const make = async (name: string, token: string) =>
    (await app.call(clientsPath(), { body: { name, scopes: ['payments:read'] }, token })).json;
  const rotate = async (clientId: string, overlapHours: number, token: string) =>
    app.call(`${clientsPath()}/${clientId}/rotate-secret`, { body: { overlapHours }, token });
  const signIn = async ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) =>
    (
      await app.call('/oauth/token', {
        body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
        token: null,
      })
    ).status;
  const notes = async () => (await app.call('/v1/notificacoes', { token: await own() })).json.data;

  test('names in response, audit, event and notification the clients whose secret the person knows', async () => {
    const person = await addMember(app, { merchantId: shop.merchantId, role: 'Developer' });
    const theirs = await tokenAt(person);
    const made = await make('ERP', theirs);
    const over = await make('Taken over', theirs);
    await make('Of another', await own());
    const told = await make('Rotated by them', await own());
    app.clock.leap(1_000);
    await rotate(over.clientId, 0, await own());
    await rotate(told.clientId, 0, theirs);
    const reply = await revoke(person.userId);
    const scopes = ['payments:read'];
    const known = [made, told].map(({ clientId, name }) => ({ clientId, name, scopes }));
    const byName = (list: { name: string }[]) => list.toSorted((a, b) => a.name.localeCompare(b.name));
    expect(reply.status).toBe(200);
    expect(reply.json.message).toBe('Access revoked.');
    expect(byName(reply.json.clients)).toEqual(known.map((client) => ({ ...client, status: 'Active' })));
    const [entry] = await app.sql(`select changes from audit_entries where action = 'access.revoked' and target = $1`, [
      person.userId,
    ]);
    expect(byName(entry.changes.clients)).toEqual(known);
    const [, details] = (await listEvents()).find(([type]) => type === 'access.revoked');
    expect(byName(details.clients)).toEqual(known);
    const [note] = (await notes()).filter(({ tipo }: any) => tipo === 'access.clients_left');
    for (const { name } of known) expect(note.mensagem).toContain(`«${name}»`);
    expect(note.mensagem).toContain(person.email);
    expect(await signIn(made)).toBe(200);
  });

  test('names a client whose old secret is valid for a while after a rotation', async () => {
    const person = await addMember(app, { merchantId: shop.merchantId, role: 'Developer' });
    const made = await make('ERP', await tokenAt(person));
    app.clock.leap(1_000);
    await rotate(made.clientId, 24, await own());
    expect((await revoke(person.userId)).json.clients).toMatchObject([{ clientId: made.clientId }]);
  });

  test('also revokes these clients if the request says so', async () => {
    const person = await addMember(app, { merchantId: shop.merchantId, role: 'Developer' });
    const made = await make('ERP', await tokenAt(person));
    const reply = await app.call(`${path}/${person.userId}?revokeClients=true`, {
      method: 'DELETE',
      token: await own(),
    });
    expect(reply.json.clients).toMatchObject([{ clientId: made.clientId, status: 'Revoked' }]);
    expect(await signIn(made)).toBe(401);
    expect((await notes()).filter(({ tipo }: any) => tipo === 'access.clients_left')).toEqual([]);
    expect((await listEvents()).slice(-2).map(([type]) => type)).toEqual(['access.revoked', 'client.revoked']);
  });

  test('changes nothing if the caller may not revoke a client', async () => {
    const person = await addMember(app, { merchantId: shop.merchantId, role: 'Viewer' });
    const boss = await addMember(app, { merchantId: shop.merchantId, role: 'Administrator' });
    const made = (await app.call(clientsPath(), { body: { name: 'Full' }, token: await tokenAt(owner) })).json;
    await rotateAs(person, made.clientId);
    const ask = async (query: string) =>
      app.call(`${path}/${person.userId}${query}`, { method: 'DELETE', token: await tokenAt(boss) });
    expect(told(await ask('?revokeClients=true'))).toBe('403 client_not_grantable');
    expect(await find(person.email)).toBeDefined();
    expect(await signIn(made)).toBe(200);
    expect(told(await ask('?revokeClients=yes'))).toBe('400 validation_failed');
    expect(told(await ask('?revokeClients=false'))).toBe('200 Access revoked.');
  });

  async function rotateAs({ userId }: Member, clientId: string): Promise<void> {
    await app.sql(
      `insert into audit_entries (id, merchant_id, action, actor_kind, actor_id, target, changes, occurred_at)
       values ($1, $2, 'client.rotated', 'user', $3, $4, '{}', $5)`,
      [randomUUID(), shop.merchantId, userId, clientId, app.clock.now()],
    );
  }
});

describe("a role with more rights than the caller's role", () => {
  test('cannot be granted, changed or revoked by an Administrator', async () => {
    const token = await tokenAt(await addMember(app, { merchantId: shop.merchantId, role: 'Administrator' }));
    const email = newAddress();
    expect(told(await grant(email, 'Owner', { token }))).toBe('403 role_not_grantable');
    expect(await find(email)).toBeUndefined();
    expect(await app.sql('select from users where email = $1', [email])).toEqual([]);
    await grant(email, 'Owner');
    const { userId } = await find(email);
    expect(told(await grant(email, 'Viewer', { token }))).toBe('403 role_not_grantable');
    expect(told(await revoke(userId, { token }))).toBe('403 role_not_grantable');
    expect(told(await grant(owner.email, 'Viewer', { token }))).toBe('403 role_not_grantable');
    expect(await find(email)).toMatchObject({ role: 'Owner' });
    for (const { name } of ROLES.filter((role) => role.name !== 'Owner'))
      expect((await grant(newAddress(), name, { token })).status).toBe(200);
  });

  test('is compared with the scopes of the token, not with the person or the client', async () => {
    const narrow = await app.token(shop.clientId, shop.secret, 'users:write merchant:read');
    for (const { name } of ROLES)
      expect(told(await grant(newAddress(), name, { token: narrow }))).toBe('403 role_not_grantable');
    const viewer = roleOf('Viewer').scopes.join(' ');
    const asViewer = await owner.token({ merchant_id: shop.merchantId, scope: `${viewer} users:write` });
    expect((await grant(newAddress(), 'Viewer', { token: asViewer })).status).toBe(200);
    expect(told(await grant(newAddress(), 'Cashier', { token: asViewer }))).toBe('403 role_not_grantable');
  });
});

describe('the last Owner of a merchant', () => {
  test('cannot be revoked and cannot get another role', async () => {
    for (const token of [await own(), await tokenAt(owner)]) {
      expect(told(await revoke(owner.userId, { token }))).toBe('409 last_owner');
      expect(told(await grant(owner.email, 'Administrator', { token }))).toBe('409 last_owner');
      expect((await grant(owner.email, 'Owner', { token })).status).toBe(200);
    }
    expect(await find(owner.email)).toMatchObject({ role: 'Owner', status: 'Active' });
    expect(await listEvents()).toEqual([]);
  });

  test('cannot leave while another Owner is only invited', async () => {
    const second = await addMember(app);
    await grant(second.email, 'Owner');
    expect(told(await revoke(owner.userId))).toBe('409 last_owner');
    await tokenAt(second);
    expect((await grant(owner.email, 'Viewer')).status).toBe(200);
    expect(told(await revoke(second.userId))).toBe('409 last_owner');
    expect((await revoke(owner.userId)).status).toBe(200);
  });

  test('cannot leave because another merchant has another Owner', async () => {
    const other = await app.addMerchant();
    await addMember(app, { merchantId: other.merchantId });
    expect(told(await revoke(owner.userId))).toBe('409 last_owner');
  });

  test('is not protected while the person is only invited', async () => {
    const [one, two] = [newAddress(), newAddress()];
    for (const email of [one, two]) await grant(email, 'Owner');
    expect((await revoke((await find(one)).userId)).status).toBe(200);
    expect((await grant(two, 'Viewer')).status).toBe(200);
  });
});

test("the list of members contains one merchant's members in pages, the newest first", async () => {
  await addMember(app, { merchantId: (await app.addMerchant()).merchantId });
  const made = [owner.email];
  for (let nth = 0; nth < 4; nth++) {
    await app.clock.advance(1_000);
    made.push(newAddress());
    await grant(made.at(-1)!, 'Viewer');
  }
  const seen: string[] = [];
  for (let page = 1; page <= 3; page++) {
    const { json } = await app.call(`${path}?page=${page}&pageSize=2`, { token: await own() });
    expect(json).toMatchObject({ pageNumber: page, pageSize: 2, totalPages: 3, totalItems: 5 });
    seen.push(...json.data.map(({ email }: any) => email));
  }
  expect(seen).toEqual(made.toReversed());
});
