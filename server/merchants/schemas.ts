// What the merchants API takes: merchants and their settings, clients, grants, the audit's filters.
import { z } from 'zod';
import { normalizeEmail } from '../../shared/email.ts';
import { LANGUAGES } from '../../shared/language.ts';
import { findRole, type Role } from '../../shared/roles.ts';
import { isScope, SCOPES } from '../../shared/scopes.ts';
import { integer, line, moment, oneOf, pageQuery, UUID } from '../http/fields.ts';
import { fault } from '../http/body.ts';
import { isLogo, MAX_LOGO_BYTES, MAX_LOGO_PIXELS } from './logo.ts';
import { readOrigin } from './origin.ts';
import { byMerchant } from './own.ts';

const MAX_ORIGINS = 20;

const name = (about: string) => line(100).describe(about);

const language = oneOf(LANGUAGES)
  .nullable()
  .meta({ override: { type: 'string', enum: [...LANGUAGES], default: 'pt' } });

/** Body of `POST /api/merchants`. */
export const creationRequest = z.object({ name: name('Payers see it'), defaultLanguage: language });

/**
 * Body of `PUT /api/merchants/{merchantId}`: absent stays as it is.
 * @param isSandbox asked when a body comes: declarations are made before there are settings
 */
export function settingsRequest(isSandbox: () => boolean) {
  const origin = z
    .string()
    .refine((text) => readOrigin(text, isSandbox()) !== null, fault('invalid_origin'))
    .transform((text) => readOrigin(text, isSandbox()) as string);
  const origins = (about: string) =>
    z
      .array(origin)
      .max(MAX_ORIGINS)
      .transform((all) => [...new Set(all)])
      .nullish()
      .describe(`${about}; at most ${MAX_ORIGINS}, such as https://loja.example`);
  return z.object({
    name: name('Payers see it').nullish(),
    defaultLanguage: language,
    brandColor: z
      .string()
      .refine((text) => /^#[0-9a-f]{6}$/i.test(text), fault('invalid_color'))
      .transform((text) => text.toLowerCase())
      .nullish()
      .describe('Such as #0a7d4b; null: none'),
    brandLogo: z
      .string()
      .refine(isLogo, fault('invalid_logo', { maximum: MAX_LOGO_BYTES, pixels: MAX_LOGO_PIXELS }))
      .nullish()
      .describe('PNG, JPEG or WebP as a `data:` URL in base64; 32 KiB and 1024 pixels a side at most; null: none'),
    allowedOrigins: origins('Origins whose pages may frame the checkout'),
    returnOrigins: origins('Origins that `returnUrl` and `cancelUrl` may point to'),
    uniqueReferences: z
      .boolean()
      .nullish()
      .describe('Refuse a second live or paid GPO payment with the same reference (`reference_in_use`)'),
  });
}

export type SettingsRequest = z.output<ReturnType<typeof settingsRequest>>;

/** Body of `POST /api/merchants/{merchantId}/clients`. */
export const clientRequest = z.object({
  name: name('For the people who manage it'),
  scopes: z
    .array(z.string().refine(isScope, fault('unknown_scope', { values: SCOPES.join(', ') })))
    .min(1)
    .max(64)
    .transform((scopes) => [...new Set(scopes)].filter(isScope))
    .nullish()
    .describe(`Among those of your own token; absent: all of them. Of: ${SCOPES.join(', ')}`),
});

/** Unless a rotation says otherwise. */
export const OVERLAP_HOURS = 24;

/** Body of `POST /api/merchants/{merchantId}/clients/{clientId}/rotate-secret`. */
export const clientRotation = z.object({
  overlapHours: integer(0, 168).meta({
    override: { default: OVERLAP_HOURS },
    description: 'How long the old secret is accepted too; 0: not at all',
  }),
});

/** The path of one client, and of one person: what is no id is nothing of ours. */
const clientId = z.string().regex(/^[\x21-\x7e]{1,100}$/);
export const byClient = byMerchant.extend({ clientId: clientId.describe('`clientId` of a client in the list') });
const userId = z.string().regex(UUID);
export const byUser = byMerchant.extend({ userId: userId.describe('`userId` of somebody in the list') });

/** Body of `POST /api/merchants/{merchantId}/users`. */
export const grantRequest = z.object({
  email: z
    .string()
    .refine((text) => normalizeEmail(text) !== null, fault('invalid_email'))
    .transform((text) => normalizeEmail(text) as string),
  roleId: z
    .string()
    .refine((id) => !!findRole(id), fault('unknown_role'))
    .transform((id) => findRole(id) as Role)
    .meta({ override: { type: 'string', format: 'uuid' }, description: 'Of GET /api/roles' }),
});

/** Query of `GET /api/merchants/{merchantId}/audit`. */
export const auditQuery = z
  .object({
    ...pageQuery,
    action: z.string().max(64).optional().describe('Such as `client.created`'),
    from: moment.optional().describe('At or after (ISO 8601)'),
    to: moment.optional().describe('Before (ISO 8601)'),
  })
  .refine(({ from, to }) => !from || !to || from <= to, {
    path: ['to'],
    ...fault('date_range'),
    // Beside other faults, as soon as both are dates.
    when: ({ value }) => {
      const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown };
      return from instanceof Date && to instanceof Date;
    },
  });
