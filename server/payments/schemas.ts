// What a payment request may look like (interface.md "Payment creation request", "GPO metadata"), and what lists accept.
import { z } from 'zod';
import { exponentOf, minimumMinor, toDecimal, toMinor } from '../../shared/money.ts';
import {
  GPO_METHODS,
  gpoMethodOf,
  PAYMENT_TYPES,
  QR_SIZES,
  QR_TYPES,
  type GpoMethod,
  type QrSize,
} from '../../shared/methods.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { PAYMENT_STATUSES } from '../../shared/status.ts';
import { numberText } from '../http/body.ts';
import { invalid, type Fault } from '../http/problem.ts';
import { fault, faultsOf } from '../http/validate.ts';
import { findMethod } from './methods/registry.ts';

/** An internal payment id. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const CUSTOM_MAX_BYTES = 16_384;
const CUSTOM_MAX_DEPTH = 16;

/** Optional text; null counts as absent. */
const text = (max: number) => z.string().max(max).nullish();

/** A JSON number as its exact decimal text, never a float. */
const decimal = z
  .custom<number>((value) => numberText(value) !== null, fault('invalid_type', { expected: 'number' }))
  .meta({ override: { type: 'number' }, description: 'Major units, 0.01 to 10000000' })
  .transform((value) => numberText(value) as string);

const integer = (min: number, max: number) =>
  z.preprocess((value) => {
    const digits = numberText(value);
    return digits === null ? value : Number(digits);
  }, z.int().min(min).max(max).nullish());

const webUrl = z
  .string()
  .max(2048)
  .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), fault('invalid_url'))
  .nullish();

const moment = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value))
  // The years that ISO 8601 writes with four digits; the database reads no others.
  .refine((date) => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999, fault('invalid_date'));

/** Merchant-defined JSON: kept by reference, since zod's records drop `__proto__` and rewrite numbers. */
const custom = z
  .custom<Record<string, unknown>>(
    (value) => value == null || (typeof value === 'object' && !Array.isArray(value) && numberText(value) === null),
    fault('invalid_type', { expected: 'object' }),
  )
  .meta({ override: { type: ['object', 'null'] }, description: 'Yours; comes back as customMetadata. No secrets.' })
  .refine(
    (value) => value == null || Buffer.byteLength(JSON.stringify(value)) <= CUSTOM_MAX_BYTES,
    fault('custom_too_large'),
  )
  .refine((value) => value == null || depthOf(value) <= CUSTOM_MAX_DEPTH, fault('custom_too_deep'))
  .optional();

const SIZES = Object.keys(QR_SIZES) as [QrSize, ...QrSize[]];
const MAX_TRANSACTIONS = 10_000;

const metadata = z.object({
  paymentMethod: z
    .unknown()
    .optional()
    .meta({
      override: { type: 'string', enum: [...GPO_METHODS], default: 'webframe' },
      description: 'Case-insensitive; unrecognized means webframe',
    }),
  phoneNumber: text(40),
  provider: z.unknown().optional(),
  gpo_merchant_id: text(64),
  gpo_pos_id: text(64),
  description: z.string().nullish(),
  returnUrl: webUrl,
  cancelUrl: webUrl,
  expiresInMinutes: integer(5, 1440),
  authorizationId: text(64).describe('capture: the internalId of the authorization'),
  qrSize: z
    .unknown()
    .optional()
    .meta({ override: { type: 'string', enum: SIZES, default: 'MEDIUM' } }),
  qrType: z
    .unknown()
    .optional()
    .meta({ override: { type: 'string', enum: [...QR_TYPES], default: 'STATIC' } }),
  maxTransactions: z
    .unknown()
    .optional()
    .meta({ override: { type: 'integer', minimum: 1, maximum: MAX_TRANSACTIONS, default: 1 } }),
  endDate: z
    .unknown()
    .optional()
    .meta({ override: { type: 'string', format: 'date-time' }, description: 'qrcode: default 24 hours ahead' }),
  custom,
});

/** What `qrcode` reads of the metadata; other methods do not look at these fields (interface.md "GPO metadata"). */
export const qrOptions = z.object({
  qrSize: z
    .enum(SIZES)
    .nullish()
    .transform((size) => size ?? 'MEDIUM'),
  qrType: z
    .enum(QR_TYPES)
    .nullish()
    .transform((type) => type ?? 'STATIC'),
  maxTransactions: integer(1, MAX_TRANSACTIONS).transform((count) => count ?? 1),
  endDate: moment.nullish(),
});

const currency = z.string().regex(/^[A-Z]{3}$/);

/** The body of `POST /api/payments`; unknown fields are ignored. `amount` comes out as exact decimal text. */
export const creationRequest = z.object({
  amount: decimal,
  currency,
  paymentType: z.enum(PAYMENT_TYPES),
  reference: z.string().regex(/^[A-Za-z0-9-]{1,15}$/),
  description: z.string().nullish(),
  metadata: metadata.nullish(),
});

export type CreationRequest = z.output<typeof creationRequest>;

/** Faults between fields, found although a field by itself may be wrong too, so that one answer names them all. */
export function checkCreation(input: unknown): Fault[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const body = input as Record<string, unknown>;
  refuseUnavailable(body);
  const faults: Fault[] = [];
  if (body['customMetadata'] !== undefined)
    faults.push({ pointer: '/customMetadata', code: 'custom_metadata_not_allowed' });
  // A number that keeps its digits (`1.0`) passes for an object.
  if (typeof body['metadata'] === 'object' && numberText(body['metadata']) !== null)
    faults.push({ pointer: '/metadata', code: 'invalid_type', params: { expected: 'object' } });
  faults.push(...checkMethod((body['metadata'] ?? {}) as Record<string, unknown>));
  return [...faults, ...checkAmount(numberText(body['amount']), body['currency'])];
}

/** What only some methods need, or look at. */
function checkMethod(given: Record<string, unknown>): Fault[] {
  const method = gpoMethodOf(given['paymentMethod']);
  if (method === 'qrcode') {
    const { error } = qrOptions.safeParse(given);
    return error ? faultsOf(error, given).map((f) => ({ ...f, pointer: `/metadata${f.pointer}` })) : [];
  }
  const needed = NEEDED[method];
  if (!needed) return [];
  const [pointer, value] = [`/metadata/${needed}`, given[needed]];
  if (value == null || value === '') return [{ pointer, code: 'required' }];
  const isWrongPhone = needed === 'phoneNumber' && typeof value === 'string' && !normalizePhone(value);
  return isWrongPhone ? [{ pointer, code: 'invalid_phone' }] : [];
}

/** The field a method cannot do without. */
const NEEDED: Partial<Record<GpoMethod, 'phoneNumber' | 'authorizationId'>> = {
  onetimepurchase: 'phoneNumber',
  authorization: 'phoneNumber',
  capture: 'authorizationId',
};

/** Known types and methods that this version does not serve: never silently another one (decisions §3). */
function refuseUnavailable(body: Record<string, unknown>): void {
  const unavailable = (pointer: string, value: string) =>
    invalid([{ pointer, code: 'payment_method_unavailable', params: { value } }]);
  if (body['paymentType'] === 'PPR') throw unavailable('/paymentType', 'PPR');
  const method = gpoMethodOf((body['metadata'] as Record<string, unknown> | null | undefined)?.['paymentMethod']);
  if (body['paymentType'] === 'GPO' && !findMethod(method)) throw unavailable('/metadata/paymentMethod', method);
}

function checkAmount(digits: string | null, code: unknown): Fault[] {
  const known = currency.safeParse(code);
  if (digits === null || !known.success) return [];
  const result = toMinor(digits, known.data);
  const leastMinor = minimumMinor(known.data);
  if ('minor' in result && result.minor >= leastMinor) return [];
  const minimum = toDecimal(leastMinor, known.data);
  const params = { currency: known.data, digits: exponentOf(known.data), minimum };
  return [{ pointer: '/amount', code: 'fault' in result ? result.fault : 'amount_out_of_range', params }];
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || numberText(value) !== null) return 0;
  let deepest = 0;
  for (const item of Object.values(value)) deepest = Math.max(deepest, depthOf(item));
  return deepest + 1;
}

const pageNumber = (max: number, initial: number, about: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .default(initial)
    .meta({ override: { type: 'integer', minimum: 1, maximum: max, default: initial }, description: about });

const oneOf = <T extends string>(values: readonly T[]) =>
  z
    .string()
    .transform((value) => values.find((known) => known.toLowerCase() === value.toLowerCase()))
    .refine((value) => value !== undefined, fault('invalid_value', { values: values.join(', ') }))
    .optional();

/** Query of `GET /api/payments`. */
export const listQuery = z.object({
  page: pageNumber(1_000_000, 1, 'Page, from 1'),
  pageSize: pageNumber(100, 20, 'Items a page, at most 100'),
  status: oneOf(PAYMENT_STATUSES).describe('Only payments in this status'),
  paymentType: oneOf(PAYMENT_TYPES).describe('GPO or PPR'),
  reference: z.string().max(15).optional().describe('Exactly this reference'),
  from: moment.optional().describe('Created at or after (ISO 8601)'),
  to: moment.optional().describe('Created before (ISO 8601)'),
});
