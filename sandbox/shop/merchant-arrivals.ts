// State of the demo shop's server: its answer mode, its sales, and the last calls.
import { sql, type Selectable, type SqlBool } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { ArrivalView, CallbacksView, ShopMode } from '../../shared/sandbox.ts';
import { inTransaction, lockIds } from '../simulator/tables.ts';
import { DELETE_CALLS_AND_SALES, SHOP_TABLES } from './merchant-arrivals.sql.ts';
import { parseBody, type Notice } from './merchant-notices.ts';
import {
  prepared,
  type SentAnswer,
  type ReceivedCall,
  type ProcessedCall,
  type ShopTables,
} from './merchant-schema.ts';

export type ShopStore = {
  prepare(): Promise<void>;
  readMode(): Promise<{ mode: ShopMode; delaySeconds: number }>;
  /** Sets the demo shop's answer mode. @param delaySeconds null keeps the current delay */
  setMode(mode: ShopMode, delaySeconds: number | null): Promise<void>;
  /** Stores a call to the demo shop. With `toProcess`, the shop also processes the call. */
  keep(arrived: ReceivedCall, toProcess: Notice | null): Promise<ProcessedCall & { id: number }>;
  /** Records the outcome of a stored call. */
  settle(id: number, outcome: 'answered' | 'left', answer: SentAnswer | null): Promise<void>;
  read(): Promise<CallbacksView>;
  /** Deletes the demo shop's calls and sales. The answer mode stays. */
  forget(): Promise<void>;
};

const MAX_KEPT = 100;

/** The table is in the simulator's schema, because the gateway knows neither the demo shop nor the simulated rails. */
export function openShopStore(pool: Pool): ShopStore {
  const readMode = async () => (await findMode.first(pool, {})) ?? { mode: 'ok' as const, delaySeconds: 5 };
  return {
    prepare: () =>
      inTransaction(pool, async (db) => {
        await lockIds(db, 'callbacks');
        await db.query(SHOP_TABLES);
        await closeOpen.run(db, {});
      }),
    readMode,
    async setMode(mode, delaySeconds) {
      await saveMode.run(pool, { mode, delaySeconds });
    },
    keep: (arrived, toProcess) =>
      inTransaction(pool, async (db) => {
        const result = toProcess?.id
          ? await processOnce(db, toProcess.kind, toProcess.id)
          : { isRepeat: false, sale: null };
        const { id } = await addArrival.one(db, { arrival: { ...arrived, ...result } });
        await deleteUpTo.run(db, { id: id - MAX_KEPT });
        return { id, ...result };
      }),
    async settle(id, outcome, answer) {
      await endArrival.run(pool, { id, outcome, answer });
    },
    async read() {
      const arrivals = await listArrivals.all(pool, {});
      const { sales } = await countSales.one(pool, {});
      return { ...(await readMode()), sales, arrivals: arrivals.map(viewArrival) };
    },
    async forget() {
      await inTransaction(pool, (db) => db.query(DELETE_CALLS_AND_SALES));
    },
  };
}

const findMode = prepared((tables) => tables.selectFrom('callbacks_mode').select(['mode', 'delaySeconds']));

const saveMode = prepared((tables, { mode, delaySeconds }: { mode: ShopMode; delaySeconds: number | null }) => {
  const given = sql<number | null>`${delaySeconds}::int`;
  return tables
    .insertInto('callbacks_mode')
    .values((eb) => ({ mode, delaySeconds: eb.fn.coalesce(given, eb.lit(5)) }))
    .onConflict((on) =>
      on
        .column('isOnly')
        .doUpdateSet((eb) => ({ mode, delaySeconds: eb.fn.coalesce(given, 'callbacks_mode.delaySeconds') })),
    );
});

/** Marks calls that were open when the last node stopped. */
const closeOpen = prepared((tables) =>
  tables.updateTable('callbacks_arrived').set({ outcome: 'left' }).where('outcome', '=', 'open'),
);

const addArrival = prepared((tables, { arrival }: { arrival: ReceivedCall & ProcessedCall }) =>
  tables.insertInto('callbacks_arrived').values({ arrival }).returning('id'),
);

const deleteUpTo = prepared((tables, { id }: { id: number }) =>
  tables.deleteFrom('callbacks_arrived').where('id', '<=', id),
);

type EndedArrival = Pick<ArrivalRow, 'id' | 'outcome' | 'answer'>;

const endArrival = prepared((tables, { id, outcome, answer }: EndedArrival) =>
  tables.updateTable('callbacks_arrived').set({ outcome, answer }).where('id', '=', id),
);

const listArrivals = prepared((tables) => tables.selectFrom('callbacks_arrived').selectAll().orderBy('id', 'desc'));

const countSales = prepared((tables) =>
  tables.selectFrom('callbacks_dealt_with').select((eb) => eb.fn.count<number>('number').as('sales')),
);

type ArrivalRow = Selectable<ShopTables['callbacks_arrived']>;

function viewArrival({ id, outcome, answer, arrival }: ArrivalRow): ArrivalView {
  const { text, headers, ...content } = arrival;
  return { id, ...content, outcome, answer, headers, body: parseBody(text) };
}

/** Processes each id once, even for concurrent calls. Only a payment creates a sale. */
async function processOnce(db: PoolClient, kind: Notice['kind'], id: string): Promise<ProcessedCall> {
  // The lock makes calls with the same id run in turn. Otherwise a concurrent call would use up a sale number.
  await lockIds(db, `sale ${kind} ${id}`);
  const isSale = kind === 'ppr' || kind === 'qrcode';
  const { number, isRepeat } = await findOrMake.one(db, { kind, id, isSale });
  return { isRepeat, sale: number === null ? null : `VENDA-${number}` };
}

const findOrMake = prepared((tables, { kind, id, isSale }: { kind: Notice['kind']; id: string; isSale: boolean }) =>
  tables
    .with('known', (part) =>
      part.selectFrom('callbacks_dealt_with').select('number').where('kind', '=', kind).where('id', '=', id),
    )
    .with('made', (part) =>
      part
        .insertInto('callbacks_dealt_with')
        .columns(['kind', 'id', 'number'])
        .expression(
          part
            .selectNoFrom((eb) => [
              eb.val(kind).as('kind'),
              eb.val(id).as('id'),
              eb
                .case()
                .when(eb.cast<SqlBool>(eb.val(isSale), 'boolean'))
                .then(sql<number>`nextval('simulator.callbacks_sales')`)
                .end()
                .as('number'),
            ])
            .where(({ not, exists, selectFrom }) => not(exists(selectFrom('known').select('number')))),
        )
        .returning('number'),
    )
    .selectFrom('made')
    .select((eb) => ['made.number', eb.lit<boolean>(false).as('isRepeat')])
    .unionAll((eb) => eb.selectFrom('known').select((own) => ['known.number', own.lit<boolean>(true).as('isRepeat')])),
);
