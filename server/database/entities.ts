// Who may run on this schema: nodes that know the migration which this names.
import { defineEntity, p } from '@mikro-orm/core';

export const SchemaFloorSchema = defineEntity({
  name: 'SchemaFloor',
  tableName: 'schema_floor',
  properties: {
    /** There is one row, `floor`. */
    id: p.text().primary(),
    /** Raised by migrations that take away what releases before it need. */
    migration: p.text(),
  },
});

export class SchemaFloor extends SchemaFloorSchema.class {}
SchemaFloorSchema.setClass(SchemaFloor);

declare module './db.ts' {
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface Tables extends TablesOf<typeof SchemaFloorSchema> {}
}
