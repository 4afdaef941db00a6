// Faults of references that only the clock and the database show: an end in the past, digits that are in use.
import type { Core } from '../../core.ts';
import { isAny, prepared } from '../../database/db.ts';
import type { Fault } from '../../http/problem.ts';
import { findMerchant } from '../../merchants/find.ts';
import type { Candidate } from './schemas.ts';

/** Where in the request's body a field of the nth item stands. */
export type Locate = (nth: number, pointer: string) => string;

/** Every such fault of every item, at its place. */
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
