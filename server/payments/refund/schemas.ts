// Schemas of refund requests and of the queries of refund lists.
import { z } from 'zod';
import { afterQuery } from '../../http/cursor.ts';
import { REFUND_METHODS, REFUND_STATUSES } from '../../../shared/refund.ts';
import { day, decimal, filterText, singleLine, moment, oneOf, pageQuery, uuidText } from '../../http/fields.ts';
import type { Fault } from '../../http/problem.ts';

const words = (max: number) => singleLine(max).nullish();

/**
 * Body of `POST /api/payments/{internalPaymentId}/refunds`. Unknown fields are ignored.
 * The schema returns `amount` as exact decimal text.
 */
export const refundRequest = z.object({
  amount: decimal.nullish().describe('Major units. Default: the whole refundable part'),
  transactionId: uuidText
    .nullish()
    .describe('Which money, where a payment has more than one, and of every QR code and Charging reference'),
  reason: words(200).describe('Why, for your own books and the payer’s statement where the rail shows one'),
  reference: words(64).describe('Your own name of it'),
  method: oneOf(REFUND_METHODS).nullable().describe('manual: you gave it back yourself; absent: through the rail'),
  proof: words(500).describe('manual: what shows it, such as the number of the transfer'),
  refundedOn: day
    .nullish()
    .describe('manual: the day in Luanda on which you returned it, from the day of the payment. Default: today'),
});

export type RefundRequest = z.output<typeof refundRequest>;

/** Checks proof and day: a manual refund requires a proof, and a refund through the rail has neither. */
export function checkRefund(input: unknown): Fault[] {
  const { method, proof, refundedOn } = (input ?? {}) as Record<string, unknown>;
  const isManual = typeof method === 'string' && method.toLowerCase() === 'manual';
  if (isManual && (proof == null || proof === '')) return [{ pointer: '/proof', code: 'required' }];
  if (isManual) return [];
  const sent = [proof != null && '/proof', refundedOn != null && '/refundedOn'].filter((pointer) => pointer !== false);
  return sent.map((pointer) => ({ pointer, code: 'only_manual' as const }));
}

export const refundQuery = z.object({
  ...pageQuery,
  ...afterQuery,
  status: oneOf(REFUND_STATUSES).describe('Only refunds in this status'),
  method: oneOf(REFUND_METHODS).describe('rail or manual'),
  reference: filterText(64).optional().describe('Exactly this reference of yours'),
  from: moment.optional().describe('Created at or after (ISO 8601)'),
  to: moment.optional().describe('Created before (ISO 8601)'),
});
