// A transaction of the OPG family read: whose it is, what became of it, and what was really taken.
import { toReceivedMinor } from '../../../shared/money.ts';
import type { FailureCode } from '../../../shared/status.ts';
import { NOTHING_HEARD, makeUnknown, parseAnswer, pickTexts, readFields, readText, readTime } from '../ask.ts';
import type { RailOutcome } from '../provider.ts';
import { explainHeard, readId, type OpgHeard } from './wire.ts';

/** The rail has no other, and never says it. */
export const OPG_CURRENCY = 'AOA';

/**
 * Which transaction is meant. `id` null: the one that was just made; `chargeId` null: no code's scan; `parentId`: the refund of
 * this transaction, null: a payment.
 */
export type TransactionName = { id: string | null; posId: string; chargeId: string | null; parentId: string | null };

/** The numbers of a rejection that we have a word for; any other number is the issuer's. */
const FAILURES: ReadonlyMap<string, FailureCode> = new Map([
  ['1000', 'rail_unavailable'],
  ['2000', 'rail_unavailable'],
  ['2001', 'insufficient_funds'],
  ['2002', 'issuer_refused'],
  ['2003', 'limit_exceeded'],
  ['2004', 'timed_out'],
  ['3000', 'customer_refused'],
]);

/** What an answer to `GET /transactions/{id}` says. */
export function readTransactionAnswer(heard: OpgHeard, name: TransactionName): RailOutcome {
  if ('status' in heard && heard.status === 200) return readTransaction(parseAnswer(heard.body), name);
  return { ...NOTHING_HEARD, details: explainHeard(heard) };
}

/** A transaction as the rail writes it. */
export function readTransaction(value: unknown, name: TransactionName): RailOutcome {
  const transaction = readFields(value);
  const id = readId(transaction.id);
  if (!id) return makeUnknown('unreadable');
  const status = readText(transaction.status);
  const isDecided = status === 'accepted' || status === 'rejected';
  if ((name.id !== null && id !== name.id) || !isOurs(transaction, name, isDecided)) {
    return makeUnknown('other_purchase', { railId: id });
  }
  const details = pickTexts(transaction, { clearingPeriod: 'clearing_period' });
  const words = { ...details, ...pickTexts(transaction, { railStatus: 'status', railReason: 'status_reason' }) };
  const told = { ...NOTHING_HEARD, railOrderId: id, details: words };
  const reason = readText(transaction.status_reason) ?? '';
  const occurredAt = readTime(transaction.status_datetime);
  // An acceptance that a refusal's number contradicts is not believed: the next query may say it straight.
  if (status === 'accepted' && !FAILURES.has(reason)) {
    return { ...told, ...readTaken(transaction.amount, id, details), occurredAt };
  }
  if (status !== 'rejected' || !/^\d{1,6}$/.test(reason)) return { ...told, result: 'pending' };
  return { ...told, result: 'declined', failureCode: FAILURES.get(reason) ?? 'issuer_refused', occurredAt };
}

/** The money of an accepted one, exactly as taken; why nothing sure is known where nobody can read it. */
function readTaken(amount: unknown, id: string, details: Record<string, string>): Partial<RailOutcome> {
  const taken = toReceivedMinor(readText(amount) ?? '', OPG_CURRENCY);
  if ('fault' in taken) {
    return { details: { ...details, railAmount: readText(amount) ?? '', reason: 'amount_unreadable' } };
  }
  return { result: 'approved', providerRef: id, amountMinor: taken.minor, currency: OPG_CURRENCY, details };
}

/** Money is only taken from what says whose it is; what is undecided may leave that out, but not say otherwise. */
function isOurs({ type, ...said }: Record<string, unknown>, name: TransactionName, isDecided: boolean): boolean {
  const isSilent = (value: unknown) => (value ?? null) === null;
  const isOfType = type === (name.parentId === null ? 'payment' : 'refund') || (isSilent(type) && !isDecided);
  const isHere = readText(said.pos_id)?.replace(/^0+/, '') === name.posId || (isSilent(said.pos_id) && !isDecided);
  if (name.parentId === null) {
    return isOfType && isHere && (isSilent(said.charge_id) || readText(said.charge_id) === name.chargeId);
  }
  const isOfMoney =
    readText(said.parent_transaction_id) === name.parentId || (isSilent(said.parent_transaction_id) && !isDecided);
  return isOfType && isHere && isOfMoney;
}
