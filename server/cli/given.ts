// What operators type, read and checked: ids, whole numbers, lists; and the merchant that an id names.
import { em, type Db } from '../database/db.ts';
import { UUID } from '../http/fields.ts';
import { Merchant } from '../merchants/entities.ts';
import { lockMerchant } from '../merchants/find.ts';
import { CommandError, textOf, UsageError, type Call } from './command.ts';

/** @throws UsageError */
export function readId(text: string | undefined, name: string): string {
  if (text && UUID.test(text)) return text.toLowerCase();
  throw new UsageError(`${name} must be an id such as 0190a0b0-0000-7000-8000-000000000000, not ${text}`);
}

/** @throws UsageError when the id is none; CommandError when nobody has it */
export async function findMerchantOf(db: Db, text: string | undefined): Promise<Merchant> {
  const id = readId(text, 'merchantId');
  return (await em(db).findOne(Merchant, { id })) ?? refuseUnknown(id);
}

/** The same, held for a change until the transaction `db` ends. @throws as above */
export async function lockMerchantOf(db: Db, text: string | undefined): Promise<Merchant> {
  const id = readId(text, 'merchantId');
  return (await lockMerchant.first(db, { id })) ?? refuseUnknown(id);
}

function refuseUnknown(id: string): never {
  throw new CommandError(`There is no merchant ${id}: merchant list shows them.`);
}

/** A whole number within bounds. @throws UsageError */
export function readCount(text: string | undefined, name: string, { least = 0, most = 1_000_000_000 } = {}): number {
  const count = /^\d{1,10}$/.test(text ?? '') ? Number(text) : NaN;
  if (count >= least && count <= most) return count;
  throw new UsageError(`${name} must be a whole number from ${least} to ${most}`);
}

/** A flag that must be there. @throws UsageError */
export function needText(call: Call, name: string): string {
  const text = textOf(call, name)?.trim();
  if (!text) throw new UsageError(`--${name} is needed`);
  return text;
}

/** The ids that GPO gave, separated by commas; '' is none at all. @throws UsageError */
export function readGpoIds(text: string, name: string): string[] {
  const ids = text.split(',').flatMap((id) => id.trim() || []);
  for (const id of ids)
    if (!/^[\w.:-]{1,64}$/.test(id))
      throw new UsageError(`${name} must be up to 64 letters, digits and . : - _, not ${id}`);
  return [...new Set(ids)];
}
