create table sms_accounts (
  merchant_id uuid primary key,
  balance int not null,
  sender text,
  opt_out_text text not null default 'none',
  opt_out_number text,
  updated_at timestamptz(3) not null,
  constraint sms_accounts_balance check (balance >= 0)
);

create table sms_ledger (
  seq bigserial primary key,
  id uuid not null,
  merchant_id uuid not null,
  kind text not null,
  quantity int not null,
  balance_after int not null,
  batch_id uuid,
  description text not null,
  created_at timestamptz(3) not null
);
create index sms_ledger_merchant on sms_ledger (merchant_id, kind, seq);
create trigger sms_ledger_append_only before delete or truncate on sms_ledger
  for each statement execute function refuse_change();
-- A line may lose the phone number in its description, and nothing else.
create trigger sms_ledger_erasure_only before update on sms_ledger
  for each row execute function refuse_change_but_erasure();

create table sms_contacts (
  id uuid primary key,
  merchant_id uuid not null,
  name text not null,
  phone text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index sms_contacts_list on sms_contacts (merchant_id, created_at, id);
create index sms_contacts_phone on sms_contacts (merchant_id, phone);

create table sms_lists (
  id uuid primary key,
  merchant_id uuid not null,
  name text not null,
  created_at timestamptz(3) not null
);
create index sms_lists_list on sms_lists (merchant_id, created_at, id);

create table sms_list_contacts (
  list_id uuid not null,
  contact_id uuid not null,
  added_at timestamptz(3) not null,
  primary key (list_id, contact_id)
);
create index sms_list_contacts_contact on sms_list_contacts (contact_id);

create table sms_opt_outs (
  merchant_id uuid not null,
  phone text not null,
  created_at timestamptz(3) not null,
  id uuid not null default gen_random_uuid(),
  source text,
  primary key (merchant_id, phone)
);
create index sms_opt_outs_list on sms_opt_outs (merchant_id, created_at, id);

create table sms_opt_out_codes (
  code text primary key,
  merchant_id uuid not null,
  phone text not null,
  created_at timestamptz(3) not null,
  constraint sms_opt_out_codes_phone unique (merchant_id, phone)
);

create table sms_templates (
  id uuid primary key,
  merchant_id uuid not null,
  name text not null,
  content text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index sms_templates_list on sms_templates (merchant_id, created_at, id);

create table sms_batches (
  id uuid primary key,
  merchant_id uuid not null,
  sender text not null,
  rail text not null default 'sms',
  content text not null,
  recipients int not null,
  units int not null,
  status text not null,
  run_at timestamptz(3),
  created_at timestamptz(3) not null,
  released_at timestamptz(3),
  canceled_at timestamptz(3),
  due_at timestamptz(3),
  due_count int not null default 0
);
create index sms_batches_due on sms_batches (due_at) where due_at is not null;
create index sms_batches_scheduled on sms_batches (merchant_id, status, created_at, id) where run_at is not null;
create index sms_batches_merchant on sms_batches (merchant_id, id);

create table sms_messages (
  id uuid primary key,
  merchant_id uuid not null,
  batch_id uuid not null,
  phone text not null,
  content text,
  parts smallint not null,
  status text not null,
  failure text,
  rail_message_id text,
  rail_asked_at timestamptz(3),
  listed_at timestamptz(3),
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  due_at timestamptz(3),
  due_count int not null default 0
);
create index sms_messages_history on sms_messages (merchant_id, listed_at, id) where listed_at is not null;
create index sms_messages_status on sms_messages (merchant_id, status, listed_at, id) where listed_at is not null;
create index sms_messages_batch on sms_messages (batch_id);
create index sms_messages_phone on sms_messages (phone);
create index sms_messages_due on sms_messages (due_at) where status = 'Pending' and due_at is not null;
create index sms_messages_turn on sms_messages (merchant_id, due_at) where status = 'Pending' and due_at is not null;
create index sms_messages_follow on sms_messages (due_at) where status = 'Sent' and due_at is not null;
create index sms_messages_rail on sms_messages (rail_message_id) where rail_message_id is not null;
create index sms_messages_follow_turn on sms_messages (merchant_id, due_at)
  where status = 'Sent' and due_at is not null;
create index sms_messages_merchant on sms_messages (merchant_id, id);
