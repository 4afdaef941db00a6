// The texts of notifications by type and language. Values replace `{names}`.
import type { Language } from '../../shared/language.ts';
import type { NoticeType } from '../../shared/notices.ts';
import { EN } from './texts-en.ts';
import { FR } from './texts-fr.ts';
import { PT } from './texts-pt.ts';

/** Notifications about a payment have different texts for received money, a capture and an authorization. */
type PaymentNotice = 'payment.late' | 'payment.overpaid' | 'payment.amount_mismatch';
/** The reader's own changes have a neutral text. */
type OwnNotice = Extract<NoticeType, `access.${string}` | `client.${string}` | `rail_account.${string}`>;
export type NoticeName =
  | NoticeType
  | `${PaymentNotice}.capture`
  | `${PaymentNotice}.hold`
  | 'payment.stuck.hold'
  | `${Exclude<OwnNotice, 'access.clients_left'>}.own`;

/** The title and the message of a notification. */
export type Words = readonly [title: string, message: string];

export type Wording = Record<NoticeName, Words>;

const WORDING: Record<Language, Wording> = { pt: PT, en: EN, fr: FR };

/** The actors without a name of their own, and API clients, at the begin of a sentence. */
export const ACTOR_NAMES: Record<Language, { user: string; client: string; operator: string; system: string }> = {
  pt: { user: 'Alguém da loja', client: 'O sistema «{name}»', operator: 'O operador', system: 'O Balcão' },
  en: { user: 'Somebody in the shop', client: 'The system “{name}”', operator: 'The operator', system: 'Balcão' },
  fr: {
    user: 'Quelqu’un de la boutique',
    client: 'Le système «\u00a0{name}\u00a0»',
    operator: 'L’opérateur',
    system: 'Balcão',
  },
};

export const hasNotice = (name: string): name is NoticeName => Object.hasOwn(PT, name);

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
