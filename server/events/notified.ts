// The events that people of a merchant are notified of (decisions §7); the trigger `fan_out` writes the notifications.

/** Money that came late is told as `payment.late`, money that went back late as `refund.late`. */
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
 * And under a condition: a link that sold more than it has, written by the trigger `count_link`; closed by the rail, not by the merchant; a refusal because the account is set up wrong; somebody whose access
 * was revoked and who knows the secrets of clients, which is written by whoever revoked it.
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
