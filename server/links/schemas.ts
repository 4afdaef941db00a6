// Request and response schemas of payment links.
import { z } from 'zod';
import { DAY_MS } from '../../shared/durations.ts';
import { PAYER_FIELDS, LINK_STATUSES } from '../../shared/link.ts';
import { compareMinor, minimumMinor, toMajor, toMinor } from '../../shared/money.ts';
import { WAYS } from '../../shared/ways.ts';
import type { Core } from '../core.ts';
import { numberText } from '../http/json.ts';
import { afterQuery } from '../http/cursor.ts';
import {
  decimal,
  integer,
  lastMoment,
  singleLine,
  oneOf,
  pageQuery,
  requiredInteger,
  uuidText,
} from '../http/fields.ts';
import type { Fault } from '../http/problem.ts';
import { ways } from '../merchants/schemas.ts';
import type { Merchant } from '../merchants/entities.ts';
import { checkAmount, checkOrigins, currency, returnAddresses } from '../payments/core/fields.ts';
import { findPageConflicts } from '../payments/create.ts';
import { PAYMENT_STATUSES } from '../../shared/status.ts';
import { moneyFields } from '../payments/core/view.ts';
import { LINK_PAYMENT_STATUSES, type Link } from './entities.ts';
import { linkUrlOf } from './slug.ts';
import { statusOf } from './state.ts';

const MAX_STOCK = 10_000;

/** Body of `POST /api/links`. `amount` and its bounds are parsed to exact decimal text. */
export const linkRequest = z.object({
  title: singleLine(100).describe('What the payer pays for: heading of the page and description of each payment'),
  amount: decimal.nullish().describe('In major units; absent: the payer chooses'),
  minAmount: decimal.nullish().describe('Minimum that a payer may choose'),
  maxAmount: decimal.nullish().describe('Maximum that a payer may choose'),
  currency,
  stock: integer(1, MAX_STOCK).describe('Maximum number of payments; 1: single use; absent: unlimited'),
  expiresAt: lastMoment
    .nullish()
    .describe(
      'No new payments after this time, at most one year ahead; a date alone means the end of that day in Luanda',
    ),
  methods: ways(WAYS.length)
    .nullish()
    .describe('Payment methods in this order; absent: `checkoutMethods` of the merchant'),
  asks: z
    .array(z.enum(PAYER_FIELDS))
    .max(PAYER_FIELDS.length)
    .transform((all) => [...new Set(all)])
    .nullish()
    .describe('Fields that the payer must fill in, in this order; `nif`: the tax number, stored as `documentNumber`'),
  thanks: singleLine(300).nullish().describe('Shown to the payer after payment'),
  returnUrl: returnAddresses.returnUrl.describe(
    'Address that the payment’s page links to after payment; its origin must be registered (`returnOrigins`)',
  ),
});

export type LinkRequest = z.output<typeof linkRequest>;

/** Body of `PUT /api/links/{linkId}`: the whole link, and the revision on which the change is based. */
export const linkChange = linkRequest.extend({
  revision: requiredInteger(1, 2_147_483_647).describe('`revision` of the link as it was read'),
});

/** Returns faults between fields: amounts that do not fit their currency, and contradictory bounds. */
export function checkLink(input: unknown): Fault[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const body = input as Record<string, unknown>;
  const faults = (['amount', 'minAmount', 'maxAmount'] as const).flatMap((name) =>
    checkAmount(numberText(body[name]), body['currency']).map((fault) => ({ ...fault, pointer: `/${name}` })),
  );
  const isBounded = ['minAmount', 'maxAmount'].filter((name) => body[name] != null);
  if (body['amount'] != null)
    return [...faults, ...isBounded.map((name) => ({ pointer: `/${name}`, code: 'only_open_amount' as const }))];
  const code = body['currency'];
  if (faults.length > 0 || isBounded.length < 2 || typeof code !== 'string') return faults;
  const [min, max] = isBounded.map((name) => minorOf(numberText(body[name]), code));
  return compareMinor(min ?? 0, max ?? 0) === 'more' ? [{ pointer: '/maxAmount', code: 'bounds_reversed' }] : [];
}

function minorOf(digits: string | null | undefined, code: string): number | null {
  const read = digits == null ? null : toMinor(digits, code);
  return read && 'minor' in read ? read.minor : null;
}

const YEAR_MS = 366 * DAY_MS;

/** Returns faults of a link request that need the clock and the merchant's settings. */
export function findLinkFaults(
  core: Pick<Core, 'config'>,
  merchant: Merchant,
  { expiresAt, returnUrl }: LinkRequest,
  now: Date,
): Fault[] {
  const aheadMs = expiresAt ? expiresAt.getTime() - now.getTime() : 1;
  const pointer = '/expiresAt';
  return [
    ...(aheadMs <= 0 ? [{ pointer, code: 'date_in_past' as const }] : []),
    ...(aheadMs > YEAR_MS ? [{ pointer, code: 'date_too_far' as const }] : []),
    ...checkOrigins(core, merchant, { returnUrl }).map((fault) => ({ ...fault, pointer: '/returnUrl' })),
  ];
}

/** Converts a link request to columns. An absent field gets the default of a new link. */
export function settingsOf(request: LinkRequest) {
  const { amount, minAmount, maxAmount, revision: _, ...settings } = request as z.output<typeof linkChange>;
  const { stock = null, expiresAt = null, methods = null, asks, thanks = null, returnUrl = null } = settings;
  return {
    title: settings.title,
    amountMinor: minorOf(amount, settings.currency),
    minMinor: minorOf(minAmount, settings.currency),
    maxMinor: minorOf(maxAmount, settings.currency),
    currency: settings.currency,
    stock,
    expiresAt,
    methods,
    asks: asks ?? [],
    thanks,
    returnUrl,
  };
}

/** Query of `GET /api/links`. */
export const linkQuery = z.object({
  ...pageQuery,
  ...afterQuery,
  status: oneOf(LINK_STATUSES).describe('Only links in this status'),
  search: singleLine(100).optional().describe('Only links whose title, or end of the address, has this text'),
});

/** Query of `GET /api/links/{linkId}/payments`. */
export const linkPaymentQuery = z.object({
  ...pageQuery,
  ...afterQuery,
  status: oneOf(LINK_PAYMENT_STATUSES).describe('Paid; Open: can still be paid; Released: failed, expired or canceled'),
});

/** Path parameter of one link. An id that is no UUID gets 404, like an unknown id. */
export const byLink = z.object({ linkId: uuidText.describe('`id` of a link in the list') });

/** Returns a link in the form of the API. */
export async function viewLink(core: Core, link: Link, now: Date) {
  const major = (minor: number | null | undefined) => (minor == null ? null : toMajor(minor, link.currency));
  return {
    id: link.id,
    slug: link.slug,
    url: linkUrlOf(core, link.slug),
    status: statusOf(link, now),
    obstacles: await findObstacles(core, link),
    title: link.title,
    amount: major(link.amountMinor),
    minAmount: major(link.minMinor),
    maxAmount: major(link.maxMinor),
    currency: link.currency,
    stock: link.stock ?? null,
    openPayments: link.openCount,
    paidPayments: link.paidCount,
    expiresAt: link.expiresAt ?? null,
    methods: link.methods ?? null,
    asks: link.asks,
    thanks: link.thanks ?? null,
    returnUrl: link.returnUrl ?? null,
    revision: link.revision,
    createdAt: link.createdAt,
    updatedAt: link.updatedAt,
    withdrawnAt: link.withdrawnAt ?? null,
  };
}

/** Checks a payer-chosen amount by a sample. `amount_not_supported` is dropped, since the payer may choose another. */
async function findObstacles(core: Core, link: Link) {
  const { amountMinor, minMinor, maxMinor, currency } = link;
  const sample = amountMinor ?? minMinor ?? maxMinor ?? minimumMinor(currency);
  const codes = await findPageConflicts(core, { ...link, amountMinor: sample });
  return amountMinor == null ? codes.filter((code) => code !== 'amount_not_supported') : codes;
}

const time = z.iso.datetime();

export const linkAnswer = z
  .object({
    id: z.uuid(),
    slug: z.string(),
    url: z.url().describe('Public address to send, print or scan'),
    status: z.enum(LINK_STATUSES),
    obstacles: z
      .array(z.string())
      .describe('Problem codes, such as `gpo_id_required`, that block every method of the page now; empty: payable'),
    title: z.string(),
    amount: z.number().nullable().describe('null: the payer chooses'),
    minAmount: z.number().nullable(),
    maxAmount: z.number().nullable(),
    currency: z.string(),
    stock: z.int().nullable(),
    openPayments: z.int().describe('Payments that can still be paid; each holds one unit of the stock'),
    paidPayments: z.int().describe('Paid payments; more than `stock` if money arrived late'),
    expiresAt: time.nullable(),
    methods: z.array(z.enum(WAYS)).nullable(),
    asks: z.array(z.enum(PAYER_FIELDS)),
    thanks: z.string().nullable(),
    returnUrl: z.string().nullable(),
    revision: z.int().describe('Grows with every change; send it back with your change'),
    createdAt: time,
    updatedAt: time,
    withdrawnAt: time.nullable(),
  })
  .meta({ id: 'Link' });

export const linkPayment = z
  .object({
    internalId: z.uuid().describe('The payment, or the payment reference that replaced it'),
    reference: z.string(),
    status: z.enum(PAYMENT_STATUSES),
    amount: z.number(),
    amountPaid: z.number(),
    currency: z.string(),
    ...moneyFields,
    customerName: z.string().nullable(),
    customerEmail: z.string().nullable(),
    customerTelephone: z.string().nullable(),
    documentNumber: z.string().nullable(),
    createdAt: time,
    completedAt: time.nullable(),
  })
  .meta({ id: 'LinkPayment' });
