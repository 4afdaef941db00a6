// The words of notifications: by what is told and by language; `{names}` are filled in.
import type { Language } from '../../shared/language.ts';
import type { NoticeType } from '../events/notified.ts';
import { EN } from './texts-en.ts';
import { FR } from './texts-fr.ts';
import { PT } from './texts-pt.ts';

/** Of a payment it matters whether money came, was taken by a capture, or is only held. */
type PaymentTold = 'payment.late' | 'payment.overpaid' | 'payment.amount_mismatch';
export type NoticeName = NoticeType | `${PaymentTold}.capture` | `${PaymentTold}.hold` | 'payment.stuck.hold';

/** Title and message. */
export type Words = readonly [title: string, message: string];

export type Wording = Record<NoticeName, Words>;

const WORDING: Record<Language, Wording> = { pt: PT, en: EN, fr: FR };

/** Title and message of what is told; of what this version does not know, its type. */
export function tellIn(
  lang: Language,
  told: string,
  values: Record<string, string>,
): { title: string; message: string } {
  const words = Object.hasOwn(WORDING[lang], told) ? WORDING[lang][told as NoticeName] : ([told, told] as const);
  const [title, message] = words.map((text) => text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''));
  return { title: title ?? told, message: message ?? told };
}
