// The fields that payment requests are made of beside those of every request: money, addresses, merchant-defined JSON.
import { z } from 'zod';
import { exponentOf, minimumMinor, toDecimal, toMinor } from '../../shared/money.ts';
import { fault, numberText } from '../http/body.ts';
import { saidAs } from '../http/fields.ts';
import type { Fault } from '../http/problem.ts';

const CUSTOM_MAX_BYTES = 16_384;
const CUSTOM_MAX_DEPTH = 16;

/** Of a payment reference, merchant-defined; never a number, which would lose leading zeros. */
export const DIGITS = /^[0-9]{9,15}$/;

/** Characters that a rail still takes, and shows a payer. */
export const MAX_DESCRIPTION = 4_000;

const webUrl = z
  .string()
  .max(2048)
  .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), fault('invalid_url'))
  .nullish();

/** Where the payer's page leads back to. */
export const waysBack = {
  returnUrl: webUrl.describe(
    'Where the page leads a payer who has paid, has reserved, or takes a reference along; anybody, where there is no cancelUrl',
  ),
  cancelUrl: webUrl.describe(
    'Where it leads one who has not: gave up, was refused, came too late; anybody, where there is no returnUrl',
  ),
};

/** Merchant-defined JSON: kept by reference, since zod's records drop `__proto__` and rewrite numbers. */
export const custom = z
  .custom<Record<string, unknown>>(
    (value) => value == null || (typeof value === 'object' && !Array.isArray(value) && numberText(value) === null),
    fault('invalid_type', { expected: 'object' }),
  )
  .meta({
    ...saidAs({ type: ['object', 'null'], additionalProperties: true }),
    description: 'Yours; comes back as customMetadata. No secrets.',
  })
  .refine(
    (value) => value == null || Buffer.byteLength(JSON.stringify(value)) <= CUSTOM_MAX_BYTES,
    fault('custom_too_large'),
  )
  .refine((value) => value == null || depthOf(value) <= CUSTOM_MAX_DEPTH, fault('custom_too_deep'))
  .optional();

/** A merchant's own name of a payment (decisions §3.19). What a rail cannot take of it is mapped for that rail. */
export const merchantReference = z.string().regex(/^[A-Za-z0-9._/-]([A-Za-z0-9._/ -]{0,13}[A-Za-z0-9._/-])?$/);

export const currency = z.string().regex(/^[A-Z]{3}$/);

/** What is wrong with an amount for its currency, or whatever its currency was; `isOpen`: 0 will do as well. */
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
