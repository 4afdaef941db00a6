// Limits of sent receipts, because a receipt goes to any number or address that a person types.
import { v7 as uuid } from 'uuid';
import { HOUR_MS } from '../../shared/durations.ts';
import type { Core } from '../core.ts';
import { prepared, takeLock, type Db } from '../database/db.ts';
import { tryLater } from '../http/problem.ts';
import type { ReceiptChannel } from './entities.ts';

/** The most receipts in an hour, of one payment and of one merchant. */
export const MAX_OF_PAYMENT = 3;
export const MAX_OF_MERCHANT = 60;

type Sending = { merchantId: string; paymentId: string; channel: ReceiptChannel };

/**
 * Counts a receipt in the transaction `db` that sends it. Concurrent receipts of a merchant wait for each other.
 * @throws Problem too_many_receipts with Retry-After
 */
export async function countReceipt(core: Pick<Core, 'clock'>, db: Db, sending: Sending): Promise<void> {
  const { merchantId, paymentId } = sending;
  await takeLock(db, `receipts ${merchantId}`);
  const now = core.clock.now();
  const since = new Date(now.getTime() - HOUR_MS);
  const recent = await listRecent.all(db, { merchantId, since });
  const ofPayment = recent.filter((each) => each.paymentId === paymentId);
  // The last receipt within a limit blocks the next one until it is an hour old.
  const blocking = [ofPayment[MAX_OF_PAYMENT - 1], recent[MAX_OF_MERCHANT - 1]];
  const waitsMs = blocking.flatMap((each) => (each ? each.createdAt.getTime() - since.getTime() : []));
  if (waitsMs.length > 0) throw tryLater('too_many_receipts', Math.max(...waitsMs) / 1000);
  await insertSent.run(db, { row: { id: uuid(), ...sending, createdAt: now } });
}

/** Lists the merchant's receipts of the last hour, newest first. The limit bounds their number. */
const listRecent = prepared((tables, { merchantId, since }: { merchantId: string; since: Date }) =>
  tables
    .selectFrom('sent_receipts')
    .select(['paymentId', 'createdAt'])
    .where('merchantId', '=', merchantId)
    .where('createdAt', '>', since)
    .orderBy('createdAt', 'desc')
    .limit(MAX_OF_MERCHANT),
);

const insertSent = prepared((tables, { row }: { row: Sending & { id: string; createdAt: Date } }) =>
  tables.insertInto('sent_receipts').values(row),
);
