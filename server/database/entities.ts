// The schema floor: a node runs on a database only if it knows the migration that the floor names.
import { defineEntity, p } from '@mikro-orm/core';

export const SchemaFloorSchema = defineEntity({
  name: 'SchemaFloor',
  tableName: 'schema_floor',
  properties: {
    /** The id of the only row, `floor`. */
    id: p.text().primary(),
    /** The migration that nodes must know. A migration that removes parts of the schema raises it. */
    migration: p.text(),
  },
});

export class SchemaFloor extends SchemaFloorSchema.class {}
SchemaFloorSchema.setClass(SchemaFloor);

declare module './db.ts' {
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface Tables extends TablesOf<typeof SchemaFloorSchema> {}
}
