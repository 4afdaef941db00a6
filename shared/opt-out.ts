// The data of the page on which people opt out of a merchant's SMS.
import type { Language } from './language.ts';

export type OptOutView = {
  lang: Language;
  sandbox: boolean;
  /** Name of the merchant that sends the messages. */
  merchant: string;
  /** The last digits of the phone number. Its owner recognizes them, and other people cannot derive the number. */
  phoneEnd: string;
  isRefused: boolean;
};

/** The values of the form's button: opt out, or opt in again. */
export const OPT_OUT_WISHES = ['stop', 'start'] as const;
