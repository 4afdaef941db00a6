// Lookup of merchants, and the check that a path names the caller's own merchant.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import { Merchant } from './entities.ts';

const CACHE_MS = 5_000;

type CachedMerchant = { merchant: Merchant; readAtMs: number };
const caches = new WeakMap<object, Map<string, CachedMerchant>>();

/** Returns a merchant, at most 5 s stale. @throws if it does not exist, which is impossible for a caller's merchant */
export async function findMerchant(core: Pick<Core, 'orm' | 'clock'>, id: string): Promise<Merchant> {
  const byId = caches.get(core.orm) ?? new Map<string, CachedMerchant>();
  caches.set(core.orm, byId);
  const now = core.clock.now().getTime();
  const found = byId.get(id);
  if (found && now - found.readAtMs < CACHE_MS) return found.merchant;
  const merchant = await core.orm.em.fork().findOneOrFail(Merchant, { id });
  byId.set(id, { merchant, readAtMs: now });
  return merchant;
}

/** Drops a changed merchant from this node's cache. Other nodes see the change within 5 s. */
export function forgetMerchant(core: Pick<Core, 'orm'>, id: string): void {
  caches.get(core.orm)?.delete(id);
}

/**
 * Reads a merchant and locks its row until the transaction ends, so that changes of it run one at a time.
 * Inserts that refer to the merchant do not wait for the lock of its row.
 */
export const lockMerchant = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('merchants').selectAll().where('id', '=', id).forNoKeyUpdate(),
);

export const byMerchant = z.object({
  merchantId: z.string().describe('Your own: `merchantId` of each of your payments'),
});

/** Checks that a path names the caller's merchant. @throws Problem not_found for any other, whether it exists or not */
export function requireOwn(caller: { merchantId: string }, params: { merchantId: string }): void {
  if (params.merchantId.toLowerCase() !== caller.merchantId) throw new Problem('not_found');
}
