// What the payers' notice is given to show: one shape for the server that fills it and the page that draws it.
import type { Language } from './language.ts';

export type NoticeView = {
  lang: Language;
  sandbox: boolean;
  /** Who is paid, and who runs this gateway for them; each with how they are reached, where they say so. */
  merchant: NoticeParty;
  operator: NoticeParty;
  /** For how many days data are kept with their payment. */
  keptDays: number;
  /** What the merchant adds in its own words: plain text, its lines kept. */
  own: { text: string; lang: Language } | null;
};

export type NoticeParty = { name: string; contact: string | null };

/** The page's path: the same for every payer of a merchant. */
export function noticePathOf(merchantId: string): string {
  return `/privacidade/${merchantId}`;
}
