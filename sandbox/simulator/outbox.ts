// The rail's books of messages: each with its text, how often it was asked for, and how often it was told of.
import type { Pool } from 'pg';
import { normalizePhone } from '../../shared/phone.ts';
import { viewMessage } from './messages.ts';
import { query } from './schema.ts';

/** Everything, or what has this id or went to this phone, oldest first. Answers to a message are not counted. */
export async function readOutbox(pool: Pool, idOrPhone: string | null) {
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
