-- A node runs on this schema only if it knows the migration that the row names.
create table schema_floor (
  id text primary key,
  migration text not null
);
insert into schema_floor (id, migration) values ('floor', '20261127_baseline');

-- Addresses of files never change, so the files of every build are kept.
create table published_files (
  path text primary key,
  bytes bytea not null,
  seen_at timestamptz(3) not null
);
