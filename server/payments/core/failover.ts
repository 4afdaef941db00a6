// Sends a push to a second account if the first one surely has not charged the payer and never will.
// A payer has one running push at a time.
import type { Core } from '../../core.ts';
import { prepared, type Db } from '../../database/db.ts';
import { recordEvent } from '../../events/record.ts';
import type { FailureCode } from '../../../shared/status.ts';
import type { GpoAccount } from '../../rails/rail.ts';
import { accountsFor, accountLabelOf, nameAttempt, type Refusal } from './account.ts';
import { PUSHES, type Payment } from './entities.ts';
import { subjectOf, type OutcomeContext } from './record-transaction.ts';
import { changePayment, insertAttempt } from './rows.ts';

const MAX_ACCOUNTS = 2;

const MAY_GO_ON: ReadonlySet<FailureCode> = new Set(['acquirer_setup', 'rail_unavailable']);

/** True for refusals whose cause is the account, so another account may accept the order. */
export function isAccountFault(failureCode: FailureCode | null): boolean {
  return failureCode !== null && MAY_GO_ON.has(failureCode);
}

/**
 * After a final refusal by the account, writes an attempt at the next account in the same transaction.
 * @returns false if no other account may take the push
 */
export async function failOver(core: Core, context: OutcomeContext, refusal: Refusal): Promise<boolean> {
  if (!isAccountFault(refusal.failureCode) || !isSure(context)) return false;
  const other = await findNextAccount(core, context);
  if (!other) return false;
  const { db, payment, attempt, at } = context;
  const next = nameAttempt(core, other);
  // With the status `Unreached`, the due-row job sends the attempt immediately, without a query before.
  const { kind, phone = null } = attempt;
  const times = { createdAt: at, sentAt: at, dueAt: at };
  const row = { ...next, paymentId: payment.id, kind, phone, status: 'Unreached', ...times } as const;
  await insertAttempt.run(db, { row });
  await changePayment.run(db, { id: payment.id, set: {} });
  const accounts = { from: await accountLabelOf(core, attempt.rail), to: other.label };
  const details = { ...refusal, nextAttemptId: next.id, ...accounts };
  await recordEvent(db, { ...subjectOf(payment), type: 'payment.failed_over', occurredAt: at, details });
  db.afterCommit?.(() => core.jobs.wake('attempts'));
  return true;
}

/** True if the account refused the push, or no call connected. After a lost response, `not_found` proves neither. */
function isSure({ attempt, outcome }: OutcomeContext): boolean {
  return attempt.status === 'Unreached' || outcome.result === 'declined';
}

/**
 * Returns the accounts for a payer's next push, best first.
 * After pushes at two accounts, it returns only those two.
 */
export async function listRetryAccounts(core: Core, db: Db, payment: Payment): Promise<GpoAccount[]> {
  const { rails } = await listTriedAccounts(db, payment);
  return accountsFor(core, payment).filter(({ id }) => rails.size < MAX_ACCOUNTS || rails.has(id));
}

/** Returns the next account for the payment of this push. Null if no account is left, or after two accounts. */
export async function findNextAccount(
  core: Core,
  { db, payment, attempt }: OutcomeContext,
): Promise<GpoAccount | null> {
  const isPush = attempt.kind === 'purchase' || attempt.kind === 'authorization';
  if (!isPush || payment.status !== 'Processing') return null;
  const tried = await listTriedAccounts(db, payment);
  // The outcome of an older push does not fail over the newest push.
  if (tried.newestId !== attempt.id || tried.rails.size >= MAX_ACCOUNTS) return null;
  return accountsFor(core, payment).find(({ id }) => !tried.rails.has(id)) ?? null;
}

/** Finds the newest push of a payment, and the accounts of all its pushes. */
export async function listTriedAccounts(db: Db, { id: paymentId }: Pick<Payment, 'id'>) {
  const attempts = await findTriedAccounts.all(db, { paymentId });
  return { newestId: attempts[0]?.id ?? null, rails: new Set(attempts.map(({ rail }) => rail)) };
}

const findTriedAccounts = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('attempts')
    .select(['id', 'rail'])
    .where('paymentId', '=', paymentId)
    .where('kind', 'in', PUSHES)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc'),
);
