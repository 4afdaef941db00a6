// People: who they are, where they are signed in and what they may do there, the links they were mailed, and failed sign-ins.
import { defineEntity, p } from '@mikro-orm/core';
import type { Language } from '../../shared/language.ts';
import type { RoleName } from '../../shared/roles.ts';

export const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    /** As shared/email.ts normalizes it. */
    email: p.text().unique(),
    /** When its owner proved that it is theirs; before, nobody signs in. */
    verifiedAt: p.datetime(3).nullable(),
    /** A PHC string; null: invited, and has not chosen one yet. */
    passwordHash: p.text().nullable(),
    firstName: p.text().default(''),
    lastName: p.text().default(''),
    phoneNumber: p.text().nullable(),
    /** Of the mail that they get. */
    language: p.text().$type<Language>().default('pt'),
    /** Sealed; set by enrolment, asked for once confirmed. */
    totpSecret: p.text().nullable(),
    totpConfirmedAt: p.datetime(3).nullable(),
    /** The newest time step whose code was used: a code works once (RFC 6238 §5.2). */
    totpStep: p.bigint('number').nullable(),
    /** Digests of those that were not used yet. */
    recoveryCodes: p.array().$type<string[]>().default([]),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A person. One who was granted access before they registered has neither password nor name. */
export class User extends UserSchema.class {}
UserSchema.setClass(User);

export const MembershipSchema = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    merchantId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.text().$type<RoleName>(),
    createdAt: p.datetime(3),
    /** When they first took a token for this merchant. Before, nobody is told whether they have an account. */
    acceptedAt: p.datetime(3).nullable(),
    /** Until when it must be taken up; null: it was. */
    expiresAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'memberships_user', properties: ['userId', 'createdAt'] }],
});

/** A person's access to a merchant. */
export class Membership extends MembershipSchema.class {}
MembershipSchema.setClass(Membership);

export const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** `web`, or the client it was begun with. */
    clientId: p.text(),
    /** Null: of a person without a merchant. */
    merchantId: p.uuid().nullable(),
    /** What was granted; null: whatever role and client allow. */
    scopes: p.array().$type<string[]>().nullable(),
    /** Which refresh token is the newest: using an older one ends the session (RFC 9700 §4.14). */
    generation: p.integer().default(1),
    address: p.text().nullable(),
    userAgent: p.text().nullable(),
    createdAt: p.datetime(3),
    usedAt: p.datetime(3),
    expiresAt: p.datetime(3),
    revokedAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'sessions_user', properties: ['userId'] }],
});

/** One sign-in of a person: the family of its refresh tokens. */
export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);

/**
 * What a link in a mail is for. `verify` confirms a registration as it was made; `claim` was mailed for one that found another
 * waiting: whose is whose nobody knows, so that its reader says the password.
 */
export type MailTokenPurpose = 'verify' | 'claim' | 'reset' | 'invite';

export const MailTokenSchema = defineEntity({
  name: 'MailToken',
  tableName: 'mail_tokens',
  properties: {
    userId: p.uuid().primary(),
    purpose: p.text().$type<MailTokenPurpose>().primary(),
    /** SHA-256 of its 256 random bits. */
    hash: p.text().unique(),
    expiresAt: p.datetime(3),
  },
});

/** The newest link of each purpose that was mailed to a person; one that was used is gone. */
export class MailToken extends MailTokenSchema.class {}
MailTokenSchema.setClass(MailToken);

export const FailureSchema = defineEntity({
  name: 'SignInFailure',
  tableName: 'sign_in_failures',
  properties: {
    /** A digest of whom and from where. */
    subject: p.text().primary(),
    failures: p.integer(),
    lastAt: p.datetime(3).index(),
    lockedUntil: p.datetime(3).nullable(),
  },
});

/**
 * Failed sign-ins: of an account from an address, of an account, or of an address; and beside them where an account is at
 * home (`known`), and how much mail an address was sent lately (`mail`).
 */
export class SignInFailure extends FailureSchema.class {}
FailureSchema.setClass(SignInFailure);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<
    typeof UserSchema | typeof MembershipSchema | typeof SessionSchema | typeof MailTokenSchema | typeof FailureSchema
  > {}
}
