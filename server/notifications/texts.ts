// The texts of notifications by type and language. Values replace `{names}`.
import type { Language } from '../../shared/language.ts';
import type { NoticeType } from '../events/notified.ts';
import { EN } from './texts-en.ts';
import { FR } from './texts-fr.ts';
import { PT } from './texts-pt.ts';

/** Notifications about a payment have different texts for received money, a capture and an authorization. */
type PaymentNotice = 'payment.late' | 'payment.overpaid' | 'payment.amount_mismatch';
export type NoticeName = NoticeType | `${PaymentNotice}.capture` | `${PaymentNotice}.hold` | 'payment.stuck.hold';

/** The title and the message of a notification. */
export type Words = readonly [title: string, message: string];

export type Wording = Record<NoticeName, Words>;

const WORDING: Record<Language, Wording> = { pt: PT, en: EN, fr: FR };

/** Returns the title and message of a notification. A type that this release does not know is shown as its name. */
export function composeNotice(
  lang: Language,
  type: string,
  values: Record<string, string>,
): { title: string; message: string } {
  const words = Object.hasOwn(WORDING[lang], type) ? WORDING[lang][type as NoticeName] : ([type, type] as const);
  const [title, message] = words.map((text) => text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''));
  return { title: title ?? type, message: message ?? type };
}
