// What the GPO rail tells us of its own accord.
import type { PurchaseNotification } from '../provider.ts';
import { parseExact, readFields, readPurchase, readText } from './translate.ts';

const ATTEMPT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A notification's content, or null when it is not one about a purchase of ours. Its signature is checked elsewhere. */
export function readNotification(rawBody: string): PurchaseNotification | null {
  const message = readFields(parseExact(rawBody));
  const notificationId = readText(message.id);
  const attemptId = readText(readFields(message.purchase).id);
  if (!notificationId || !attemptId || message.type !== 'purchase' || !ATTEMPT_ID.test(attemptId)) return null;
  return { notificationId, attemptId, outcome: readPurchase(message.purchase, attemptId) };
}
