// What is paid through a QR code: each scan once, and those that wait for the same code in one transaction.
import type { Core } from '../../core.ts';
import { createLines, runStatement } from '../../database/db.ts';
import { announceEvent, announceEvents, type WhatIsAwaited } from '../../events/record.ts';
import type { QrScan } from '../../providers/provider.ts';
import { applyNews } from '../apply-outcome.ts';
import type { Payment } from '../entities.ts';
import {
  findMoneyOf,
  ONCE,
  recordTransaction,
  sumOf,
  UP_TO_MAX,
  type AttemptSubject,
  type KnownMoney,
  type Settled,
  type Source,
  type Subject,
  type Via,
} from '../record-transaction.ts';
import { moneyOf } from '../settle-together.ts';
import { RECORD_SCANS } from './scan.sql.ts';
import { closeReplacement } from '../references/paid-twice.ts';

/** Records one payment of a code of this account, once, whatever the code's state (decisions §3). */
export async function applyScan(core: Core, attemptId: string, scan: QrScan, from: Source): Promise<Settled> {
  const line = JSON.stringify([attemptId, from.via, from.rail]);
  try {
    return await shareLock(core, line, { attemptId, scan, from });
  } catch (error) {
    // A transaction fails as a whole. One scan that cannot be recorded must not hold up the others.
    core.log.warn({ err: error, attemptId }, 'a batch of scans was not recorded; each is recorded alone');
    const [settled] = await applyScans(core, [{ attemptId, scan, from }], { isAlone: true });
    return settled as Settled;
  }
}

type ToldScan = { attemptId: string; scan: QrScan; from: Source };

/** Payers of one code wait for one row: those who wait are recorded under one lock, and reach the disk with one commit. */
const shareLock = createLines<Core, ToldScan, Settled>((core, _line, told) => applyScans(core, told), { rows: 64 });

/** Several payments of one code, told by one account, one after another in one transaction. @param isAlone by the whole way */
async function applyScans(core: Core, told: ToldScan[], { isAlone = false } = {}): Promise<Settled[]> {
  const [{ attemptId, from }] = told as [ToldScan];
  const settled: Settled[] = [];
  const all = await applyCodeNews(core, attemptId, from, async (subject) => {
    const scans = told.map(({ scan }) => scan);
    const known = await findMoneyOf(subject, scans);
    settled.push(...(await recordScans(core, subject, scans, known, isAlone)));
    return settled.includes('changed');
  });
  return all === 'unmatched' ? told.map(() => all) : settled;
}

/** @param known to which what is new is added @returns what became of each */
async function recordScans(
  core: Core,
  subject: Subject,
  scans: QrScan[],
  known: Map<string, KnownMoney>,
  isAlone: boolean,
): Promise<Settled[]> {
  const settled: Settled[] = [];
  let { payment } = subject;
  for (let nth = 0; nth < scans.length;) {
    const usual = isAlone ? null : takeUsual({ ...subject, payment }, scans.slice(nth), known);
    if (usual && usual.rows.length > 0) {
      await writeUsual({ ...subject, payment }, usual.rows);
      payment = usual.left;
      settled.push(...usual.rows.map(() => 'changed' as const));
      nth += usual.rows.length;
      continue;
    }
    const left = await recordScan(core, { ...subject, payment }, scans[nth++] as QrScan, known);
    settled.push(left ? 'changed' : 'unchanged');
    payment = left ?? payment;
  }
  return settled;
}

type Usual = { rows: UsualRow[]; left: Payment };
type UsualRow = ReturnType<typeof usualRow>;

/** The first of them, as many as are new, whole and leave the code open: those are counted, and nothing else changes. */
function takeUsual(subject: Subject, scans: QrScan[], known: Map<string, KnownMoney>): Usual {
  const rows: UsualRow[] = [];
  let left = subject.payment;
  if (left.paymentMethod !== 'qrcode' || left.status !== 'Pending' || left.replacedById) return { rows, left };
  for (const scan of scans) {
    const { late, flag, approves, acceptedCount } = UP_TO_MAX.judge(left, scan);
    if (late || flag || approves || acceptedCount === undefined || known.has(scan.providerRef)) break;
    const counted = { acceptedCount, amountPaidMinor: sumOf(left, scan) };
    left = { ...left, ...counted, revision: left.revision + 1 };
    const row = usualRow(subject, scan, counted);
    rows.push(row);
    known.set(scan.providerRef, { id: row.transaction_id, attemptId: subject.attemptId });
  }
  return { rows, left };
}

/** Named as the statement's record names its columns. */
function usualRow(
  { attemptId, via, at }: Subject,
  scan: QrScan,
  { acceptedCount, amountPaidMinor }: { acceptedCount: number; amountPaidMinor: number },
) {
  const { providerRef, amountMinor, currency, details } = scan;
  return {
    ...moneyOf({ id: attemptId, money: scan, via }, at),
    provider_ref: providerRef,
    amount_minor: amountMinor,
    currency,
    details,
    accepted_count: acceptedCount,
    amount_paid_minor: amountPaidMinor,
  };
}

/** The first callback may go out with the commit; the others of this payment wait for it. */
async function writeUsual({ db, payment, attemptId, rail, at }: Subject, rows: UsualRow[]): Promise<void> {
  const values = [JSON.stringify(rows), payment.id, attemptId, rail, at];
  const [awaited] = await runStatement<WhatIsAwaited>(db, RECORD_SCANS, values);
  const [first] = rows;
  if (!first || !awaited) throw new Error(`the payment ${payment.id} is not there`);
  const { merchantId, id: paymentId } = payment;
  await announceEvent(db, { merchantId, paymentId, details: first.about }, awaited);
  if (rows.length > 1) announceEvents(db, { merchantId, paymentId, ...awaited });
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
