// What the PPR rail tells us of its own accord: money paid to a reference.
import type { ReferenceNotification } from '../provider.ts';
import { readText } from '../read.ts';
import { parseAnswer, readPayment } from './payment.ts';

/**
 * A notification's content, or null when it is not for us: another type, nothing readable, or a payment of which money,
 * digits or time cannot be read (the list of payments tells it again). Its signature is checked elsewhere.
 */
export function readReferenceNotification(rawBody: string): ReferenceNotification | null {
  const message = parseAnswer(rawBody);
  const notificationId = readText(message.id);
  const payment = message.type === 'reference_payment' ? readPayment(message.payment) : null;
  return notificationId && payment ? { notificationId, payment } : null;
}
