// What is paid through a QR code: each scan once, and those that wait for the same code in one transaction.
import type { Core } from '../../core.ts';
import { createLines } from '../../database/db.ts';
import type { QrScan } from '../../providers/provider.ts';
import { applyNews } from '../apply-outcome.ts';
import type { Payment } from '../entities.ts';
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
} from '../record-transaction.ts';
import { closeReplacement } from '../references/paid-twice.ts';

/** Records one payment of a code of this account, once, whatever the code's state (decisions §3). */
export async function applyScan(core: Core, attemptId: string, scan: QrScan, from: Source): Promise<Settled> {
  const line = JSON.stringify([attemptId, from.via, from.rail]);
  try {
    return await shareLock(core, line, { attemptId, scan, from });
  } catch {
    // A transaction fails as a whole: one that cannot be recorded must hold up none of the others.
    const [settled] = await applyScans(core, [{ attemptId, scan, from }]);
    return settled as Settled;
  }
}

type ToldScan = { attemptId: string; scan: QrScan; from: Source };

/** Payers of one code wait for one row: those who wait are recorded under one lock, and reach the disk with one commit. */
const shareLock = createLines<Core, ToldScan, Settled>((core, _line, told) => applyScans(core, told), { rows: 32 });

/** Several payments of one code, told by one account, one after another in one transaction. */
async function applyScans(core: Core, told: ToldScan[]): Promise<Settled[]> {
  const [{ attemptId, from }] = told as [ToldScan];
  const settled: Settled[] = [];
  const all = await applyCodeNews(core, attemptId, from, async (subject) => {
    // Once for all of them, and the payment goes from one to the next: under the lock each statement is waited for by every payer.
    const known = await findMoneyOf(
      subject,
      told.map(({ scan }) => scan),
    );
    let { payment } = subject;
    for (const { scan } of told) {
      const left = await recordScan(core, { ...subject, payment }, scan, known);
      settled.push(left ? 'changed' : 'unchanged');
      payment = left ?? payment;
    }
    return settled.includes('changed');
  });
  return all === 'unmatched' ? told.map(() => all) : settled;
}

/** News of the attempt that made a code; `record` says whether anything changed. */
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

/** The payment as it is left; null where this money is known. @param known to which it is added */
export async function recordScan(
  core: Core,
  subject: Subject,
  scan: QrScan,
  known: Map<string, KnownMoney>,
): Promise<Payment | null> {
  const { attemptId, payment } = subject;
  const same = known.get(scan.providerRef);
  if (same && same.attemptId !== attemptId)
    core.log.error({ attemptId, transactionId: same.id }, 'one money for two payments');
  if (same) return null;
  // A page is paid once, by whatever way.
  const policy = payment.paymentMethod === 'qrcode' ? UP_TO_MAX : ONCE;
  const { details, payment: left } = await recordTransaction(subject, scan, policy);
  known.set(scan.providerRef, { id: details.transactionId, attemptId });
  if (payment.replacedById) await closeReplacement(core, subject.db, payment.id, {});
  return left;
}
