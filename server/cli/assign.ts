// What only the operator sets of a merchant: written with its audit entry, in one transaction.
import { prepared, type Db } from '../database/db.ts';
import { changesOf, recordAudit, type Actor } from '../events/audit.ts';
import type { Merchant } from '../merchants/entities.ts';
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
  await changeAssigned.run(db, { id: merchant.id, set });
  await recordAudit(db, {
    merchantId: merchant.id,
    actor,
    action: 'merchant.changed',
    target: merchant.id,
    changes,
    at,
  });
  return { ...merchant, ...set };
}

const changeAssigned = prepared((tables, { id, set }: { id: string; set: Assigned }) =>
  tables.updateTable('merchants').set(set).where('id', '=', id),
);

export const SHARED = {
  shared: { type: 'boolean', about: 'a point of sale although another merchant has it too' },
} as const satisfies Record<string, Option>;

type Wanted = { posIds: string[]; merchantId: string; call: Call };

/** Whoever has a point of sale opens and closes it: two shops with one are mostly a slip. @throws CommandError */
export async function requireFree(db: Db, { posIds, merchantId, call }: Wanted): Promise<void> {
  if (call.values['shared'] === true) return;
  const other = await findOther.first(db, { posIds, merchantId });
  if (!other) return;
  const posId = posIds.find((id) => other.gpoPosIds.includes(id));
  throw new CommandError(`${posId} is ${other.name}’s (${other.id}); --shared if both are to have it.`);
}

const findOther = prepared((tables, { posIds, merchantId }: { posIds: string[]; merchantId: string }) =>
  tables
    .selectFrom('merchants')
    .select(['id', 'name', 'gpoPosIds'])
    .where('gpoPosIds', '&&', posIds)
    .where('id', '<>', merchantId)
    .limit(1),
);
