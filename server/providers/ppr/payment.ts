// Money paid to a reference, as the PPR rail writes it: read whole or not at all.
import type { PaymentsPage, ReferencePayment } from '../provider.ts';
import { parseExact, readFields, readLine, readMoney, readText, readTime, type Answer } from '../read.ts';

/** JSON of the PPR rail. An entity or reference as a number is none: it may have lost the zeros it began with. */
export function parseAnswer(text: string): Record<string, unknown> {
  return readFields(parseExact(text, ['entity', 'reference']));
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
export function readPayments(value: unknown): ReferencePayment[] | null {
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
export function readPage({ status, body }: Answer): PaymentsPage {
  const page = status === 200 ? parseAnswer(body) : {};
  const read = readEach(page.payments);
  const next = readText(page.next, MAX_CURSOR);
  return read && next ? { result: 'told', ...read, next } : UNKNOWN_PAGE;
}

export const UNKNOWN_PAGE: PaymentsPage = { result: 'unknown', payments: [], unreadable: [], next: null };

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
