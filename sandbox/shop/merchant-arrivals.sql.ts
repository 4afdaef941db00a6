// SQL that creates and empties the demo shop's tables in the simulator's schema. No query builder can express it.

/** SQL that creates the tables of the demo shop. */
export const SHOP_TABLES = `
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

/** SQL that deletes the demo shop's calls and sales. TRUNCATE waits for calls that are being stored. */
export const DELETE_CALLS_AND_SALES = `
  truncate simulator.callbacks_arrived, simulator.callbacks_dealt_with;
  alter sequence simulator.callbacks_sales restart;
`;
