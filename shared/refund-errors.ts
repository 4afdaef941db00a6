// Problems of money that is taken or given back later, captures and refunds: a part of the table in errors.ts.
import type { ProblemEntry } from './people-errors.ts';

/** By `code`, as in errors.ts. */
export const REFUND_PROBLEMS = {
  capture_exceeds_authorization: {
    status: 400,
    title: 'Capture exceeds authorization',
    detail: 'The amount to capture must not be above the authorized amount, and in its currency.',
  },
  payment_not_paid: {
    status: 409,
    title: 'Payment not paid',
    detail:
      'No money was received for this payment, so that there is none to give back. Of an authorization, refund its capture.',
  },
  nothing_to_refund: {
    status: 409,
    title: 'Nothing left to refund',
    detail: 'All of this money was given back, or is on its way back: GET /api/payments/{internalPaymentId}/refunds.',
  },
  refund_unsupported: {
    status: 409,
    title: 'Refund not possible through the rail',
    detail:
      'The account that took this money gives none back. Give it back yourself, by transfer or in cash, and record that: `{ "method": "manual", "proof": "…" }`.',
  },
  refund_in_progress: {
    status: 409,
    title: 'Refund in progress',
    detail:
      'The outcome of another refund of this money is not known yet, and this rail cannot tell two apart. Repeat after it.',
  },
  refund_not_cancelable: {
    status: 409,
    title: 'Refund not cancelable',
    detail: 'Only a refund that the rail surely has not got yet can be withdrawn; this one is out, or over.',
  },
  refund_exceeds: {
    status: 400,
    title: 'More than is left',
    detail: 'The amount must not be above what is left of the money: neither given back nor on its way back.',
  },
  refund_whole_only: {
    status: 400,
    title: 'Whole refunds only',
    detail:
      'The account that took this money gives it back whole or not at all. Refund all of it, or give a part back yourself and record that: `{ "method": "manual", "proof": "…" }`.',
  },
  transaction_required: {
    status: 400,
    title: 'Transaction required',
    detail: 'Say whose money is meant: `transactionId`, one of the payment’s `transactions`.',
  },
  cashier_limit: {
    status: 403,
    title: 'Above what a cashier may give back',
    detail:
      'The merchant lets a cashier give back no more than its `cashierRefundLimit` in a day, in kwanzas. Ask an administrator or the owner.',
  },
} satisfies Record<string, ProblemEntry>;
