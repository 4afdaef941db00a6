// What the rail says of a QR code: that it made it or did not, and every payment it accepted through it.
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import { releaseKeyOf } from '../http/stored.ts';
import type { QrOutcome, QrScan } from '../providers/provider.ts';
import { insertVoid } from './attempts.ts';
import { Attempt } from './entities.ts';
import type { Settled, Subject, Via } from './outcome.ts';
import { nextCodePollAt } from './polling.ts';
import { findMoney, findNewMoney, recordTransaction, UP_TO_MAX } from './receive.ts';
import { transition } from './states.ts';
import { changeAttempt, changePayment, findAttempt, findPayment, lockPaymentOf } from './rows.ts';

/** Records one payment of a code, once, whatever the code's state (decisions §3). */
export function settleScan(core: Core, attemptId: string, scan: QrScan, via: Via): Promise<Settled> {
  return settle(core, attemptId, via, (subject) => recordScan(core, subject, scan));
}

/**
 * Records what the rail says of the code itself, with all its payments. A code that was not made by the time it is asked
 * about is closed: nobody has seen it, so no money can have moved, and it is withdrawn should it come to be after all.
 */
export function settleCode(core: Core, attemptId: string, outcome: QrOutcome, via: Via): Promise<Settled> {
  return settle(core, attemptId, via, async (subject, attempt) => {
    const { db, payment, at } = subject;
    const isOpen = payment.status === 'Pending' && !payment.qrContent;
    // What was paid through it shows that somebody has it, whatever the call that made it heard.
    const isUnmade = isOpen && outcome.result !== 'made' && payment.amountPaidMinor === 0;
    if (isUnmade) await closeUnmade(subject, outcome);
    // Also of one that was paid, or ended, before the rail's answer came; a failed one is being withdrawn.
    const isNew = outcome.result === 'made' && !payment.qrContent && payment.status !== 'Failed';
    if (isNew) {
      const set = { qrContent: outcome.content };
      await changePayment.run(db, { id: payment.id, set });
    }
    let hasChanged = isNew || isUnmade;
    for (const scan of await findNewMoney(db, 'gpo', outcome.scans)) {
      const now = await findPayment.one(db, { id: payment.id });
      hasChanged = (await recordScan(core, { ...subject, payment: now }, scan)) || hasChanged;
    }
    if (isUnmade || attempt.status === 'Declined') return hasChanged;
    const closedAt = (await findPayment.first(db, { id: payment.id }))?.completedAt ?? null;
    const dueAt = nextCodePollAt({ createdAt: attempt.createdAt, endsAt: payment.expiresAt ?? null, closedAt }, at);
    await changeAttempt.run(db, { id: attempt.id, set: { status: 'Approved', dueAt } });
    return hasChanged;
  });
}

/** One transaction with the payment locked; tells its watchers when something changed. */
async function settle(
  core: Core,
  attemptId: string,
  via: Via,
  record: (subject: Subject, attempt: Attempt) => Promise<boolean>,
): Promise<Settled> {
  let paymentId = '';
  const settled = await inTransaction(core, async (db): Promise<Settled> => {
    const payment = await lockPaymentOf.first(db, { attemptId });
    const attempt = payment && (await findAttempt.first(db, { id: attemptId }));
    if (!payment || attempt?.kind !== 'qrcode') return 'unmatched';
    paymentId = payment.id;
    const subject = { db, payment, attemptId, via, at: core.clock.now() };
    return (await record(subject, attempt)) ? 'changed' : 'unchanged';
  });
  if (settled === 'changed') core.changes.publish(`payment:${paymentId}`);
  return settled;
}

async function recordScan(core: Core, subject: Subject, scan: QrScan): Promise<boolean> {
  const known = await findMoney(subject, scan);
  if (known && known.attemptId !== subject.attemptId)
    core.log.error({ attemptId: subject.attemptId, transactionId: known.id }, 'one money for two payments');
  if (known) return false;
  await recordTransaction(subject, scan, UP_TO_MAX);
  return true;
}

/** The key stays free: the next request with it makes a new code. */
async function closeUnmade({ db, payment, attemptId, via, at }: Subject, outcome: QrOutcome): Promise<void> {
  const failureCode = outcome.failureCode ?? 'rail_unavailable';
  const set = { status: 'Declined', failureCode, resolvedAt: at, dueAt: null } as const;
  await changeAttempt.run(db, { id: attemptId, set });
  const details = { attemptId, failureCode, via };
  await transition(db, payment, 'fail', { set: { failureCode, dueAt: null }, details, at });
  await releaseKeyOf(db, payment);
  await insertVoid(db, payment.id, at, at);
}
