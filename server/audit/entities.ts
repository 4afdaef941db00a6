// The audit log: append-only entries of changes to access, credentials and configuration.
import { defineEntity, p } from '@mikro-orm/core';

/** A person, an API client, the operator at the command line, or the gateway itself. */
export type ActorKind = 'user' | 'client' | 'operator' | 'system';

export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  properties: {
    seq: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    /** Null for an entry about a person's own account. */
    merchantId: p.uuid().nullable(),
    /** `client.created`, `user.granted` and so on. */
    action: p.text(),
    actorKind: p.text().$type<ActorKind>(),
    /** The person's id, the client's id, or the operator's user name on the machine. */
    actorId: p.text(),
    /** The caller's address. Null: a command on this machine. */
    address: p.text().nullable(),
    /** The id of the changed object. */
    target: p.text().nullable(),
    /** `{ before, after }` by field. A secret appears only as `changed`. */
    changes: p.json().$type<Record<string, unknown>>(),
    occurredAt: p.datetime(3),
  },
  indexes: [
    { name: 'audit_merchant', properties: ['merchantId', 'seq'] },
    { name: 'audit_action', properties: ['merchantId', 'action', 'seq'] },
  ],
});

/** A change of access, credential or configuration. The database refuses updates and deletes. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof AuditEntrySchema> {}
}
