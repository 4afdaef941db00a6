// Tables of people: users, memberships at merchants, sessions, mailed links, and counters of failed sign-ins.
import { defineEntity, p } from '@mikro-orm/core';
import type { Language } from '../../shared/language.ts';
import type { NoticeGroup } from '../../shared/notices.ts';
import type { RoleName } from '../../shared/roles.ts';

export const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    /** The user's e-mail address, normalized by shared/email.ts. */
    email: p.text().unique(),
    /** When the person proved to read the mail of this address. A user with null cannot sign in. */
    verifiedAt: p.datetime(3).nullable(),
    /** The password's hash as a PHC string. Null until an invited person has chosen a password. */
    passwordHash: p.text().nullable(),
    firstName: p.text().default(''),
    lastName: p.text().default(''),
    phoneNumber: p.text().nullable(),
    /** Language of the mails that the person gets. */
    language: p.text().$type<Language>().default('pt'),
    /** The groups of notifications that the person has by mail. Null: the default of the role. */
    noticeMail: p.array().$type<NoticeGroup[]>().nullable(),
    /** The sealed TOTP secret. Enrolment sets the secret, and sign-in requires codes from `totpConfirmedAt` on. */
    totpSecret: p.text().nullable(),
    totpConfirmedAt: p.datetime(3).nullable(),
    /** The newest time step whose TOTP code was used. Each code works once (RFC 6238 §5.2). */
    totpStep: p.bigint('number').nullable(),
    /** Digests of the unused recovery codes. */
    recoveryCodes: p.array().$type<string[]>().default([]),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A user account of a person. An invited person has neither password nor name before registration. */
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
    /** When the person first got a token for this merchant. Before that the merchant sees no account data. */
    acceptedAt: p.datetime(3).nullable(),
    /** The invitation's expiry. Null once the person has accepted the invitation. */
    expiresAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'memberships_user', properties: ['userId', 'createdAt'] }],
});

/** A person's membership of a merchant, which gives access. */
export class Membership extends MembershipSchema.class {}
MembershipSchema.setClass(Membership);

export const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** The session's OAuth client: `web`, or the id of the API client that the person used to sign in. */
    clientId: p.text(),
    /** The session's merchant. Null for a person without a merchant. */
    merchantId: p.uuid().nullable(),
    /** The scopes granted at sign-in. Null: everything that the role and the client allow. */
    scopes: p.array().$type<string[]>().nullable(),
    /** Number of the newest refresh token. Use of an older token ends the session (RFC 9700 §4.14). */
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
 * Purposes of a mailed link, which decide what the link's reader can do.
 * `verify`: confirms the address of the first registration, with the password typed then.
 * `claim`: also confirms the address, but requires a new password in the request.
 * A second registration of a still unconfirmed address gets a `claim` link.
 * The reason for `claim`: the gateway cannot know which of the two registrants reads the mail.
 * `reset`: sets a new password. `invite`: accepts a merchant's invitation.
 */
export type MailTokenPurpose = 'verify' | 'claim' | 'reset' | 'invite';

export const MailTokenSchema = defineEntity({
  name: 'MailToken',
  tableName: 'mail_tokens',
  properties: {
    userId: p.uuid().primary(),
    purpose: p.text().$type<MailTokenPurpose>().primary(),
    /** SHA-256 of the 256 random bits in the mailed link. */
    hash: p.text().unique(),
    expiresAt: p.datetime(3),
  },
});

/** The newest mailed link of a person, by purpose. Using a link deletes its row. */
export class MailToken extends MailTokenSchema.class {}
MailTokenSchema.setClass(MailToken);

export const FailureSchema = defineEntity({
  name: 'SignInFailure',
  tableName: 'sign_in_failures',
  properties: {
    /** The counter's key: its kind, with keyed digests of e-mail address and IP address. */
    subject: p.text().primary(),
    failures: p.integer(),
    lastAt: p.datetime(3).index(),
    lockedUntil: p.datetime(3).nullable(),
  },
});

/**
 * Counters of failed sign-ins: per account and IP address, per account, and per IP address.
 * Rows `known:…` hold when an account last signed in from an IP address.
 * Rows `mail:…` count the mails that visitors caused to one e-mail address within an hour.
 */
export class SignInFailure extends FailureSchema.class {}
FailureSchema.setClass(SignInFailure);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<
    typeof UserSchema | typeof MembershipSchema | typeof SessionSchema | typeof MailTokenSchema | typeof FailureSchema
  > {}
}
