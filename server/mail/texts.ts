// What each mail says: a table of texts in each language, filled with values that a stranger may have typed.
import type { Language } from '../../shared/language.ts';
import type { RoleName } from '../../shared/roles.ts';
import { en } from './texts/en.ts';
import { fr } from './texts/fr.ts';
import { pt } from './texts/pt.ts';

/** What each template tells of, as plain text. */
export type MailValues = {
  /** Confirm the address of a new account. */
  verify: { firstName: string; link: string };
  /** Somebody wanted an account where there is one; `link` is where access is recovered. */
  registered: { firstName: string; link: string };
  reset: { firstName: string; link: string };
  passwordChanged: { firstName: string };
  /** Access granted to somebody without an account. */
  invite: { merchant: string; role: RoleName; link: string };
  /** Access granted to somebody with an account; `link` is where they enter. */
  granted: { merchant: string; role: RoleName; link: string };
  mfaEnabled: { firstName: string };
  mfaDisabled: { firstName: string };
  /** `left`: how many codes there still are. */
  recoveryCodeUsed: { firstName: string; left: number };
};

export type MailTemplate = keyof MailValues;

export type NewLetter = { [T in MailTemplate]: { template: T; values: MailValues[T] } }[MailTemplate];

/** A mail before it is drawn: text and HTML are made of the same parts. */
export type Letter = {
  subject: string;
  greeting: string;
  paragraphs: string[];
  /** The one thing to do, if there is one. */
  button?: { label: string; link: string };
  /** Below the button: until when, and what to do otherwise. */
  closing: string[];
};

/** One language's letters. */
export type LetterTexts = { [T in MailTemplate]: (values: MailValues[T]) => Letter };

const TEXTS: Record<Language, LetterTexts> = { pt, en, fr };

/** The letter of a template, in a language. */
export function composeLetter(language: Language, { template, values }: NewLetter): Letter {
  const write = TEXTS[language][template] as (values: object) => Letter;
  const { firstName, merchant } = values as { firstName?: string; merchant?: string };
  return write({
    ...values,
    ...(firstName !== undefined && { firstName: readName(firstName) }),
    ...(merchant !== undefined && { merchant: readMerchant(merchant) }),
  });
}

/**
 * A name for the greeting, or none: whoever registers a stranger's address chooses the name that stranger is called by,
 * and must not be able to write to them through us.
 */
function readName(typed: string): string {
  const name = typed.replace(/\s+/g, ' ').trim();
  return name.length <= 40 && /^[\p{L}\p{M}'’ -]+$/u.test(name) ? name : '';
}

/**
 * On one line, and no part of it read as a link by mail programs: word joiners part what looks like an address, and what
 * would be decoded to one in a subject (RFC 2047).
 */
function readMerchant(typed: string): string {
  const name = typed.replace(/\s+/g, ' ').trim().slice(0, 80);
  return name.replace(/(?<=\S)([./:@])(?=\S)/g, '\u2060$1\u2060').replaceAll('=?', '=\u2060?');
}
