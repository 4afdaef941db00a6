// The events that notify people of the merchant. The trigger function `fan_out_events` writes the notifications.

/** The event types that always create a notification, which has the same type. */
export const NOTIFIED_EVENTS = [
  'callback.endpoint_failing',
  'callback.endpoint_recovered',
  'callback.abandoned',
  'webhook.endpoint_failing',
  'webhook.endpoint_recovered',
  'payment.overpaid',
  'payment.amount_mismatch',
  'payment.stuck',
  'refund.failed',
  'refund.stuck',
  'refund.excess',
  'reference.unknown_paid',
  'terminal.stuck',
  'sms.balance_low',
  'invoice.issued',
  'access.granted',
  'access.changed',
  'client.created',
  'settlement.difference',
] as const;

/**
 * The types of notifications. The following types need a condition:
 * - `payment.late`, `refund.late`: money arrived, or was refunded, after the payment or refund had ended.
 * - `payment.acquirer_setup`: the rail refused a payment because the rail account is set up wrong.
 * - `terminal.closed`: the rail closed the terminal, not the merchant.
 * - `link.oversold`: a payment link sold more than its stock. The trigger function `count_link` writes it.
 * - `access.clients_left`: a person lost access but still knows secrets of API clients.
 */
export type NoticeType =
  | (typeof NOTIFIED_EVENTS)[number]
  | 'payment.late'
  | 'payment.acquirer_setup'
  | 'refund.late'
  | 'terminal.closed'
  | 'link.oversold'
  | 'rail.feed_paused'
  | 'access.clients_left';
