// The end of an endpoint: nothing goes there any more, and what was still to go can be replayed elsewhere.
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { recordAudit, type Actor } from '../events/audit.ts';
import { Delivery, Endpoint } from './entities.ts';
import { closeEndpoint } from './queue.ts';

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
  db.afterCommit?.(() => closeEndpoint(core, id));
  await recordAudit(db, { merchantId, actor, action: `${kind}.removed`, target: id, changes, at });
}

/** Nothing is known of how it goes with an endpoint. */
export const UNTRIED = { failures: 0, failingSince: null, probeAt: null } as const;
