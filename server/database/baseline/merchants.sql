create table merchants (
  id uuid primary key,
  name text not null,
  tax_id text,
  default_language text not null default 'pt',
  brand_color text,
  brand_logo text,
  allowed_origins text[] not null,
  return_origins text[] not null,
  gpo_merchant_ids text[] not null,
  gpo_pos_ids text[] not null,
  entity text,
  unique_references boolean not null default false,
  checkout_methods text[] not null default '{push}',
  cashier_refund_limit_minor bigint,
  search_keys text[] not null default '{}',
  privacy_contact text,
  privacy_notice text,
  created_at timestamptz(3) not null
);

create table clients (
  id text primary key,
  merchant_id uuid not null,
  name text not null,
  secret_hash text not null,
  previous_hash text,
  previous_until timestamptz(3),
  scopes text[] not null,
  created_at timestamptz(3) not null,
  rotated_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index clients_merchant_id_index on clients (merchant_id);

create table signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  sealed_private_jwk text not null,
  created_at timestamptz(3) not null,
  retired_at timestamptz(3)
);

create table revoked_tokens (
  jti text primary key,
  expires_at timestamptz(3) not null
);
create index revoked_tokens_expires_at_index on revoked_tokens (expires_at);

create table request_errors (
  id uuid primary key,
  merchant_id uuid not null,
  occurred_at timestamptz(3) not null,
  method text not null,
  path text not null,
  status smallint not null,
  code text not null,
  faults jsonb not null,
  request_id text not null,
  client_id text
);
create index request_errors_occurred_at_index on request_errors (occurred_at);
create index request_errors_list on request_errors (merchant_id, occurred_at, id);

create table idempotency_keys (
  merchant_id uuid not null,
  key text not null,
  fingerprint text not null,
  status smallint,
  body text,
  created_at timestamptz(3) not null,
  in_flight_until timestamptz(3),
  payment_id uuid,
  primary key (merchant_id, key)
);
create index idempotency_keys_created_at_index on idempotency_keys (created_at);

create table terminals (
  id uuid primary key,
  merchant_id uuid not null,
  pos_id text not null,
  status text not null,
  period text,
  supervisor_required boolean not null default false,
  operation_id uuid,
  sent_at timestamptz(3),
  changed_at timestamptz(3) not null,
  due_at timestamptz(3),
  due_count int not null default 0,
  constraint terminals_pos unique (merchant_id, pos_id)
);
create index terminals_due on terminals (due_at) where due_at is not null;
