// Reads the explanations of settlements, and the names of the people in the books.
import { sql } from 'kysely';
import { isAny, prepared, type Db } from '../database/db.ts';
import { UUID } from '../http/fields.ts';
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

/** Names of people and of API clients, by their ids. */
export type People = ReadonlyMap<string, string>;

/** Returns the names of the people and API clients. A removed person has no name. */
export async function findPeople(db: Db, ids: (string | null)[]): Promise<People> {
  const all = [...new Set(ids.filter((id) => id !== null))];
  if (all.length === 0) return new Map();
  const rows = await findNames.all(db, { ids: all, userIds: all.filter((id) => UUID.test(id)) });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const findNames = prepared((tables, { ids, userIds }: { ids: string[]; userIds: string[] }) =>
  tables
    .selectFrom('users')
    .select([
      sql<string>`id::text`.as('id'),
      sql<string>`coalesce(nullif(trim(concat_ws(' ', first_name, last_name)), ''), email)`.as('name'),
    ])
    .where('id', ...isAny(userIds))
    .unionAll(
      tables
        .selectFrom('clients')
        .select(['id', 'name'])
        .where('id', ...isAny(ids)),
    ),
);
