// The fields of payment requests: money, URLs and merchant-defined JSON.
import { z } from 'zod';
import { listsOrigin } from '../../../shared/origins.ts';
import { exponentOf, minimumMinor, toDecimal, toMinor } from '../../../shared/money.ts';
import { fault } from '../../http/validate.ts';
import { numberText } from '../../http/json.ts';
import { documentedAs, matching } from '../../http/fields.ts';
import type { Fault } from '../../http/problem.ts';
import type { Merchant } from '../../merchants/entities.ts';
import { originsOf, searchKey } from '../../merchants/schemas.ts';

const CUSTOM_MAX_BYTES = 16_384;
const CUSTOM_MAX_DEPTH = 16;

/** The digits of a payment reference. They are text, because a number would lose leading zeros. */
export const DIGITS = /^[0-9]{9,15}$/;

export const MAX_DESCRIPTION = 4_000;

const webUrl = z
  .string()
  .max(2048)
  .refine(isPlain, fault('invalid_url'))
  // Stores the URL as browsers parse it, so that every later reader parses it the same way.
  .transform((value) => new URL(value).href)
  .nullish();

/** True for a web URL without user information. User information could be mistaken for a host name. */
function isPlain(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

export const returnAddresses = {
  returnUrl: webUrl.describe(
    'Address for a payer who has paid, authorized or received a reference. Without cancelUrl it serves every payer',
  ),
  cancelUrl: webUrl.describe(
    'Address for a payer who gave up, was refused or came too late. Without returnUrl it serves every payer',
  ),
};

/** Merchant-defined JSON, kept without a copy, because zod's records drop `__proto__` and rewrite numbers. */
export const custom = z
  .custom<Record<string, unknown>>(
    (value) => value == null || (typeof value === 'object' && !Array.isArray(value) && numberText(value) === null),
    fault('invalid_type', { expected: 'object' }),
  )
  .meta({
    ...documentedAs({ type: ['object', 'null'], additionalProperties: true }),
    description: 'Yours; comes back as customMetadata. No secrets.',
  })
  .refine(
    (value) => value == null || Buffer.byteLength(JSON.stringify(value)) <= CUSTOM_MAX_BYTES,
    fault('custom_too_large'),
  )
  .refine((value) => value == null || depthOf(value) <= CUSTOM_MAX_DEPTH, fault('custom_too_deep'))
  .optional();

/** The merchant's reference of a payment. Connectors map it to the characters that their rail accepts. */
export const merchantReference = matching(/^[A-Za-z0-9._/-]([A-Za-z0-9._/ -]{0,13}[A-Za-z0-9._/-])?$/, 'reference');

export const currency = matching(/^[A-Z]{3}$/, 'currency');

/** Returns the faults of an amount in its currency. `isOpen`: 0 is a valid amount. */
export function checkAmount(digits: string | null, code: unknown, isOpen = false): Fault[] {
  const known = currency.safeParse(code);
  if (digits === null) return [];
  if (!known.success) return checkAmount(digits, 'AOA', isOpen).filter((wrong) => wrong.code !== 'amount_precision');
  const result = toMinor(digits, known.data);
  const leastMinor = minimumMinor(known.data);
  if ('minor' in result && (result.minor >= leastMinor || (isOpen && result.minor === 0))) return [];
  const minimum = toDecimal(leastMinor, known.data);
  const params = { currency: known.data, digits: exponentOf(known.data), minimum };
  const isPrecise = !('fault' in result) || result.fault !== 'amount_precision';
  const outOfRange = { code: isOpen ? 'amount_open_range' : 'amount_out_of_range' } as const;
  return [{ pointer: '/amount', ...(isPrecise ? outOfRange : { code: 'amount_precision' }), params }];
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || numberText(value) !== null) return 0;
  let deepest = 0;
  for (const item of Object.values(value)) deepest = Math.max(deepest, depthOf(item));
  return deepest + 1;
}

/** Checks that returnUrl and cancelUrl lead to origins that the merchant registered. */
export function checkOrigins(
  core: { config: { isSandbox: boolean } },
  merchant: Merchant,
  metadata: { returnUrl?: string | null | undefined; cancelUrl?: string | null | undefined },
): Fault[] {
  return (['returnUrl', 'cancelUrl'] as const).flatMap((name): Fault[] => {
    const url = metadata[name];
    const origin = url && new URL(url).origin;
    if (!origin || listsOrigin(originsOf(core, merchant.returnOrigins), origin)) return [];
    const params = { origin, operation: `PUT /api/merchants/${merchant.id}` };
    return [{ pointer: `/metadata/${name}`, code: 'origin_not_registered', params }];
  });
}

const MAX_VALUE = 200;

/** The filter `customMetadata.order=7` of a list: exactly this text, under a key in the merchant's `searchKeys`. */
export const metadataFilter = z
  .record(searchKey, z.string().max(MAX_VALUE))
  .optional()
  .meta({
    description:
      'Exactly this value, as text, under a key of the merchant’s `searchKeys`. ' +
      '`customMetadata.order=7` is the same as `customMetadata[order]=7`',
    param: { style: 'deepObject', explode: true },
  });

const termOf = (key: string, value: string) => `${key}=${value}`;

/**
 * Returns a payment's search terms. Null without values under the keys.
 * Objects, arrays and long values are left out.
 */
export function searchTermsOf(keys: string[], custom: object | null | undefined): string[] | null {
  const values = (custom ?? {}) as Record<string, unknown>;
  const terms = keys.flatMap((key) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    const text = typeof value === 'boolean' ? String(value) : typeof value === 'string' ? value : numberText(value);
    return text !== null && text.length <= MAX_VALUE ? [termOf(key, text)] : [];
  });
  return terms.length > 0 ? terms : null;
}

/** Returns the search terms of a list request. */
export function termsOfQuery(filter: Record<string, string> | undefined): string[] {
  return Object.entries(filter ?? {}).map(([key, value]) => termOf(key, value));
}
