// Reads the results of comparisons between settlements and the rails' lists.
import { isAny, prepared, type Db } from '../database/db.ts';
import type { Difference, Differences, DifferenceKind } from './entities.ts';

export type Reconciled = { reconciledAt: Date | null; count: number; kept: Difference[] };

/** The comparison of a settlement that was never compared. */
export const NOT_RECONCILED: Reconciled = { reconciledAt: null, count: 0, kept: [] };

/** Returns the comparison of one settlement, with its differences. */
export async function findReconciliation(db: Db, id: string): Promise<Reconciled> {
  const row = await findOne.first(db, { id });
  return row ? { reconciledAt: row.reconciledAt, ...readFound(row.found) } : NOT_RECONCILED;
}

function readFound(found: Differences | null): Pick<Reconciled, 'count' | 'kept'> {
  return found ? { count: countDifferences(found.counts), kept: found.kept } : NOT_RECONCILED;
}

/** Returns the comparisons of several settlements, without their differences. */
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
