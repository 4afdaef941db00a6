// What requests about links may say, and how a link is shown.
import { z } from 'zod';
import { ASKS, LINK_STATUSES } from '../../shared/link.ts';
import { compareMinor, minimumMinor, toMajor, toMinor } from '../../shared/money.ts';
import { WAYS } from '../../shared/ways.ts';
import type { Core } from '../core.ts';
import { numberText } from '../http/json.ts';
import { afterQuery } from '../http/cursor.ts';
import { decimal, integer, lastMoment, line, oneOf, pageQuery, requiredInteger, UUID } from '../http/fields.ts';
import type { Fault } from '../http/problem.ts';
import { ways } from '../merchants/schemas.ts';
import type { Merchant } from '../merchants/entities.ts';
import { checkAmount, checkOrigins, currency, returnAddresses } from '../payments/core/fields.ts';
import { findPageConflicts } from '../payments/create.ts';
import { REFUND_EXTENTS } from '../../shared/refund.ts';
import { ATTENTION_FLAGS, PAYMENT_STATUSES } from '../../shared/status.ts';
import { LINK_PAYMENT_STATUSES, type Link } from './entities.ts';
import { linkUrlOf } from './slug.ts';
import { statusOf } from './state.ts';

const MAX_STOCK = 10_000;

/** Body of `POST /api/links`; `amount` and its bounds come out as exact decimal text. */
export const linkRequest = z.object({
  title: line(100).describe('What is paid for: on the page, and the description of each payment'),
  amount: decimal.nullish().describe('Major units; absent: the payer chooses'),
  minAmount: decimal.nullish().describe('The least that a payer may choose'),
  maxAmount: decimal.nullish().describe('The most that a payer may choose'),
  currency,
  stock: integer(1, MAX_STOCK).describe('How many payments it takes; 1: one use; absent: as many as come'),
  expiresAt: lastMoment
    .nullish()
    .describe('Until when payments may be begun, one year ahead at most; a date alone is its last moment in Luanda'),
  methods: ways(WAYS.length)
    .nullish()
    .describe('The ways that its payments offer, in this order; absent: `checkoutMethods` of the merchant'),
  asks: z
    .array(z.enum(ASKS))
    .max(ASKS.length)
    .transform((all) => [...new Set(all)])
    .nullish()
    .describe('What the payer has to tell, in this order; `nif`: the tax number, kept as `documentNumber`'),
  thanks: line(300).nullish().describe('Said to whoever has paid'),
  returnUrl: returnAddresses.returnUrl.describe(
    'Where the page of a payment leads whoever has paid; of a registered origin (`returnOrigins`)',
  ),
});

export type LinkRequest = z.output<typeof linkRequest>;

/** Body of `PUT /api/links/{linkId}`: all of it, and what it was changed from. */
export const linkChange = linkRequest.extend({
  revision: requiredInteger(1, 2_147_483_647).describe('`revision` of the link as it was read'),
});

/** Faults between fields: amounts for their currency, and bounds for their amount. */
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

const YEAR_MS = 366 * 24 * 3_600_000;

/** Faults that need the clock and the merchant. */
export function findLinkFaults(merchant: Merchant, { expiresAt, returnUrl }: LinkRequest, now: Date): Fault[] {
  const aheadMs = expiresAt ? expiresAt.getTime() - now.getTime() : 1;
  const pointer = '/expiresAt';
  return [
    ...(aheadMs <= 0 ? [{ pointer, code: 'date_in_past' as const }] : []),
    ...(aheadMs > YEAR_MS ? [{ pointer, code: 'date_too_far' as const }] : []),
    ...checkOrigins(merchant, { returnUrl }).map((fault) => ({ ...fault, pointer: '/returnUrl' })),
  ];
}

/** The columns that a request fills; a field that is absent is as in a new link. */
export function settingsOf(request: LinkRequest) {
  const { amount, minAmount, maxAmount, revision: _, ...given } = request as z.output<typeof linkChange>;
  const { stock = null, expiresAt = null, methods = null, asks, thanks = null, returnUrl = null } = given;
  return {
    title: given.title,
    amountMinor: minorOf(amount, given.currency),
    minMinor: minorOf(minAmount, given.currency),
    maxMinor: minorOf(maxAmount, given.currency),
    currency: given.currency,
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
  status: oneOf(LINK_STATUSES).describe('Only links that are in this status now'),
});

/** Query of `GET /api/links/{linkId}/payments`. */
export const linkPaymentQuery = z.object({
  ...pageQuery,
  ...afterQuery,
  status: oneOf(LINK_PAYMENT_STATUSES).describe(
    'Paid: who paid; Open: who can still; Released: what failed, expired or was canceled',
  ),
});

/** The path of one link: what is no id is nothing of ours. */
export const byLink = z.object({ linkId: z.string().regex(UUID).describe('`id` of a link in the list') });

/** A link as its merchant sees it. */
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

/** Checks an open amount by a sample. The payer may choose another one, so a sample that no account takes is no obstacle. */
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
    url: z.url().describe('What is sent, printed and scanned'),
    status: z.enum(LINK_STATUSES),
    obstacles: z
      .array(z.string())
      .describe(
        'Problem codes that keep its page from being paid by any method now, `gpo_id_required`; empty: payable',
      ),
    title: z.string(),
    amount: z.number().nullable().describe('Null: the payer chooses'),
    minAmount: z.number().nullable(),
    maxAmount: z.number().nullable(),
    currency: z.string(),
    stock: z.int().nullable(),
    openPayments: z.int().describe('Can still be paid: each holds a place of the stock until it is paid or over'),
    paidPayments: z.int().describe('Were paid; more than `stock` where money came late'),
    expiresAt: time.nullable(),
    methods: z.array(z.enum(WAYS)).nullable(),
    asks: z.array(z.enum(ASKS)),
    thanks: z.string().nullable(),
    returnUrl: z.string().nullable(),
    revision: z.int().describe('Grows with every change; sent back by whoever changes it'),
    createdAt: time,
    updatedAt: time,
    withdrawnAt: time.nullable(),
  })
  .meta({ id: 'Link' });

export const linkPayment = z
  .object({
    internalId: z.uuid().describe('The payment; where its payer went on by reference, that one'),
    reference: z.string(),
    status: z.enum(PAYMENT_STATUSES),
    amount: z.number(),
    amountPaid: z.number(),
    currency: z.string(),
    refundStatus: z.enum(REFUND_EXTENTS).describe('How much of the money was given back'),
    attention: z.enum(ATTENTION_FLAGS).nullable().describe('The flag that a person still has to decide about'),
    customerName: z.string().nullable(),
    customerEmail: z.string().nullable(),
    customerTelephone: z.string().nullable(),
    documentNumber: z.string().nullable(),
    createdAt: time,
    completedAt: time.nullable(),
  })
  .meta({ id: 'LinkPayment' });
