// Memberships: a person's access to merchants, and invitations that the person has not accepted yet.
import { expressionBuilder, type Expression, type Kysely, type SqlBool } from 'kysely';
import { roleOf, type RoleName } from '../../shared/roles.ts';
import type { Scope } from '../../shared/scopes.ts';
import type { Core } from '../core.ts';
import { prepared, query, type Db, type Tables } from '../database/db.ts';
import { recordAudit } from '../audit/record.ts';
import type { Membership } from './entities.ts';

const ofMembership = expressionBuilder<Tables, 'memberships'>();

type PersonAtMerchant = { userId: string; merchantId: string; now: Date };

/** Returns a person's membership, accepted or offered. Null without one, or if the invitation expired. */
export function findMembership(db: Db, userId: string, merchantId: string, now: Date): Promise<Membership | null> {
  return findLive.first(db, { userId, merchantId, now });
}

const findLive = prepared((tables, person: PersonAtMerchant) => selectAt(tables, person).where(isLive(person.now)));

/** Returns the membership by which the person can access the merchant now. */
export function findAccess(db: Db, userId: string, merchantId: string, now: Date): Promise<Membership | null> {
  return findUsable.first(db, { userId, merchantId, now });
}

const findUsable = prepared((tables, person: PersonAtMerchant) => selectAt(tables, person).where(isUsable(person.now)));

function selectAt(tables: Kysely<Tables>, { userId, merchantId }: PersonAtMerchant) {
  return tables.selectFrom('memberships').selectAll().where('userId', '=', userId).where('merchantId', '=', merchantId);
}

/** Returns the person's oldest membership. Open offers sort last, so an offer never replaces the own merchant. */
export function findOldestAccess(db: Db, userId: string, now: Date): Promise<Membership | null> {
  return findOldest.first(db, { userId, now });
}

const findOldest = prepared((tables, { userId, now }: { userId: string; now: Date }) =>
  tables
    .selectFrom('memberships')
    .selectAll()
    .where('userId', '=', userId)
    .where(isUsable(now))
    .orderBy((eb) => eb('acceptedAt', 'is', null))
    .orderBy('createdAt')
    .orderBy('merchantId')
    .limit(1),
);

/**
 * Accepts offers of access. With `merchantId`: only the offer of that merchant.
 * Without `merchantId`: all waiting offers, since the person has just proved to read the mail and chosen a password.
 * Other offers stay open, since a merchant must not see an acceptance before the person uses the access.
 */
export async function acceptOffers(
  db: Db,
  { userId, address, at, merchantId = null }: { userId: string; address: string; at: Date; merchantId?: string | null },
): Promise<void> {
  const taken = await updateOffers(userId, merchantId, at).all(db);
  const actor = { kind: 'user', id: userId, address } as const;
  for (const membership of taken)
    await recordAudit(db, { ...membership, actor, action: 'access.accepted', target: userId, at });
}

const updateOffers = (userId: string, merchantId: string | null, now: Date) =>
  query((tables) => {
    const offers = tables
      .updateTable('memberships')
      .set({ acceptedAt: now, expiresAt: null })
      .where('userId', '=', userId)
      .where('acceptedAt', 'is', null)
      .returning('merchantId');
    return merchantId ? offers.where('merchantId', '=', merchantId).where(isLive(now)) : offers.where(isWaiting(now));
  });

/** True if the person has an offer that only the link in a mail can accept. */
export async function hasWaitingOffers(db: Db, userId: string, now: Date): Promise<boolean> {
  return (await findWaiting.first(db, { userId, now })) !== null;
}

const findWaiting = prepared((tables, { userId, now }: { userId: string; now: Date }) =>
  tables.selectFrom('memberships').select('merchantId').where('userId', '=', userId).where(isWaiting(now)).limit(1),
);

/** SQL condition for memberships that are accepted, or offered and not expired. */
export function isLive(now: Date): Expression<SqlBool> {
  return ofMembership.or([
    ofMembership('memberships.expiresAt', 'is', null),
    ofMembership('memberships.expiresAt', '>', now),
  ]);
}

/**
 * SQL condition for memberships that the person can use now: live, and not offered before the address was confirmed.
 * An older offer needs its own mailed link, or a password reset by mail.
 * The reason: the registrant of an unconfirmed address may be another person than the reader of its mail.
 */
export function isUsable(now: Date): Expression<SqlBool> {
  return ofMembership.and([isLive(now), isAcceptedOrConfirmed()]);
}

/** SQL condition for memberships that are offered, but not usable yet. */
function isWaiting(now: Date): Expression<SqlBool> {
  return ofMembership.and([isLive(now), ofMembership.not(isAcceptedOrConfirmed())]);
}

function isAcceptedOrConfirmed() {
  const provenBefore = ofMembership
    .selectFrom('users')
    .select('users.id')
    .whereRef('users.id', '=', 'memberships.userId')
    .whereRef('users.verifiedAt', '<=', 'memberships.createdAt');
  return ofMembership.or([ofMembership('memberships.acceptedAt', 'is not', null), ofMembership.exists(provenBefore)]);
}

/** Returns the role's scopes that the API client has too. Null as `client` means a client with all scopes. */
export function scopesOf(role: RoleName, client: readonly string[] | null): Scope[] {
  return roleOf(role).scopes.filter((scope) => client === null || client.includes(scope));
}

/** Returns the names of at most three merchants whose offers a mailed link accepts, oldest first. */
export async function listOfferingMerchants(
  core: Pick<Core, 'orm' | 'pool' | 'clock' | 'listeners'>,
  userId: string,
): Promise<string[]> {
  const offers = await readOffers.all(core, { userId, now: core.clock.now() });
  return offers.map(({ name }) => name);
}

const readOffers = prepared((tables, { userId, now }: { userId: string; now: Date }) =>
  tables
    .selectFrom('memberships')
    .innerJoin('merchants', 'merchants.id', 'memberships.merchantId')
    .select((eb) => eb.fn<string>('left', ['merchants.name', eb.lit(80)]).as('name'))
    .where('memberships.userId', '=', userId)
    .where(isWaiting(now))
    .orderBy('memberships.createdAt')
    .orderBy('memberships.merchantId')
    .limit(3),
);
