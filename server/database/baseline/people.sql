create table users (
  id uuid primary key,
  email text not null,
  verified_at timestamptz(3),
  password_hash text,
  first_name text not null default '',
  last_name text not null default '',
  phone_number text,
  language text not null default 'pt',
  totp_secret text,
  totp_confirmed_at timestamptz(3),
  totp_step bigint,
  recovery_codes text[] not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint users_email_unique unique (email)
);

create table memberships (
  merchant_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  expires_at timestamptz(3),
  primary key (merchant_id, user_id)
);
create index memberships_user on memberships (user_id, created_at);

create table sessions (
  id uuid primary key,
  user_id uuid not null,
  client_id text not null,
  merchant_id uuid,
  scopes text[],
  generation int not null default 1,
  address text,
  user_agent text,
  created_at timestamptz(3) not null,
  used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);
create index sessions_user on sessions (user_id);

create table mail_tokens (
  user_id uuid not null,
  purpose text not null,
  hash text not null,
  expires_at timestamptz(3) not null,
  primary key (user_id, purpose),
  constraint mail_tokens_hash_unique unique (hash)
);

create table sign_in_failures (
  subject text primary key,
  failures int not null,
  last_at timestamptz(3) not null,
  locked_until timestamptz(3)
);
create index sign_in_failures_last_at_index on sign_in_failures (last_at);

create table audit_entries (
  seq bigserial primary key,
  id uuid not null,
  merchant_id uuid,
  action text not null,
  actor_kind text not null,
  actor_id text not null,
  address text,
  target text,
  changes jsonb not null,
  occurred_at timestamptz(3) not null
);
create index audit_merchant on audit_entries (merchant_id, seq);
-- No later program or manual query changes the audit log.
create trigger audit_entries_append_only before delete or update or truncate on audit_entries
  for each statement execute function refuse_change();

create table mails (
  id uuid primary key,
  "to" text not null,
  subject text not null,
  sealed_text text not null,
  sealed_html text not null,
  created_at timestamptz(3) not null,
  sent_at timestamptz(3),
  error text,
  due_at timestamptz(3),
  due_count int not null default 0
);
create index mails_due on mails (due_at) where due_at is not null;

create table notifications (
  seq bigserial primary key,
  id uuid not null,
  merchant_id uuid not null,
  type text not null,
  payment_id uuid,
  details jsonb not null,
  subject text not null,
  created_at timestamptz(3) not null,
  read_at timestamptz(3),
  constraint notifications_id unique (id),
  constraint notifications_subject unique (merchant_id, subject)
);
create index notifications_list on notifications (merchant_id, seq);
create index notifications_unread on notifications (merchant_id, seq) where read_at is null;
create index notifications_payment on notifications (payment_id) where payment_id is not null;
