// Finding merchants; and whose merchant a request is about: paths name one, and only the caller's own is there for them.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import { Merchant } from './entities.ts';

const KEPT_MS = 5_000;

type CachedMerchant = { merchant: Merchant; readAtMs: number };
const kept = new WeakMap<object, Map<string, CachedMerchant>>();

/** The merchant as of at most 5 s ago. @throws when it does not exist (a caller's merchant always does) */
export async function findMerchant(core: Pick<Core, 'orm' | 'clock'>, id: string): Promise<Merchant> {
  const byId = kept.get(core.orm) ?? new Map<string, CachedMerchant>();
  kept.set(core.orm, byId);
  const now = core.clock.now().getTime();
  const found = byId.get(id);
  if (found && now - found.readAtMs < KEPT_MS) return found.merchant;
  const merchant = await core.orm.em.fork().findOneOrFail(Merchant, { id });
  byId.set(id, { merchant, readAtMs: now });
  return merchant;
}

/** A change that was committed is seen at once on this node; others see it within 5 s. */
export function forgetMerchant(core: Pick<Core, 'orm'>, id: string): void {
  kept.get(core.orm)?.delete(id);
}

/**
 * The merchant as it is now, held until the transaction ends: one change of it at a time. What refers to it meanwhile is
 * not held up.
 */
export const lockMerchant = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('merchants').selectAll().where('id', '=', id).forNoKeyUpdate(),
);

export const byMerchant = z.object({
  merchantId: z.string().describe('Your own: `merchantId` of each of your payments'),
});

/** @throws Problem not_found for another merchant, known or not */
export function requireOwn(caller: { merchantId: string }, params: { merchantId: string }): void {
  if (params.merchantId.toLowerCase() !== caller.merchantId) throw new Problem('not_found');
}
