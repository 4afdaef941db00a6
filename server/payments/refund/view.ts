// The API views of a refund, and of the refunds in a payment.
import { z } from 'zod';
import { toMajor } from '../../../shared/money.ts';
import { REFUND_METHODS, REFUND_STATUSES } from '../../../shared/refund.ts';
import { FAILURE_CODES } from '../../../shared/status.ts';
import { time } from '../core/view.ts';
import type { Refund } from './entities.ts';
import { requesterOf } from './states.ts';

export function viewRefund(refund: Refund) {
  const { id, paymentId, transactionId, amountMinor, currency, status, method, late, createdAt, details } = refund;
  return {
    id,
    paymentId,
    transactionId,
    amount: toMajor(amountMinor, currency),
    currency,
    status,
    method,
    reason: refund.reason ?? null,
    reference: refund.reference ?? null,
    proof: refund.proof ?? null,
    refundedOn: refund.refundedOn ?? null,
    failureCode: refund.failureCode ?? null,
    late,
    transactionNumber: details['transactionNumber'] ?? null,
    clearingPeriod: details['clearingPeriod'] ?? null,
    createdAt,
    ...requesterOf(refund),
    shiftId: refund.shiftId ?? null,
    completedAt: refund.completedAt ?? null,
  };
}

export const refundAnswer = z
  .object({
    id: z.uuid(),
    paymentId: z.uuid().describe('The payment that has the money; of an authorization its capture'),
    transactionId: z.uuid(),
    amount: z.number().describe('Major units'),
    currency: z.string(),
    status: z.enum(REFUND_STATUSES),
    method: z.enum(REFUND_METHODS).describe('manual: given back outside the rail, and recorded'),
    reason: z.string().nullable(),
    reference: z.string().nullable().describe('Your own name of it'),
    proof: z.string().nullable().describe('manual: what shows that it was given back'),
    refundedOn: z.iso.date().nullable().describe('manual: the day in Luanda on which it was given back'),
    failureCode: z.enum(FAILURE_CODES).nullable(),
    late: z.boolean().describe('The rail gave it back after it had failed or was canceled here'),
    transactionNumber: z.string().nullable(),
    clearingPeriod: z.string().nullable(),
    createdAt: time,
    createdBy: z.uuid().nullable().describe('The person who requested it. Null for API clients'),
    createdByClient: z.string().nullable().describe('The API client that requested it. Null for people'),
    shiftId: z.uuid().nullable().describe('The person’s open shift at the request'),
    completedAt: time.nullable(),
  })
  .meta({ id: 'Refund' });
