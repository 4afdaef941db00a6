// kill -9 in the middle of what makes people, access and merchants, and of money that is told of: whole afterwards, or not there.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../server/accounts/password.ts';
import { DEMO } from '../../server/sandbox/seed.ts';
import { roleOf } from '../../shared/roles.ts';
import { TEST_ENV, until } from '../support/app.ts';
import { connectMerchant, killChildren, startChild, type Child } from '../support/child.ts';
import { startCli, stopClis } from '../support/cli.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../support/database.ts';
import { countWaiting, holdLock } from '../support/locks.ts';

const PASSWORD = 'mulemba kitanda roxo 57';

let database: FreshDatabase;
let child: Child;
let personToken: string;
beforeAll(async () => {
  database = await freshDatabase();
  child = await startChild({ env: childEnv() });
  personToken = await signInSomebody();
});
afterEach(stopClis);
afterAll(async () => {
  await killChildren();
  await database?.drop();
});

const childEnv = () => ({ DATABASE_URL: database.url, LOG_LEVEL: 'error' });
const sql = <T = any>(text: string, values?: unknown[]) => querySql<T>(database.url, text, values);
const merchant = connectMerchant(() => child.url);

/** Somebody with an account and no merchant. */
async function signInSomebody(): Promise<string> {
  await sql(
    `insert into users (id, email, verified_at, password_hash, first_name, created_at, updated_at)
     values ($1, 'rui@loja.example', now(), $2, 'Rui', now(), now())`,
    [randomUUID(), await hashPassword(PASSWORD)],
  );
  const body = new URLSearchParams({ grant_type: 'password', client_id: 'web', username: 'rui@loja.example' });
  body.set('password', PASSWORD);
  const answer = await fetch(`${child.url}/oauth/token`, { method: 'POST', body });
  return ((await answer.json()) as { access_token: string }).access_token;
}

type Call = () => Promise<number>;

async function post(path: string, body: object, token?: string): Promise<number> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  return (await fetch(child.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

/** Everything that people, access, merchants and their records are made of; a mail that was sent stays a row. */
async function readAll(): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const [name, text] of Object.entries(WHAT)) all[name] = (await sql(text)).map((row) => JSON.stringify(row));
  return all;
}

const WHAT = {
  users:
    'select id, email, verified_at is not null as verified, password_hash is not null as known from users order by id',
  links: 'select user_id, purpose, hash from mail_tokens order by 1, 2',
  mails: 'select id, "to" from mails order by id',
  memberships: 'select merchant_id, user_id, role, accepted_at is not null as taken from memberships order by 1, 2',
  merchants: 'select id, name from merchants order by id',
  clients: 'select id, merchant_id from clients order by id',
  audit: 'select id, action, target from audit_entries order by seq',
  events: 'select id, type, details from events order by seq',
  notifications: 'select id, type from notifications order by seq',
  keys: 'select key, status from idempotency_keys order by 1',
};

/** What must never be without the other, of all that there is. */
const HALVES = {
  'registered, and no mail': `select email from users u where password_hash is not null and verified_at is null
    and not exists (select from mails m where m.to = u.email)`,
  'registered, and no entry': `select email from users u where password_hash is not null and verified_at is null
    and not exists (select from audit_entries a where a.target = u.id::text and a.action = 'account.registered')`,
  'invited, and no mail': `select email from memberships join users u on u.id = user_id where accepted_at is null
    and not exists (select from mails m where m.to = u.email)`,
  'access, and no entry': `select user_id from memberships m where not exists (select from audit_entries a
    where a.merchant_id = m.merchant_id and (a.target = m.user_id::text and a.action = 'access.granted'
      or a.action = 'merchant.created'))`,
  'granted, and nobody told': `select target from audit_entries a where action = 'access.granted' and 1 <> (select count(*)
    from notifications n where n.merchant_id = a.merchant_id and n.details ->> 'userId' = a.target)`,
  'a merchant, and no Owner': `select id from merchants m where id <> '${DEMO.merchantId}'
    and not exists (select from memberships s where s.merchant_id = m.id and role = 'Owner')`,
  'a merchant, and no client': `select id from merchants m where not exists (select from clients c where c.merchant_id = m.id)`,
  'verified, and an open offer': `select email from users u join memberships m on m.user_id = u.id
    where u.verified_at is not null and m.accepted_at is null`,
};

async function expectWhole(): Promise<void> {
  for (const [what, text] of Object.entries(HALVES)) expect(await sql(text), what).toEqual([]);
}

/** Kills the server while `call` waits to write to `table`, and starts it again. */
async function killAtWriting(call: Call, table: string): Promise<void> {
  const release = await holdLock(database.url, `lock table ${table} in share mode`);
  const asked = call().catch(() => 0);
  // Mail that is due is claimed by an update, whoever calls.
  const writes = table === 'mails' ? ['insert into%'] : ['insert into%', 'update%', 'delete from%'];
  const isWaiting = async () => {
    for (const verb of writes) if (await countWaiting(database.url, `${verb}${table}`)) return true;
    return false;
  };
  await until(isWaiting, `${table} being written`);
  await child.kill();
  await release();
  expect(await asked).toBe(0);
  child = await startChild({ env: childEnv(), port: child.port });
}

/** Nothing is there after the kill; the same again does it, whole. */
async function expectAllOrNothing(call: Call, table: string, done: number): Promise<void> {
  const before = await readAll();
  await killAtWriting(call, table);
  expect(await readAll()).toEqual(before);
  expect(await call()).toBe(done);
  await expectWhole();
}

describe('kill -9 of a node', () => {
  test.each(['users', 'mails', 'audit_entries'])('registering somebody, at %s', async (table) => {
    const email = `${randomUUID()}@loja.example`;
    const body = { email, password: PASSWORD, firstName: 'Ana', lastName: 'Domingos' };
    await expectAllOrNothing(() => post('/api/auth/register', body), table, 201);
    const made = await sql(
      `select (select count(*)::int from mails where "to" = $1) as mails,
         (select count(*)::int from audit_entries where target = u.id::text) as entries from users u where email = $1`,
      [email],
    );
    expect(made).toEqual([{ mails: 1, entries: 1 }]);
  });

  test.each(['memberships', 'mails', 'audit_entries', 'events', 'idempotency_keys'])(
    'granting access, at %s',
    async (table) => {
      const email = `${randomUUID()}@loja.example`;
      const headers = { 'idempotency-key': randomUUID() };
      const body = { email, roleId: roleOf('Cashier').id };
      const grant = async () =>
        (await merchant.call(`/api/merchants/${DEMO.merchantId}/users`, { body, headers })).status;
      await expectAllOrNothing(grant, table, 200);
      // The same request once more is answered from what is kept.
      const after = await readAll();
      expect(await grant()).toBe(200);
      expect(await readAll()).toEqual(after);
    },
  );

  test.each(['audit_entries', 'memberships', 'clients', 'events'])('creating a merchant, at %s', async (table) => {
    await expectAllOrNothing(() => post('/api/merchants', { name: `Loja ${table}` }, personToken), table, 201);
    expect(await sql('select from merchants where name = $1', [`Loja ${table}`])).toHaveLength(1);
  });

  test.each(['mail_tokens', 'users', 'memberships', 'audit_entries'])(
    'accepting an invitation, at %s',
    async (table) => {
      const email = `${randomUUID()}@loja.example`;
      const body = { email, roleId: roleOf('Viewer').id };
      await merchant.insist(`/api/merchants/${DEMO.merchantId}/users`, { body });
      // Only the mail has the link's secret: this one is known here.
      const token = randomBytes(32).toString('base64url');
      const hash = createHash('sha256').update(token).digest('base64url');
      await sql(`update mail_tokens set hash = $1 where user_id = (select id from users where email = $2)`, [
        hash,
        email,
      ]);
      const person = { token, password: PASSWORD, firstName: 'Ana', lastName: 'Domingos' };
      const accept = () => post('/api/auth/accept-invitation', person);
      await expectAllOrNothing(accept, table, 200);
      expect(await accept()).toBe(400);
      const taken = `select role from memberships join users u on u.id = user_id where email = $1 and accepted_at is not null`;
      expect(await sql(taken, [email])).toEqual([{ role: 'Viewer' }]);
    },
  );
});

test.each(['audit_entries'])('kill -9 of a command that credits units, at %s: none are there', async (table) => {
  const readUnits = () =>
    sql(`select a.balance, sum(l.quantity)::int as sum, count(l)::int as entries,
        (select count(*)::int from audit_entries where action = 'sms.credited') as told
      from sms_accounts a join sms_ledger l using (merchant_id) where merchant_id = '${DEMO.merchantId}' group by a.balance`);
  const [before] = await readUnits();
  const env = { ...TEST_ENV, ...childEnv() };
  const args = ['sms', 'credit', DEMO.merchantId, '50', '--description', 'Fatura 1', '--yes'];
  const release = await holdLock(database.url, `lock table ${table} in share mode`);
  startCli(args, env);
  await until(() => countWaiting(database.url, `insert into%${table}`), 'the ledger being written');
  await stopClis();
  await release();
  expect(await readUnits()).toEqual([before]);
  expect((await startCli(args, env).ended).code).toBe(0);
  const { balance, sum, entries, told } = before;
  expect(await readUnits()).toEqual([{ balance: balance + 50, sum: sum + 50, entries: entries + 1, told: told + 1 }]);
});

test.each(['memberships', 'mails'])(
  'kill -9 of a command that makes a merchant, at %s: nothing is there',
  async (table) => {
    const name = `Mercado ${table}`;
    const args = ['merchant', 'create', '--name', name, '--owner-email', `dono-${table}@loja.example`];
    const before = await readAll();
    const release = await holdLock(database.url, `lock table ${table} in share mode`);
    startCli(args, { ...TEST_ENV, ...childEnv() });
    await until(() => countWaiting(database.url, `insert into%${table}`), `${table} being written`);
    await stopClis();
    await release();
    expect(await readAll()).toEqual(before);
    expect((await startCli(args, { ...TEST_ENV, ...childEnv() }).ended).code).toBe(0);
    const made = await sql(
      `select (select count(*)::int from clients where merchant_id = m.id) as clients, s.role, s.accepted_at as taken,
       (select count(*)::int from mails x where x.to = u.email) as mails
     from merchants m join memberships s on s.merchant_id = m.id join users u on u.id = s.user_id where m.name = $1`,
      [name],
    );
    expect(made).toEqual([{ clients: 1, role: 'Owner', taken: null, mails: 1 }]);
    await expectWhole();
  },
);
