// What the demo shop's server remembers: how it is to answer, what it sold, and the last calls that arrived.
import type { Pool, PoolClient } from 'pg';
import type { ArrivalView, CallbacksView, ShopMode } from '../../shared/sandbox.ts';
import { inTransaction, lockThing } from '../simulator/tables.ts';
import { parseBody, type Notice } from './merchant-notices.ts';

/** A call as it came, before the shop thinks about it. */
export type Arrived = Pick<ArrivalView, 'receivedAt' | 'kind' | 'delivery' | 'attempt' | 'isKeyRight'> &
  Pick<ArrivalView, 'amountText' | 'about' | 'headers'> & { text: string };

export type Answered = { status: number; body: unknown };

type Deal = { isRepeat: boolean; sale: string | null };

export type ShopMemory = {
  prepare(): Promise<void>;
  readMode(): Promise<{ mode: ShopMode; delaySeconds: number }>;
  /** @param delaySeconds null leaves it */
  setMode(mode: ShopMode, delaySeconds: number | null): Promise<void>;
  /** Keeps a call; `deal` says what it is about where the shop deals with that now. */
  keep(arrived: Arrived, deal: Notice | null): Promise<Deal & { id: number }>;
  /** How a call that was kept ended. */
  settle(id: number, outcome: 'answered' | 'left', answer: Answered | null): Promise<void>;
  read(): Promise<CallbacksView>;
  /** Forgets arrivals and sales; the mode stays. */
  forget(): Promise<void>;
};

const MAX_KEPT = 100;

/** Kept in the simulator's schema, beside the rails: the gateway knows as little of the shop as of them. */
export function openMemory(pool: Pool): ShopMemory {
  const readMode = async () => {
    const { rows } = await pool.query<{ mode: ShopMode; delaySeconds: number }>(
      `select mode, delay_seconds as "delaySeconds" from simulator.callbacks_mode`,
    );
    return rows[0] ?? { mode: 'ok' as const, delaySeconds: 5 };
  };
  return {
    prepare: () =>
      inTransaction(pool, async (db) => {
        await lockThing(db, 'callbacks');
        await db.query(TABLES);
      }),
    readMode,
    async setMode(mode, delaySeconds) {
      await pool.query(
        `insert into simulator.callbacks_mode (mode, delay_seconds) values ($1, coalesce($2::int, 5))
         on conflict (is_only) do update set mode = $1, delay_seconds = coalesce($2::int, callbacks_mode.delay_seconds)`,
        [mode, delaySeconds],
      );
    },
    keep: (arrived, deal) =>
      inTransaction(pool, async (db) => {
        const found = deal?.id ? await dealWith(db, deal.kind, deal.id) : { isRepeat: false, sale: null };
        const { rows } = await db.query<{ id: number }>(
          'insert into simulator.callbacks_arrived (arrival) values ($1::json) returning id',
          [JSON.stringify({ ...arrived, ...found })],
        );
        const { id } = rows[0] as { id: number };
        await db.query('delete from simulator.callbacks_arrived where id <= $1', [id - MAX_KEPT]);
        return { id, ...found };
      }),
    async settle(id, outcome, answer) {
      await pool.query('update simulator.callbacks_arrived set outcome = $2, answer = $3::json where id = $1', [
        id,
        outcome,
        answer && JSON.stringify(answer),
      ]);
    },
    async read() {
      const { rows } = await pool.query<Row>('select * from simulator.callbacks_arrived order by id desc');
      const sold = await pool.query<{ sales: number }>(
        'select count(number)::int as sales from simulator.callbacks_dealt_with',
      );
      return { ...(await readMode()), sales: sold.rows[0]?.sales ?? 0, arrivals: rows.map(viewArrival) };
    },
    async forget() {
      await pool.query(`truncate simulator.callbacks_arrived, simulator.callbacks_dealt_with;
        alter sequence simulator.callbacks_sales restart`);
    },
  };
}

type Row = Pick<ArrivalView, 'id' | 'outcome' | 'answer'> & { arrival: Arrived & Deal };

function viewArrival({ id, outcome, answer, arrival }: Row): ArrivalView {
  const { text, headers, ...told } = arrival;
  return { id, ...told, outcome, answer, headers, body: parseBody(text) };
}

/** Once for each id, however often and however many at a time it comes. Only money is a sale. */
async function dealWith(db: PoolClient, kind: Notice['kind'], id: string): Promise<Deal> {
  // One after the other: whoever comes second would use up a number too.
  await lockThing(db, `sale ${kind} ${id}`);
  const { rows } = await db.query<{ number: number | null; isRepeat: boolean }>(
    `with known as (select number from simulator.callbacks_dealt_with where kind = $1 and id = $2),
     made as (insert into simulator.callbacks_dealt_with (kind, id, number)
       select $1, $2, case when $1 in ('ppr', 'qrcode') then nextval('simulator.callbacks_sales') end
       where not exists (select from known) returning number)
     select number, false as "isRepeat" from made union all select number, true from known`,
    [kind, id],
  );
  const [{ number, isRepeat }] = rows as [(typeof rows)[number]];
  return { isRepeat, sale: number === null ? null : `VENDA-${number}` };
}

const TABLES = `
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
  -- Whoever waited when the last node died waits no more.
  update simulator.callbacks_arrived set outcome = 'left' where outcome = 'open';
`;
