// The client of a PPR rail of our own protocol (docs/rail.md): registrations, withdrawals, payments to references.
import { toDecimal } from '../../../shared/money.ts';
import {
  LONG_LIST_LIMITS,
  createSignedCall,
  explainStatus,
  parseAnswer,
  readCode,
  readFields,
  readLine,
  readMoney,
  readText,
  readTime,
  type CallFailure,
  type RailAnswer,
  type RailOptions,
} from '../rail-call.ts';
import type { NotificationItem } from '../connector.ts';
import type {
  PaymentsPage,
  PprRail,
  ReferenceOrder,
  ReferencePayment,
  ReferenceQuery,
  RegistrationOutcome,
} from '../provider.ts';

const PAGE_SIZE = 100;

/** Creates a client of one PPR rail of our own protocol. The caller records the outcomes. */
export function createPprRail(options: RailOptions): PprRail {
  const call = createSignedCall(options);
  // The answer about a Charging reference lists all its payments: up to 16,000, at 500 bytes each.
  const { maxBytes } = LONG_LIST_LIMITS;
  const pathOf = (referenceId: string) => `/v1/references/${encodeURIComponent(referenceId)}`;
  // The rail may have registered the reference. The node repeats the order until the rail confirms it.
  const onFailure = (error: CallFailure) => makeUnknown(error.code, { error: error.message });
  return {
    register(order) {
      const { referenceId } = order;
      const read = (answer: RailAnswer) => readRegistration(answer, referenceId);
      return call({ method: 'PUT', path: pathOf(referenceId), body: writeReference(order), maxBytes, read, onFailure });
    },
    withdraw({ referenceId }) {
      const read = (answer: RailAnswer) => readRegistration(answer, referenceId);
      return call({ method: 'DELETE', path: pathOf(referenceId), maxBytes, read, onFailure });
    },
    query({ referenceId }) {
      const read = (answer: RailAnswer) => readReferenceAnswer(answer, referenceId);
      const onQueryFailure = () => ({ result: 'unknown' as const, payments: [] });
      return call({ method: 'GET', path: pathOf(referenceId), maxBytes, read, onFailure: onQueryFailure });
    },
    listPayments(after) {
      const query = new URLSearchParams({ ...(after !== null && { after }), limit: String(PAGE_SIZE) });
      return call({
        method: 'GET',
        path: `/v1/payments?${query}`,
        maxBytes,
        read: readPage,
        onFailure: () => UNKNOWN_PAGE,
      });
    },
  };
}

/** Writes the body of a registration. The same order gives the same bytes, so that the rail recognizes a repeat. */
export function writeReference(order: ReferenceOrder): string {
  const { entity, reference, type, amountMinor, currency, description, expiresAt } = order;
  return JSON.stringify({
    entity,
    reference,
    type: type.toUpperCase(),
    // An amount of null means that the payer chooses the amount.
    amount: amountMinor === 0 ? null : toDecimal(amountMinor, currency),
    currency,
    description,
    expiresAt: expiresAt.toISOString(),
  });
}

/** Reads the answer to a registration (`PUT`) or a withdrawal (`DELETE`). */
export function readRegistration(answer: RailAnswer, referenceId: string): RegistrationOutcome {
  const { status } = answer;
  if (status === 200 || status === 201) return readReferenceStatus(answer, referenceId);
  const details = explainStatus(answer);
  if (status < 400 || status >= 500 || INCONCLUSIVE_STATUSES.includes(status)) return { result: 'unknown', details };
  const code = readCode(answer);
  const result = status === 409 && code === 'REFERENCE_TAKEN' ? 'taken' : 'refused';
  return { result, details: { ...details, ...(code && { reason: code }) } };
}

/** HTTP statuses that do not refuse the reference: wrong credentials, timeout, rate limit. A repeat may succeed. */
const INCONCLUSIVE_STATUSES = [401, 408, 425, 429];

/** The rail's statuses of a reference. Any other status leaves the reference unknown. */
const REFERENCE_STATUSES: ReadonlyMap<string, 'active' | 'ended'> = new Map([
  ['ACTIVE', 'active'],
  ['PAID', 'ended'],
  ['EXPIRED', 'ended'],
  ['WITHDRAWN', 'ended'],
]);

function readReferenceStatus({ body }: RailAnswer, referenceId: string): RegistrationOutcome {
  const reference = readReferenceFields(body);
  const [id, status] = [readText(reference.id), readText(reference.status)];
  if (!id || !status) return makeUnknown('unreadable');
  if (id !== referenceId) return makeUnknown('other_reference', { railId: id });
  const result = REFERENCE_STATUSES.get(status);
  return result ? { result, details: { railStatus: status } } : makeUnknown('status_unknown', { railStatus: status });
}

/** Reads the payments in the answer to a status query for one reference. */
export function readReferenceAnswer(answer: RailAnswer, referenceId: string): ReferenceQuery {
  if (answer.status === 404 && readCode(answer) === 'UNKNOWN_REFERENCE') return { result: 'not_found', payments: [] };
  const reference = answer.status === 200 ? readReferenceFields(answer.body) : {};
  const payments = reference.id === referenceId ? readPayments(reference.payments) : null;
  return payments ? { result: 'told', payments } : { result: 'unknown', payments: [] };
}

/** Creates an unknown outcome of a registration with its reason. */
function makeUnknown(reason: string, details: Record<string, string> = {}): RegistrationOutcome {
  return { result: 'unknown', details: { ...details, reason } };
}

/** Parses the PPR rail's JSON. A numeric entity or reference is invalid, since it may have lost leading zeros. */
function readReferenceFields(text: string): Record<string, unknown> {
  return readFields(parseAnswer(text, ['entity', 'reference'], LONG_LIST_LIMITS.maxValues));
}

/** Reads one payment to a reference. Null if its money, its digits or its time is unreadable. */
export function readPayment(value: unknown): ReferencePayment | null {
  const payment = readFields(value);
  const money = readMoney(payment);
  const [entity, reference] = [readText(payment.entity) ?? '', readText(payment.reference) ?? ''];
  const occurredAt = readTime(payment.paidAt);
  if ('fault' in money || !/^\d{1,18}$/.test(money.providerRef) || !occurredAt) return null;
  if (!/^\d{5}$/.test(entity) || !/^\d{9,15}$/.test(reference)) return null;
  // The rail sometimes writes the numeric transaction id as text with leading zeros. Both forms must give the same id.
  const providerRef = money.providerRef.replace(/^0+(?=\d)/, '');
  return { ...money, providerRef, entity, reference, occurredAt, details: readDetails(payment) };
}

/** Reads all payments of an array. Null if one of them is unreadable, since a shorter list would hide money. */
function readPayments(value: unknown): ReferencePayment[] | null {
  const read = readEntries(value);
  return read && read.unreadable.length === 0 ? read.payments : null;
}

function readEntries(value: unknown): Pick<PaymentsPage, 'payments' | 'unreadable'> | null {
  if (!Array.isArray(value)) return null;
  const read = value.map((entry: unknown) => ({ entry, payment: readPayment(entry) }));
  return {
    payments: read.flatMap(({ payment }) => payment ?? []),
    unreadable: read.flatMap(({ entry, payment }) => (payment ? [] : JSON.stringify(entry))),
  };
}

/** Reads a page of the PPR rail's list of payments. */
export function readPage({ status, body }: RailAnswer): PaymentsPage {
  const page = status === 200 ? readReferenceFields(body) : {};
  const read = readEntries(page.payments);
  const next = readText(page.next, MAX_CURSOR);
  return read && next ? { result: 'told', ...read, next } : UNKNOWN_PAGE;
}

const UNKNOWN_PAGE: PaymentsPage = { result: 'unknown', payments: [], unreadable: [], next: null };

const MAX_CURSOR = 256;

function readDetails(payment: Record<string, unknown>): Record<string, string> {
  const terminal = readFields(payment.terminal);
  const texts = {
    clearingPeriod: readText(payment.period),
    transactionNumber: readText(payment.number),
    terminalType: readText(terminal.type),
    terminalId: readText(terminal.id),
    terminalLocation: readLine(terminal.location),
    nib: readText(payment.nib),
    bank: readLine(payment.bank),
  };
  return Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== null));
}

/**
 * Reads a PPR notification whose signature the caller has verified.
 * Returns null for an unknown type or an unreadable payment, which the list of payments has too.
 */
export function readReferenceNotification(rawBody: string): NotificationItem | null {
  const message = readReferenceFields(rawBody);
  const notificationId = readText(message.id);
  const payment = message.type === 'reference_payment' ? readPayment(message.payment) : null;
  return notificationId && payment ? { notificationId, about: 'reference', payment } : null;
}
