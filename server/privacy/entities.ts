// How far the nightly erasing has come.
import { defineEntity, p } from '@mikro-orm/core';

export const RetentionMarkSchema = defineEntity({
  name: 'RetentionMark',
  tableName: 'retention_marks',
  properties: {
    /** The rule's. */
    name: p.text().primary(),
    /** The newest row whose personal data are erased, by its key, which grows with time: a UUID version 7, or a serial number. */
    after: p.text(),
  },
});

/** How far a rule has come that erases and does not delete: no row is looked at twice. */
export class RetentionMark extends RetentionMarkSchema.class {}
RetentionMarkSchema.setClass(RetentionMark);

/** Their table, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof RetentionMarkSchema> {}
}
