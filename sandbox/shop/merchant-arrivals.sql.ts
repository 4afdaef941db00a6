// SQL that creates and empties the demo shop's tables, in the simulator's schema. A query builder cannot express it.

/** Tables of the shop. */
export const TABLES = `
  create schema if not exists simulator;
  create table if not exists simulator.callbacks_mode (
    is_only boolean primary key default true check (is_only),
    mode text not null,
    delay_seconds integer not null
  );
  create table if not exists simulator.callbacks_arrived (
    id integer generated always as identity primary key,
    -- Not jsonb: strangers' text may hold what that refuses.
    arrival json not null,
    outcome text not null default 'open',
    answer json
  );
  create table if not exists simulator.callbacks_dealt_with (
    kind text,
    id text,
    -- Of a sale.
    number integer,
    primary key (kind, id)
  );
  create sequence if not exists simulator.callbacks_sales as integer;
`;

/** Deletes calls and sales. Truncation waits for calls that are being stored. */
export const EMPTY = `
  truncate simulator.callbacks_arrived, simulator.callbacks_dealt_with;
  alter sequence simulator.callbacks_sales restart;
`;
