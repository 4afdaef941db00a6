// The floor of the schema: a node runs on it only if it knows the migration that the floor names.
import { defineEntity, p } from '@mikro-orm/core';

export const SchemaFloorSchema = defineEntity({
  name: 'SchemaFloor',
  tableName: 'schema_floor',
  properties: {
    /** There is one row, `floor`. */
    id: p.text().primary(),
    /** A contracting migration raises it. */
    migration: p.text(),
  },
});

export class SchemaFloor extends SchemaFloorSchema.class {}
SchemaFloorSchema.setClass(SchemaFloor);

declare module './db.ts' {
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface Tables extends TablesOf<typeof SchemaFloorSchema> {}
}
