create table rail_accounts (
  id uuid primary key,
  merchant_id uuid,
  kind text not null,
  connector text not null,
  label text not null,
  environment text not null,
  priority smallint not null,
  status text not null default 'active',
  settings jsonb not null,
  secrets text not null,
  secrets_set_at timestamptz(3) not null,
  verified_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  removed_at timestamptz(3)
);
create index rail_accounts_merchant on rail_accounts (merchant_id) where removed_at is null;
create index rail_accounts_changed on rail_accounts (updated_at);

create table rail_feeds (
  id uuid primary key,
  rail text not null,
  cursor text,
  paused_at timestamptz(3),
  due_at timestamptz(3),
  due_count int not null default 0,
  constraint rail_feeds_rail unique (rail)
);
create index rail_feeds_due on rail_feeds (due_at) where due_at is not null;
create index rail_feeds_turn on rail_feeds (rail, due_at) where due_at is not null;

create table inbox (
  id uuid primary key,
  rail text not null,
  notification_id text not null,
  body text not null,
  is_proven boolean not null default true,
  attempt_id uuid,
  about text,
  received_at timestamptz(3) not null,
  applied_at timestamptz(3),
  outcome text,
  due_at timestamptz(3),
  due_count int not null default 0,
  constraint inbox_notification unique (rail, notification_id)
);
create index inbox_due on inbox (due_at) where due_at is not null;
-- Metrics read this index at each scrape.
create index inbox_unmatched on inbox (received_at) where outcome <> 'applied';
create index inbox_turn on inbox (rail, due_at) where due_at is not null;
create index inbox_about on inbox (about) where about is not null;
-- An erasure finds the notifications that name no subject yet.
create index inbox_unlinked on inbox (rail, id) where about is null and is_proven;
create index inbox_hints on inbox (received_at) where not is_proven;

-- A rail gave these digits out. The next references take them.
create table reserved_references (
  rail text not null,
  environment text not null,
  entity text not null,
  reference text not null,
  reserved_at timestamptz(3) not null,
  primary key (rail, environment, entity, reference)
);
