// What is known of the length of lists: counts by day and hour, and how far into its source each list was counted.
import { defineEntity, p } from '@mikro-orm/core';

/** How much a count covers: all there is, a day or an hour of UTC. */
export type Grain = 'all' | 'day' | 'hour';

export const ListCountSchema = defineEntity({
  name: 'ListCount',
  tableName: 'list_counts',
  properties: {
    /** Of table.ts. */
    list: p.text().primary(),
    merchantId: p.uuid().primary(),
    grain: p.text().$type<Grain>().primary(),
    /** When it begins; of `all` -infinity. */
    at: p.datetime(3).primary(),
    /** The values that the rows have in common, in the order of the list's `keys`. */
    keys: p.array().$type<string[]>().primary(),
    n: p.bigint('number'),
  },
});

/** So many rows of a list have the same values. Written by fold.ts alone. */
export class ListCount extends ListCountSchema.class {}
ListCountSchema.setClass(ListCount);

export const ListFoldSchema = defineEntity({
  name: 'ListFold',
  tableName: 'list_folds',
  properties: {
    list: p.text().primary(),
    /** Every row of its source up to this `seq` is in the counts, and none behind it. */
    upto: p.bigint('number'),
  },
});

/** How far a list was counted. */
export class ListFold extends ListFoldSchema.class {}
ListFoldSchema.setClass(ListFold);

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof ListCountSchema | typeof ListFoldSchema> {}
}
