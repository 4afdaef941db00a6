// References at the PPR rail: our words into the rail's, and back.
import { toDecimal } from '../../../shared/money.ts';
import type { ReferenceOrder, ReferenceQuery, RegistrationOutcome } from '../provider.ts';
import { explainStatus, readCode, readText, type Answer } from '../read.ts';
import { parseAnswer, readPayments } from './payment.ts';

/** The body that registers a reference: the same bytes for the same order. */
export function writeReference(order: ReferenceOrder): string {
  const { entity, reference, type, amountMinor, currency, description, expiresAt } = order;
  return JSON.stringify({
    entity,
    reference,
    type: type.toUpperCase(),
    // Null: the payer chooses.
    amount: amountMinor === 0 ? null : toDecimal(amountMinor, currency),
    currency,
    description,
    expiresAt: expiresAt.toISOString(),
  });
}

/** What an answer to a registration (`PUT`) or withdrawal (`DELETE`) says of the reference. */
export function readRegistration(answer: Answer, referenceId: string): RegistrationOutcome {
  const { status } = answer;
  if (status === 200 || status === 201) return readStanding(answer, referenceId);
  const details = explainStatus(answer);
  if (status < 400 || status >= 500 || NOT_ABOUT_IT.includes(status)) return { result: 'unknown', details };
  const code = readCode(answer);
  const result = status === 409 && code === 'REFERENCE_TAKEN' ? 'taken' : 'refused';
  return { result, details: { ...details, ...(code && { reason: code }) } };
}

/** Not let in, too slow, too often: the same order may be taken in a moment. */
const NOT_ABOUT_IT = [401, 408, 425, 429];

/** The rail's words for a reference; any other leaves it unknown. */
const STANDINGS: ReadonlyMap<string, 'active' | 'ended'> = new Map([
  ['ACTIVE', 'active'],
  ['PAID', 'ended'],
  ['EXPIRED', 'ended'],
  ['WITHDRAWN', 'ended'],
]);

function readStanding({ body }: Answer, referenceId: string): RegistrationOutcome {
  const reference = parseAnswer(body);
  const [id, status] = [readText(reference.id), readText(reference.status)];
  if (!id || !status) return makeUnknown('unreadable');
  if (id !== referenceId) return makeUnknown('other_reference', { railId: id });
  const result = STANDINGS.get(status);
  return result ? { result, details: { railStatus: status } } : makeUnknown('status_unknown', { railStatus: status });
}

/** What an answer to a query says was paid to the reference. */
export function readReferenceAnswer(answer: Answer, referenceId: string): ReferenceQuery {
  if (answer.status === 404 && readCode(answer) === 'UNKNOWN_REFERENCE') return { result: 'not_found', payments: [] };
  const reference = answer.status === 200 ? parseAnswer(answer.body) : {};
  const payments = reference.id === referenceId ? readPayments(reference.payments) : null;
  return payments ? { result: 'told', payments } : { result: 'unknown', payments: [] };
}

/** An outcome of which only the reason for not knowing is known. */
export function makeUnknown(reason: string, details: Record<string, string> = {}): RegistrationOutcome {
  return { result: 'unknown', details: { ...details, reason } };
}
