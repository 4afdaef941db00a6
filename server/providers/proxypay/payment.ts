// Reads ProxyPay's payments. The queue and the notifications use the same flat JSON object.
import { z } from 'zod';
import { toReceivedMinor } from '../../../shared/money.ts';
import { parseList, pickTexts, readFields, readLine, readText, readTime, type RailAnswer } from '../rail-call.ts';
import type { PaymentsPage, ReferencePayment } from '../provider.ts';

export const CURRENCY = 'AOA';

/** The custom field with our id of the reference, which ProxyPay returns with each payment. */
export const REFERENCE_FIELD = 'balcao_reference';

export type PaymentReading = {
  /** `receivedAt`: replaces a missing or untrusted time of payment. */
  receivedAt: Date;
  /** `isExclusive`: true if every payment of the entity is ours. Else only payments with our id are acknowledged. */
  isExclusive: boolean;
};

/** Reads one payment to a reference. Null if its money or its digits are unreadable. */
export function readPayment(value: unknown, { receivedAt, isExclusive }: PaymentReading): ReferencePayment | null {
  const entry = readFields(value);
  const id = readDigits(entry.id, 18);
  // ProxyPay writes a reference's digits as an integer, without leading zeros.
  const reference = readDigits(entry.reference_id, 9)?.padStart(9, '0');
  const entity = readDigits(entry.entity_id, 5)?.padStart(5, '0');
  const amount = toReceivedMinor(readText(entry.amount) ?? '', CURRENCY);
  if (!id || !reference || !entity || 'fault' in amount || amount.minor === 0) return null;

  const railTime = readTime(entry.datetime);
  // A payment's id may be text with leading zeros. Both forms must give the same id.
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
  /** `railTime`: set only if the node did not trust the time of payment. */
  railTime: 'datetime',
};

function readDetails(entry: Record<string, unknown>): Record<string, string> {
  const terminalLocation = readLine(entry.terminal_location);
  return { ...pickTexts(entry, DETAILS), ...(terminalLocation && { terminalLocation }) };
}

/** Reads the unacknowledged payments. Every call starts at the beginning of the queue, so `next` is constant. */
export function readQueue(answer: RailAnswer, reading: PaymentReading): PaymentsPage {
  const queue = answer.status === 200 ? parseList(answer) : null;
  if (!queue) return UNKNOWN_QUEUE;
  const { entries, isCut } = queue;
  const read = entries.map((entry: unknown) => ({ entry, payment: readPayment(entry, reading) }));
  const payments = read.flatMap(({ payment }) => payment ?? []);
  return {
    result: 'told',
    // The payments are sorted, because ProxyPay does not guarantee the order of its queue.
    payments: payments.sort((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime()),
    unreadable: read.flatMap(({ entry, payment }) => (payment ? [] : JSON.stringify(entry))),
    next: 'queue',
    ...(isCut && { isCut }),
  };
}

export const UNKNOWN_QUEUE: PaymentsPage = { result: 'unknown', payments: [], unreadable: [], next: null };
