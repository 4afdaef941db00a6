// Access of people to a merchant: grants, changes and revokes roles, and sends mails about them.
import { v4 as uuid } from 'uuid';
import { DAY_MS, MINUTE_MS } from '../../shared/durations.ts';
import type { Language } from '../../shared/language.ts';
import { roleOf, type Role, type RoleName } from '../../shared/roles.ts';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { recordEvent } from '../events/record.ts';
import { Problem } from '../http/problem.ts';
import { writeMail } from '../mail/write.ts';
import { writeNotice } from '../notifications/write.ts';
import { lockClientsKnownTo, revokeClient, lockForChange, type Granter, type KnownClient } from '../oauth/clients.ts';
import { makeLink, countMailRequest } from '../people/email-link.ts';
import { Membership, Session, User } from '../people/entities.ts';
import { findMembership, isLive } from '../people/memberships.ts';

const MAX_MEMBERS = 500;
const INVITED_MS = 30 * DAY_MS;
/** Minimum time between two mails of the same invitation, so that invitations cannot flood a mailbox. */
const MAILED_AGAIN_MS = 10 * MINUTE_MS;

type Grant = {
  merchant: { id: string; name: string; defaultLanguage: Language };
  /** The e-mail address of the person, normalized by shared/email.ts. */
  email: string;
  role: Role;
  by: Granter;
};

type Granted = { userId: string; role: RoleName; status: 'Invited' | 'Active' };

/**
 * Grants a role to the owner of this e-mail address, in the transaction `db`, and mails that person.
 * The answer and its timing do not show whether the e-mail address already had a user account.
 * @throws Problem role_not_grantable, last_owner, too_many_members
 */
export async function grantAccess(core: Core, db: Db, { merchant, email, role, by }: Grant): Promise<Granted> {
  requireGrantable(role.name, by);
  await lockForChange(db, merchant.id);
  const at = core.clock.now();
  const user = await findOrCreatePerson(db, email, merchant.defaultLanguage, at);
  const known = await findMembership(db, user.id, merchant.id, at);
  if (known) requireGrantable(known.role, by);
  if (known?.role === 'Owner' && role.name !== 'Owner') await requireOtherOwner(db, known);
  if (!known) await requireCapacity(db, merchant.id, at);
  const isActive = !!known?.acceptedAt;
  const isNewRole = known?.role !== role.name;
  if (isNewRole || (!isActive && mayMailAgain(known, at))) {
    // The person may have confirmed the address since the last invitation. The mail then is a new offer without a link.
    const isSame = known && (isActive || !user.verifiedAt);
    const times = { createdAt: isSame ? known.createdAt : at, expiresAt: new Date(at.getTime() + INVITED_MS) };
    await writeMembership.run(db, { row: { merchantId: merchant.id, userId: user.id, role: role.name, ...times } });
    await mailGrant(core, db, { user, merchant: merchant.name, role: role.name });
  }
  if (isNewRole) {
    const change = { before: known?.role ?? null, after: role.name };
    await recordChange(db, { merchantId: merchant.id, user, ...change, actor: by.actor, at });
  }
  return { userId: user.id, role: role.name, status: isActive ? 'Active' : 'Invited' };
}

type Revocation = { merchantId: string; userId: string; by: Granter; alsoClients?: boolean };

/** API clients whose secret the person still knows. `Revoked` if `revokeClients` revoked the clients too. */
export type LeftClient = KnownClient & { status: 'Active' | 'Revoked' };

/**
 * Revokes a person's access in the transaction `db` and ends their sessions at the merchant.
 * The person's tokens stop within 30 s. Returns the API clients whose secret the person knows.
 * `alsoClients` revokes these API clients too.
 * @throws Problem not_found, role_not_grantable, last_owner, client_not_grantable
 */
export async function revokeAccess(
  core: Core,
  db: Db,
  { merchantId, userId, by, alsoClients = false }: Revocation,
): Promise<LeftClient[]> {
  await lockForChange(db, merchantId);
  const at = core.clock.now();
  const known = await findMembership(db, userId, merchantId, at);
  if (!known) throw new Problem('not_found');
  requireGrantable(known.role, by);
  await requireOtherOwner(db, known);
  await em(db).nativeDelete(Membership, { merchantId, userId });
  await em(db).nativeUpdate(Session, { merchantId, userId, revokedAt: null }, { revokedAt: at });
  const user = await em(db).findOneOrFail(User, { id: userId });
  const clients = await lockClientsKnownTo(db, { merchantId, userId, now: at });
  const left = alsoClients ? [] : clients;
  await recordChange(db, { merchantId, user, before: known.role, after: null, actor: by.actor, at, left });
  for (const { clientId } of alsoClients ? clients : []) await revokeClient(core, db, { merchantId, clientId }, by);
  return clients.map((client) => ({ ...client, status: alsoClients ? 'Revoked' : 'Active' }));
}

/** Refuses a role with more scopes than the granter has. @throws Problem role_not_grantable */
function requireGrantable(name: RoleName, { scopes }: Granter): void {
  if (!roleOf(name).scopes.every((scope) => scopes.has(scope))) throw new Problem('role_not_grantable');
}

/** Requires another owner who accepted, since an invited owner may never sign in. @throws Problem last_owner */
async function requireOtherOwner(db: Db, { merchantId, userId, role, acceptedAt }: Membership): Promise<void> {
  if (role !== 'Owner' || !acceptedAt) return;
  const others = { merchantId, userId: { $ne: userId }, role: 'Owner', acceptedAt: { $ne: null } } as const;
  if (!(await em(db).findOne(Membership, others))) throw new Problem('last_owner');
}

/** Limits the number of people per merchant. @throws Problem too_many_members */
async function requireCapacity(db: Db, merchantId: string, at: Date): Promise<void> {
  const { count } = await countLive.one(db, { merchantId, now: at });
  if (count >= MAX_MEMBERS) throw new Problem('too_many_members');
}

const countLive = prepared((tables, { merchantId, now }: { merchantId: string; now: Date }) =>
  tables
    .selectFrom('memberships')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('merchantId', '=', merchantId)
    .where(isLive(now)),
);

function mayMailAgain(known: Membership | null, at: Date): boolean {
  const mailedAtMs = (known?.expiresAt?.getTime() ?? 0) - INVITED_MS;
  return at.getTime() - mailedAtMs >= MAILED_AGAIN_MS;
}

/**
 * Finds the user with this e-mail address, or creates one without password and name.
 * The user's id is random (UUID v4), since a time-ordered id would show how long the person has been known.
 */
async function findOrCreatePerson(db: Db, email: string, language: Language, at: Date): Promise<User> {
  await writeInvited.run(db, { row: { id: uuid(), email, language, createdAt: at, updatedAt: at } });
  return em(db).findOneOrFail(User, { email });
}

type InvitedRow = { id: string; email: string; language: Language; createdAt: Date; updatedAt: Date };

const writeInvited = prepared((tables, { row }: { row: InvitedRow }) =>
  tables
    .insertInto('users')
    .values(row)
    .onConflict((known) => known.column('email').doNothing()),
);

/** Writes a membership, also over an expired invitation. A membership accepted in the meantime stays accepted. */
const writeMembership = prepared((tables, { row }: { row: OfferRow }) =>
  tables
    .insertInto('memberships')
    .values(row)
    .onConflict((known) =>
      known.columns(['merchantId', 'userId']).doUpdateSet((eb) => ({
        role: eb.ref('excluded.role'),
        createdAt: eb.ref('excluded.createdAt'),
        expiresAt: eb.case().when('memberships.acceptedAt', 'is', null).then(eb.ref('excluded.expiresAt')).end(),
      })),
    ),
);

type OfferRow = { merchantId: string; userId: string; role: RoleName; createdAt: Date; expiresAt: Date };

type AccessChange = {
  merchantId: string;
  user: User;
  before: RoleName | null;
  after: RoleName | null;
  actor: Actor;
  at: Date;
  /** `left`: API clients whose secret the person still knows after losing access. */
  left?: KnownClient[];
};

async function recordChange(db: Db, { merchantId, user, before, after, actor, at, left = [] }: AccessChange) {
  const type = after === null ? 'access.revoked' : before === null ? 'access.granted' : 'access.changed';
  const clients = left.length > 0 ? { clients: left } : {};
  const changes = { email: user.email, role: { before, after }, ...clients };
  await recordAudit(db, { merchantId, actor, action: type, target: user.id, changes, at });
  const details = { userId: user.id, role: after ?? before, ...clients };
  await recordEvent(db, { merchantId, paymentId: null, type, status: null, occurredAt: at, details });
  await writeNotice(db, { merchantId, type, details, actor, at });
  if (left.length > 0) await writeNotice(db, { merchantId, type: 'access.clients_left', details, at });
}

/**
 * An unconfirmed user gets an invitation, because the registrant's password alone must not give access.
 * A link is created for confirmed users too, so that timing does not show whether the user is confirmed.
 */
async function mailGrant(
  core: Core,
  db: Db,
  { user, merchant, role }: { user: User; merchant: string; role: RoleName },
): Promise<void> {
  const { email: to, language } = user;
  if (!(await countMailRequest(core, db, to, 'invite'))) return;
  const link = await makeLink(core, db, user, 'invite');
  const granted = user.verifiedAt
    ? ({ template: 'granted', values: { merchant, role, link: `${core.publicUrl}/console` } } as const)
    : ({ template: 'invite', values: { merchant, role, link } } as const);
  await writeMail(core, db, { to, language, ...granted });
}
