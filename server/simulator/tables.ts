// The simulator's own tables, in a schema that the gateway's ORM and migrations never look at.
import pg from 'pg';
import { Refusal } from './refusal.ts';

/** Connects lazily; a database that stops must not take the process with it. */
export function openPool(databaseUrl: string, log: (message: string, error: unknown) => void): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, connectionTimeoutMillis: 5_000 });
  pool.on('error', (error) => log('a database connection was lost', error));
  // The pool listens only while a connection is idle; one lost inside a transaction fails that transaction's next query.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Makes what is missing; several simulators starting at once wait for one another. */
export async function prepareTables(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (db) => {
    await db.query('select pg_advisory_xact_lock($1)', [TABLES_LOCK]);
    await db.query(TABLES + INBOX);
  });
}

/** The inbox alone: it is there also where every rail is elsewhere. */
export async function prepareInbox(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (db) => {
    await db.query('select pg_advisory_xact_lock($1)', [TABLES_LOCK]);
    await db.query(INBOX);
  });
}

/** A transaction of its own; whatever throws inside undoes it all. */
export async function inTransaction<T>(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<T>): Promise<T> {
  const db = await pool.connect();
  let failure: Error | undefined;
  try {
    await db.query('begin');
    const result = await work(db);
    await db.query('commit');
    return result;
  } catch (error) {
    if (!(error instanceof Refusal)) failure = error as Error;
    await db.query('rollback').catch((lost: Error) => {
      failure = lost;
    });
    throw error;
  } finally {
    // A connection that failed is not used again: it may be dead, or still inside the transaction.
    db.release(failure);
  }
}

/** Waits for whoever does something to these things, one after the other, which may not exist yet, until the transaction ends. */
export async function lockThing(db: pg.PoolClient, ...ids: string[]): Promise<void> {
  await db.query('select pg_advisory_xact_lock(hashtextextended(id, $2)) from unnest($1::text[]) id', [
    ids,
    TABLES_LOCK,
  ]);
}

/** Any number that the gateway's own locks do not use. */
const TABLES_LOCK = 7_262_023;

const TABLES = `
  create schema if not exists simulator;
  -- Orders of every kind; the name is from when there were purchases only.
  create table if not exists simulator.purchases (
    id text primary key,
    merchant_id text not null,
    terminal_id text not null,
    reference text not null,
    phone text not null,
    amount text not null,
    currency text not null,
    description text,
    status text not null,
    reason text,
    transaction_id text,
    transaction_number text,
    clearing_period text,
    calls integer not null default 1,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    decided_at timestamptz,
    -- What is decided without a person, and when; decide_at is null once decided.
    verdict text not null,
    decide_at timestamptz
  );
  alter table simulator.purchases
    add column if not exists kind text not null default 'purchase',
    -- The authorization or code that a capture, void or scan is about, and which of the two a void's is.
    add column if not exists parent_id text,
    add column if not exists target text;
  create index if not exists purchases_parent on simulator.purchases (parent_id) where parent_id is not null;
  create index if not exists purchases_decide on simulator.purchases (decide_at) where decide_at is not null;
  create index if not exists purchases_phone on simulator.purchases (phone, created_at);
  create table if not exists simulator.notifications (
    seq bigint generated always as identity primary key,
    -- The same for every copy, as a rail repeats itself.
    id text not null,
    -- Whatever it tells of: an order, a scan, a terminal, money paid to a reference, a message.
    purchase_id text not null,
    body text not null,
    created_at timestamptz not null,
    attempts integer not null default 0,
    -- Null: acknowledged, given up, lost, or held back.
    due_at timestamptz,
    is_held boolean not null default false,
    delivered_at timestamptz
  );
  alter table simulator.notifications drop constraint if exists notifications_purchase_id_fkey;
  alter table simulator.notifications add column if not exists rail text not null default 'gpo';
  create index if not exists notifications_due on simulator.notifications (due_at) where due_at is not null;
  create index if not exists notifications_purchase on simulator.notifications (purchase_id);
  -- One row for each time that a fault will still happen.
  create table if not exists simulator.faults (
    seq bigint generated always as identity primary key,
    target text not null,
    kind text not null,
    -- Whom it is for: a phone, or the digits of a reference.
    phone text,
    delay_ms integer not null
  );
  -- Transaction numbers restart with each clearing period of a terminal, or of an entity.
  create table if not exists simulator.periods (
    terminal_id text,
    period text,
    last_number integer not null,
    primary key (terminal_id, period)
  );
  create table if not exists simulator.qrcodes (
    id text primary key,
    merchant_id text not null,
    terminal_id text not null,
    reference text not null,
    amount text not null,
    currency text not null,
    description text,
    type text not null,
    max_transactions integer not null,
    end_date timestamptz not null,
    content text unique,
    reason text,
    accepted integer not null default 0,
    withdrawn_at timestamptz,
    calls integer not null default 1,
    created_at timestamptz not null
  );
  create table if not exists simulator.terminals (
    pos_id text primary key,
    status text not null default 'OPEN',
    period integer not null default 1,
    -- Not empty: opening and closing need one of them.
    supervisors text[] not null default '{}'
  );
  -- Openings and closings that were done, so that none is done twice.
  create table if not exists simulator.terminal_moves (
    id text primary key,
    pos_id text not null,
    action text not null,
    supervisor_id text
  );
  create sequence if not exists simulator.transaction_ids;
  create table if not exists simulator.ppr_references (
    seq bigint generated always as identity unique,
    id text primary key,
    entity text not null,
    reference text not null,
    type text not null,
    amount text,
    currency text not null,
    description text,
    expires_at timestamptz not null,
    withdrawn_at timestamptz,
    calls integer not null,
    created_at timestamptz not null
  );
  create index if not exists ppr_references_digits on simulator.ppr_references (entity, reference);
  create table if not exists simulator.ppr_payments (
    seq bigint generated always as identity unique,
    transaction_id text primary key,
    reference_id text not null,
    payment json not null,
    -- When everybody may know it, and then its place in the list of all.
    public_at timestamptz not null,
    position bigint unique,
    -- Nobody is told; it stands in the list.
    is_lost boolean not null,
    notification_id text not null
  );
  create index if not exists ppr_payments_reference on simulator.ppr_payments (reference_id);
  create index if not exists ppr_payments_public on simulator.ppr_payments (public_at) where position is null;
  create table if not exists simulator.messages (
    seq bigint generated always as identity unique,
    id text primary key,
    sender text not null,
    phone text not null,
    text text not null,
    status text not null,
    reason text,
    calls integer not null,
    created_at timestamptz not null,
    decided_at timestamptz,
    -- What becomes of it, and when; decide_at is null once it has, or when nothing ever does.
    verdict text,
    verdict_reason text,
    decide_at timestamptz
  );
  create index if not exists messages_decide on simulator.messages (decide_at) where decide_at is not null;
  create index if not exists messages_phone on simulator.messages (phone);
`;

/** What people were sent: mail, and messages to phones. */
const INBOX = `
  create schema if not exists simulator;
  create table if not exists simulator.inbox (
    seq bigint generated always as identity primary key,
    -- The sender's own: what comes twice is kept once.
    id text not null,
    kind text not null check (kind in ('mail', 'sms')),
    recipient text not null,
    subject text,
    text text not null,
    html text,
    received_at timestamptz not null,
    unique (kind, id)
  );
  create index if not exists inbox_kind on simulator.inbox (kind, seq);
`;
