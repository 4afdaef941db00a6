// SQL that creates the simulator's tables in their own schema. No query builder can express it.

/** SQL that creates the tables of the simulated rails. */
export const RAIL_TABLES_SQL = `
  create schema if not exists simulator;
  -- Orders of every kind. The table once held purchases only, hence its name.
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
    -- The planned verdict and its time. decide_at is null once the order is decided.
    verdict text not null,
    decide_at timestamptz
  );
  alter table simulator.purchases
    add column if not exists kind text not null default 'purchase',
    -- parent_id: the authorization or code of a capture, void or scan, or the transaction of a refund.
    -- target: the kind of thing that a void or refund is about.
    add column if not exists parent_id text,
    add column if not exists target text,
    add column if not exists ours text;
  create index if not exists purchases_parent on simulator.purchases (parent_id) where parent_id is not null;
  create index if not exists purchases_transaction on simulator.purchases (transaction_id)
    where transaction_id is not null;
  create index if not exists purchases_period on simulator.purchases (clearing_period, transaction_id)
    where clearing_period is not null;
  create index if not exists purchases_decide on simulator.purchases (decide_at) where decide_at is not null;
  create index if not exists purchases_phone on simulator.purchases (phone, created_at);
  create table if not exists simulator.notifications (
    seq bigint generated always as identity primary key,
    -- Every copy of a notification has the same id, because rails repeat notifications.
    id text not null,
    -- The id of its subject: an order, a scan, a terminal, a reference's payment, or a message.
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
  -- One row per fault that has not happened yet.
  create table if not exists simulator.faults (
    seq bigint generated always as identity primary key,
    target text not null,
    kind text not null,
    -- Only requests about this phone, or about these digits of a reference.
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
    -- If not empty, opening and closing need the id of one supervisor.
    supervisors text[] not null default '{}'
  );
  -- Openings and closings that were done, so that a repeat has no effect.
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
    -- The time of publication. position is assigned at publication and orders the rail's list.
    public_at timestamptz not null,
    position bigint unique,
    -- True: no notification is sent, but the rail's list has the payment.
    is_lost boolean not null,
    notification_id text not null
  );
  create index if not exists ppr_payments_reference on simulator.ppr_payments (reference_id);
  create index if not exists ppr_payments_period on simulator.ppr_payments ((payment ->> 'period'), transaction_id);
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
    -- The planned status and its time. decide_at is null once decided, or if the status never changes.
    verdict text,
    verdict_reason text,
    decide_at timestamptz
  );
  create index if not exists messages_decide on simulator.messages (decide_at) where decide_at is not null;
  create index if not exists messages_phone on simulator.messages (phone);
`;

/** SQL that creates the inbox for mail and SMS, and a row with the offset of the sandbox's clock. */
export const INBOX_TABLES = `
  create schema if not exists simulator;
  create table if not exists simulator.inbox (
    seq bigint generated always as identity primary key,
    -- The sender's id: a repeat is stored once.
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
  create table if not exists simulator.clock (
    id integer primary key check (id = 1),
    ahead_ms bigint not null
  );
`;
