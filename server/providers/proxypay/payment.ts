// Payments as ProxyPay tells them, in its queue and in notifications alike: one flat object each.
import { z } from 'zod';
import { toReceivedMinor } from '../../../shared/money.ts';
import { parseList, pickTexts, readFields, readLine, readText, readTime, type RailAnswer } from '../ask.ts';
import type { PaymentsPage, ReferencePayment } from '../provider.ts';

export const CURRENCY = 'AOA';

/** Our id of the reference travels under this name and comes back with the money. */
export const REFERENCE_FIELD = 'balcao_reference';

export type PaymentReading = {
  /** Stands in for a time that cannot be trusted. */
  receivedAt: Date;
  /** Every payment of the entity is ours; else only one that names a reference of ours may be taken off the queue by us. */
  isExclusive: boolean;
};

/** One payment; null when its money or its digits cannot be read: none of them is ever guessed. */
export function readPayment(value: unknown, { receivedAt, isExclusive }: PaymentReading): ReferencePayment | null {
  const entry = readFields(value);
  const id = readDigits(entry.id, 18);
  // They are integers there: the zeros they began with are lost.
  const reference = readDigits(entry.reference_id, 9)?.padStart(9, '0');
  const entity = readDigits(entry.entity_id, 5)?.padStart(5, '0');
  const amount = toReceivedMinor(readText(entry.amount) ?? '', CURRENCY);
  if (!id || !reference || !entity || 'fault' in amount || amount.minor === 0) return null;

  const railTime = readTime(entry.datetime);
  // Written as text with zeros before it, it would make two payments of one.
  const providerRef = id.replace(/^0+(?=\d)/, '');
  const referenceId = readReferenceId(entry.custom_fields);
  const receipt = isExclusive || referenceId ? providerRef : null;
  const details = readDetails(railTime ? { ...entry, datetime: null } : entry);
  const money = { amountMinor: amount.minor, currency: CURRENCY, occurredAt: railTime ?? receivedAt };
  return { providerRef, entity, reference, ...money, details, referenceId, receipt };
}

function readDigits(value: unknown, maxLength: number): string | null {
  const text = readText(value, maxLength);
  return text && /^\d+$/.test(text) ? text : null;
}

function readReferenceId(customFields: unknown): string | null {
  const id = z.uuid().safeParse(readFields(customFields)[REFERENCE_FIELD]).data;
  return id?.toLowerCase() ?? null;
}

const DETAILS = {
  clearingPeriod: 'period_id',
  transactionNumber: 'transaction_id',
  terminalType: 'terminal_type',
  terminalId: 'terminal_id',
  fee: 'fee',
  /** Only the one that was not trusted. */
  railTime: 'datetime',
};

function readDetails(entry: Record<string, unknown>): Record<string, string> {
  const terminalLocation = readLine(entry.terminal_location);
  return { ...pickTexts(entry, DETAILS), ...(terminalLocation && { terminalLocation }) };
}

/** Payments that were not acknowledged yet. Every call reads the queue from its beginning, so `next` never leads further. */
export function readQueue(answer: RailAnswer, reading: PaymentReading): PaymentsPage {
  const queue = answer.status === 200 ? parseList(answer) : null;
  if (!queue) return UNKNOWN_QUEUE;
  const { entries, isCut } = queue;
  const read = entries.map((entry: unknown) => ({ entry, payment: readPayment(entry, reading) }));
  const payments = read.flatMap(({ payment }) => payment ?? []);
  return {
    result: 'told',
    // Their order is not promised.
    payments: payments.sort((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime()),
    unreadable: read.flatMap(({ entry, payment }) => (payment ? [] : JSON.stringify(entry))),
    next: 'queue',
    ...(isCut && { isCut }),
  };
}

export const UNKNOWN_QUEUE: PaymentsPage = { result: 'unknown', payments: [], unreadable: [], next: null };
