// Request and response schemas of a merchant's settings.
import { z } from 'zod';
import { MAX_LOGO_BYTES, MAX_LOGO_PIXELS } from '../../shared/brand.ts';
import { LANGUAGES } from '../../shared/language.ts';
import { toMajor, toMinor } from '../../shared/money.ts';
import { LOOPBACK_ORIGINS } from '../../shared/origins.ts';
import { WAYS } from '../../shared/ways.ts';
import { fault } from '../http/validate.ts';
import { decimal, singleLine, nif, oneOf, documentedAs, matching, withPattern } from '../http/fields.ts';
import type { Merchant } from './entities.ts';

type Size = { width: number; height: number };

/** Readers of the image size by accepted format. Null: the bytes have another format. SVG may carry scripts. */
const FORMATS: Record<string, (bytes: Buffer) => Size | null> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
};

const DATA_URL = /^data:(image\/[a-z]+);base64,([A-Za-z0-9+/]+={0,2})$/;

/** Returns the image in a stored logo. Null if the text is no data: URL of an image. */
export function readLogo(text: string): { type: string; bytes: Buffer } | null {
  const [, type, encoded = ''] = DATA_URL.exec(text) ?? [];
  return type ? { type, bytes: Buffer.from(encoded, 'base64') } : null;
}

/** True if the text is a logo in an accepted format, within the limits of bytes and pixels. */
export function isLogo(text: string): boolean {
  // Base64 takes four characters for three bytes. The prefix of the data: URL adds a few.
  if (text.length > MAX_LOGO_BYTES * 1.4) return false;
  const [, type = '', encoded = ''] = DATA_URL.exec(text) ?? [];
  const readSize = Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined;
  if (!readSize) return false;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > MAX_LOGO_BYTES || bytes.toString('base64') !== encoded) return false;
  const size = readSize(bytes);
  return !!size && isWithin(size.width) && isWithin(size.height);
}

/** True for a colour such as `#0a7d4b`. */
export const isColor = (text: string) => /^#[0-9a-f]{6}$/i.test(text);

const isWithin = (pixels: number) => pixels >= 1 && pixels <= MAX_LOGO_PIXELS;

const PNG_START = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** Reads the size of a PNG image. The first chunk, IHDR, has the size. */
function readPng(bytes: Buffer): Size | null {
  if (bytes.length < 33 || !bytes.subarray(0, 16).equals(PNG_START)) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Reads the size of a JPEG image: skips segments up to the frame header (SOF), which has the size. */
function readJpeg(bytes: Buffer): Size | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // The JPEG markers C4, C8 and CC are tables and not frame headers. No frame header follows the scan (DA).
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    if (marker === 0xda || marker === 0xd9) return null;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** Reads the size of a WebP image. The first chunk names one of three kinds, which encode the size differently. */
function readWebp(bytes: Buffer): Size | null {
  const textAt = (from: number) => bytes.toString('latin1', from, from + 4);
  if (bytes.length < 30 || textAt(0) !== 'RIFF' || textAt(8) !== 'WEBP') return null;
  const kind = textAt(12);
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a)
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind === 'VP8L' && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return null;
}

const MAX_ORIGINS = 20;

export const name = (about: string) => singleLine(100).describe(about);

const language = oneOf(LANGUAGES)
  .nullable()
  .meta(documentedAs({ type: ['string', 'null'], enum: [...LANGUAGES, null], default: 'pt' }));

/** Body of `POST /api/merchants`. */
export const creationRequest = z.object({ name: name('Shown to payers'), defaultLanguage: language });

/**
 * Body of `PUT /api/merchants/{merchantId}`. Absent fields stay unchanged.
 * @param isSandbox a function, because routes are declared before the settings exist
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
    name: name('Shown to payers').nullish(),
    defaultLanguage: language,
    taxId: nif.nullish().describe('Your tax number (NIF) for the operator’s documents; null removes it'),
    brandColor: z
      .string()
      .refine(isColor, fault('invalid_color'))
      .transform((text) => text.toLowerCase())
      .nullish()
      .describe('Such as #0a7d4b; null: no color'),
    brandLogo: z
      .string()
      .refine(isLogo, fault('invalid_logo', { maximum: MAX_LOGO_BYTES, pixels: MAX_LOGO_PIXELS }))
      .nullish()
      .describe('PNG, JPEG or WebP as a `data:` URL in base64; at most 32 KiB and 1024 pixels a side; null: no logo'),
    privacyContact: singleLine(200)
      .nullish()
      .describe(
        'Contact for questions of payers about their data: e-mail, telephone or postal address; null: no contact',
      ),
    privacyNotice: privacyText
      .nullish()
      .describe(
        'Your own privacy text, shown with the notice that every payer can open. ' +
          'Plain text in your default language; null: no text',
      ),
    allowedOrigins: origins('Origins whose pages may frame the checkout'),
    returnOrigins: origins('Origins that `returnUrl` and `cancelUrl` may point to'),
    checkoutMethods: ways(WAYS.length)
      .nullish()
      .describe('Payment methods of the hosted page, in this order, if your accounts support them'),
    cashierRefundLimit: kwanzas
      .nullish()
      .describe('Maximum refunds of a cashier per day (Luanda time), in kwanzas; null: no refunds'),
    searchKeys: z
      .array(searchKey)
      .max(MAX_SEARCH_KEYS)
      .transform((all) => [...new Set(all)])
      .nullish()
      .describe(
        'Up to three keys of customMetadata to search payments by: the newest 50 000 payments and all later ones',
      ),
    uniqueReferences: z
      .boolean()
      .nullish()
      .describe('Refuse a second live or paid GPO payment with the same reference (`reference_in_use`)'),
    takesCash: z
      .boolean()
      .nullish()
      .describe('The shop also takes cash. Shifts that open from then on count it; it is never a movement'),
  });
}

/** Schema of plain text with several lines, without markup and without characters that change the text direction. */
const privacyText = z
  .string()
  .transform((text) => text.replaceAll('\r\n', '\n').trim())
  .pipe(
    withPattern(z.string().min(1).max(2_000), /^(?:\n|[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069])*$/u, 'lines'),
  );

const MAX_SEARCH_KEYS = 3;

/** Schema of a `customMetadata` key that can appear in a URL. */
export const searchKey = matching(/^[\w.-]{1,40}$/, 'searchKey');

/** Schema of an amount in kwanzas. The parsed value is in cêntimos. */
export const kwanzas = decimal
  .refine((digits) => faultOf(digits) !== 'amount_out_of_range', fault('amount_out_of_range', { minimum: '0' }))
  .refine((digits) => faultOf(digits) !== 'amount_precision', fault('amount_precision', { currency: 'AOA', digits: 2 }))
  .transform((digits) => (toMinor(digits, 'AOA') as { minor: number }).minor);

function faultOf(digits: string): string | null {
  const read = toMinor(digits, 'AOA');
  return 'fault' in read ? read.fault : null;
}

/** Schema of payment methods without duplicates. */
export const ways = (most: number) =>
  z
    .array(z.enum(WAYS))
    .min(1)
    .max(most)
    .transform((all) => [...new Set(all)]);

export type SettingsRequest = z.output<ReturnType<typeof settingsRequest>>;

export function viewMerchant(merchant: Merchant) {
  const { id, name, defaultLanguage, uniqueReferences, allowedOrigins, returnOrigins } = merchant;
  const {
    checkoutMethods,
    searchKeys,
    cashierRefundLimitMinor,
    takesCash,
    gpoMerchantIds,
    gpoPosIds,
    entity,
    createdAt,
  } = merchant;
  return {
    id,
    name,
    defaultLanguage,
    taxId: merchant.taxId ?? null,
    brandColor: merchant.brandColor ?? null,
    brandLogo: merchant.brandLogo ?? null,
    privacyContact: merchant.privacyContact ?? null,
    privacyNotice: merchant.privacyNotice ?? null,
    allowedOrigins,
    returnOrigins,
    uniqueReferences,
    cashierRefundLimit: cashierRefundLimitMinor == null ? null : toMajor(cashierRefundLimitMinor, 'AOA'),
    takesCash,
    checkoutMethods,
    searchKeys,
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
    taxId: z.string().nullable().describe('Its tax number (NIF)'),
    brandColor: z.string().nullable(),
    brandLogo: z.string().nullable().describe('A `data:` URL'),
    privacyContact: z.string().nullable().describe('Contact for payers’ questions about their data'),
    privacyNotice: z.string().nullable().describe('Your own privacy text for payers'),
    allowedOrigins: z.array(z.string()).describe('Origins whose pages may frame the checkout'),
    returnOrigins: z.array(z.string()).describe('Origins that `returnUrl` and `cancelUrl` may point to'),
    uniqueReferences: z.boolean(),
    cashierRefundLimit: z
      .number()
      .nullable()
      .describe('Maximum refunds of a cashier per day, in kwanzas; null: no refunds'),
    takesCash: z.boolean().describe('Whether shifts count cash beside the gateway'),
    checkoutMethods: z.array(z.enum(WAYS)).describe('Payment methods of the hosted page'),
    searchKeys: z.array(z.string()).describe('Keys of customMetadata to search payments by'),
    gpoMerchantIds: z.array(z.string()).describe('Assigned by the operator'),
    gpoPosIds: z.array(z.string()).describe('Terminals, assigned by the operator'),
    entity: z.string().nullable().describe('Entity of payment references, assigned by the operator'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Merchant' });

/** Returns the origins of a list that belong to the merchant. A sandbox adds those of the developer's machine. */
export function originsOf({ config }: { config: { isSandbox: boolean } }, list: string[]): string[] {
  return config.isSandbox ? [...list, ...LOOPBACK_ORIGINS] : list;
}

const MAX_LENGTH = 300;

/** Hosts of an origin: names, IPv4 and IPv6 only. `*` and `;` would have a meaning in a security policy. */
const HOST = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/;
const LOOPBACK = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns an origin as browsers send it: lower case, punycode, without the scheme's default port.
 * Returns null if the text is no origin. Plain http is accepted only in the sandbox, for loopback hosts.
 */
export function readOrigin(text: string, isSandbox: boolean): string | null {
  if (text.length > MAX_LENGTH || !/^https?:\/\/[^\s/?#@\\]+$/i.test(text) || !URL.canParse(text)) return null;
  const { origin, hostname, protocol } = new URL(text);
  if (!HOST.test(hostname)) return null;
  return protocol === 'https:' || (isSandbox && LOOPBACK.test(hostname)) ? origin : null;
}
