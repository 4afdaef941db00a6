// Writes the audit log: each change of access, credentials and configuration, in the transaction of the change.
import type { Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import { prepared, type Db, type Tables } from '../database/db.ts';
import type { Caller } from '../http/route.ts';
import type { ActorKind } from './entities.ts';

export type Actor = { kind: ActorKind; id: string; address: string | null };

export type NewAuditEntry = {
  /** The merchant of the entry. Null for an entry about a person's own account. */
  merchantId: string | null;
  actor: Actor;
  /** The action as noun and verb, for example `client.created`. */
  action: string;
  target?: string | null;
  /** Changes by field. A secret, or a text that may name a payer, appears only as `changed`. */
  changes?: Record<string, unknown>;
  at: Date;
};

/** Appends an entry to the audit log. `db` must be the transaction of the change. */
export async function recordAudit(
  db: Db,
  { merchantId, actor, action, target = null, changes = {}, at }: NewAuditEntry,
): Promise<void> {
  const who = { actorKind: actor.kind, actorId: actor.id, address: actor.address };
  const kept = withoutPayers(changes) as Record<string, unknown>;
  const row = { id: uuid(), merchantId, action, ...who, target, changes: kept, occurredAt: at };
  await insertEntry.run(db, { row });
}

/** Fields whose text may name a payer. The audit log is append-only, so an erasure could not remove such text later. */
const PAYERS_TEXT = new Set([
  'bankReference',
  'description',
  'note',
  'phone',
  'proof',
  'reason',
  'returnUrl',
  'thanks',
  'title',
]);

/** Matches the query or fragment of a URL, which may contain a token or name a person. */
const QUERY = /(?<=^https?:\/\/[^?#]*)[?#].*$/s;

function withoutPayers(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(QUERY, '?…');
  if (Array.isArray(value)) return value.map(withoutPayers);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const fields = Object.entries(value).map(([name, one]) => [
    name,
    one !== null && PAYERS_TEXT.has(name) ? 'changed' : withoutPayers(one),
  ]);
  return Object.fromEntries(fields);
}

const insertEntry = prepared((tables, { row }: { row: Insertable<Tables['audit_entries']> }) =>
  tables.insertInto('audit_entries').values(row),
);

/** Returns the calling person as actor or, without a person, the API client. */
export function actorOf(caller: Caller, address: string): Actor {
  const { userId, clientId } = caller;
  return userId ? { kind: 'user', id: userId, address } : { kind: 'client', id: clientId, address };
}

/** Returns the fields that differ, each as `{ before, after }`. */
export function changesOf<T extends object>(before: T, after: Partial<T>): Record<string, unknown> {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value ?? null) !== JSON.stringify(before[name as keyof T] ?? null),
  );
  return Object.fromEntries(
    changed.map(([name, value]) => [name, { before: before[name as keyof T] ?? null, after: value ?? null }]),
  );
}
