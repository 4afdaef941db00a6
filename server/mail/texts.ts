// The texts of all mails in each language. Their values are checked, because an attacker may have typed them.
import type { Language } from '../../shared/language.ts';
import type { Receipt, ReceiptLine } from '../../shared/receipt.ts';
import type { RoleName } from '../../shared/roles.ts';
import { en } from './texts/en.ts';
import { fr } from './texts/fr.ts';
import { pt } from './texts/pt.ts';

/** The values of each mail template, as plain text. */
export type MailValues = {
  /** `verify`: asks the owner of a new account to confirm the e-mail address. */
  verify: { firstName: string; link: string };
  /** `registered`: a registration with the e-mail address of an existing account. `link` leads to the recovery. */
  registered: { firstName: string; link: string };
  reset: { firstName: string; link: string };
  passwordChanged: { firstName: string };
  /** `invite`: access for a person without an account. */
  invite: { merchant: string; role: RoleName; link: string };
  /** `granted`: access for a person with an account. `link` leads to the sign-in. */
  granted: { merchant: string; role: RoleName; link: string };
  mfaEnabled: { firstName: string };
  mfaDisabled: { firstName: string };
  /** `left`: the number of unused recovery codes. */
  recoveryCodeUsed: { firstName: string; left: number };
  /** `notices`: notifications of one type. `more`: those that the mail does not contain. */
  notices: {
    merchant: string;
    title: string;
    messages: string[];
    more: number;
    link: string;
    settingsLink: string;
  };
  /** `receipt`: a payment's receipt in the language of the mail. The recipient is a customer. */
  receipt: { receipt: Receipt };
};

export type MailTemplate = keyof MailValues;

export type NewLetter = { [T in MailTemplate]: { template: T; values: MailValues[T] } }[MailTemplate];

/** A mail before it is formatted. Its plain text and its HTML have the same parts. */
export type Letter = {
  subject: string;
  greeting: string;
  paragraphs: string[];
  /** `rows`: labels with their values, below the paragraphs. */
  rows?: { lines: ReceiptLine[]; colon: string };
  /** `button`: the button of the mail, if it has one. */
  button?: { label: string; link: string };
  /** `closing`: the text below the button, with the deadline and advice for other cases. */
  closing: string[];
  /** `settings`: where the person chooses which mails they get. */
  settings?: { text: string; link: string };
};

/** The mails of one language, by template. */
export type LetterTexts = { [T in MailTemplate]: (values: MailValues[T]) => Letter };

const TEXTS: Record<Language, LetterTexts> = { pt, en, fr };

/** Composes the mail of a template in a language. */
export function composeLetter(language: Language, { template, values }: NewLetter): Letter {
  const write = TEXTS[language][template] as (values: object) => Letter;
  const { firstName, merchant, receipt } = values as { firstName?: string; merchant?: string; receipt?: Receipt };
  return write({
    ...values,
    ...(firstName !== undefined && { firstName: readName(firstName) }),
    ...(merchant !== undefined && { merchant: readMerchant(merchant) }),
    ...(receipt && { receipt: readReceipt(receipt) }),
  });
}

/**
 * Returns the name for the greeting, or an empty string for a name that may carry a message.
 * An attacker can register another person's e-mail address with any text as the name.
 */
function readName(typed: string): string {
  const name = typed.replace(/\s+/g, ' ').trim();
  return name.length <= 40 && /^[\p{L}\p{M}'’ -]+$/u.test(name) ? name : '';
}

/**
 * Returns the merchant's name on one line, without text that mail programs convert to links.
 * Word joiners split texts that look like URLs, also those that a subject would decode to one (RFC 2047).
 */
function readMerchant(typed: string): string {
  const name = typed.replace(/\s+/g, ' ').trim().slice(0, 80);
  return name.replace(/(?<=\S)([./:@])(?=\S)/g, '\u2060$1\u2060').replaceAll('=?', '=\u2060?');
}

/** Returns the receipt without text that mail programs convert to links. Times and dates stay as they are. */
function readReceipt({ shop, lines, ...receipt }: Receipt): Receipt {
  const read = (typed: string) =>
    typed
      .replace(/\s+/g, (space) => (space === '\u00a0' ? space : ' '))
      .replace(/(?<=\S)(?!(?<=\d)[/:]\d)([./:@])(?=\S)/g, '\u2060$1\u2060')
      .replaceAll('=?', '=\u2060?');
  return {
    ...receipt,
    shop: readMerchant(shop),
    lines: lines.map(({ label, value }) => ({ label, value: read(value) })),
  };
}
