// A second account for a push that the first surely did not and will not charge: one payer, one live push (decisions §15).
import type { Core } from '../../core.ts';
import { prepared, type Db } from '../../database/db.ts';
import { recordEvent } from '../../events/record.ts';
import type { FailureCode } from '../../../shared/status.ts';
import type { GpoAccount } from '../../rails/rail.ts';
import { accountsFor, labelOf, nameAttempt, type Refusal } from './account.ts';
import { PUSHES, type Payment } from './entities.ts';
import { subjectOf, type OutcomeContext } from './record-transaction.ts';
import { changePayment, insertAttempt } from './rows.ts';

/** At most so many accounts are asked for one payment. */
const MAX_ACCOUNTS = 2;

/** Refusals after which another account may do it: what the payer or the issuer refused, another account's issuer refuses too. */
const MAY_GO_ON: ReadonlySet<FailureCode> = new Set(['acquirer_setup', 'rail_unavailable']);

/** Whether a refusal is the account's own fault, whoever asks. */
export function isAccountFault(failureCode: FailureCode | null): boolean {
  return failureCode !== null && MAY_GO_ON.has(failureCode);
}

/** Whether another account could be asked for the payment of this push. */
export async function hasOther(core: Core, context: OutcomeContext): Promise<boolean> {
  return (await findOther(core, context)) !== null;
}

/**
 * After a refusal that is sure and is the account's own fault, a new attempt by the next account takes its place, in the same
 * transaction. False: there is none, or it may not be.
 */
export async function failOver(core: Core, context: OutcomeContext, refusal: Refusal): Promise<boolean> {
  if (!isAccountFault(refusal.failureCode) || !isSure(context)) return false;
  const other = await findOther(core, context);
  if (!other) return false;
  const { db, payment, attempt, at } = context;
  const next = nameAttempt(core, other);
  // As one whose call reached nobody: it goes out by the due rows, at once, and needs no asking before.
  const { kind, phone = null } = attempt;
  const times = { createdAt: at, sentAt: at, dueAt: at };
  const row = { ...next, paymentId: payment.id, kind, phone, status: 'Unreached', ...times } as const;
  await insertAttempt.run(db, { row });
  await changePayment.run(db, { id: payment.id, set: {} });
  const accounts = { from: await labelOf(core, attempt.rail), to: other.label };
  const details = { ...refusal, nextAttemptId: next.id, ...accounts };
  await recordEvent(db, { ...subjectOf(payment), type: 'payment.failed_over', occurredAt: at, details });
  db.afterCommit?.(() => core.jobs.wake('attempts'));
  return true;
}

/** The account itself said no, or nobody was ever reached. That it has no trace of a push whose answer was lost is not enough. */
function isSure({ attempt, outcome }: OutcomeContext): boolean {
  return attempt.status === 'Unreached' || outcome.result === 'declined';
}

/** The accounts that a payer's next push may go to, best first: where two were asked, only those. */
export async function accountsLeft(core: Core, db: Db, payment: Payment): Promise<GpoAccount[]> {
  const { rails } = await listAsked(db, payment);
  return accountsFor(core, payment).filter(({ id }) => rails.size < MAX_ACCOUNTS || rails.has(id));
}

async function findOther(core: Core, { db, payment, attempt }: OutcomeContext): Promise<GpoAccount | null> {
  const isPush = attempt.kind === 'purchase' || attempt.kind === 'authorization';
  if (!isPush || payment.status !== 'Processing') return null;
  const asked = await listAsked(db, payment);
  // An older push's news decides nothing of the newest.
  if (asked.newestId !== attempt.id || asked.rails.size >= MAX_ACCOUNTS) return null;
  return accountsFor(core, payment).find(({ id }) => !asked.rails.has(id)) ?? null;
}

async function listAsked(
  db: Db,
  { id: paymentId }: Pick<Payment, 'id'>,
): Promise<{ newestId: string | null; rails: Set<string> }> {
  const attempts = await findAsked.all(db, { paymentId });
  return { newestId: attempts[0]?.id ?? null, rails: new Set(attempts.map(({ rail }) => rail)) };
}

const findAsked = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('attempts')
    .select(['id', 'rail'])
    .where('paymentId', '=', paymentId)
    .where('kind', 'in', PUSHES)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc'),
);
