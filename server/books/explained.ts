// Reads the explanations of settlements.
import { isAny, prepared, type Db } from '../database/db.ts';
import type { SettlementExplanation } from './entities.ts';

/** Returns the explanations of several settlements. */
export async function findExplanations(db: Db, ids: string[]): Promise<Map<string, SettlementExplanation>> {
  const rows = (await findAll.all(db, { ids })) as SettlementExplanation[];
  return new Map(rows.map((row) => [row.id, row]));
}

const findAll = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('settlement_explanations')
    .selectAll()
    .where('id', ...isAny(ids)),
);
