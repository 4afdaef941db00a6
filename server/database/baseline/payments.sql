-- No table refers to merchants by a foreign key: every new row would lock the merchant's row.
-- The free room of a page lets a change of no indexed column, such as a refund's, write the row alone.
create table payments (
  id uuid primary key,
  merchant_id uuid not null,
  reference text not null,
  amount_minor bigint not null,
  currency text not null,
  payment_type text not null,
  payment_method text not null,
  status text not null,
  revision int not null,
  description text,
  custom_metadata text,
  search_terms text[],
  phone text,
  payer_tax_id text,
  provider text,
  gpo_merchant_id text,
  gpo_pos_id text,
  return_url text,
  cancel_url text,
  checkout_methods text[],
  allow_reference_fallback boolean not null default false,
  replaced_by_id uuid,
  replaces_id uuid,
  link_id uuid,
  authorization_id uuid,
  authorized_minor bigint,
  captured_minor bigint,
  operation text,
  operation_id uuid,
  qr_content text,
  qr_deeplink text,
  qr_size text,
  qr_type text,
  max_transactions int,
  accepted_count int not null default 0,
  amount_paid_minor bigint not null default '0',
  refunded_minor bigint not null default '0',
  late boolean not null default false,
  flags text[] not null default '{}',
  failure_code text,
  attempts_made smallint not null default 0,
  reference_claim text,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  expires_at timestamptz(3),
  due_at timestamptz(3),
  due_count int not null default 0,
  constraint payments_amounts check (amount_minor >= 0 and amount_paid_minor >= 0)
) with (fillfactor = 90);
-- Two pushes for the same order are never in flight together.
create unique index payments_in_flight on payments (merchant_id, reference, amount_minor, phone)
  where status = 'Processing' and payment_type = 'GPO';
create unique index payments_claim on payments (merchant_id, reference_claim) where reference_claim is not null;
-- Two concurrent requests never replace one payment twice.
create unique index payments_replaces on payments (replaces_id) where replaces_id is not null;
create index payments_list on payments (merchant_id, created_at, id);
create index payments_reference on payments (merchant_id, reference);
create index payments_due on payments (due_at) where due_at is not null;
create index payments_authorization on payments (authorization_id) where authorization_id is not null;
create index payments_search on payments using gin (search_terms) where search_terms is not null;
create index payments_amount on payments (merchant_id, amount_minor, created_at, id);
create index payments_phone on payments (merchant_id, phone, created_at, id) where phone is not null;
create index payments_status on payments (merchant_id, status, payment_type, created_at, id);
-- These three kinds of payments are rare. A list of them reads no other rows.
create index payments_currency on payments (merchant_id, currency, created_at, id) where currency <> 'AOA';
create index payments_late on payments (merchant_id, created_at, id) where late;
create index payments_flagged on payments (merchant_id, created_at, id) where flags && '{overpaid,amount_mismatch}';
create trigger payments_count_link after update of status on payments
  for each row when (new.link_id is not null and new.status is distinct from old.status) execute function count_link();

create table attempts (
  id uuid primary key,
  payment_id uuid not null,
  kind text not null default 'purchase',
  rail text not null default 'gpo',
  rail_key text,
  rail_order_id text,
  phone text,
  status text not null,
  failure_code text,
  provider_ref text,
  created_at timestamptz(3) not null,
  sent_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  due_at timestamptz(3),
  due_count int not null default 0,
  constraint attempts_payment_id_foreign foreign key (payment_id) references payments (id) on delete restrict
);
create unique index attempts_rail_key on attempts (rail, rail_key) where rail_key is not null;
create index attempts_payment on attempts (payment_id);
create index attempts_phone on attempts (phone, created_at);
create index attempts_due on attempts (due_at) where due_at is not null;
create index attempts_rail_order on attempts (rail, rail_order_id) where rail_order_id is not null;
-- Metrics count the orders without an outcome at each scrape.
create index attempts_open on attempts (created_at) where status in ('Unsent', 'Unreached', 'Sent');
-- Due rows of each rail take turns, here and in the other tables with such an index.
create index attempts_turn on attempts (rail, due_at) where due_at is not null;

create table transactions (
  id uuid primary key,
  merchant_id uuid not null,
  payment_id uuid not null,
  rail text not null,
  provider_ref text not null,
  attempt_id uuid,
  amount_minor bigint not null,
  currency text not null,
  fee_minor bigint,
  refunded_minor bigint not null default '0',
  refunding_minor bigint not null default '0',
  status text not null,
  late boolean not null,
  occurred_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  period text not null,
  details jsonb not null,
  constraint transactions_payment_id_foreign foreign key (payment_id) references payments (id) on delete restrict,
  constraint transactions_rail_ref unique (rail, provider_ref)
);
create index transactions_payment on transactions (payment_id, created_at, id);
create index transactions_list on transactions (merchant_id, occurred_at, id);
create index transactions_period on transactions (merchant_id, rail, period, occurred_at, id);
create trigger settle before insert on transactions
  for each row execute function settle_movement();

create table payment_references (
  id uuid primary key,
  payment_id uuid not null,
  merchant_id uuid not null,
  entity text not null,
  reference text not null,
  type text not null,
  contract text not null,
  rail text not null default 'ppr',
  status text not null,
  customer_email text,
  customer_name text,
  customer_telephone text,
  document_number text,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  closed_at timestamptz(3),
  registered_at timestamptz(3),
  withdrawn_at timestamptz(3),
  rail_fault text,
  due_at timestamptz(3),
  due_count int not null default 0,
  constraint payment_references_payment_id_foreign foreign key (payment_id) references payments (id) on delete restrict,
  constraint payment_references_payment unique (payment_id)
);
-- Two live references never have the same digits.
create unique index payment_references_live on payment_references (entity, reference) where status = 'Pending';
-- The filters are in the index, so a page and its count read no rows.
create index payment_references_list on payment_references (merchant_id, created_at, id, type, status);
create index payment_references_digits on payment_references (entity, reference, created_at);
create index payment_references_own on payment_references (merchant_id, reference, created_at);
create index payment_references_due on payment_references (due_at) where due_at is not null;
create index payment_references_status on payment_references (merchant_id, status, type, created_at, id);
create index payment_references_turn on payment_references (rail, due_at) where due_at is not null;

create table refunds (
  id uuid primary key,
  merchant_id uuid not null,
  payment_id uuid not null,
  transaction_id uuid not null,
  amount_minor bigint not null,
  currency text not null,
  status text not null,
  revision int not null,
  method text not null,
  rail text,
  reason text,
  reference text,
  proof text,
  failure_code text,
  provider_ref text,
  late boolean not null default false,
  requested_by_kind text not null,
  requested_by_id text not null,
  details jsonb not null,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  period text,
  constraint refunds_amount check (amount_minor > 0),
  constraint refunds_payment_id_foreign foreign key (payment_id) references payments (id) on delete restrict,
  constraint refunds_transaction_id_foreign foreign key (transaction_id) references transactions (id) on delete restrict
);
create unique index refunds_rail_ref on refunds (rail, provider_ref) where provider_ref is not null;
create index refunds_list on refunds (merchant_id, created_at, id);
create index refunds_payment on refunds (payment_id, created_at, id);
create index refunds_transaction on refunds (transaction_id);
create index refunds_movements on refunds (merchant_id, completed_at, id) where status = 'Succeeded';
create index refunds_period on refunds (merchant_id, period, completed_at, id) where status = 'Succeeded';
create index refunds_status on refunds (merchant_id, status, method, created_at, id);
create trigger settle before insert or update of status on refunds
  for each row when (new.status = 'Succeeded') execute function settle_movement();

create table links (
  id uuid primary key,
  merchant_id uuid not null,
  slug text not null,
  title text not null,
  amount_minor bigint,
  min_minor bigint,
  max_minor bigint,
  currency text not null,
  stock int,
  expires_at timestamptz(3),
  methods text[],
  asks text[] not null default '{}',
  thanks text,
  return_url text,
  revision int not null default 1,
  open_count int not null default 0,
  paid_count int not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  withdrawn_at timestamptz(3),
  constraint links_slug unique (slug)
);
create index links_list on links (merchant_id, created_at, id);

create table link_payments (
  payment_id uuid primary key,
  link_id uuid not null,
  merchant_id uuid not null,
  status text not null,
  customer_name text,
  customer_email text,
  customer_telephone text,
  document_number text,
  opened_from text,
  created_at timestamptz(3) not null
);
create index link_payments_list on link_payments (link_id, created_at, payment_id);
create index link_payments_opened_from on link_payments (link_id, opened_from) where status = 'Open';
