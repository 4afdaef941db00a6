// Schemas of payment requests and of the queries of payment lists.
import { z } from 'zod';
import { afterQuery } from '../http/cursor.ts';
import {
  GPO_METHODS,
  gpoMethodOf,
  PAYMENT_METHODS,
  PAYMENT_TYPES,
  QR_SIZES,
  QR_TYPES,
  type QrSize,
} from '../../shared/methods.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { WAYS } from '../../shared/ways.ts';
import { ways } from '../merchants/schemas.ts';
import { ATTENTION_FLAGS, PAYMENT_STATUSES } from '../../shared/status.ts';
import { fault } from '../http/validate.ts';
import { numberText } from '../http/json.ts';
import {
  decimal,
  filterText,
  integer,
  singleLine,
  moment,
  nif,
  oneOf,
  pageQuery,
  text,
  documentedAs,
  matching,
} from '../http/fields.ts';
import type { Fault } from '../http/problem.ts';
import { methodOf } from './core/method.ts';
import './methods.ts';
import { MAX_TRANSACTIONS } from './qr/qr.ts';
import { checkReference, pprCreation, type PprCreation } from './reference/schemas.ts';
import {
  checkAmount,
  currency,
  custom,
  merchantReference,
  metadataFilter,
  returnAddresses,
  MAX_DESCRIPTION,
} from './core/fields.ts';

const SIZES = Object.keys(QR_SIZES) as [QrSize, ...QrSize[]];

const metadata = z.object({
  paymentMethod: z
    .string()
    .nullish()
    .meta({
      ...documentedAs({ type: ['string', 'null'], default: 'webframe', 'x-extensible-enum': [...GPO_METHODS] }),
      description: `Case-insensitive: ${GPO_METHODS.join(', ')}; unrecognized means webframe`,
    }),
  phoneNumber: text(40),
  provider: z.unknown().optional(),
  gpo_merchant_id: text(64),
  gpo_pos_id: text(64),
  description: text(MAX_DESCRIPTION),
  ...returnAddresses,
  allowReferenceFallback: z
    .boolean()
    .nullish()
    .describe('webframe: after a refused push its payer may go on by payment reference, on the same page'),
  methods: ways(WAYS.length)
    .nullish()
    .describe('webframe: the ways its page offers, in this order; absent: `checkoutMethods` of the merchant'),
  documentNumber: nif.nullish().describe('The payer’s tax number (NIF) for an invoice. It returns with the money'),
  expiresInMinutes: integer(5, 1440),
  authorizationId: text(64).describe('capture: the internalId of the authorization'),
  qrSize: z
    .unknown()
    .optional()
    .meta({
      ...documentedAs({ type: ['string', 'null'], default: 'MEDIUM' }),
      description: `Case-insensitive: ${SIZES.join(', ')}`,
    }),
  qrType: z
    .unknown()
    .optional()
    .meta({
      ...documentedAs({ type: ['string', 'null'], default: 'STATIC' }),
      description: `Case-insensitive: ${QR_TYPES.join(' or ')}`,
    }),
  maxTransactions: z
    .unknown()
    .optional()
    .meta(documentedAs({ type: ['integer', 'null'], minimum: 1, maximum: MAX_TRANSACTIONS, default: 1 })),
  endDate: z
    .unknown()
    .optional()
    .meta({
      ...documentedAs({ type: ['string', 'null'] }),
      description: 'qrcode: ISO 8601, default 24 hours ahead; a date alone is its last moment in Luanda',
    }),
  custom,
});

const gpoCreation = z.object({
  amount: decimal,
  currency,
  paymentType: z.enum(PAYMENT_TYPES),
  reference: merchantReference,
  description: text(MAX_DESCRIPTION),
  metadata: metadata.nullish(),
});

export type GpoCreation = Omit<z.output<typeof gpoCreation>, 'paymentType'> & { paymentType: 'GPO' };
type CreationRequest = GpoCreation | PprCreation;

/** The body of `POST /api/payments`. It ignores unknown fields, and returns `amount` as exact decimal text. */
export const creationRequest = z.unknown().transform((input, { issues }): CreationRequest => {
  const { data, error } = (isPpr(input) ? pprCreation : gpoCreation).safeParse(input);
  for (const issue of error?.issues ?? []) issues.push({ ...issue, input } as (typeof issues)[number]);
  return data as CreationRequest;
});

/** The same body as a schema for the OpenAPI document. */
export const creationDoc = z.discriminatedUnion('paymentType', [
  gpoCreation.extend({ paymentType: z.literal('GPO') }).meta({ id: 'GpoCreation' }),
  pprCreation.meta({ id: 'PprCreation' }),
]);

function isPpr(input: unknown): boolean {
  return (input as { paymentType?: unknown } | null | undefined)?.paymentType === 'PPR';
}

/** Returns faults between fields, even if single fields have faults too, so that one response lists all faults. */
export function checkCreation(input: unknown): Fault[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const body = input as Record<string, unknown>;
  const faults: Fault[] = [];
  if (body['customMetadata'] !== undefined)
    faults.push({ pointer: '/customMetadata', code: 'custom_metadata_not_allowed' });
  // The parser keeps a number such as `1.0` as an object, so this check excludes numbers.
  if (typeof body['metadata'] === 'object' && numberText(body['metadata']) !== null)
    faults.push({ pointer: '/metadata', code: 'invalid_type', params: { expected: 'object' } });
  const given = (body['metadata'] ?? {}) as Record<string, unknown>;
  if (isPpr(body)) return [...faults, ...checkReference(given['referenceType'], body['amount'], body['currency'])];
  const { check } = methodOf({ paymentMethod: gpoMethodOf(given['paymentMethod']) });
  return [...faults, ...(check?.(given) ?? []), ...checkAmount(numberText(body['amount']), body['currency'])];
}

export const listQuery = z.object({
  ...pageQuery,
  ...afterQuery,
  status: oneOf(PAYMENT_STATUSES).describe('Only payments in this status'),
  paymentType: oneOf(PAYMENT_TYPES).describe('GPO or PPR'),
  reference: filterText(15).optional().describe('Exactly this reference'),
  amount: matching(/^\d{1,20}(\.\d{1,20})?([eE]-?\d{1,3})?$/, 'number')
    .optional()
    .meta({ description: 'Exactly this amount, in major units', ...documentedAs({ type: 'number' }) }),
  currency: currency.optional().describe('Of the amount; AOA where none is given. Alone: payments in this currency'),
  phone: z
    .string()
    .transform((text) => normalizePhone(text))
    .refine((phone) => phone !== null, fault('invalid_phone'))
    .optional()
    .describe('Asked at this number, in any form people write'),
  search: singleLine(100)
    .optional()
    .describe(
      'Payments with this text in a reference, phone number, name, description, link title, searchable custom ' +
        'metadata or transaction id, with this amount in AOA, or with this beginning of `internalId`',
    ),
  paymentMethod: oneOf(PAYMENT_METHODS).describe('Only payments of this method'),
  link: oneOf(['true', 'false']).describe('`true`: only payments of payment links; `false`: only others'),
  createdBy: z.uuid().optional().describe('Only payments that this person charged'),
  attention: oneOf(ATTENTION_FLAGS).describe('Only payments of which a person still has to decide about this flag'),
  late: oneOf(['true']).describe('Only payments whose money, or reservation, came after their end'),
  customMetadata: metadataFilter,
  from: moment.optional().describe('Created at or after (ISO 8601)'),
  to: moment.optional().describe('Created before (ISO 8601)'),
});
