// What the page on which people refuse a merchant's SMS is given to show: one shape for the server that fills it and the page that draws it.
import type { Language } from './language.ts';

export type OptOutView = {
  lang: Language;
  sandbox: boolean;
  /** Whose messages they are. */
  merchant: string;
  /** The last digits of the phone: its owner knows it by them, nobody else learns it. */
  phoneEnd: string;
  isRefused: boolean;
};

/** What the form says that they want. */
export const OPT_OUT_WISHES = ['stop', 'start'] as const;
