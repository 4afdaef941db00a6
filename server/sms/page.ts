// A page of a merchant's rows together with the count of all of them, seen at one moment.
import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { Core } from '../core.ts';
import { query, type Tables } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { placeOf, type SmsPage } from './fields.ts';

/**
 * The rows of the page, in order; `total` counts those of every page.
 * @param all the rows of every page
 * @param read what is read of them, in a total order
 */
export function findPage<DB, Table extends keyof DB, Row>(
  core: Core,
  page: SmsPage,
  all: (tables: Kysely<Tables>) => SelectQueryBuilder<DB, Table, object>,
  read: (all: SelectQueryBuilder<DB, Table, object>) => SelectQueryBuilder<DB, Table, Row>,
): Promise<{ rows: Row[]; total: number }> {
  const { limit, offset } = placeOf(page);
  const rows = query((tables) => read(all(tables)).limit(limit).offset(offset));
  // Cast, since the compiler tells no columns of a table that may be any.
  const count = query((tables) =>
    all(tables)
      .select((eb) => eb.fn.countAll().as('total'))
      .$castTo<{ total: number }>(),
  );
  return inSnapshot(core, async (db) => ({ rows: await rows.all(db), total: (await count.one(db)).total }));
}
