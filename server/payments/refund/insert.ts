// Writes a new refund with everything that belongs to it, in the transaction that locks its payment.
import { toDecimal } from '../../../shared/money.ts';
import { prepared, type Db } from '../../database/db.ts';
import { recordAudit, type Actor } from '../../audit/record.ts';
import { recordEvent } from '../../events/record.ts';
import { Problem } from '../../http/problem.ts';
import { insertAttempt } from '../core/rows.ts';
import type { Refund } from './entities.ts';
import { reserveMoney } from './rows.ts';
import { describeRefund } from './states.ts';

export type NewRefund = {
  refund: Refund;
  actor: Actor;
  /** The order to the rail; null for a refund by hand. */
  attempt: { railKey: string | null; dueAt: Date } | null;
};

/**
 * Reserves the amount and writes refund, event, audit entry and attempt. The attempt is the intent, committed before the rail is called.
 * @throws Problem nothing_to_refund if less than the amount is left of the transaction
 */
export async function insertRefund(db: Db, { refund, actor, attempt }: NewRefund): Promise<void> {
  const { id, merchantId, paymentId, transactionId, amountMinor, currency, method, rail, createdAt: at } = refund;
  if ((await reserveMoney.run(db, { id: transactionId, amountMinor })) === 0) throw new Problem('nothing_to_refund');
  await insertRow.run(db, { row: refund });
  const event = { merchantId, paymentId, type: 'refund.created', status: refund.status, occurredAt: at };
  await recordEvent(db, { ...event, details: describeRefund(refund) });
  // Reason, reference and proof are left out: they may name the payer, and no erasure reaches the audit.
  const changes = { paymentId, amount: toDecimal(amountMinor, currency), currency, method };
  await recordAudit(db, { merchantId, actor, action: 'refund.requested', target: id, changes, at });
  if (!attempt || !rail) return;
  const about = { id, paymentId, kind: 'refund', rail, ...attempt } as const;
  const row = { ...about, status: 'Unsent', createdAt: at, sentAt: at } as const;
  await insertAttempt.run(db, { row });
}

const insertRow = prepared((tables, { row }: { row: Refund }) => tables.insertInto('refunds').values(row));
