// The data of the account pages: the server fills it, and the page renders it.
// Some of these pages request a mail with a link. The other pages open from such a link.
import type { Language } from './language.ts';

/** The account pages. Each name is a path below `/account`. */
export const ACCOUNT_PAGES = ['register', 'resend', 'verify-email', 'reset', 'invitation', 'recover'] as const;
export type AccountPage = (typeof ACCOUNT_PAGES)[number];

/** The fields of the account forms. A form that is shown again after an error leaves the password empty. */
export const ACCOUNT_FIELDS = ['email', 'firstName', 'lastName', 'phoneNumber', 'password'] as const;
export type AccountField = (typeof ACCOUNT_FIELDS)[number];

/** The data of one account page. `wrong` maps each refused field to its fault code (shared/messages.ts). */
export type AccountView = {
  page: AccountPage;
  lang: Language;
  sandbox: boolean;
  /** `invalid`: the link was used, was replaced by a newer one, has expired, or does not exist. */
  state: 'form' | 'done' | 'invalid';
  /** The token from the mailed link. The form sends it back. */
  token: string;
  /** The e-mail address that the link was sent to. */
  email: string | null;
  /** The name of the person whom this browser registered. Null: the page asks for a password. */
  registrant: string | null;
  /** The names of the merchants that invite the person. Empty on pages other than the invitation. */
  from: string[];
  typed: Partial<Record<AccountField, string>>;
  wrong: Partial<Record<AccountField, string>>;
  /** The URL of the script that shows a typed password. Null if it was not built. */
  script: string | null;
};
