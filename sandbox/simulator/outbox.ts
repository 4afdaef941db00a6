// The SMS rail's records: each SMS with its text, its number of calls, and its number of notifications.
import type { Pool } from 'pg';
import { normalizePhone } from '../../shared/phone.ts';
import { viewMessage } from './messages.ts';
import { query } from './schema.ts';

/** Reads all SMS, or those with this id or to this phone, oldest first. Replies are not counted. */
export async function readSmsRecords(pool: Pool, idOrPhone: string | null) {
  const phone = normalizePhone(idOrPhone ?? '');
  const rows = await query((tables) => {
    const messages = tables
      .selectFrom('messages as m')
      .leftJoin('notifications as n', 'n.purchaseId', 'm.id')
      .selectAll('m')
      .select((eb) => [
        eb.fn.coalesce(eb.fn.sum<number>('n.attempts'), eb.lit(0)).as('notifications'),
        eb.fn.count<number>('n.deliveredAt').as('notified'),
      ])
      .groupBy('m.id')
      .orderBy('m.seq');
    if (idOrPhone === null) return messages;
    return messages.where((eb) => eb.or([eb('m.id', '=', idOrPhone), ...(phone ? [eb('m.phone', '=', phone)] : [])]));
  }).all(pool);
  return rows.map((row) => {
    const { text, calls, notifications, notified } = row;
    return { ...viewMessage(row), text, calls, notifications, notified };
  });
}
