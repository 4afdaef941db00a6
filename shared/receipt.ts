// The receipt of a payment, for paper, SMS, mail and messengers. All of them show the same lines.
import type { Language } from './language.ts';
import { showMoment } from './luanda.ts';
import { addMinor, compareMinor, showMoney, toReceivedMinor } from './money.ts';
import { showReference } from './reference.ts';
import { measureText, septetsOf } from './sms-parts.ts';

/** The fields of a payment in the API that its receipt needs. */
export type ReceiptPayment = {
  reference: string;
  description: string | null;
  entity: string | null;
  paymentMethod: string;
  status: string;
  amount: number;
  currency: string;
  maxTransactions: number | null;
  referenceType: string | null;
  transactions: readonly {
    id: string;
    amount: number;
    currency: string;
    occurredAt: string | Date;
    transactionNumber: string | null;
  }[];
};

/** The fields of a refund in the API that a receipt needs. */
export type ReceiptRefund = {
  transactionId: string;
  amount: number;
  currency: string;
  status: string;
  transactionNumber: string | null;
  /** The day in Luanda of a refund by hand, such as `2026-11-30`. */
  refundedOn: string | null;
  createdAt: string | Date;
  completedAt: string | Date | null;
};

/** The data of a receipt, before it has words. */
export type ReceiptData = {
  payment: ReceiptPayment;
  /** All refunds of the payment. Receipts show only successful refunds. */
  refunds: readonly ReceiptRefund[];
  shop: { name: string; taxId: string | null };
  /** The name of the person who charged. Null for API clients and for payers of a link. */
  servedBy: string | null;
  /** The only transaction of the receipt, for a payment that several customers pay. */
  transactionId?: string | undefined;
};

export type ReceiptLine = { label: string; value: string };

/** A receipt in words. */
export type Receipt = {
  title: string;
  shop: string;
  taxId: ReceiptLine | null;
  /** The amount in figures below the word for it, such as `Pago`. */
  received: ReceiptLine;
  /** The refunded amount below `Devolvido` or `Devolvido em parte`. Null without refunds. */
  refunded: ReceiptLine | null;
  lines: ReceiptLine[];
  /** The note that a receipt is no invoice. */
  note: string;
  /** The sign between a label and its value. */
  colon: string;
};

const METHODS = ['webframe', 'onetimepurchase', 'authorization', 'capture', 'qrcode', 'reference'] as const;

const pt = {
  title: 'Comprovativo de pagamento',
  taxId: 'NIF',
  paid: 'Pago',
  received: 'Recebido',
  refunded: 'Devolvido',
  partly: 'Devolvido em parte',
  requested: 'Montante pedido',
  method: 'Forma de pagamento',
  webframe: 'Página de pagamento',
  onetimepurchase: 'Multicaixa Express',
  authorization: 'Multicaixa Express',
  capture: 'Multicaixa Express',
  qrcode: 'Código QR',
  byReference: 'Referência',
  entity: 'Entidade',
  reference: 'Referência',
  date: 'Data (hora de Luanda)',
  number: 'N.º da transacção',
  payment: '{n}.º pagamento',
  refund: 'Devolução',
  refunds: '{n}.ª devolução',
  servedBy: 'Atendido por',
  description: 'Descrição',
  note: 'Este comprovativo não é uma factura.',
  colon: ': ',
  smsPayments: '{n} pagamentos',
};

type Words = Record<keyof typeof pt, string>;

const en: Words = {
  title: 'Payment receipt',
  taxId: 'Tax number (NIF)',
  paid: 'Paid',
  received: 'Received',
  refunded: 'Refunded',
  partly: 'Partly refunded',
  requested: 'Requested amount',
  method: 'Payment method',
  webframe: 'Payment page',
  onetimepurchase: 'Multicaixa Express',
  authorization: 'Multicaixa Express',
  capture: 'Multicaixa Express',
  qrcode: 'QR code',
  byReference: 'Reference',
  entity: 'Entity',
  reference: 'Reference',
  date: 'Date (Luanda time)',
  number: 'Transaction number',
  payment: 'Payment {n}',
  refund: 'Refund',
  refunds: 'Refund {n}',
  servedBy: 'Served by',
  description: 'Description',
  note: 'This receipt is not an invoice.',
  colon: ': ',
  smsPayments: '{n} payments',
};

const fr: Words = {
  title: 'Reçu de paiement',
  taxId: 'NIF',
  paid: 'Payé',
  received: 'Reçu',
  refunded: 'Remboursé',
  partly: 'Remboursé en partie',
  requested: 'Montant demandé',
  method: 'Moyen de paiement',
  webframe: 'Page de paiement',
  onetimepurchase: 'Multicaixa Express',
  authorization: 'Multicaixa Express',
  capture: 'Multicaixa Express',
  qrcode: 'Code QR',
  byReference: 'Référence',
  entity: 'Entité',
  reference: 'Référence',
  date: 'Date (heure de Luanda)',
  number: 'N° de transaction',
  payment: 'Paiement {n}',
  refund: 'Remboursement',
  refunds: 'Remboursement {n}',
  servedBy: 'Servi par',
  description: 'Description',
  note: 'Ce reçu n’est pas une facture.',
  colon: '\u00a0: ',
  smsPayments: '{n} paiements',
};

const WORDS: Record<Language, Words> = { pt, en, fr };

/** True if the payment received money. Payments without money, and authorizations, have no receipt. */
export const hasReceipt = ({ transactions }: Pick<ReceiptPayment, 'transactions'>): boolean => transactions.length > 0;

/** True if several customers can pay the payment, so that each needs a receipt of their own. */
export const isForMany = ({ maxTransactions, referenceType }: ReceiptPayment): boolean =>
  (maxTransactions ?? 1) > 1 || referenceType === 'Charging';

/** Writes a receipt in a language. */
export function describeReceipt(language: Language, data: ReceiptData): Receipt {
  const words = WORDS[language];
  const { payment, shop, servedBy } = data;
  const found = select(data);
  const { received, refunded } = found;
  const line = (label: string, value: string | null): ReceiptLine[] => (value ? [{ label, value }] : []);
  return {
    title: words.title,
    shop: shop.name,
    taxId: line(words.taxId, shop.taxId)[0] ?? null,
    received: { label: found.isPaid ? words.paid : words.received, value: showSums(received) },
    refunded: line(found.isWhollyRefunded ? words.refunded : words.partly, showSums(refunded))[0] ?? null,
    lines: [
      ...line(words.requested, found.requested),
      ...line(words.method, methodOf(words, payment)),
      ...line(words.entity, payment.entity),
      ...line(words.reference, referenceOf(payment)),
      ...describeTransactions(words, found),
      ...describeRefunds(words, found),
      ...line(words.servedBy, servedBy),
      ...line(words.description, payment.description),
    ],
    note: words.note,
    colon: words.colon,
  };
}

/** Returns all rows of a receipt in one list, for a text that names the shop. */
export function rowsOf({ taxId, received, refunded, lines, colon }: Receipt): { lines: ReceiptLine[]; colon: string } {
  return { lines: [taxId, received, refunded, ...lines].filter((line) => line !== null), colon };
}

/** Writes a receipt as plain text, for messengers and the phone's share sheet. */
export function writeReceipt(receipt: Receipt): string {
  const { title, shop, note } = receipt;
  const { lines, colon } = rowsOf(receipt);
  return [title, shop, ...lines.map(({ label, value }) => `${label}${colon}${value}`), note].join('\n');
}

/** The most SMS parts of a receipt. Each part costs the merchant one unit. */
const MAX_SMS_PARTS = 2;
const MAX_SMS_NAME = 40;

/** Writes a receipt as a short SMS, with only GSM-7 characters. The merchant's opt-out text follows it. */
export function writeReceiptSms(language: Language, data: ReceiptData): string {
  const words = WORDS[language];
  const { payment, shop } = data;
  const { transactions, received, refunded, isPaid, isWhollyRefunded } = select(data);
  const last = transactions.at(-1);
  const isOne = transactions.length === 1;
  const head = [shop.name.replace(/[./:@]+(?=\S)/g, ' ').slice(0, MAX_SMS_NAME), shop.taxId && `NIF ${shop.taxId}`];
  const paid = [
    `${isPaid ? words.paid : words.received} ${showSums(received)}`,
    !isOne && words.smsPayments.replace('{n}', String(transactions.length)),
    last && timeOf(last.occurredAt),
    methodOf(words, payment),
  ];
  const back = refunded.size > 0 && `${isWhollyRefunded ? words.refunded : words.partly} ${showSums(refunded)}`;
  const number = isOne && last?.transactionNumber && `N. ${last.transactionNumber}`;
  const entity = payment.entity && `${words.entity} ${payment.entity}`;
  const sentences = [head, paid, [back], [number], [entity, `Ref. ${referenceOf(payment)}`]]
    .map((parts) => parts.filter(Boolean).join(', '))
    .filter(Boolean)
    .map((sentence) => spellInGsm7(`${sentence}.`));
  // The last sentences are the least important ones. A merchant's reference can have any length.
  while (measureText(sentences.join(' ')).parts > MAX_SMS_PARTS) sentences.pop();
  return sentences.join(' ');
}

type Sums = Map<string, number>;

type Found = {
  transactions: ReceiptPayment['transactions'];
  refunds: ReceiptRefund[];
  /** The sums by currency, in minor units. */
  received: Sums;
  refunded: Sums;
  isPaid: boolean;
  isWhollyRefunded: boolean;
  /** The requested amount, if the customer paid another one. */
  requested: string | null;
};

/** Selects and sums the money that the receipt shows. */
function select({ payment, refunds: all, transactionId }: ReceiptData): Found {
  const isOwn = (id: string) => transactionId === undefined || id === transactionId;
  const transactions = payment.transactions.filter(({ id }) => isOwn(id));
  const refunds = all
    .filter(({ status, transactionId: id }) => status === 'Succeeded' && isOwn(id))
    .toSorted((one, other) => timeMsOf(one) - timeMsOf(other));
  const [received, refunded] = [sumUp(transactions), sumUp(refunds)];
  const requested = minorOf(payment.amount, payment.currency);
  const covers = ({ amount, currency }: { amount: number; currency: string }) =>
    currency === payment.currency && compareMinor(minorOf(amount, currency), requested) !== 'less';
  const isMany = isForMany(payment);
  const isOther = received.size > 1 || received.get(payment.currency) !== requested;
  return {
    transactions,
    refunds,
    received,
    refunded,
    isPaid: isMany ? transactions.every(covers) : payment.status === 'Paid',
    isWhollyRefunded: [...received].every(([currency, minor]) => (refunded.get(currency) ?? 0) >= minor),
    requested: !isMany && requested > 0 && isOther ? showMoney(requested, payment.currency) : null,
  };
}

const timeMsOf = ({ completedAt, createdAt }: ReceiptRefund) => new Date(completedAt ?? createdAt).getTime();

/** Converts an amount of the API to minor units. */
function minorOf(amount: number, currency: string): number {
  const read = toReceivedMinor(String(amount), currency);
  return 'minor' in read ? read.minor : 0;
}

function sumUp(moneys: readonly { amount: number; currency: string }[]): Sums {
  const sums: Sums = new Map();
  for (const { amount, currency } of moneys)
    sums.set(currency, addMinor(sums.get(currency) ?? 0, minorOf(amount, currency)));
  return sums;
}

const showSums = (sums: Sums) => [...sums].map(([currency, minor]) => showMoney(minor, currency)).join(' + ');

const timeOf = (at: string | Date) => showMoment(new Date(at)).slice(0, 16);

function methodOf(words: Words, { paymentMethod }: ReceiptPayment): string | null {
  const method = METHODS.find((each) => each === paymentMethod);
  if (!method) return null;
  return method === 'reference' ? words.byReference : words[method];
}

const referenceOf = ({ reference, entity }: ReceiptPayment) => (entity ? showReference(reference) : reference);

/** The lines of one transaction, or one line for each of several. */
function describeTransactions(words: Words, { transactions }: Found): ReceiptLine[] {
  const [only, ...others] = transactions;
  if (only && others.length === 0) {
    const number = only.transactionNumber ? [{ label: words.number, value: only.transactionNumber }] : [];
    return [{ label: words.date, value: timeOf(only.occurredAt) }, ...number];
  }
  return transactions.map(({ amount, currency, occurredAt, transactionNumber }, nth) => ({
    label: words.payment.replace('{n}', String(nth + 1)),
    value: listOf(words, showMoney(minorOf(amount, currency), currency), timeOf(occurredAt), transactionNumber),
  }));
}

function describeRefunds(words: Words, { refunds }: Found): ReceiptLine[] {
  return refunds.map(({ amount, currency, refundedOn, completedAt, createdAt, transactionNumber }, nth) => {
    const when = refundedOn ? refundedOn.split('-').toReversed().join('/') : timeOf(completedAt ?? createdAt);
    return {
      label: refunds.length === 1 ? words.refund : words.refunds.replace('{n}', String(nth + 1)),
      value: listOf(words, showMoney(minorOf(amount, currency), currency), when, transactionNumber),
    };
  });
}

const listOf = (words: Words, amount: string, when: string, number: string | null) =>
  [amount, when, number && `${words.number} ${number}`].filter(Boolean).join(', ');

/** Replaces characters that GSM-7 lacks: `ã` by `a`, a no-break space by a space. Others become `?`. */
function spellInGsm7(text: string): string {
  return [...text].map((each) => (septetsOf(each) === null ? replacementOf(each) : each)).join('');
}

function replacementOf(character: string): string {
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '');
  return plain !== '' && [...plain].every((each) => septetsOf(each) !== null) ? plain : '?';
}
