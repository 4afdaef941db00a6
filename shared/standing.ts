// The standing is the word that people see for a payment: its status, or a word for money that differs from it.
// Lists, pages, CSV files and the API show this one answer.
import type { Language } from './language.ts';
import type { RefundExtent } from './refund.ts';
import type { AttentionFlag, PaymentStatus } from './status.ts';

/** Each standing and its word on a badge and in a file. */
export const STANDING_WORDS = {
  pending: { pt: 'A aguardar', en: 'Waiting', fr: 'En attente' },
  processing: { pt: 'Em curso', en: 'In progress', fr: 'En cours' },
  authorized: { pt: 'Reservado', en: 'Reserved', fr: 'Réservé' },
  captured: { pt: 'Cobrado', en: 'Captured', fr: 'Encaissé' },
  paid: { pt: 'Pago', en: 'Paid', fr: 'Payé' },
  refused: { pt: 'Recusado', en: 'Declined', fr: 'Refusé' },
  timed_out: { pt: 'Tempo esgotado', en: 'Timed out', fr: 'Délai dépassé' },
  failed: { pt: 'Não pago', en: 'Not paid', fr: 'Non payé' },
  canceled: { pt: 'Cancelado', en: 'Canceled', fr: 'Annulé' },
  expired: { pt: 'Expirado', en: 'Expired', fr: 'Expiré' },
  overpaid: { pt: 'Pago a mais', en: 'Overpaid', fr: 'Trop payé' },
  short_paid: { pt: 'Pago a menos', en: 'Underpaid', fr: 'Payé en partie' },
  other_amount: { pt: 'Outro montante', en: 'Wrong amount', fr: 'Montant différent' },
  paid_late: { pt: 'Pago fora do prazo', en: 'Paid late', fr: 'Payé hors délai' },
  reserved_late: { pt: 'Reservado fora do prazo', en: 'Reserved late', fr: 'Réservé hors délai' },
  canceled_with_money: { pt: 'Cancelado com dinheiro', en: 'Canceled, money in', fr: 'Annulé, argent reçu' },
  partly_refunded: { pt: 'Devolvido em parte', en: 'Partly refunded', fr: 'Remboursé en partie' },
  refunded: { pt: 'Devolvido', en: 'Refunded', fr: 'Remboursé' },
} as const satisfies Record<string, Record<Language, string>>;

export type Standing = keyof typeof STANDING_WORDS;

export const STANDINGS = Object.keys(STANDING_WORDS) as [Standing, ...Standing[]];

const BY_STATUS = {
  Pending: 'pending',
  Processing: 'processing',
  Authorized: 'authorized',
  Captured: 'captured',
  Paid: 'paid',
  Failed: 'failed',
  Canceled: 'canceled',
  Expired: 'expired',
} as const satisfies Record<PaymentStatus, Standing>;

/** The failures with a standing of their own. The payer or the payer's bank declined, or the push ran out of time. */
const BY_FAILURE: Partial<Record<string, Standing>> = {
  customer_refused: 'refused',
  insufficient_funds: 'refused',
  limit_exceeded: 'refused',
  issuer_refused: 'refused',
  timed_out: 'timed_out',
};

/** The fields that decide a standing. */
export type Standings = {
  status: PaymentStatus;
  failureCode: string | null | undefined;
  refundStatus: RefundExtent;
  /** The difference of the payment's money, even if a person has resolved it. */
  oddity: AttentionFlag | null;
  /** True if a person has resolved the difference. */
  isResolved: boolean;
  /** True if no money arrived that counts for the payment, for example money in another currency. */
  isWithoutMoney: boolean;
};

/** Returns a payment's standing: an open difference before a refund, and a refund before the status. */
export function standingOf(payment: Standings): Standing {
  const { status, failureCode, refundStatus, oddity, isResolved } = payment;
  const odd = oddity && standingOfOddity(oddity, payment);
  if (odd && !isResolved) return odd;
  if (refundStatus !== 'none') return refundStatus === 'full' ? 'refunded' : 'partly_refunded';
  if (odd) return odd;
  return (status === 'Failed' && BY_FAILURE[failureCode ?? '']) || BY_STATUS[status];
}

function standingOfOddity(oddity: AttentionFlag, { status, isWithoutMoney }: Standings): Standing {
  if (oddity === 'late_money') return status === 'Authorized' ? 'reserved_late' : 'paid_late';
  if (oddity !== 'amount_mismatch') return oddity;
  const isWhole = status === 'Paid' || status === 'Authorized' || status === 'Captured';
  return isWhole || isWithoutMoney ? 'other_amount' : 'short_paid';
}

/** The standings that the status already says. */
const OF_STATUS: ReadonlySet<Standing> = new Set([...Object.values(BY_STATUS), 'refused', 'timed_out'] as const);

/** True if the standing is about money that the status does not show. */
export function isAboutMoney(standing: Standing): boolean {
  return !OF_STATUS.has(standing);
}
