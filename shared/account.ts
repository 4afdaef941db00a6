// What the pages around mailed links are given to show, those that ask for one and those behind it: one shape for the server that fills it and the page that draws it.
import type { Language } from './language.ts';

/** Each is a path below `/account`. */
export const ACCOUNT_PAGES = ['register', 'resend', 'verify-email', 'reset', 'invitation', 'recover'] as const;
export type AccountPage = (typeof ACCOUNT_PAGES)[number];

/** What is typed in; passwords are never shown again. */
export const ACCOUNT_FIELDS = ['email', 'firstName', 'lastName', 'phoneNumber', 'password'] as const;
export type AccountField = (typeof ACCOUNT_FIELDS)[number];

/** A form has things wrong with it by their field and fault code (shared/messages.ts). */
export type AccountView = {
  page: AccountPage;
  lang: Language;
  sandbox: boolean;
  /** `invalid`: the link was used, replaced, has expired, or never was. */
  state: 'form' | 'done' | 'invalid';
  /** Out of the link, for the form to send back. */
  token: string;
  /** Whose link it is. */
  email: string | null;
  /** Names of the merchants whose invitation it is; none on other pages. */
  from: string[];
  typed: Partial<Record<AccountField, string>>;
  wrong: Partial<Record<AccountField, string>>;
};
