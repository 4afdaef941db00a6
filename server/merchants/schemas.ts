// What a merchant is: what may be set of it, and how it is shown.
import { z } from 'zod';
import { LANGUAGES } from '../../shared/language.ts';
import { fault } from '../http/body.ts';
import { line, oneOf } from '../http/fields.ts';
import type { Merchant } from './entities.ts';
import { isLogo, MAX_LOGO_BYTES, MAX_LOGO_PIXELS } from './logo.ts';

const MAX_ORIGINS = 20;

export const name = (about: string) => line(100).describe(about);

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

export function viewMerchant(merchant: Merchant) {
  const { id, name, defaultLanguage, uniqueReferences, allowedOrigins, returnOrigins } = merchant;
  const { gpoMerchantIds, gpoPosIds, entity, createdAt } = merchant;
  return {
    id,
    name,
    defaultLanguage,
    brandColor: merchant.brandColor ?? null,
    brandLogo: merchant.brandLogo ?? null,
    allowedOrigins,
    returnOrigins,
    uniqueReferences,
    gpoMerchantIds,
    gpoPosIds,
    entity: entity ?? null,
    createdAt,
  };
}

export const merchantAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    defaultLanguage: z.enum(LANGUAGES),
    brandColor: z.string().nullable(),
    brandLogo: z.string().nullable().describe('A `data:` URL'),
    allowedOrigins: z.array(z.string()).describe('Origins whose pages may frame the checkout'),
    returnOrigins: z.array(z.string()).describe('Origins that `returnUrl` and `cancelUrl` may point to'),
    uniqueReferences: z.boolean(),
    gpoMerchantIds: z.array(z.string()).describe('Assigned by the operator, as the next two are'),
    gpoPosIds: z.array(z.string()).describe('The terminals'),
    entity: z.string().nullable().describe('Payment references are paid to it'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Merchant' });

const MAX_LENGTH = 300;

/** Names, IPv4 and IPv6 only: what else a browser takes for a host (`*`, `;`) means something in a policy. */
const HOST = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/;
const LOOPBACK = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The origin in the one form that browsers send it: lower case, punycode, without its scheme's own port; null when it is
 * none. Plain http only for this machine itself, and in the sandbox.
 */
export function readOrigin(text: string, isSandbox: boolean): string | null {
  if (text.length > MAX_LENGTH || !/^https?:\/\/[^\s/?#@\\]+$/i.test(text) || !URL.canParse(text)) return null;
  const { origin, hostname, protocol } = new URL(text);
  if (!HOST.test(hostname)) return null;
  return protocol === 'https:' || (isSandbox && LOOPBACK.test(hostname)) ? origin : null;
}
