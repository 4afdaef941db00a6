// The end of an endpoint: nothing goes there any more, and what was still to go can be replayed elsewhere.
import { updateRows, type Db } from '../database/rows.ts';
import { recordAudit, type Actor } from '../events/audit.ts';
import { Delivery, Endpoint } from './entities.ts';

/**
 * Skips what was pending, marks the endpoint removed and forgets its secrets; in the transaction `db`, which has the
 * merchant's turn. The endpoint comes last: there may be many deliveries, and attempts that end wait for its row.
 */
export async function removeEndpoint(
  db: Db,
  { id, merchantId, kind, url }: Pick<Endpoint, 'id' | 'merchantId' | 'kind' | 'url'>,
  { actor, at }: { actor: Actor; at: Date },
): Promise<void> {
  const isPending = `endpoint_id = $1 and status = 'Pending' and due_at is not null`;
  await updateRows(db, Delivery, { set: { status: 'Skipped', dueAt: null } }, isPending, [id]);
  const gone = { deletedAt: at, updatedAt: at, accessKey: null, secrets: null };
  await updateRows(db, Endpoint, { set: gone }, 'id = $1', [id]);
  const changes = { url: { before: url, after: null } };
  await recordAudit(db, { merchantId, actor, action: `${kind}.removed`, target: id, changes, at });
}

/** Nothing is known of how it goes with an endpoint. */
export const UNTRIED = { failures: 0, failingSince: null, probeAt: null } as const;
