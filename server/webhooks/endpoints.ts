// Finds, locks and removes a merchant's endpoints. Pending deliveries of a removed endpoint can be replayed to another.
import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../core.ts';
import { em, takeLock, type Db } from '../database/db.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { Problem } from '../http/problem.ts';
import { Delivery, Endpoint } from './entities.ts';

export function findCallbackEndpoint(db: Db, merchantId: string): Promise<Endpoint | null> {
  return em(db).findOne(Endpoint, callbackOf(merchantId));
}

/** Locks the merchant's callback endpoint until the transaction ends, and returns its current row. */
export function lockCallbackEndpoint(db: Db, merchantId: string): Promise<Endpoint | null> {
  return em(db).findOne(Endpoint, callbackOf(merchantId), LOCKED);
}

/** Finds a merchant's webhook. @throws Problem not_found, also for a removed webhook or another merchant's webhook */
export function findWebhook(db: Db, merchantId: string, id: string): Promise<Endpoint> {
  return em(db).findOneOrFail(Endpoint, { ...webhooksOf(merchantId), id }, OR_NOT_FOUND);
}

/** Locks a webhook and returns its current row. @throws Problem not_found */
export function lockWebhook(db: Db, merchantId: string, id: string): Promise<Endpoint> {
  return em(db).findOneOrFail(Endpoint, { ...webhooksOf(merchantId), id }, { ...OR_NOT_FOUND, ...LOCKED });
}

export const webhooksOf = (merchantId: string) => ({ merchantId, kind: 'webhook', deletedAt: null }) as const;

const callbackOf = (merchantId: string) => ({ merchantId, kind: 'callback', deletedAt: null }) as const;

export const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
export const OR_NOT_FOUND = { failHandler: () => new Problem('not_found') };

/**
 * Locks the merchant's endpoints until the transaction `db` ends.
 * The lock prevents a replay to an endpoint that another request is removing.
 * The lock is an advisory lock, because finished attempts write to the rows of the endpoints.
 */
export function lockEndpoints(db: Db, merchantId: string): Promise<void> {
  return takeLock(db, `endpoints ${merchantId}`);
}

/**
 * Removes an endpoint: skips its pending deliveries, marks it as removed and deletes its secrets.
 * The caller's transaction `db` must hold the lock of `lockEndpoints`.
 * The endpoint's row is updated last, because finished attempts wait for it and deliveries may be many.
 */
export async function removeEndpoint(
  core: Core,
  db: Db,
  { id, merchantId, kind, url }: Pick<Endpoint, 'id' | 'merchantId' | 'kind' | 'url'>,
  { actor, at }: { actor: Actor; at: Date },
): Promise<void> {
  const pending = { endpointId: id, status: 'Pending', dueAt: { $ne: null } } as const;
  await em(db).nativeUpdate(Delivery, pending, { status: 'Skipped', dueAt: null });
  const removed = { deletedAt: at, updatedAt: at, accessKey: null, secrets: null };
  await em(db).nativeUpdate(Endpoint, { id }, removed);
  const changes = { url: { before: url, after: null } };
  await recordAudit(db, { merchantId, actor, action: `${kind}.removed`, target: id, changes, at });
}

/** The health columns of an endpoint without failed attempts: its circuit is closed. */
export const NO_FAILURES = { failures: 0, failingSince: null, probeAt: null } as const;
