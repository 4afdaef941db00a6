// The data of the privacy notice for payers: the server fills it, and the page renders it.
import type { Language } from './language.ts';

export type NoticeView = {
  lang: Language;
  sandbox: boolean;
  /** The merchant that receives the payments. */
  merchant: NoticeParty;
  /** The operator of this gateway. */
  operator: NoticeParty;
  /** Number of days for which a payment keeps its payer's data. */
  keptDays: number;
  /** The merchant's additional text in the notice: plain text with line breaks. Null without such a text. */
  own: { text: string; lang: Language } | null;
};

/** A party of the privacy notice. `contact` is null if the party has not configured one. */
export type NoticeParty = { name: string; contact: string | null };

/** The path of a merchant's privacy notice. */
export function noticePathOf(merchantId: string): string {
  return `/privacidade/${merchantId}`;
}
