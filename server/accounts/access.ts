// What a person may do at a merchant now: the scopes of their role there, cut to what the client has.
import { roleOf, type RoleName } from '../../shared/roles.ts';
import type { Scope } from '../../shared/scopes.ts';
import { findRow, type Db } from '../database/rows.ts';
import { recordAudit } from '../events/audit.ts';
import { Membership } from './entities.ts';

/** Taken up, or not yet lapsed (`$now` is the given place). */
export const isLive = (place: string) => `(expires_at is null or expires_at > ${place})`;

/**
 * And theirs to use: taken up, or offered when the address was proven already. An older offer waits for its own link, or
 * for a new password by mail: whoever registered the address before may not be who reads its mail.
 */
export const isUsable = (place: string) =>
  `${isLive(place)} and (accepted_at is not null
    or exists (select from users u where u.id = memberships.user_id and u.verified_at <= memberships.created_at))`;

/** Offered, but not theirs to use yet. */
export const isWaiting = (place: string) => `${isLive(place)} and not (${isUsable(place)})`;

/** The person's membership there, used or only offered; null when there is none, or its invitation lapsed. */
export function findMembership(db: Db, userId: string, merchantId: string, now: Date): Promise<Membership | null> {
  return findRow(db, Membership, `user_id = $1 and merchant_id = $2 and ${isLive('$3')}`, [userId, merchantId, now]);
}

/** The membership by which the person gets in there. */
export function findAccess(db: Db, userId: string, merchantId: string, now: Date): Promise<Membership | null> {
  return findRow(db, Membership, `user_id = $1 and merchant_id = $2 and ${isUsable('$3')}`, [userId, merchantId, now]);
}

/** The oldest one of all; what is only offered comes last, so that no stranger's offer draws anybody away from their own. */
export function findOldestAccess(db: Db, userId: string, now: Date): Promise<Membership | null> {
  const oldest = `user_id = $1 and ${isUsable('$2')} order by accepted_at is null, created_at, merchant_id limit 1`;
  return findRow(db, Membership, oldest, [userId, now]);
}

/**
 * Takes up what was offered: at one merchant; or, by whoever proved to read the mail and chose the password now, all that
 * waits for that. The others stay offers, so that no merchant is told of somebody who never came.
 */
export async function takeUpOffers(
  db: Db,
  { userId, address, at, merchantId = null }: { userId: string; address: string; at: Date; merchantId?: string | null },
): Promise<void> {
  const chosen = `case when $3::uuid is null then ${isWaiting('$2')} else merchant_id = $3 end`;
  const { rows } = await db.pool.query<{ merchant_id: string }>(
    `update memberships set accepted_at = $2::timestamptz, expires_at = null
     where user_id = $1::uuid and accepted_at is null and ${isLive('$2')} and ${chosen} returning merchant_id`,
    [userId, at, merchantId],
  );
  const actor = { kind: 'user', id: userId, address } as const;
  for (const row of rows)
    await recordAudit(db, { merchantId: row.merchant_id, actor, action: 'access.accepted', target: userId, at });
}

/** Whether something was offered to the person that only a link of theirs takes up. */
export async function hasWaitingOffers(db: Db, userId: string, now: Date): Promise<boolean> {
  const waiting = `user_id = $1 and ${isWaiting('$2')} limit 1`;
  return (await findRow(db, Membership, waiting, [userId, now])) !== null;
}

/** Scopes of the role that the client has too; null: the client has all. */
export function scopesOf(role: RoleName, client: readonly string[] | null): Scope[] {
  return roleOf(role).scopes.filter((scope) => client === null || client.includes(scope));
}
