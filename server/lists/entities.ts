// The counts of lists, and the differences that the fold has not yet added to the counts.
import { defineEntity, p } from '@mikro-orm/core';

export const ListCountSchema = defineEntity({
  name: 'ListCount',
  tableName: 'list_counts',
  properties: {
    /** The name of the counted list (`list` in database/functions/counted-lists.ts). */
    list: p.text().primary(),
    merchantId: p.uuid().primary(),
    /** The time range of the count in UTC: all rows, a day or an hour. */
    grain: p.text().$type<'all' | 'day' | 'hour'>().primary(),
    /** The start of the counted day or hour. -infinity for `all`. */
    at: p.datetime(3).primary(),
    /** The values that the counted rows share, in the order of the list's `keys`. */
    keys: p.array().$type<string[]>().primary(),
    n: p.bigint('number'),
  },
});

/** The number of rows of a list with the same time range and keys. fold.sql.ts and recount.ts write it. */
export class ListCount extends ListCountSchema.class {}
ListCountSchema.setClass(ListCount);

export const ListDeltaSchema = defineEntity({
  name: 'ListDelta',
  tableName: 'list_deltas',
  properties: {
    /** The id of the transaction that wrote the difference. */
    xid: p.text().columnType('xid8').defaultRaw('pg_current_xact_id()').primary(),
    id: p.bigint('number').primary().autoincrement(),
    list: p.text(),
    merchantId: p.uuid(),
    /** The time of the changed row. -infinity for a list without hours. */
    at: p.datetime(3),
    keys: p.array().$type<string[]>(),
    n: p.bigint('number'),
  },
});

/** A difference to add to a count. The trigger function `note_difference` writes it. */
export class ListDelta extends ListDeltaSchema.class {}
ListDeltaSchema.setClass(ListDelta);

export const ListFoldSchema = defineEntity({
  name: 'ListFold',
  tableName: 'list_folds',
  properties: { name: p.text().primary(), upto: p.text().columnType('xid8') },
});

/** A table with one row: every difference of a transaction before `upto` is folded into the counts. */
export class ListFold extends ListFoldSchema.class {}
ListFoldSchema.setClass(ListFold);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof ListCountSchema | typeof ListDeltaSchema | typeof ListFoldSchema> {}
}
