import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../../server/people/password.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { roleOf } from '../../../shared/roles.ts';
import { TEST_ENV, until } from '../../support/app.ts';
import { connectMerchant, killChildren, startChild, type Child } from '../../support/child.ts';
import { startCli, startHere, stopClis } from '../../support/cli.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../../support/database.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';

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

async function post(path: string, body: object, token?: string): Promise<number> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  return (await fetch(child.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

/** Returns all rows of people, access and merchants. The rows of sent mails stay in the table. */
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

/** Queries for rows that must not exist without another row. */
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

/** Locks the table in `stops`, so that its writers wait until the test releases the lock. */
const STOPS = `
  create table stops (place text);
  create function stop_there() returns trigger language plpgsql as $$ begin
    if exists (select from stops where place = tg_argv[0]) then perform pg_advisory_xact_lock_shared(1); end if;
    return coalesce(new, old);
  end $$;
  do $$ declare place text; begin
    foreach place in array '{users,memberships,mail_tokens,audit_entries,events,clients,idempotency_keys}'::text[] loop
      execute format('create trigger stop_there before insert or update or delete on %I for each row execute function stop_there(%L)', place, place);
    end loop;
  end $$;
  -- Mail that is due is claimed by an update, whoever calls.
  create trigger stop_there before insert on mails for each row execute function stop_there('mails');`;

/** A request that writes several tables, its expected status, and the rows that it must leave. */
type Change = { ask(): Promise<number>; done: number; expectDone(): Promise<void> };

/** Stops each change at one of its tables, kills the node and restarts it. */
async function killAtWriting(stopped: [Change, table: string][]): Promise<void> {
  const release = await holdLock(database.url, 'select pg_advisory_xact_lock(1)');
  const asked: Promise<number>[] = [];
  for (const [change, table] of stopped) {
    await sql('delete from stops');
    await sql('insert into stops values ($1)', [table]);
    asked.push(change.ask().catch(() => 0));
    await until(async () => (await countStopped()) === asked.length, `${table} being written`);
  }
  await sql('delete from stops');
  await child.kill();
  await release();
  expect(await Promise.all(asked)).toEqual(asked.map(() => 0));
  child = await startChild({ env: childEnv(), port: child.port });
}

const countStopped = async () =>
  (await sql(`select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`)).length;

async function register(): Promise<Change> {
  const email = `${randomUUID()}@loja.example`;
  const body = { email, password: PASSWORD, firstName: 'Ana', lastName: 'Domingos' };
  return {
    ask: () => post('/api/auth/register', body),
    done: 201,
    async expectDone() {
      const made = await sql(
        `select (select count(*)::int from mails where "to" = $1) as mails,
           (select count(*)::int from audit_entries where target = u.id::text) as entries from users u where email = $1`,
        [email],
      );
      expect(made).toEqual([{ mails: 1, entries: 1 }]);
    },
  };
}

async function grant(): Promise<Change> {
  const body = { email: `${randomUUID()}@loja.example`, roleId: roleOf('Cashier').id };
  const headers = { 'idempotency-key': randomUUID() };
  const ask = async () => (await merchant.call(`/api/merchants/${DEMO.merchantId}/users`, { body, headers })).status;
  return {
    ask,
    done: 200,
    // The repeated request returns the stored answer.
    async expectDone() {
      const after = await readAll();
      expect(await ask()).toBe(200);
      expect(await readAll()).toEqual(after);
    },
  };
}

async function open(): Promise<Change> {
  const name = `Loja ${randomUUID()}`;
  return {
    ask: () => post('/api/merchants', { name }, personToken),
    done: 201,
    expectDone: async () => expect(await sql('select from merchants where name = $1', [name])).toHaveLength(1),
  };
}

async function accept(): Promise<Change> {
  const email = `${randomUUID()}@loja.example`;
  const body = { email, roleId: roleOf('Viewer').id };
  await merchant.insist(`/api/merchants/${DEMO.merchantId}/users`, { body });
  // Only the mail contains the link's token, so the test replaces the token.
  const token = randomBytes(32).toString('base64url');
  const hash = createHash('sha256').update(token).digest('base64url');
  await sql(`update mail_tokens set hash = $1 where user_id = (select id from users where email = $2)`, [hash, email]);
  const person = { token, password: PASSWORD, firstName: 'Ana', lastName: 'Domingos' };
  const ask = () => post('/api/auth/accept-invitation', person);
  return {
    ask,
    done: 200,
    async expectDone() {
      expect(await ask()).toBe(400);
      const taken = `select role from memberships join users u on u.id = user_id where email = $1 and accepted_at is not null`;
      expect(await sql(taken, [email])).toEqual([{ role: 'Viewer' }]);
    },
  };
}

type Tables = { registering?: string; granting?: string; opening?: string; accepting?: string };
const CHANGES = { registering: register, granting: grant, opening: open, accepting: accept };

/** Each change is stopped once at each of its tables. Changes of one merchant exclude each other. */
const MOMENTS: Tables[] = [
  { registering: 'users', granting: 'memberships', opening: 'audit_entries', accepting: 'mail_tokens' },
  { registering: 'mails', granting: 'mails', opening: 'memberships', accepting: 'users' },
  { registering: 'audit_entries', granting: 'audit_entries', opening: 'clients', accepting: 'memberships' },
  { granting: 'events', opening: 'events', accepting: 'audit_entries' },
  { granting: 'idempotency_keys' },
];

describe('a kill -9 of a node', () => {
  beforeAll(async () => void (await sql(STOPS)));

  const name = (tables: Tables) => Object.entries(tables).map(([what, table]) => `${what} at ${table}`);

  test.each(MOMENTS.map((tables) => [name(tables).join(', '), tables] as const))(
    'at %s leaves nothing, and the repeated request does everything',
    async (_name, tables) => {
      const stopped: [Change, string][] = [];
      for (const [what, table] of Object.entries(tables) as [keyof Tables, string][])
        stopped.push([await CHANGES[what](), table]);
      const before = await readAll();
      await killAtWriting(stopped);
      expect(await readAll()).toEqual(before);
      for (const [change] of stopped) {
        expect(await change.ask()).toBe(change.done);
        await expectWhole();
        await change.expectDone();
      }
    },
  );
});

test('kill -9 of a command that credits units leaves no units', async () => {
  const readUnits = () =>
    sql(`select a.balance, sum(l.quantity)::int as sum, count(l)::int as entries,
        (select count(*)::int from audit_entries where action = 'sms.credited') as told
      from sms_accounts a join sms_ledger l using (merchant_id) where merchant_id = '${DEMO.merchantId}' group by a.balance`);
  const [before] = await readUnits();
  const env = { ...TEST_ENV, ...childEnv() };
  const args = ['sms', 'credit', DEMO.merchantId, '50', '--description', 'Fatura 1', '--yes'];
  const release = await holdLock(database.url, 'lock table audit_entries in share mode');
  startCli(args, env);
  await until(() => countWaiting(database.url, 'insert into%audit_entries'), 'the ledger being written');
  await stopClis();
  await release();
  expect(await readUnits()).toEqual([before]);
  expect((await startHere(args, { env }).ended).code).toBe(0);
  const { balance, sum, entries, told } = before;
  expect(await readUnits()).toEqual([{ balance: balance + 50, sum: sum + 50, entries: entries + 1, told: told + 1 }]);
});

test.each(['memberships', 'mails'])(
  'kill -9 of a command that creates a merchant, at %s, leaves no row',
  async (table) => {
    const name = `Mercado ${table}`;
    const args = ['merchant', 'create', '--name', name, '--owner-email', `dono-${table}@loja.example`];
    const env = { ...TEST_ENV, ...childEnv() };
    const before = await readAll();
    const release = await holdLock(database.url, `lock table ${table} in share mode`);
    startCli(args, env);
    await until(() => countWaiting(database.url, `insert into%${table}`), `${table} being written`);
    await stopClis();
    await release();
    expect(await readAll()).toEqual(before);
    expect((await startHere(args, { env }).ended).code).toBe(0);
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
