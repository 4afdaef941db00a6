// What a merchant is: what may be set of it, and how it is shown.
import { z } from 'zod';
import { MAX_LOGO_BYTES, MAX_LOGO_PIXELS } from '../../shared/brand.ts';
import { LANGUAGES } from '../../shared/language.ts';
import { toMajor, toMinor } from '../../shared/money.ts';
import { WAYS } from '../../shared/ways.ts';
import { fault } from '../http/validate.ts';
import { decimal, line, nif, oneOf, saidAs } from '../http/fields.ts';
import type { Merchant } from './entities.ts';

type Size = { width: number; height: number };

/** Each format that is taken, and how to read its size; null: it is not of that format. SVG can carry programs: not here. */
const FORMATS: Record<string, (bytes: Buffer) => Size | null> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
};

const DATA_URL = /^data:(image\/[a-z]+);base64,([A-Za-z0-9+/]+={0,2})$/;

/** The image in a logo that was taken; null for none. */
export function readLogo(text: string): { type: string; bytes: Buffer } | null {
  const [, type, encoded = ''] = DATA_URL.exec(text) ?? [];
  return type ? { type, bytes: Buffer.from(encoded, 'base64') } : null;
}

/** Whether this is a logo: of a known format, within its limits. */
export function isLogo(text: string): boolean {
  // Base64 takes four characters for three bytes, and the beginning a few.
  if (text.length > MAX_LOGO_BYTES * 1.4) return false;
  const [, type = '', encoded = ''] = DATA_URL.exec(text) ?? [];
  const readSize = Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined;
  if (!readSize) return false;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > MAX_LOGO_BYTES || bytes.toString('base64') !== encoded) return false;
  const size = readSize(bytes);
  return !!size && isWithin(size.width) && isWithin(size.height);
}

const isWithin = (pixels: number) => pixels >= 1 && pixels <= MAX_LOGO_PIXELS;

const PNG_START = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** The signature, and IHDR, which must come first. */
function readPng(bytes: Buffer): Size | null {
  if (bytes.length < 33 || !bytes.subarray(0, 16).equals(PNG_START)) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Segment by segment to the frame header (SOF), which has the size. */
function readJpeg(bytes: Buffer): Size | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // C4, C8 and CC are tables among the frame headers; from the scan (DA) on there are none.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    if (marker === 0xda || marker === 0xd9) return null;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** The first chunk says which of the three kinds it is, and the size in that kind's way. */
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

export const name = (about: string) => line(100).describe(about);

const language = oneOf(LANGUAGES)
  .nullable()
  .meta(saidAs({ type: ['string', 'null'], enum: [...LANGUAGES, null], default: 'pt' }));

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
    taxId: nif.nullish().describe('Your tax number (NIF): the operator’s documents name it; null: none'),
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
    privacyContact: line(200)
      .nullish()
      .describe('Whom your payers ask about their data: an e-mail address, a telephone, a place; null: nobody'),
    privacyNotice: ownWords
      .nullish()
      .describe(
        'What you tell them of it beside the notice that every payer can open: plain text in your default language; null: nothing',
      ),
    allowedOrigins: origins('Origins whose pages may frame the checkout'),
    returnOrigins: origins('Origins that `returnUrl` and `cancelUrl` may point to'),
    checkoutMethods: ways(WAYS.length)
      .nullish()
      .describe('What the hosted page offers, in this order, where your accounts can do it'),
    cashierRefundLimit: kwanzas
      .nullish()
      .describe('What a cashier may give back in a day of Luanda, in kwanzas; null: nothing'),
    searchKeys: z
      .array(searchKey)
      .max(MAX_SEARCH_KEYS)
      .transform((all) => [...new Set(all)])
      .nullish()
      .describe(
        'Keys of customMetadata by which payments are found, at most three: of the newest 50 000, and of all to come',
      ),
    uniqueReferences: z
      .boolean()
      .nullish()
      .describe('Refuse a second live or paid GPO payment with the same reference (`reference_in_use`)'),
  });
}

/** Plain text of several lines: nothing of it is markup, nothing turns the order of the letters around it. */
const ownWords = z
  .string()
  .transform((text) => text.replaceAll('\r\n', '\n').trim())
  .pipe(
    z
      .string()
      .min(1)
      .max(2_000)
      .regex(/^(?:\n|[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069])*$/u),
  );

const MAX_SEARCH_KEYS = 3;

/** A key of customMetadata, as an address can name it. */
export const searchKey = z.string().regex(/^[\w.-]{1,40}$/);

/** An amount in kwanzas: cêntimos come out. */
const kwanzas = decimal
  .refine((digits) => faultOf(digits) !== 'amount_out_of_range', fault('amount_out_of_range', { minimum: '0' }))
  .refine((digits) => faultOf(digits) !== 'amount_precision', fault('amount_precision', { currency: 'AOA', digits: 2 }))
  .transform((digits) => (toMinor(digits, 'AOA') as { minor: number }).minor);

function faultOf(digits: string): string | null {
  const read = toMinor(digits, 'AOA');
  return 'fault' in read ? read.fault : null;
}

/** Ways to pay, each once. */
export const ways = (most: number) =>
  z
    .array(z.enum(WAYS))
    .min(1)
    .max(most)
    .transform((all) => [...new Set(all)]);

export type SettingsRequest = z.output<ReturnType<typeof settingsRequest>>;

export function viewMerchant(merchant: Merchant) {
  const { id, name, defaultLanguage, uniqueReferences, allowedOrigins, returnOrigins } = merchant;
  const { checkoutMethods, searchKeys, cashierRefundLimitMinor, gpoMerchantIds, gpoPosIds, entity, createdAt } =
    merchant;
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
    privacyContact: z.string().nullable().describe('Whom payers ask about their data'),
    privacyNotice: z.string().nullable().describe('What payers are told of it in your own words'),
    allowedOrigins: z.array(z.string()).describe('Origins whose pages may frame the checkout'),
    returnOrigins: z.array(z.string()).describe('Origins that `returnUrl` and `cancelUrl` may point to'),
    uniqueReferences: z.boolean(),
    cashierRefundLimit: z
      .number()
      .nullable()
      .describe('What a cashier may give back in a day, in kwanzas; null: nothing'),
    checkoutMethods: z.array(z.enum(WAYS)).describe('What the hosted page offers'),
    searchKeys: z.array(z.string()).describe('Keys of customMetadata by which payments are found'),
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
