// References at the simulated rail: registered once, withdrawn permanently, and one active reference per digits.
import type { Kysely } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Connection } from '../../server/database/queries.ts';
import { refuse } from './refusal.ts';
import { prepared, query, type Row, type SimulatorTables } from './schema.ts';
import type { Simulation } from './simulation.ts';
import { inTransaction, lockIds } from './tables.ts';

/** A request to register a reference, with the field names of docs/rail.md. */
export type ReferenceRequest = {
  id: string;
  entity: string;
  reference: string;
  type: 'DYNAMIC' | 'CHARGING';
  /** The reference's amount. Null: the payer chooses the amount. */
  amount: string | null;
  currency: string;
  description: string | null;
  expiresAt: Date;
};

export type ReferenceStatus = 'ACTIVE' | 'PAID' | 'EXPIRED' | 'WITHDRAWN';

export type ReferenceRow = Row<'ppr_references'> & {
  /** The number of a reference's payments. `published`: the number of those that the rail has published. */
  taken: number;
  published: number;
};

/** Selects references `r` with their numbers of payments. */
function selectReferences(tables: Kysely<SimulatorTables>) {
  return tables
    .selectFrom('ppr_references as r')
    .selectAll('r')
    .select((eb) => {
      const payments = eb.selectFrom('ppr_payments as p').whereRef('p.referenceId', '=', 'r.id');
      return [
        payments.select(eb.fn.countAll<number>().as('count')).$asScalar().$notNull().as('taken'),
        payments
          .select((own) => own.fn.count<number>('p.position').as('count'))
          .$asScalar()
          .$notNull()
          .as('published'),
      ];
    });
}

/** Registers a reference. A repeated id only counts one more call. @throws Refusal REFERENCE_TAKEN */
export async function recordReference(
  sim: Simulation,
  request: ReferenceRequest,
): Promise<{ row: ReferenceRow; isNew: boolean; isSame: boolean }> {
  return inTransaction(sim.pool, async (db) => {
    const { id, entity, reference } = request;
    const now = sim.clock.now();
    await lockIds(db, id, digitsLockName(entity, reference));
    const rows = await findLike.all(db, { id, entity, reference });
    const known = rows.find((row) => row.id === id);
    if (!known && rows.some((row) => referenceStatusOf(row, now, 'taken') === 'ACTIVE')) {
      refuse(409, 'REFERENCE_TAKEN', 'Another reference with these digits can still be paid.');
    }
    // The withdrawal arrived before the registration. The reference now gets its content and stays withdrawn.
    if (!known?.entity) return { row: await insertReference(db, request, now), isNew: !known, isSame: true };
    await countCall.run(db, { id });
    return { row: known, isNew: false, isSame: known.withdrawnAt !== null || isLike(known, request) };
  });
}

type Digits = Pick<ReferenceRequest, 'entity' | 'reference'>;

const findLike = prepared((tables, { id, entity, reference }: Digits & { id: string }) =>
  selectReferences(tables).where((eb) =>
    eb.or([eb('r.id', '=', id), eb.and([eb('r.entity', '=', entity), eb('r.reference', '=', reference)])]),
  ),
);

const countCall = prepared((tables, { id }: { id: string }) =>
  tables
    .updateTable('ppr_references')
    .set((eb) => ({ calls: eb('calls', '+', eb.lit(1)) }))
    .where('id', '=', id),
);

async function insertReference(db: PoolClient, request: ReferenceRequest, now: Date): Promise<ReferenceRow> {
  const row = await addReference.one(db, { row: { ...request, createdAt: now } });
  return { ...row, taken: 0, published: 0 };
}

const addReference = prepared((tables, { row }: { row: ReferenceRequest & { createdAt: Date } }) =>
  tables
    .insertInto('ppr_references')
    .values({ ...row, calls: 1 })
    .onConflict((on) =>
      on.column('id').doUpdateSet((eb) => ({
        entity: eb.ref('excluded.entity'),
        reference: eb.ref('excluded.reference'),
        type: eb.ref('excluded.type'),
        amount: eb.ref('excluded.amount'),
        currency: eb.ref('excluded.currency'),
        description: eb.ref('excluded.description'),
        expiresAt: eb.ref('excluded.expiresAt'),
        calls: eb('ppr_references.calls', '+', eb.lit(1)),
      })),
    )
    .returningAll(),
);

function isLike(row: ReferenceRow, request: ReferenceRequest): boolean {
  const texts = ['entity', 'reference', 'type', 'amount', 'currency', 'description'] as const;
  return (
    texts.every((field) => row[field] === request[field]) && row.expiresAt.getTime() === request.expiresAt.getTime()
  );
}

/** Withdraws a reference: it refuses payments, even if its registration arrives later. */
export async function withdrawReference({ pool, clock }: Simulation, id: string): Promise<ReferenceRow> {
  await withdraw.run(pool, { id, now: clock.now() });
  return findById.one(pool, { id });
}

const withdraw = prepared((tables, { id, now }: { id: string; now: Date }) =>
  tables
    .insertInto('ppr_references')
    .values({
      id,
      entity: '',
      reference: '',
      type: '',
      currency: '',
      expiresAt: now,
      withdrawnAt: now,
      createdAt: now,
      calls: 0,
    })
    .onConflict((on) =>
      on
        .column('id')
        .doUpdateSet((eb) => ({ withdrawnAt: eb.fn.coalesce('ppr_references.withdrawnAt', 'excluded.withdrawnAt') })),
    ),
);

/** Finds a reference by id. Null if the id was neither registered nor withdrawn. */
export function findReference(db: Connection, id: string): Promise<ReferenceRow | null> {
  return findById.first(db, { id });
}

const findById = prepared((tables, { id }: { id: string }) => selectReferences(tables).where('r.id', '=', id));

/** Finds all references that ever had these digits, newest first. */
export function findByDigits(db: Connection, entity: string, reference: string): Promise<ReferenceRow[]> {
  return findDigits.all(db, { entity, reference });
}

/** Like `findByDigits`, but locks the rows until the transaction ends. */
export function lockByDigits(db: PoolClient, entity: string, reference: string): Promise<ReferenceRow[]> {
  return lockDigits.all(db, { entity, reference });
}

const withDigits = (tables: Kysely<SimulatorTables>, { entity, reference }: Digits) =>
  selectReferences(tables)
    .where('r.entity', '=', entity)
    .where('r.reference', '=', reference)
    .where('r.entity', '<>', '')
    .orderBy('r.seq', 'desc');

const findDigits = prepared((tables, digits: Digits) => withDigits(tables, digits));
const lockDigits = prepared((tables, digits: Digits) => withDigits(tables, digits).forUpdate());

/** Lists all references, or those with these digits, oldest first. */
export function listReferences(pool: Pool, reference: string | null): Promise<ReferenceRow[]> {
  return query((tables) => {
    const all = selectReferences(tables).orderBy('r.seq');
    return reference === null ? all : all.where('r.reference', '=', reference);
  }).all(pool);
}

/** The name of the lock for operations on these digits. */
export function digitsLockName(entity: string, reference: string): string {
  return `reference ${entity} ${reference}`;
}

/** The status of a reference, by all its payments or only by the published ones. */
export function referenceStatusOf(row: ReferenceRow, now: Date, by: 'taken' | 'published'): ReferenceStatus {
  if (row.type === 'DYNAMIC' && row[by] > 0) return 'PAID';
  if (row.withdrawnAt) return 'WITHDRAWN';
  return row.expiresAt <= now ? 'EXPIRED' : 'ACTIVE';
}

/** Formats a reference as in docs/rail.md. Without a registration it has only an id and a status. */
export function viewReference(row: ReferenceRow, now: Date, by: 'taken' | 'published' = 'published') {
  const status = referenceStatusOf(row, now, by);
  if (!row.entity) return { id: row.id, status };
  const { id, entity, reference, type, amount, currency, description, expiresAt } = row;
  return { id, entity, reference, type, amount, currency, description, expiresAt: expiresAt.toISOString(), status };
}
