// What became of comparing settlements with their rails' books, as they are shown.
import { isAny, prepared, type Db } from '../database/db.ts';
import type { Difference, Differences, DifferenceKind } from './entities.ts';

export type Reconciled = { reconciledAt: Date | null; count: number; kept: Difference[] };

/** One that was never compared. */
export const NOT_RECONCILED: Reconciled = { reconciledAt: null, count: 0, kept: [] };

/** Of one settlement, with what differs. */
export async function findReconciliation(db: Db, id: string): Promise<Reconciled> {
  const row = await findOne.first(db, { id });
  return row ? { reconciledAt: row.reconciledAt, ...readFound(row.found) } : NOT_RECONCILED;
}

function readFound(found: Differences | null): Pick<Reconciled, 'count' | 'kept'> {
  return found ? { count: countDifferences(found.counts), kept: found.kept } : NOT_RECONCILED;
}

/** Of some settlements, how much differs. */
export async function findReconciled(db: Db, ids: string[]): Promise<Map<string, Reconciled>> {
  const rows = await findCounts.all(db, { ids });
  return new Map(
    rows.map(({ id, reconciledAt, counts }) => [
      id,
      { reconciledAt, count: counts ? countDifferences(counts) : 0, kept: [] },
    ]),
  );
}

export function countDifferences(counts: Differences['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

const findOne = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('reconciliations').select(['reconciledAt', 'found']).where('id', '=', id),
);

const findCounts = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('reconciliations')
    .select((eb) => [
      'id',
      'reconciledAt',
      eb.ref('found', '->').key('counts').$castTo<Record<DifferenceKind, number> | null>().as('counts'),
    ])
    .where('id', ...isAny(ids)),
);
