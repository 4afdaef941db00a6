// Schemas of refund requests and of the queries of refund lists.
import { z } from 'zod';
import { afterQuery } from '../../http/cursor.ts';
import { REFUND_METHODS, REFUND_STATUSES } from '../../../shared/refund.ts';
import { decimal, filterText, singleLine, moment, oneOf, pageQuery, UUID } from '../../http/fields.ts';
import type { Fault } from '../../http/problem.ts';

const words = (max: number) => singleLine(max).nullish();

/**
 * Body of `POST /api/payments/{internalPaymentId}/refunds`. Unknown fields are ignored.
 * The schema returns `amount` as exact decimal text.
 */
export const refundRequest = z.object({
  amount: decimal.nullish().describe('Major units. Default: the whole refundable part'),
  transactionId: z
    .string()
    .regex(UUID)
    .nullish()
    .describe('Which money, where a payment has more than one, and of every QR code and Charging reference'),
  reason: words(200).describe('Why, for your own books and the payer’s statement where the rail shows one'),
  reference: words(64).describe('Your own name of it'),
  method: oneOf(REFUND_METHODS).nullable().describe('manual: you gave it back yourself; absent: through the rail'),
  proof: words(500).describe('manual: what shows it, such as the number of the transfer'),
});

export type RefundRequest = z.output<typeof refundRequest>;

/** Checks the proof: a manual refund requires one, and a refund through the rail must not have one. */
export function checkRefund(input: unknown): Fault[] {
  const { method, proof } = (input ?? {}) as Record<string, unknown>;
  const isManual = typeof method === 'string' && method.toLowerCase() === 'manual';
  if (isManual && (proof == null || proof === '')) return [{ pointer: '/proof', code: 'required' }];
  return !isManual && proof != null ? [{ pointer: '/proof', code: 'only_manual' }] : [];
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
