// Records payments made through a QR code, each once.
import type { Core } from '../../core.ts';
import type { QrScan } from '../../providers/provider.ts';
import { applyNews } from '../core/apply-outcome.ts';
import type { Payment } from '../core/entities.ts';
import { closeAfterMoney } from '../core/method.ts';
import {
  findMoneyOf,
  ONCE,
  recordTransaction,
  UP_TO_MAX,
  type AttemptSubject,
  type KnownMoney,
  type Settled,
  type Source,
  type Subject,
  type Via,
} from '../core/record-transaction.ts';

/** Records one payment of a code of this account, once, whatever the code's state. */
export function applyScan(core: Core, attemptId: string, scan: QrScan, from: Source): Promise<Settled> {
  return applyCodeNews(core, attemptId, from, async (subject) => {
    const known = await findMoneyOf(subject, [scan]);
    return (await recordScan(core, subject, scan, known)) !== null;
  });
}

/** Runs `record` in the transaction that locks the code's payment; `record` returns whether anything changed. */
export async function applyCodeNews(
  core: Core,
  attemptId: string,
  from: Via | Source,
  record: (subject: AttemptSubject) => Promise<boolean>,
): Promise<Settled> {
  return applyNews(core, attemptId, from, async (subject) => {
    if (subject.attempt.kind !== 'qrcode') return 'unmatched';
    return (await record(subject)) ? 'changed' : 'unchanged';
  });
}

/**
 * Records a scan as a transaction of the payment.
 * @param known transactions recorded before; a new one is added
 * @returns the payment as it is left, or null if the transaction was known
 */
export async function recordScan(
  core: Core,
  subject: Subject,
  scan: QrScan,
  known: Map<string, KnownMoney>,
): Promise<Payment | null> {
  const { attemptId, payment } = subject;
  const same = known.get(scan.providerRef);
  if (same && same.attemptId !== attemptId)
    core.log.error({ attemptId, transactionId: same.id }, 'transaction already belongs to another payment');
  if (same) return null;
  // A checkout page's QR code accepts one payment.
  const policy = payment.paymentMethod === 'qrcode' ? UP_TO_MAX : ONCE;
  const { details, payment: left } = await recordTransaction(subject, scan, policy);
  known.set(scan.providerRef, { id: details.transactionId, attemptId });
  await closeAfterMoney(core, { db: subject.db, payment, at: subject.at, by: 'qrcode', details: {} });
  return left;
}
