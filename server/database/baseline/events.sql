create schema if not exists parts;

create table events (
  seq bigserial primary key,
  id uuid not null,
  merchant_id uuid not null,
  payment_id uuid,
  type text not null,
  status text,
  occurred_at timestamptz(3) not null,
  details jsonb not null,
  state jsonb,
  position bigint
) partition by range (seq);
create table parts.events partition of events for values from (minvalue) to (68719476736);
create index events_payment on events (payment_id, seq);
create index events_unstamped on events (merchant_id, seq) where position is null;
create index events_position on events (merchant_id, position) where position is not null;
create trigger fan_out after insert on events referencing new table as new_events
  for each statement execute function fan_out_events();

create table feed_ends (
  merchant_id uuid primary key,
  position bigint not null
);

create table archives (
  part text primary key,
  detached_at timestamptz(3) not null,
  sha256 text,
  dropped_at timestamptz(3)
);

create table archived_events (
  seq bigint primary key,
  payment_id uuid not null,
  part text not null,
  type text not null,
  status text,
  state jsonb,
  details jsonb not null
);
create index archived_events_payment on archived_events (payment_id, seq);

create table endpoints (
  id uuid primary key,
  merchant_id uuid not null,
  kind text not null,
  url text not null,
  access_key text,
  secrets text,
  types text[],
  description text,
  failures int not null default 0,
  failing_since timestamptz(3),
  probe_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);
create unique index endpoints_callback on endpoints (merchant_id) where kind = 'callback' and deleted_at is null;
create index endpoints_merchant on endpoints (merchant_id) where deleted_at is null;
-- Metrics read this index at each scrape.
create index endpoints_failing on endpoints (failing_since) where probe_at is not null and deleted_at is null;

create table deliveries (
  seq bigserial primary key,
  id uuid not null,
  merchant_id uuid not null,
  endpoint_id uuid,
  kind text not null,
  type text not null,
  payment_id uuid,
  transaction_id uuid,
  event_seq bigint,
  status text not null,
  attempts int not null default 0,
  tries int not null default 0,
  tries_since timestamptz(3),
  first_tried_at timestamptz(3),
  leased_until timestamptz(3),
  claimed_at timestamptz(3),
  created_at timestamptz(3) not null,
  delivered_at timestamptz(3),
  due_at timestamptz(3)
) partition by range (seq);
create table parts.deliveries partition of deliveries for values from (minvalue) to (68719476736);
create index deliveries_list on deliveries (merchant_id, seq);
create index deliveries_payment on deliveries (payment_id, seq);
create index deliveries_due on deliveries (endpoint_id, due_at, seq) where due_at is not null;
create index deliveries_untried on deliveries (endpoint_id, payment_id, seq)
  where first_tried_at is null and due_at is not null;
create index deliveries_id on deliveries (id);

create table callback_deliveries (
  transaction_id uuid primary key,
  seq bigint not null
);

create table delivery_attempts (
  delivery_id uuid not null,
  number int not null,
  started_at timestamptz(3) not null,
  duration_ms int,
  outcome text not null,
  status smallint,
  answer text,
  error text,
  primary key (delivery_id, number)
);
