// Schemas for creating references under both contracts, and the checks that need the database.
import { z } from 'zod';
import { afterQuery } from '../../http/cursor.ts';
import { readMoment } from '../../../shared/moment.ts';
import { toMinor } from '../../../shared/money.ts';
import { REFERENCE_STATUSES, REFERENCE_TYPES } from '../../../shared/reference.ts';
import type { Core } from '../../core.ts';
import { isAny, prepared } from '../../database/db.ts';
import { fault } from '../../http/validate.ts';
import { numberText } from '../../http/json.ts';
import { decimal, hasUsualYear, lastMomentOf, oneOf, pageQuery, text, documentedAs } from '../../http/fields.ts';
import { Problem, type Fault } from '../../http/problem.ts';
import { findMerchant } from '../../merchants/find.ts';
import { checkAmount, currency, custom, DIGITS, MAX_DESCRIPTION, returnAddresses } from '../core/fields.ts';

/** The currency of references that are created under /api/references. */
const CURRENCY = 'AOA';

export const MAX_BULK = 500;

/** A request of either contract. `reference` null: the gateway generates digits. `amountMinor` 0: the payer chooses. */
export type ReferenceRequest = ReturnType<typeof readDetails> &
  Record<'reference' | 'description' | 'returnUrl' | 'cancelUrl', string | null> & {
    custom: Record<string, unknown> | null;
  };

const expiry = z
  .string()
  .refine((value) => readExpiry(value) !== null, fault('invalid_expiry'))
  .transform(readExpiry)
  .nullish()
  .meta({
    ...documentedAs({ type: ['string', 'null'] }),
    description:
      'ISO 8601. Default: Dynamic one month ahead, Charging the end of 2099. A date alone is its last moment in Luanda',
  });

const referenceType = oneOf(REFERENCE_TYPES)
  .nullish()
  .meta({
    ...documentedAs({ type: ['string', 'null'], default: 'Dynamic' }),
    description: `Case-insensitive: ${REFERENCE_TYPES.join(' or ')}`,
  });

const about = {
  referenceType,
  expiryDate: expiry,
  description: text(MAX_DESCRIPTION),
  customerEmail: text(320),
  customerName: text(320),
  customerTelephone: text(64),
  documentNumber: text(64),
};

const amount = decimal.nullish().meta({
  ...documentedAs({ type: ['number', 'null'], minimum: 0, maximum: 10_000_000 }),
  description: 'Dynamic: required, 0.01 to 10000000. Charging: 0 or absent lets the payer choose',
});

const isDigits = (value: string) => DIGITS.test(value);

/** The body of `POST /api/payments` with `paymentType` `PPR`. An empty `reference` means that digits are generated. */
export const pprCreation = z.object({
  amount,
  currency,
  paymentType: z.literal('PPR'),
  reference: z
    .string()
    .refine((value) => value === '' || isDigits(value), fault('invalid_reference'))
    .meta(documentedAs({ type: 'string', pattern: '^([0-9]{9,15})?$' }))
    .nullish()
    .describe('9 to 15 digits; absent or empty: 9 digits are generated'),
  description: text(MAX_DESCRIPTION),
  metadata: z.object({ ...about, ...returnAddresses, custom }).nullish(),
});

export type PprCreation = z.output<typeof pprCreation>;

/** The body of `POST /api/references/ppr` and `/legacy`, and each item of `/bulk`. */
export const referenceCreation = z.object({
  reference: z
    .string()
    .refine(isDigits, fault('invalid_reference'))
    .meta(documentedAs({ type: 'string', pattern: DIGITS.source }))
    .nullish()
    .describe('9 to 15 digits; absent: 9 digits are generated'),
  amount,
  ...about,
  customMetadata: custom,
});

type ReferenceCreation = z.output<typeof referenceCreation>;

/** The body of `POST /api/references/ppr/bulk`. */
export const bulkCreation = z.object({ references: z.array(referenceCreation).min(1) });

export const readPprCreation = ({ metadata, ...body }: PprCreation): ReferenceRequest => ({
  ...readDetails({ ...metadata, amount: body.amount }, body.currency),
  reference: body.reference || null,
  description: metadata?.description ?? body.description ?? null,
  custom: metadata?.custom ?? null,
  returnUrl: metadata?.returnUrl ?? null,
  cancelUrl: metadata?.cancelUrl ?? null,
});

export const readReferenceCreation = (body: ReferenceCreation): ReferenceRequest => ({
  ...readDetails(body, CURRENCY),
  reference: body.reference ?? null,
  description: body.description ?? null,
  custom: body.customMetadata ?? null,
  returnUrl: null,
  cancelUrl: null,
});

type Details = Partial<Omit<ReferenceCreation, 'reference' | 'customMetadata'>>;

function readDetails({ amount: digits, ...details }: Details, code: string) {
  // The schema has already refused invalid amounts.
  const read = toMinor(digits ?? '0', code);
  return {
    type: details.referenceType ?? 'Dynamic',
    amountMinor: 'minor' in read ? read.minor : 0,
    currency: code,
    expiryDate: details.expiryDate ?? null,
    customerEmail: details.customerEmail ?? null,
    customerName: details.customerName ?? null,
    customerTelephone: details.customerTelephone ?? null,
    documentNumber: details.documentNumber ?? null,
  };
}

/** Returns the faults of the amount. A Dynamic reference requires an amount, a Charging reference may leave it open. */
export function checkReference(type: unknown, given: unknown, code: unknown): Fault[] {
  const known = referenceType.safeParse(type);
  const digits = numberText(given);
  if (!known.success) return [];
  if (known.data === 'Charging') return checkAmount(digits, code, true);
  return given == null ? [{ pointer: '/amount', code: 'required' }] : checkAmount(digits, code);
}

export function checkSingle(input: unknown): Fault[] {
  if (typeof input !== 'object' || input === null) return [];
  const body = input as Record<string, unknown>;
  return checkReference(body['referenceType'], body['amount'], CURRENCY);
}

/**
 * Checks each item of a bulk creation, and that no two items have the same digits.
 * @throws Problem too_many_references, before any other check
 */
export function checkBulk(input: unknown): Fault[] {
  const items = (input as { references?: unknown } | null | undefined)?.references;
  if (!Array.isArray(items)) return [];
  if (items.length > MAX_BULK) throw new Problem('too_many_references');
  const firsts = new Map<string, number>();
  return items.flatMap((item: unknown, nth) => {
    const at = `/references/${nth}`;
    const faults = checkSingle(item).map((found) => ({ ...found, pointer: at + found.pointer }));
    const digits = (item as { reference?: unknown } | null | undefined)?.reference;
    if (typeof digits !== 'string' || !isDigits(digits)) return faults;
    const first = firsts.get(digits);
    if (first === undefined) firsts.set(digits, nth);
    else
      faults.push({
        pointer: `${at}/reference`,
        code: 'reference_repeated',
        params: { pointer: `/references/${first}` },
      });
    return faults;
  });
}

/** Reads the fields that only the clock and the database can check. The body may have other faults. */
export function readCandidate(item: unknown): Candidate {
  const { reference, expiryDate } = (item ?? {}) as Record<string, unknown>;
  return {
    reference: typeof reference === 'string' && isDigits(reference) ? reference : null,
    expiryDate: typeof expiryDate === 'string' ? readExpiry(expiryDate) : null,
  };
}

type Candidate = Pick<ReferenceRequest, 'reference' | 'expiryDate'>;

/** Reads a time, in Luanda (UTC+1) without an offset. A date means its last moment. Null for any other text. */
function readExpiry(value: string): Date | null {
  const at = lastMomentOf(value) ?? readMoment(value) ?? readMoment(`${value}+01:00`);
  return at && hasUsualYear(at) ? at : null;
}

export const listQuery = z.object({
  ...pageQuery,
  ...afterQuery,
  type: oneOf(REFERENCE_TYPES).describe('Only references of this type'),
  status: oneOf(REFERENCE_STATUSES).describe('Only references of this referenceStatus'),
});

/** Returns the JSON pointer of a field in the nth item. */
export type Locate = (nth: number, pointer: string) => string;

/** Finds the faults of these fields in all items. */
export async function findFaults(
  core: Core,
  merchantId: string,
  candidates: Candidate[],
  locate: Locate,
): Promise<Fault[]> {
  const now = core.clock.now();
  const { entity } = await findMerchant(core, merchantId);
  const inUse = entity ? await findInUse(core, entity, candidates) : new Set<string>();
  return candidates.flatMap((candidate, nth): Fault[] => [
    ...(isPast(candidate, now) ? [{ pointer: locate(nth, '/expiryDate'), code: 'date_in_past' as const }] : []),
    ...(inUse.has(candidate.reference ?? '') ? [inUseFault(nth, locate, entity)] : []),
  ]);
}

export function isPast({ expiryDate }: Candidate, now: Date): boolean {
  return expiryDate !== null && expiryDate <= now;
}

export function inUseFault(nth: number, locate: Locate, entity: string | null | undefined): Fault {
  return { pointer: locate(nth, '/reference'), code: 'reference_in_use', params: { entity } };
}

async function findInUse(core: Core, entity: string, candidates: Candidate[]): Promise<Set<string>> {
  const digits = candidates.flatMap(({ reference }) => reference ?? []);
  if (digits.length === 0) return new Set();
  const live = await findLive.all(core, { entity, digits });
  return new Set(live.map(({ reference }) => reference));
}

const findLive = prepared((tables, { entity, digits }: { entity: string; digits: string[] }) =>
  tables
    .selectFrom('payment_references')
    .select('reference')
    .where('entity', '=', entity)
    .where('status', '=', 'Pending')
    .where('reference', ...isAny(digits)),
);
