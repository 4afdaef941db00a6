create table settlements (
  id uuid primary key,
  merchant_id uuid not null,
  rail text not null,
  period text not null,
  currency text not null,
  day text not null,
  status text not null default 'open',
  movement_count int not null default 0,
  taken_minor bigint not null default '0',
  fees_minor bigint not null default '0',
  refunded_minor bigint not null default '0',
  manual_minor bigint not null default '0',
  manual_count int not null default 0,
  credited_minor bigint not null default '0',
  closed_at timestamptz(3),
  closed_count int,
  closed_minor bigint,
  created_at timestamptz(3) not null,
  due_at timestamptz(3),
  due_count int not null default 0,
  constraint settlements_period unique (merchant_id, rail, period, currency)
);
create index settlements_list on settlements (merchant_id, day, id);
create index settlements_due on settlements (due_at) where due_at is not null;

create table settlement_credits (
  id uuid primary key,
  merchant_id uuid not null,
  settlement_id uuid not null,
  amount_minor bigint not null,
  currency text not null,
  date text not null,
  bank_reference text,
  file_hash text,
  line_hash text,
  entered_by_kind text not null,
  entered_by_id text not null,
  created_at timestamptz(3) not null,
  constraint settlement_credits_settlement_id_foreign foreign key (settlement_id)
    references settlements (id) on delete restrict,
  constraint settlement_credits_line unique (merchant_id, line_hash)
);
create index settlement_credits_settlement on settlement_credits (settlement_id, created_at, id);

create table reconciliations (
  id uuid primary key,
  rail text not null,
  revision int not null default 1,
  since timestamptz(3) not null,
  reconciled_at timestamptz(3),
  found jsonb,
  due_at timestamptz(3),
  due_count int not null default 0
);
create index reconciliations_due on reconciliations (due_at) where due_at is not null;
create index reconciliations_turn on reconciliations (rail, due_at) where due_at is not null;

create table bank_mappings (
  merchant_id uuid primary key,
  mapping jsonb not null
);
