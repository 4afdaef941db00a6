// A page of a merchant's rows together with the count of all of them, seen at one moment.
import type { EntityClass } from '@mikro-orm/postgresql';
import type { Core } from '../core.ts';
import { inSnapshot } from '../database/orm.ts';
import { findRows } from '../database/rows.ts';
import { placeOf } from './fields.ts';

export type Asked = {
  /** SQL with $1, $2 … for `values`. */
  where: string;
  values: unknown[];
  /** SQL, total. */
  order: string;
  page: { pageNumber: number; pageSize: number };
  /** Columns beyond the entity's. */
  also?: string[];
};

/** The rows of the page, in order; `total` counts those of every page. */
export function findPage<T extends object, Also extends object = object>(
  core: Core,
  entity: EntityClass<T>,
  { where, values, order, page, also = [] }: Asked,
): Promise<{ rows: (T & Also)[]; total: number }> {
  const { tableName } = core.orm.getMetadata(entity);
  const { limit, offset } = placeOf(page);
  const place = `limit $${values.length + 1} offset $${values.length + 2}`;
  return inSnapshot(core, async (db) => {
    const ordered = `${where} order by ${order} ${place}`;
    const rows = await findRows<T, Also>(db, entity, ordered, [...values, limit, offset], also);
    const counted = await db.pool.query<{ total: string }>(
      `select count(*) as total from "${tableName}" where ${where}`,
      values,
    );
    return { rows, total: Number(counted.rows[0]?.total ?? 0) };
  });
}
