// Finding a merchant's endpoints: its callback endpoint, and its webhooks by their ids. Removed ones are not found.
import { findRow, type Db } from '../database/rows.ts';
import { Problem } from '../http/problem.ts';
import { Endpoint } from './entities.ts';

/** The callback endpoint, if there is one. @param lock `for update` keeps it as it is */
export function findCallbackEndpoint(
  db: Db,
  merchantId: string,
  lock: '' | 'for update' = '',
): Promise<Endpoint | null> {
  return findRow(db, Endpoint, `merchant_id = $1 and kind = 'callback' and deleted_at is null ${lock}`, [merchantId]);
}

/** A merchant's webhooks. */
export const ITS_WEBHOOKS = `merchant_id = $1 and kind = 'webhook' and deleted_at is null`;

/** @throws Problem not_found for what does not exist, was removed, or is another merchant's */
export async function findWebhook(
  db: Db,
  merchantId: string,
  id: string,
  lock: '' | 'for update' = '',
): Promise<Endpoint> {
  const found = await findRow(db, Endpoint, `${ITS_WEBHOOKS} and id = $2 ${lock}`, [merchantId, id]);
  if (!found) throw new Problem('not_found');
  return found;
}
