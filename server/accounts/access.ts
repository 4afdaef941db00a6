// What a person may do at a merchant now: the scopes of their role there, cut to what the client has.
import { roleOf, type RoleName } from '../../shared/roles.ts';
import type { Scope } from '../../shared/scopes.ts';
import { findRow, updateRows, type Db } from '../database/rows.ts';
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

/** The person's membership there, used or only offered; null when there is none, or its invitation lapsed. */
export function findMembership(db: Db, userId: string, merchantId: string, now: Date): Promise<Membership | null> {
  return findRow(db, Membership, `user_id = $1 and merchant_id = $2 and ${isLive('$3')}`, [userId, merchantId, now]);
}

/** The membership by which the person gets in there. */
export function findAccess(db: Db, userId: string, merchantId: string, now: Date): Promise<Membership | null> {
  return findRow(db, Membership, `user_id = $1 and merchant_id = $2 and ${isUsable('$3')}`, [userId, merchantId, now]);
}

/** The oldest one of all. */
export function findOldestAccess(db: Db, userId: string, now: Date): Promise<Membership | null> {
  const oldest = `user_id = $1 and ${isUsable('$2')} order by created_at, merchant_id limit 1`;
  return findRow(db, Membership, oldest, [userId, now]);
}

/** Takes up what was offered: all of it, by whoever proved to read the mail, and chose the password now; or at one merchant. */
export function takeUpOffers(db: Db, userId: string, at: Date, merchantId: string | null = null): Promise<number> {
  const offers = `user_id = $1 and accepted_at is null and ${isLive('$2')} and merchant_id = coalesce($3::uuid, merchant_id)`;
  return updateRows(db, Membership, { set: { acceptedAt: at, expiresAt: null } }, offers, [userId, at, merchantId]);
}

/** Scopes of the role that the client has too; null: the client has all. */
export function scopesOf(role: RoleName, client: readonly string[] | null): Scope[] {
  return roleOf(role).scopes.filter((scope) => client === null || client.includes(scope));
}
