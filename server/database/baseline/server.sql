-- A node runs on this schema only if it knows the migration that the row names.
create table schema_floor (
  id text primary key,
  migration text not null
);
insert into schema_floor (id, migration) values ('floor', '20261127_baseline');

create table list_counts (
  list text not null,
  merchant_id uuid not null,
  grain text not null,
  at timestamptz(3) not null,
  keys text[] not null,
  n bigint not null,
  primary key (list, merchant_id, grain, at, keys)
);

create table list_folds (
  list text primary key,
  upto bigint not null
);

-- Addresses of files never change, so the files of every build are kept.
create table published_files (
  path text primary key,
  bytes bytea not null,
  seen_at timestamptz(3) not null
);
