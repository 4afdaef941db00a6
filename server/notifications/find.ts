// Reading notifications, with what their words need to know of payments, money, endpoints and people.
import type { Db } from '../database/rows.ts';
import { readMs, toMs } from '../http/stored.ts';

export type Found = {
  id: string;
  type: string;
  details: Record<string, unknown>;
  createdAt: Date;
  readAt: Date | null;
  payment: { reference: string; askedMinor: number; heldMinor: number | null; currency: string } | null;
  money: { amountMinor: number; currency: string } | null;
  /** Of the endpoint that is told of. */
  url: string | null;
  /** Of the person who is told of. */
  email: string | null;
};

type Row = Omit<Found, 'createdAt' | 'readAt'> & { createdMs: number; readMs: number | null };

export type Asked = { merchantId: string; isRead: boolean | null; limit: number; offset: number };

/** A page, the newest first, and how many there are. `db` is a snapshot. */
export async function findNotifications(db: Db, asked: Asked): Promise<{ page: Found[]; total: number }> {
  const { merchantId, isRead, limit, offset } = asked;
  const where = `merchant_id = $1::uuid${isRead === null ? '' : ` and read_at is ${isRead ? 'not ' : ''}null`}`;
  const { rows } = await db.pool.query<Row>(`${READ.replace('{where}', where)}`, [merchantId, limit, offset]);
  const counted = await db.pool.query<{ total: string }>(`select count(*) as total from notifications where ${where}`, [
    merchantId,
  ]);
  const page = rows.map(({ createdMs, readMs: ms, ...row }) => ({
    ...row,
    createdAt: readMs(createdMs) as Date,
    readAt: readMs(ms),
  }));
  return { page, total: Number(counted.rows[0]?.total ?? 0) };
}

const READ = `
select n.id, n.type, n.details, ${toMs('n.created_at')} as "createdMs", ${toMs('n.read_at')} as "readMs", d.url, u.email,
  case when p.id is not null then json_build_object('reference', p.reference, 'askedMinor', p.amount_minor,
    'heldMinor', p.authorized_minor, 'currency', p.currency) end as payment,
  case when t.id is not null then json_build_object('amountMinor', t.amount_minor, 'currency', t.currency) end as money
from (select * from notifications where {where} order by seq desc limit $2 offset $3) n
  left join payments p on p.id = n.payment_id
  left join transactions t on t.id = (n.details ->> 'transactionId')::uuid
  left join endpoints d on d.id = (n.details ->> 'endpointId')::uuid
  left join users u on u.id = (n.details ->> 'userId')::uuid
order by n.seq desc`;
