// The audit log: append-only entries of changes to access, credentials and configuration.
import { defineEntity, p } from '@mikro-orm/core';

/** The kind of actor: a person, an API client, the operator at the command line, or the gateway itself. */
export type ActorKind = 'user' | 'client' | 'operator' | 'system';

export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  properties: {
    seq: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    /** The merchant of the entry. Null for an entry about a person's own account. */
    merchantId: p.uuid().nullable(),
    /** The action as noun and verb, for example `client.created` or `user.granted`. */
    action: p.text(),
    actorKind: p.text().$type<ActorKind>(),
    /** The actor's id: of a person or an API client, or the operator's user name on the machine. */
    actorId: p.text(),
    /** The caller's IP address. Null for a command on this machine. */
    address: p.text().nullable(),
    /** The id of the changed object. */
    target: p.text().nullable(),
    /** The changes as `{ before, after }` by field. A secret appears only as `changed`. */
    changes: p.json().$type<Record<string, unknown>>(),
    occurredAt: p.datetime(3),
  },
  indexes: [
    { name: 'audit_merchant', properties: ['merchantId', 'seq'] },
    { name: 'audit_action', properties: ['merchantId', 'action', 'seq'] },
    { name: 'audit_actor', properties: ['merchantId', 'actorId', 'seq'] },
  ],
});

/** An entry of the audit log: a change of access, credentials or configuration. The database refuses later changes. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof AuditEntrySchema> {}
}
