create table plans (
  id uuid primary key,
  name text not null,
  currency text not null default 'AOA',
  monthly_fee_minor bigint not null,
  included_payments int not null,
  payment_fee_minor bigint not null,
  created_at timestamptz(3) not null,
  retired_at timestamptz(3)
);

create table subscriptions (
  merchant_id uuid not null,
  month text not null,
  plan_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (merchant_id, month)
);

create table billing_accounts (
  id uuid primary key,
  next_month text not null,
  due_at timestamptz(3),
  due_count int not null default 0
);
create index billing_accounts_due on billing_accounts (due_at) where due_at is not null;

create table usage_entries (
  transaction_id uuid primary key,
  merchant_id uuid not null,
  amount_minor bigint not null,
  currency text not null,
  payment_type text not null,
  occurred_at timestamptz(3) not null,
  invoice_id uuid
);
create index usage_entries_merchant on usage_entries (merchant_id, occurred_at);
create index usage_entries_open on usage_entries (merchant_id, occurred_at) where invoice_id is null;

create table invoices (
  id uuid primary key,
  year int not null,
  serial int not null,
  merchant_id uuid not null,
  issuer_name text not null,
  issuer_tax_id text not null,
  merchant_name text not null,
  merchant_tax_id text,
  plan_name text not null,
  month text not null,
  lines jsonb not null,
  payment_count int not null,
  refund_count int not null default 0,
  currency text not null,
  subtotal_minor bigint not null,
  tax_bps int not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  issued_at timestamptz(3) not null,
  constraint invoices_month unique (merchant_id, month),
  constraint invoices_serial unique (year, serial)
);
-- No later program or manual query changes an issued document.
create trigger invoices_append_only before delete or update or truncate on invoices
  for each statement execute function refuse_change();

create table credit_notes (
  id uuid primary key,
  year int not null,
  serial int not null,
  merchant_id uuid not null,
  invoice_id uuid not null,
  reason text not null,
  issuer_name text not null,
  issuer_tax_id text not null,
  merchant_name text not null,
  merchant_tax_id text,
  currency text not null,
  subtotal_minor bigint not null,
  tax_bps int not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  issued_at timestamptz(3) not null,
  constraint credit_notes_amounts check (subtotal_minor > 0 and tax_minor >= 0),
  constraint credit_notes_reason unique (invoice_id, reason),
  constraint credit_notes_serial unique (year, serial)
);
create trigger credit_notes_append_only before delete or update or truncate on credit_notes
  for each statement execute function refuse_change();

create table fiscal_documents (
  id uuid primary key,
  series text not null,
  number text not null,
  url text,
  hash text not null,
  issued_at timestamptz(3) not null,
  file bytea not null,
  file_hash text not null,
  created_at timestamptz(3) not null,
  constraint fiscal_documents_number unique (series, number)
);
create trigger fiscal_documents_append_only before delete or update or truncate on fiscal_documents
  for each statement execute function refuse_change();

create table certification_requests (
  id uuid primary key,
  asked_at timestamptz(3) not null,
  tries int not null default 0,
  fault text,
  told_at timestamptz(3),
  due_at timestamptz(3),
  due_count int not null default 0
);
create index certification_requests_due on certification_requests (due_at) where due_at is not null;
