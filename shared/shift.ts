// The words of shifts: statuses, kinds of cash, and the methods by which a shift's sums are grouped.
import type { PaymentMethod } from './methods.ts';

export const SHIFT_STATUSES = ['open', 'closed'] as const;
export type ShiftStatus = (typeof SHIFT_STATUSES)[number];

/** `sale`: a sale in cash. `in` and `out`: cash that a person puts into the till or takes out. */
export const CASH_KINDS = ['sale', 'in', 'out'] as const;
export type CashKind = (typeof CASH_KINDS)[number];

/** The methods in the sums of a shift. `page`: a payment page, which the payer opened. */
export const SHIFT_METHODS = ['push', 'qrcode', 'reference', 'page', 'capture'] as const;
export type ShiftMethod = (typeof SHIFT_METHODS)[number];

/** The method in a shift's sums, by the payment's method. An authorization takes no money before its capture. */
export const SHIFT_METHOD_OF: Record<PaymentMethod, ShiftMethod> = {
  onetimepurchase: 'push',
  qrcode: 'qrcode',
  reference: 'reference',
  webframe: 'page',
  authorization: 'capture',
  capture: 'capture',
};

/** The currency of a shift's totals and of its cash. */
export const SHIFT_CURRENCY = 'AOA';
