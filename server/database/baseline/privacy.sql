create table digest_keys (
  id text primary key,
  sealed_key text not null
);

create table retention_marks (
  name text primary key,
  after text not null
);

create table erasures (
  id uuid primary key,
  merchant_id uuid,
  turn uuid not null default '00000000-0000-0000-0000-000000000000',
  subject_hash text not null,
  sealed_subject text,
  status text not null,
  progress jsonb not null,
  erased jsonb not null,
  requested_by_kind text not null,
  requested_by_id text not null,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  due_at timestamptz(3),
  due_count int not null default 0
);
create index erasures_due on erasures (due_at) where due_at is not null;
create index erasures_subject on erasures (subject_hash, created_at);
create index erasures_turn on erasures (turn, due_at) where due_at is not null;
