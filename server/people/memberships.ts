// What a person may do where: their access to merchants, and offers of it that they have not taken up.
import { expressionBuilder, type Expression, type Kysely, type SqlBool } from 'kysely';
import { roleOf, type RoleName } from '../../shared/roles.ts';
import type { Scope } from '../../shared/scopes.ts';
import type { Core } from '../core.ts';
import { prepared, query, type Db, type Tables } from '../database/db.ts';
import { recordAudit } from '../audit/record.ts';
import type { Membership } from './entities.ts';

const ofMembership = expressionBuilder<Tables, 'memberships'>();

type PersonAt = { userId: string; merchantId: string; now: Date };

/** The person's membership there, used or only offered; null when there is none, or its invitation lapsed. */
export function findMembership(db: Db, userId: string, merchantId: string, now: Date): Promise<Membership | null> {
  return findLive.first(db, { userId, merchantId, now });
}

const findLive = prepared((tables, asked: PersonAt) => selectAt(tables, asked).where(isLive(asked.now)));

/** The membership by which the person gets in there. */
export function findAccess(db: Db, userId: string, merchantId: string, now: Date): Promise<Membership | null> {
  return findUsable.first(db, { userId, merchantId, now });
}

const findUsable = prepared((tables, asked: PersonAt) => selectAt(tables, asked).where(isUsable(asked.now)));

function selectAt(tables: Kysely<Tables>, { userId, merchantId }: PersonAt) {
  return tables.selectFrom('memberships').selectAll().where('userId', '=', userId).where('merchantId', '=', merchantId);
}

/** The oldest one of all; what is only offered comes last, so that no stranger's offer draws anybody away from their own. */
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
 * Takes up what was offered: at one merchant; or, by whoever proved to read the mail and chose the password now, all that
 * waits for that. The others stay offers, so that no merchant is told of somebody who never came.
 */
export async function takeUpOffers(
  db: Db,
  { userId, address, at, merchantId = null }: { userId: string; address: string; at: Date; merchantId?: string | null },
): Promise<void> {
  const taken = await takeUp(userId, merchantId, at).all(db);
  const actor = { kind: 'user', id: userId, address } as const;
  for (const membership of taken)
    await recordAudit(db, { ...membership, actor, action: 'access.accepted', target: userId, at });
}

const takeUp = (userId: string, merchantId: string | null, now: Date) =>
  query((tables) => {
    const offers = tables
      .updateTable('memberships')
      .set({ acceptedAt: now, expiresAt: null })
      .where('userId', '=', userId)
      .where('acceptedAt', 'is', null)
      .returning('merchantId');
    return merchantId ? offers.where('merchantId', '=', merchantId).where(isLive(now)) : offers.where(isWaiting(now));
  });

/** Whether something was offered to the person that only a link of theirs takes up. */
export async function hasWaitingOffers(db: Db, userId: string, now: Date): Promise<boolean> {
  return (await findWaiting.first(db, { userId, now })) !== null;
}

const findWaiting = prepared((tables, { userId, now }: { userId: string; now: Date }) =>
  tables.selectFrom('memberships').select('merchantId').where('userId', '=', userId).where(isWaiting(now)).limit(1),
);

/** Taken up, or not yet lapsed: a condition for queries of memberships, as the two below. */
export function isLive(now: Date): Expression<SqlBool> {
  return ofMembership.or([
    ofMembership('memberships.expiresAt', 'is', null),
    ofMembership('memberships.expiresAt', '>', now),
  ]);
}

/**
 * And theirs to use: taken up, or offered when the address was proven already. An older offer waits for its own link, or
 * for a new password by mail: whoever registered the address before may not be who reads its mail.
 */
export function isUsable(now: Date): Expression<SqlBool> {
  return ofMembership.and([isLive(now), isTheirs()]);
}

/** Offered, but not theirs to use yet. */
function isWaiting(now: Date): Expression<SqlBool> {
  return ofMembership.and([isLive(now), ofMembership.not(isTheirs())]);
}

function isTheirs() {
  const provenBefore = ofMembership
    .selectFrom('users')
    .select('users.id')
    .whereRef('users.id', '=', 'memberships.userId')
    .whereRef('users.verifiedAt', '<=', 'memberships.createdAt');
  return ofMembership.or([ofMembership('memberships.acceptedAt', 'is not', null), ofMembership.exists(provenBefore)]);
}

/** Scopes of the role that the client has too; null: the client has all. */
export function scopesOf(role: RoleName, client: readonly string[] | null): Scope[] {
  return roleOf(role).scopes.filter((scope) => client === null || client.includes(scope));
}

/** Names of the merchants whose offer such a link takes up, the oldest first; at most three: it is one line. */
export async function listOfferers(
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
