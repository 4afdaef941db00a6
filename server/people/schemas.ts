// Request and response schemas of people's accounts and profiles.
import { z } from 'zod';
import { normalizeEmail } from '../../shared/email.ts';
import { LANGUAGES } from '../../shared/language.ts';
import { NOTICE_GROUPS } from '../../shared/notices.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { ROLE_NAMES, roleOf, type RoleName } from '../../shared/roles.ts';
import { fault } from '../http/validate.ts';
import { oneOf, pageQuery, viewPage, documentedAs, uuidText, ruledBy, ruleFault } from '../http/fields.ts';
import type { Fault } from '../http/problem.ts';
import type { Session, User } from './entities.ts';
import { findPasswordFaults } from './password.ts';

const email = z
  .string()
  .transform(normalizeEmail)
  .refine((value) => value !== null, fault('invalid_email'))
  .transform(String)
  .meta({ override: { type: 'string', format: 'email' } });

/** Schema of a person's name on one line, without control characters that change the text direction. */
const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((value) => !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(value), ruleFault('line'))
  .meta(ruledBy('line'));

const phoneNumber = z
  .string()
  .transform(normalizePhone)
  .refine((value) => value !== null, fault('invalid_phone'))
  .nullish()
  .meta({ ...documentedAs({ type: ['string', 'null'] }), description: 'An Angolan mobile number' });

const language = oneOf(LANGUAGES)
  .nullish()
  .meta({
    ...documentedAs({ type: ['string', 'null'], enum: [...LANGUAGES, null] }),
    description: 'Language of mails. Absent: by Accept-Language, else pt',
  });

const password = z.string().describe('12 to 128 characters, not easy to guess');
const token = z.string().max(200).describe('`token` of the mailed link; works once');
const code = z.string().max(100);

const aboutPerson = { firstName: name, lastName: name, phoneNumber, language };

/** Body of `POST /api/auth/register`. */
export const registration = z.object({ email, password, ...aboutPerson });
export type Registration = z.output<typeof registration>;

/** Body of `POST /api/auth/verify-email`. */
export const confirmation = z.object({
  token,
  password: password
    .nullish()
    .describe(
      'The password to sign in with from now on. Absent: the registered password applies. ' +
        'Required if the address was registered more than once.',
    ),
});
export type Confirmation = z.output<typeof confirmation>;

/** Bodies of `/api/auth/verify-email/resend` and `/api/auth/recover`. */
export const emailRequest = z.object({ email });

/** Body of `POST /api/auth/reset`. */
export const resetRequest = z.object({ token, password });

/** Body of `POST /api/auth/accept-invitation`. */
export const acceptance = z.object({ token, password, ...aboutPerson });
export type Acceptance = z.output<typeof acceptance>;

/** Body of `PUT /api/profile`. Absent fields stay unchanged. */
export const profileRequest = z.object({
  firstName: name.nullish(),
  lastName: name.nullish(),
  phoneNumber: phoneNumber.describe('An Angolan mobile number; null removes it'),
  language: language.describe('Language of mails'),
  noticeMail: z
    .array(oneOf(NOTICE_GROUPS))
    .max(16)
    .transform((groups) => NOTICE_GROUPS.filter((group) => groups.includes(group)))
    .nullish()
    .describe('Groups of notifications that you want by mail; null: the default of your role'),
});

/** Body of `POST /api/profile/password`. */
export const passwordRequest = z.object({ currentPassword: z.string().max(1_000), password });

/** Bodies of the endpoints of two-step sign-in, `/api/profile/mfa/…`. */
export const enrolment = z.object({ password: z.string().max(1_000).describe('Your current password') });
export const codeRequest = z.object({ code: code.describe('6 digits of the authenticator') });
export const anyCodeRequest = z.object({ code: code.describe('A code of the authenticator, or a recovery code') });

export const sessionsQuery = z.object(pageQuery);

export const bySession = z.object({ sessionId: uuidText.describe('`id` of a session in the list') });

/** Returns faults of the new password in a body that also has the person's name and address. */
export function findNewPasswordFaults(input: unknown): Fault[] {
  const { password: newPassword, ...about } = (input ?? {}) as Record<string, unknown>;
  if (typeof newPassword !== 'string') return [];
  const known = [about['email'], about['firstName'], about['lastName']].filter((value) => typeof value === 'string');
  // Texts too long for a name or e-mail address are invalid anyway, and slow to compare.
  const words = known.filter((value) => value.length <= 254);
  return findPasswordFaults(newPassword, words, '/password');
}

/** Answer with a sentence only, for operations whose answer must not show whether an account exists. */
export const message = z.object({ message: z.string() }).meta({ id: 'Message' });

/** A merchant to which the person has access. */
type Access = { merchantId: string; name: string; role: RoleName; createdAt: Date };

export function viewProfile(user: User, merchants: Access[]) {
  const { id, email, firstName, lastName, phoneNumber, language, verifiedAt, totpConfirmedAt, createdAt } = user;
  const noticeMail = user.noticeMail ?? null;
  return {
    id,
    email,
    firstName,
    lastName,
    phoneNumber: phoneNumber ?? null,
    language,
    noticeMail,
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
    noticeMail: z
      .array(z.enum(NOTICE_GROUPS))
      .nullable()
      .describe('Groups of notifications by mail. null: money and access for Owner and Administrator, else none'),
    emailVerifiedAt: z.iso.datetime().nullable(),
    mfaEnabled: z.boolean(),
    recoveryCodesLeft: z.int(),
    createdAt: z.iso.datetime(),
    merchants: z.array(access).describe('Merchants that the person has access to, oldest access first'),
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
  clientId: z.string().describe('`web`, `console` (a browser), or the API client of the sign-in'),
  merchantId: z.uuid().nullable(),
  address: z.string().nullable().describe('IP address of the last use'),
  userAgent: z.string().nullable(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().describe('When a token was last issued for it'),
  isCurrent: z.boolean().describe('True for the session of this request'),
});

/** Answer of `GET /api/profile/sessions`. */
export const sessionPage = viewPage.schema(session.meta({ id: 'Session' }));

/** Answer of `POST /api/profile/mfa/totp`. */
export const enrolled = z
  .object({
    secret: z.string().describe('Base32, for typing it into an authenticator'),
    otpauthUri: z.string(),
    qrCode: z.string().describe('The URI as QR code: an SVG image in a data: URL'),
  })
  .meta({ id: 'TotpEnrolment' });

/** Recovery codes of the second factor, returned only once. */
export const recoveryCodes = z
  .object({
    recoveryCodes: z.array(z.string()).length(10).describe('Each works once instead of a code of the authenticator'),
  })
  .meta({ id: 'RecoveryCodes' });
