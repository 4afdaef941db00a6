// A merchant's endpoints: found, locked in turn, and removed: nothing goes there any more, and what was still to go can be replayed elsewhere.
import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../core.ts';
import { em, takeLock, type Db } from '../database/db.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { Problem } from '../http/problem.ts';
import { Delivery, Endpoint } from './entities.ts';

export function findCallbackEndpoint(db: Db, merchantId: string): Promise<Endpoint | null> {
  return em(db).findOne(Endpoint, itsCallback(merchantId));
}

/** As it is once the lock is won; until the transaction ends nobody else changes it. */
export function lockCallbackEndpoint(db: Db, merchantId: string): Promise<Endpoint | null> {
  return em(db).findOne(Endpoint, itsCallback(merchantId), LOCKED);
}

/** @throws Problem not_found for what does not exist, was removed, or is another merchant's */
export function findWebhook(db: Db, merchantId: string, id: string): Promise<Endpoint> {
  return em(db).findOneOrFail(Endpoint, { ...itsWebhooks(merchantId), id }, OR_REFUSED);
}

/** As it is once the lock is won. @throws Problem not_found */
export function lockWebhook(db: Db, merchantId: string, id: string): Promise<Endpoint> {
  return em(db).findOneOrFail(Endpoint, { ...itsWebhooks(merchantId), id }, { ...OR_REFUSED, ...LOCKED });
}

export const itsWebhooks = (merchantId: string) => ({ merchantId, kind: 'webhook', deletedAt: null }) as const;

const itsCallback = (merchantId: string) => ({ merchantId, kind: 'callback', deletedAt: null }) as const;

export const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
export const OR_REFUSED = { failHandler: () => new Problem('not_found') };

/**
 * Until the end of the transaction `db` nobody else of this merchant's has the turn, so that nothing is replayed to an
 * endpoint that goes meanwhile. The endpoints' rows are not held for it: attempts that end write there.
 */
export function takeTurn(db: Db, merchantId: string): Promise<void> {
  return takeLock(db, `endpoints ${merchantId}`);
}

/**
 * Skips what was pending, marks the endpoint removed and forgets its secrets; in the transaction `db`, which has the
 * merchant's turn. The endpoint comes last: there may be many deliveries, and attempts that end wait for its row.
 */
export async function removeEndpoint(
  core: Core,
  db: Db,
  { id, merchantId, kind, url }: Pick<Endpoint, 'id' | 'merchantId' | 'kind' | 'url'>,
  { actor, at }: { actor: Actor; at: Date },
): Promise<void> {
  const pending = { endpointId: id, status: 'Pending', dueAt: { $ne: null } } as const;
  await em(db).nativeUpdate(Delivery, pending, { status: 'Skipped', dueAt: null });
  const gone = { deletedAt: at, updatedAt: at, accessKey: null, secrets: null };
  await em(db).nativeUpdate(Endpoint, { id }, gone);
  const changes = { url: { before: url, after: null } };
  await recordAudit(db, { merchantId, actor, action: `${kind}.removed`, target: id, changes, at });
}

/** Nothing is known of how it goes with an endpoint. */
export const UNTRIED = { failures: 0, failingSince: null, probeAt: null } as const;
