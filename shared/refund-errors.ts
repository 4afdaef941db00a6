// Problems about captures, refunds and odd money: a part of the table in errors.ts.
import type { ProblemEntry } from './people-errors.ts';

/** The problems about captures and refunds, by their `code`. */
export const REFUND_PROBLEMS = {
  capture_exceeds_authorization: {
    status: 400,
    title: 'Capture exceeds authorization',
    detail: 'The captured amount must not exceed the authorized amount and must have the same currency.',
  },
  payment_not_paid: {
    status: 409,
    title: 'Payment not paid',
    detail:
      'This payment received no money, so nothing can be refunded. To refund an authorization, refund its capture.',
  },
  nothing_to_refund: {
    status: 409,
    title: 'Nothing left to refund',
    detail:
      'All of this money was refunded, or its refunds are in progress: ' +
      'see GET /api/payments/{internalPaymentId}/refunds.',
  },
  refund_unsupported: {
    status: 409,
    title: 'Refund not possible through the rail',
    detail:
      'The rail account of this payment does not support refunds. ' +
      'Give the money back yourself, by transfer or in cash, and record that: ' +
      '`{ "method": "manual", "proof": "…" }`.',
  },
  refund_in_progress: {
    status: 409,
    title: 'Refund in progress',
    detail:
      'Another refund of this money has no outcome yet, and this rail cannot distinguish two refunds. ' +
      'Repeat when that refund has an outcome.',
  },
  refund_not_cancelable: {
    status: 409,
    title: 'Refund not cancelable',
    detail: 'Only a refund that was surely not sent to the rail can be canceled. This one was sent, or has ended.',
  },
  refund_exceeds: {
    status: 400,
    title: 'Refund exceeds the remaining money',
    detail: 'The amount must not exceed the money that is neither refunded nor in a refund in progress.',
  },
  refund_whole_only: {
    status: 400,
    title: 'Whole refunds only',
    detail:
      'The rail account of this payment refunds only the whole amount. ' +
      'Refund all of it, or give a part back yourself and record that: `{ "method": "manual", "proof": "…" }`.',
  },
  transaction_required: {
    status: 400,
    title: 'Transaction required',
    detail: 'Send `transactionId`, the id of one of the payment’s `transactions`.',
  },
  nothing_to_resolve: {
    status: 409,
    title: 'Nothing to resolve',
    detail: 'This payment needs no attention: its money is as requested, was refunded, or a person has resolved it.',
  },
  cashier_limit: {
    status: 403,
    title: 'Cashier refund limit exceeded',
    detail:
      'A cashier may refund at most `cashierRefundLimit` kwanzas a day, a setting of the merchant. ' +
      'Ask an administrator or the owner.',
  },
} satisfies Record<string, ProblemEntry>;
