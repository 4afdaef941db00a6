// The events that notify people of the merchant. The trigger function `fan_out_events` writes the notifications.
// The other types of shared/notices.ts need a condition, or a change of access that names its actor.
import type { NoticeType } from '../../shared/notices.ts';

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
  'settlement.difference',
] as const satisfies readonly NoticeType[];
