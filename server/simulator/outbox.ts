// The rail's books of messages: each with its text, how often it was asked for, and how often it was told of.
import type { Pool } from 'pg';
import { normalizePhone } from '../../shared/phone.ts';
import { viewMessage, type MessageRow } from './messages.ts';

type BookRow = MessageRow & { notifications: number; notified: number };

/** Everything, or what has this id or went to this phone, oldest first. Answers to a message are not counted. */
export async function readOutbox(pool: Pool, idOrPhone: string | null) {
  const { rows } = await pool.query<BookRow>(
    `select m.*, coalesce(sum(n.attempts), 0)::int as notifications, count(n.delivered_at)::int as notified
     from simulator.messages m left join simulator.notifications n on n.purchase_id = m.id
     where $1::text is null or m.id = $1 or m.phone = $2
     group by m.id order by m.seq`,
    [idOrPhone, normalizePhone(idOrPhone ?? '')],
  );
  return rows.map((row) => {
    const { text, calls, notifications, notified } = row;
    return { ...viewMessage(row), text, calls, notifications, notified };
  });
}
