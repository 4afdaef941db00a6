// What the SMS rail tells us of its own accord: what became of a message, and what somebody answered.
import { z } from 'zod';
import { normalizePhone } from '../../../shared/phone.ts';
import type { SmsNotification, SmsReply } from '../provider.ts';
import { parseExact, readFields, readText } from '../read.ts';
import { readMessage } from './message.ts';

/** Far above ten parts; what is longer is cut, as its first word is what matters. */
const MAX_REPLY = 2_000;

/**
 * A notification's content, or null when it is not for us: another type, or nothing readable. Its signature is checked
 * elsewhere.
 */
export function readSmsNotification(rawBody: string): SmsNotification | null {
  const news = readFields(parseExact(rawBody));
  const notificationId = readText(news.id);
  if (!notificationId) return null;
  if (news.type === 'message_status') {
    const message = readFields(news.message);
    const messageId = readId(message.id);
    return messageId ? { notificationId, about: 'message', messageId, outcome: readMessage(message) } : null;
  }
  const reply = news.type === 'message_reply' ? readReply(readFields(news.reply)) : null;
  return reply && { notificationId, about: 'reply', reply };
}

function readReply({ from, to, text, messageId }: Record<string, unknown>): SmsReply | null {
  const sides = { from: readPhone(from), to: readText(to) };
  if (!sides.from || !sides.to || typeof text !== 'string') return null;
  // Into the database it goes: neither NUL nor half a character may stand in it.
  const shown = text.slice(0, MAX_REPLY).replaceAll('\0', '').toWellFormed();
  return { from: sides.from, to: sides.to, text: shown, messageId: readId(messageId) };
}

/** Messages have our ids, which are UUIDs: any other is another's. */
function readId(value: unknown): string | null {
  return z.uuid().safeParse(value).data ?? null;
}

/** However the rail writes an Angolan number, E.164 is what we know it by; of another country, as it is. */
function readPhone(value: unknown): string | null {
  const phone = readText(value);
  return phone && (normalizePhone(phone) ?? phone);
}
