// The PPR rail (docs/rail.md): references are registered and withdrawn there, and it tells of what was paid to them.
import { toDecimal } from '../../../shared/money.ts';
import {
  OWN_LISTS,
  createAsk,
  explainStatus,
  parseAnswer,
  readCode,
  readFields,
  readLine,
  readMoney,
  readText,
  readTime,
  type Missed,
  type RailAnswer,
  type RailOptions,
} from '../ask.ts';
import type { RailNews } from '../connector.ts';
import type {
  PaymentsPage,
  PprRail,
  ReferenceOrder,
  ReferencePayment,
  ReferenceQuery,
  RegistrationOutcome,
} from '../provider.ts';

const PAGE_SIZE = 100;

/** A client of one PPR rail. It keeps nothing: outcomes are for its caller to record. */
export function createPprRail(options: RailOptions): PprRail {
  const ask = createAsk(options);
  // A Charging reference's answer lists its payments: 16,000 of them at some 500 bytes.
  const { maxBytes } = OWN_LISTS;
  const pathOf = (referenceId: string) => `/v1/references/${encodeURIComponent(referenceId)}`;
  // It may have been registered or may not: the same order is repeated until the rail says so.
  const miss = (error: Missed) => makeUnknown(error.code, { error: error.message });
  return {
    register(order) {
      const { referenceId } = order;
      const read = (answer: RailAnswer) => readRegistration(answer, referenceId);
      return ask({ method: 'PUT', path: pathOf(referenceId), body: writeReference(order), maxBytes, read, miss });
    },
    withdraw({ referenceId }) {
      const read = (answer: RailAnswer) => readRegistration(answer, referenceId);
      return ask({ method: 'DELETE', path: pathOf(referenceId), maxBytes, read, miss });
    },
    query({ referenceId }) {
      const read = (answer: RailAnswer) => readReferenceAnswer(answer, referenceId);
      const missQuery = () => ({ result: 'unknown' as const, payments: [] });
      return ask({ method: 'GET', path: pathOf(referenceId), maxBytes, read, miss: missQuery });
    },
    listPayments(after) {
      const query = new URLSearchParams({ ...(after !== null && { after }), limit: String(PAGE_SIZE) });
      return ask({ method: 'GET', path: `/v1/payments?${query}`, maxBytes, read: readPage, miss: () => UNKNOWN_PAGE });
    },
  };
}

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
export function readRegistration(answer: RailAnswer, referenceId: string): RegistrationOutcome {
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

function readStanding({ body }: RailAnswer, referenceId: string): RegistrationOutcome {
  const reference = readReferenceFields(body);
  const [id, status] = [readText(reference.id), readText(reference.status)];
  if (!id || !status) return makeUnknown('unreadable');
  if (id !== referenceId) return makeUnknown('other_reference', { railId: id });
  const result = STANDINGS.get(status);
  return result ? { result, details: { railStatus: status } } : makeUnknown('status_unknown', { railStatus: status });
}

/** What an answer to a query says was paid to the reference. */
export function readReferenceAnswer(answer: RailAnswer, referenceId: string): ReferenceQuery {
  if (answer.status === 404 && readCode(answer) === 'UNKNOWN_REFERENCE') return { result: 'not_found', payments: [] };
  const reference = answer.status === 200 ? readReferenceFields(answer.body) : {};
  const payments = reference.id === referenceId ? readPayments(reference.payments) : null;
  return payments ? { result: 'told', payments } : { result: 'unknown', payments: [] };
}

/** An outcome of which only the reason for not knowing is known. */
function makeUnknown(reason: string, details: Record<string, string> = {}): RegistrationOutcome {
  return { result: 'unknown', details: { ...details, reason } };
}

/** JSON of the PPR rail. An entity or reference as a number is none: it may have lost the zeros it began with. */
function readReferenceFields(text: string): Record<string, unknown> {
  return readFields(parseAnswer(text, ['entity', 'reference'], OWN_LISTS.maxValues));
}

/** One payment; null when its money, its digits or its time cannot be read: none of them is ever guessed. */
export function readPayment(value: unknown): ReferencePayment | null {
  const payment = readFields(value);
  const money = readMoney(payment);
  const [entity, reference] = [readText(payment.entity) ?? '', readText(payment.reference) ?? ''];
  const occurredAt = readTime(payment.paidAt);
  if ('fault' in money || !/^\d{1,18}$/.test(money.providerRef) || !occurredAt) return null;
  if (!/^\d{5}$/.test(entity) || !/^\d{9,15}$/.test(reference)) return null;
  // The id is a number, here and there written as text: zeros before it would make two payments of one.
  const providerRef = money.providerRef.replace(/^0+(?=\d)/, '');
  return { ...money, providerRef, entity, reference, occurredAt, details: readDetails(payment) };
}

/** Every payment of a list; null when one cannot be read: a list without it would hide money. */
function readPayments(value: unknown): ReferencePayment[] | null {
  const read = readEach(value);
  return read && read.unreadable.length === 0 ? read.payments : null;
}

function readEach(value: unknown): Pick<PaymentsPage, 'payments' | 'unreadable'> | null {
  if (!Array.isArray(value)) return null;
  const read = value.map((entry: unknown) => ({ entry, payment: readPayment(entry) }));
  return {
    payments: read.flatMap(({ payment }) => payment ?? []),
    unreadable: read.flatMap(({ entry, payment }) => (payment ? [] : JSON.stringify(entry))),
  };
}

/** A page of everything the rail took. */
export function readPage({ status, body }: RailAnswer): PaymentsPage {
  const page = status === 200 ? readReferenceFields(body) : {};
  const read = readEach(page.payments);
  const next = readText(page.next, MAX_CURSOR);
  return read && next ? { result: 'told', ...read, next } : UNKNOWN_PAGE;
}

const UNKNOWN_PAGE: PaymentsPage = { result: 'unknown', payments: [], unreadable: [], next: null };

const MAX_CURSOR = 256;

function readDetails(payment: Record<string, unknown>): Record<string, string> {
  const terminal = readFields(payment.terminal);
  const said = {
    clearingPeriod: readText(payment.period),
    transactionNumber: readText(payment.number),
    terminalType: readText(terminal.type),
    terminalId: readText(terminal.id),
    terminalLocation: readLine(terminal.location),
    nib: readText(payment.nib),
    bank: readLine(payment.bank),
  };
  return Object.fromEntries(Object.entries(said).filter((entry): entry is [string, string] => entry[1] !== null));
}

/**
 * A notification's content, or null when it is not for us: another type, nothing readable, or a payment of which money,
 * digits or time cannot be read (the list of payments tells it again). Its signature is checked elsewhere.
 */
export function readReferenceNotification(rawBody: string): RailNews | null {
  const message = readReferenceFields(rawBody);
  const notificationId = readText(message.id);
  const payment = message.type === 'reference_payment' ? readPayment(message.payment) : null;
  return notificationId && payment ? { notificationId, about: 'reference', payment } : null;
}
