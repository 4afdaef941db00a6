// Records what a rail reports about a QR code: the code itself, and every payment made through the code.
// Reports come from responses, polls, syncs and notifications, in any order and any number of times.
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import { recordEvent } from '../../events/record.ts';
import { releaseKeyOfPayment } from '../../http/idempotency.ts';
import type { QrOutcome, QrScan } from '../../providers/provider.ts';
import { describeRefusal } from '../core/account.ts';
import { applyReport } from '../core/apply-outcome.ts';
import type { Payment } from '../core/entities.ts';
import { closeAfterMoney } from '../core/method.ts';
import {
  findRecorded,
  acceptOnce,
  recordTransaction,
  subjectOf,
  acceptUpToMax,
  type AttemptSubject,
  type Settled,
  type Source,
  type Subject,
  type Via,
} from '../core/record-transaction.ts';
import { changeAttempt, changePayment, findCreatingAttempt, findPayment } from '../core/rows.ts';
import { nextCodePollAt } from '../core/schedule.ts';
import { transition } from '../core/states.ts';
import { insertVoid } from '../core/void.ts';

/** A rail's report about a QR code with all its scans. A notification has the result `scanned` and one scan. */
export type CodeReport = QrOutcome | { result: 'scanned'; scans: QrScan[] };

/** Records a report about an attempt's QR code, in the transaction that locks the payment. */
export function applyCode(core: Core, attemptId: string, report: CodeReport, from: Via | Source): Promise<Settled> {
  return applyReport(core, attemptId, from, async (subject) => {
    if (subject.attempt.kind !== 'qrcode') return 'unmatched';
    if (report.result === 'scanned') return (await recordScans(core, subject, report.scans)) ? 'changed' : 'unchanged';
    return (await recordCode(core, subject, report)) ? 'changed' : 'unchanged';
  });
}

/**
 * Records a QR code and its scans. Returns true if anything changed.
 * A payment without a code from the rail is closed: no payer has seen the code, so no money can have moved.
 * If the rail made the code after all, the code is withdrawn.
 */
async function recordCode(core: Core, subject: AttemptSubject, outcome: QrOutcome): Promise<boolean> {
  const { db, payment, attempt, at } = subject;
  // A page may have had several QR codes. The attempt of each code shows whether the rail made the code.
  const isPages = payment.paymentMethod === 'webframe';
  const isOpen = isPages ? attempt.status === 'Unsent' : payment.status === 'Pending' && !payment.qrContent;
  // A payment through the QR code proves that the rail made it, even if the creating call failed.
  const isUnmade = isOpen && outcome.result !== 'made' && (isPages || payment.amountPaidMinor === 0);
  if (isUnmade) await closeUnmade(core, subject, outcome);
  // The code is stored even if it was paid or ended before the rail's response. A failed payment's code is withdrawn.
  const isWanted = isPages ? isOpen && payment.status === 'Pending' : payment.status !== 'Failed';
  const isNew = outcome.result === 'made' && !payment.qrContent && isWanted;
  if (isNew) {
    const set = { qrContent: outcome.content, qrDeeplink: outcome.deeplink, ...endOf(payment, outcome) };
    await changePayment.run(db, { id: payment.id, set });
  }
  // The payer chose another method while the rail was making the QR code.
  if (isPages && isOpen && outcome.result === 'made' && !isNew) await takeBack(core, db, payment, at);
  // Storing the QR code may have changed the payment's row, so the row is read again.
  const now = outcome.scans.length > 0 ? await findPayment.one(db, { id: payment.id }) : payment;
  const isPaid = await recordScans(core, { ...subject, payment: now }, outcome.scans);
  const hasChanged = isNew || isUnmade || isPaid;
  if (isUnmade || attempt.status === 'Declined') return hasChanged;
  const closedAt = (await findPayment.first(db, { id: payment.id }))?.completedAt ?? null;
  const dueAt = nextCodePollAt({ createdAt: attempt.createdAt, endsAt: payment.expiresAt ?? null, closedAt }, at);
  const { railOrderId } = outcome;
  await changeAttempt.run(db, {
    id: attempt.id,
    set: { status: 'Approved', dueAt, ...(railOrderId && { railOrderId }) },
  });
  return hasChanged;
}

/** Records each scan once, in every status of the QR code. Returns true if a scan was new. */
async function recordScans(core: Core, subject: Subject, scans: QrScan[]): Promise<boolean> {
  if (scans.length === 0) return false;
  const { db, attemptId, rail, at } = subject;
  const known = await findRecorded(db, rail, scans);
  const seen = new Set<string>();
  let { payment } = subject;
  let isNew = false;
  for (const scan of scans) {
    const same = known.get(scan.providerRef);
    if (same && same.attemptId !== attemptId)
      core.log.error({ attemptId, transactionId: same.id }, 'transaction already belongs to another payment');
    if (same || seen.has(scan.providerRef)) continue;
    seen.add(scan.providerRef);
    // A checkout page's QR code accepts one payment.
    const policy = payment.paymentMethod === 'qrcode' ? acceptUpToMax : acceptOnce;
    ({ payment } = await recordTransaction({ ...subject, payment }, scan, policy));
    await closeAfterMoney(core, { db, payment: subject.payment, at, by: 'qrcode', details: {} });
    isNew = true;
  }
  return isNew;
}

/** Returns the end of a QR code as payment columns, because the rail may end a code earlier than requested. */
function endOf(payment: Payment, { endsAt }: QrOutcome): { expiresAt?: Date; dueAt?: Date } {
  return endsAt && (!payment.expiresAt || endsAt < payment.expiresAt) ? { expiresAt: endsAt, dueAt: endsAt } : {};
}

/**
 * Closes an attempt whose QR code was not made. A checkout page continues without the code.
 * A payment of method `qrcode` fails and releases its idempotency key, so the next request creates a new code.
 * A void is recorded in case the rail made the QR code after all.
 */
async function closeUnmade(core: Core, subject: AttemptSubject, outcome: QrOutcome): Promise<void> {
  const { db, payment, attempt, via, at } = subject;
  const failureCode = outcome.failureCode ?? 'rail_unavailable';
  await changeAttempt.run(db, {
    id: attempt.id,
    set: { status: 'Declined', failureCode, resolvedAt: at, dueAt: null },
  });
  const details = await describeRefusal(core, attempt, failureCode, via);
  if (payment.paymentMethod === 'webframe') {
    await recordEvent(db, { ...subjectOf(payment), type: 'payment.attempt_failed', occurredAt: at, details });
    await changePayment.run(db, { id: payment.id, set: {} });
  } else {
    await transition(db, payment, 'fail', { set: { failureCode, dueAt: null }, details, at });
    await releaseKeyOfPayment.run(db, payment);
  }
  await insertVoid(db, payment, at, at);
}

/**
 * Withdraws the QR code of a page whose payer chose another method or has paid.
 * If a rail cannot withdraw QR codes, the code stays open until its end.
 * The gateway records and reports money that arrives through such a code.
 */
export async function withdrawCode(core: Core, db: Db, payment: Payment, at: Date): Promise<void> {
  if (payment.paymentMethod !== 'webframe' || !payment.qrContent || !(await takeBack(core, db, payment, at))) return;
  await changePayment.run(db, { id: payment.id, set: { qrContent: null, qrDeeplink: null } });
}

/** Withdraws the newest QR code of a page. False if the code's rail cannot withdraw codes. */
async function takeBack(core: Core, db: Db, payment: Payment, at: Date): Promise<boolean> {
  const { rail } = await findCreatingAttempt(db, payment.id, 'qrcode');
  if (!(await core.rails.can(rail, 'gpo'))?.qrWithdraw) return false;
  await insertVoid(db, payment, at, at);
  db.afterCommit?.(() => core.jobs.wake('attempts'));
  return true;
}
