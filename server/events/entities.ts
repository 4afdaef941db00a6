// One append-only row a change, written in the change's own transaction: history, feed and audit in one.
import { defineEntity, p } from '@mikro-orm/core';
import type { EventState } from './record.ts';

export const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    /** Order of insertion; of one payment's events also the order of commits, since its row is locked first. */
    seq: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    merchantId: p.uuid(),
    paymentId: p.uuid().nullable(),
    /** `payment.paid` and so on (decisions §9). */
    type: p.text(),
    /** The subject's status after the change; null where it has none. */
    status: p.text().nullable(),
    occurredAt: p.datetime(3),
    details: p.json().$type<Record<string, unknown>>(),
    /** What of its payment can change, as it was right after the event; empty: as it was created; null: not known. */
    state: p.json().$type<EventState>().nullable(),
    /** The feed's cursor, stamped by its first reader, so that a later commit never appears behind it. */
    position: p.bigint('number').nullable(),
  },
  indexes: [
    { name: 'events_payment', properties: ['paymentId', 'seq'] },
    { name: 'events_unstamped', properties: ['merchantId', 'seq'], where: 'position is null' },
  ],
  uniques: [{ name: 'events_position', properties: ['merchantId', 'position'], where: 'position is not null' }],
});

export class Event extends EventSchema.class {}
EventSchema.setClass(Event);

/** Who did it: a person, an API client, the operator at the command line, or the gateway itself. */
export type ActorKind = 'user' | 'client' | 'operator' | 'system';

export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  properties: {
    seq: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    /** Null: of a person's own account. */
    merchantId: p.uuid().nullable(),
    /** `client.created`, `user.granted` and so on. */
    action: p.text(),
    actorKind: p.text().$type<ActorKind>(),
    /** The person's id, the client's id, the operator's name at their machine. */
    actorId: p.text(),
    /** From where; null: from this machine. */
    address: p.text().nullable(),
    /** What it was done to, by its id. */
    target: p.text().nullable(),
    /** What changed, by field: `{ before, after }`; of a secret only that it changed. */
    changes: p.json().$type<Record<string, unknown>>(),
    occurredAt: p.datetime(3),
  },
  indexes: [
    { name: 'audit_merchant', properties: ['merchantId', 'seq'] },
    { name: 'audit_action', properties: ['merchantId', 'action', 'seq'] },
  ],
});

/** A change of access, credential or configuration. The database refuses to change or delete one. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof EventSchema | typeof AuditEntrySchema> {}
}
