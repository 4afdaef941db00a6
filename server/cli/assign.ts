// What only the operator sets of a merchant: written with its audit entry, in one transaction.
import type { EntityData } from '@mikro-orm/postgresql';
import { findRows, updateRows, type Db } from '../database/rows.ts';
import { changesOf, recordAudit, type Actor } from '../events/audit.ts';
import { Merchant } from '../merchants/entities.ts';
import { CommandError, type Call, type Option } from './command.ts';

export type Assigned = Partial<Pick<Merchant, 'name' | 'entity' | 'gpoMerchantIds' | 'gpoPosIds'>>;

/** Changes a locked merchant, in the transaction `db`, and answers it as it is then; running nodes read it within 5 s. */
export async function changeMerchant(
  db: Db,
  merchant: Merchant,
  set: Assigned,
  { actor, at }: { actor: Actor; at: Date },
): Promise<Merchant> {
  const changes = changesOf(merchant, set);
  if (Object.keys(changes).length === 0) return merchant;
  await updateRows(db, Merchant, { set: set as EntityData<Merchant> }, 'id = $1', [merchant.id]);
  await recordAudit(db, {
    merchantId: merchant.id,
    actor,
    action: 'merchant.changed',
    target: merchant.id,
    changes,
    at,
  });
  return { ...merchant, ...set } as Merchant;
}

export const SHARED = {
  shared: { type: 'boolean', about: 'a point of sale although another merchant has it too' },
} as const satisfies Record<string, Option>;

type Wanted = { posIds: string[]; merchantId: string; call: Call };

/** Whoever has a point of sale opens and closes it: two shops with one are mostly a slip. @throws CommandError */
export async function requireFree(db: Db, { posIds, merchantId, call }: Wanted): Promise<void> {
  if (call.values['shared'] === true) return;
  const isTaken = 'gpo_pos_ids && $1::text[] and id <> $2 limit 1';
  const [other] = await findRows(db, Merchant, isTaken, [posIds, merchantId]);
  if (!other) return;
  const posId = posIds.find((id) => other.gpoPosIds.includes(id));
  throw new CommandError(`${posId} is ${other.name}’s (${other.id}); --shared if both are to have it.`);
}
