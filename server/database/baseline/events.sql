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
);
create index events_payment on events (payment_id, seq);
create index events_unstamped on events (merchant_id, seq) where position is null;
create unique index events_position on events (merchant_id, position) where position is not null;
create trigger fan_out after insert on events referencing new table as new_events
  for each statement execute function fan_out_events();

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
  due_at timestamptz(3),
  webhook_id uuid generated always as
    (case when kind = 'callback' or (kind = 'test' and type like 'callback.%')
      then '00000000-0000-0000-0000-000000000000' else endpoint_id end) stored,
  constraint deliveries_id unique (id)
);
create index deliveries_list on deliveries (merchant_id, webhook_id, status, created_at, seq);
create index deliveries_payment on deliveries (payment_id, seq);
create index deliveries_due on deliveries (endpoint_id, due_at, seq) where due_at is not null;
create index deliveries_untried on deliveries (endpoint_id, payment_id, seq)
  where first_tried_at is null and due_at is not null;

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
