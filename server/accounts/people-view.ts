// People as they see themselves: profile, merchants, sessions; passwords, secrets and codes never are part of it.
import { z } from 'zod';
import { LANGUAGES } from '../../shared/language.ts';
import { ROLE_NAMES, roleOf, type RoleName } from '../../shared/roles.ts';
import { viewPage } from '../http/fields.ts';
import type { Session, User } from './entities.ts';

/** The answer where there is no more to tell, or no more may be told. */
export const message = z.object({ message: z.string() }).meta({ id: 'Message' });

/** A merchant that the person has access to. */
export type Access = { merchantId: string; name: string; role: RoleName; createdAt: Date };

export function viewProfile(user: User, merchants: Access[]) {
  const { id, email, firstName, lastName, phoneNumber, language, verifiedAt, totpConfirmedAt, createdAt } = user;
  return {
    id,
    email,
    firstName,
    lastName,
    phoneNumber: phoneNumber ?? null,
    language,
    emailVerifiedAt: verifiedAt ?? null,
    mfaEnabled: !!totpConfirmedAt,
    recoveryCodesLeft: user.recoveryCodes.length,
    createdAt,
    merchants: merchants.map(({ role, createdAt, ...merchant }) => ({
      ...merchant,
      role,
      roleId: roleOf(role).id,
      createdAt,
    })),
  };
}

const access = z.object({
  merchantId: z.uuid(),
  name: z.string(),
  role: z.enum(ROLE_NAMES),
  roleId: z.uuid(),
  createdAt: z.iso.datetime(),
});

/** Answer of `/api/profile`. */
export const profile = z
  .object({
    id: z.uuid(),
    email: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    phoneNumber: z.string().nullable().describe('E.164'),
    language: z.enum(LANGUAGES),
    emailVerifiedAt: z.iso.datetime().nullable(),
    mfaEnabled: z.boolean(),
    recoveryCodesLeft: z.int(),
    createdAt: z.iso.datetime(),
    merchants: z.array(access).describe('That the person has access to, the oldest access first'),
  })
  .meta({ id: 'Profile' });

export function viewSession(session: Session, currentId: string | null) {
  const { id, clientId, merchantId, address, userAgent, createdAt, usedAt } = session;
  return {
    id,
    clientId,
    merchantId: merchantId ?? null,
    address: address ?? null,
    userAgent: userAgent ?? null,
    createdAt,
    lastUsedAt: usedAt,
    isCurrent: id === currentId,
  };
}

const session = z.object({
  id: z.uuid(),
  clientId: z.string().describe('`web`, or the API client it was begun with'),
  merchantId: z.uuid().nullable(),
  address: z.string().nullable().describe('Where it was last used from'),
  userAgent: z.string().nullable(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().describe('When it last got a token'),
  isCurrent: z.boolean().describe('Of the token that asks'),
});

/** Answer of `GET /api/profile/sessions`. */
export const sessionPage = viewPage.schema(session.meta({ id: 'Session' }));

/** Answer of `POST /api/profile/mfa/totp`. */
export const enrolled = z
  .object({
    secret: z.string().describe('Base32, for typing it into an authenticator'),
    otpauthUri: z.string(),
    qrCode: z.string().describe('The same as an SVG image, a data: URL'),
  })
  .meta({ id: 'TotpEnrolment' });

/** Recovery codes, told once. */
export const recoveryCodes = z
  .object({ recoveryCodes: z.array(z.string()).length(10).describe('Each works once, in place of a code') })
  .meta({ id: 'RecoveryCodes' });
