// Finds the names of people and of API clients by their ids.
import { sql } from 'kysely';
import { isAny, prepared, type Db } from '../database/db.ts';
import { UUID } from '../http/fields.ts';

/** Names of people and of API clients, by their ids. */
export type Names = ReadonlyMap<string, string>;

/** Returns the names of these people and API clients. A person without a name has their e-mail address. */
export async function findNames(db: Db, ids: (string | null | undefined)[]): Promise<Names> {
  const all = [...new Set(ids.filter((id) => typeof id === 'string'))];
  if (all.length === 0) return new Map();
  const rows = await selectNames.all(db, { ids: all, userIds: all.filter((id) => UUID.test(id)) });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const selectNames = prepared((tables, { ids, userIds }: { ids: string[]; userIds: string[] }) =>
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
