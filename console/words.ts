// The console's texts, and its format of money and times. Times are in Luanda's time zone everywhere.
import type { Language } from '../shared/language.ts';
import { showMoment } from '../shared/luanda.ts';
import { readMajor, showMoney, toReceivedMinor } from '../shared/money.ts';
import { accountTexts } from './text/account.ts';
import { articlesTexts } from './text/articles.ts';
import { auditTexts } from './text/audit.ts';
import { booksTexts } from './text/books.ts';
import { booksImportTexts } from './text/books-import.ts';
import { movementsTexts } from './text/movements.ts';
import { referencesTexts } from './text/references.ts';
import { chargeTexts } from './text/charge.ts';
import { noticesTexts } from './text/notices.ts';
import { officeTexts } from './text/office.ts';
import { railsTexts } from './text/rails.ts';
import { receiptTexts } from './text/receipt.ts';
import { shellTexts } from './text/shell.ts';
import { shareTexts } from './text/share.ts';
import { settingsTexts } from './text/settings.ts';
import { teamTexts } from './text/team.ts';
import { developersTexts } from './text/developers.ts';
import { errorsTexts } from './text/errors.ts';
import { signInTexts } from './text/sign-in.ts';
import { frameTexts } from './text/frame.ts';
import { linksTexts } from './text/links.ts';
import { paymentTexts } from './text/payment.ts';
import { paymentsTexts } from './text/payments.ts';
import { searchTexts } from './text/search.ts';
import { shiftsTexts } from './text/shifts.ts';
import { smsTexts } from './text/sms.ts';
import { smsPeopleTexts } from './text/sms-people.ts';
import { smsSendTexts } from './text/sms-send.ts';
import { startTexts } from './text/start.ts';
import { todayTexts } from './text/today.ts';
import { wordpressTexts } from './text/wordpress.ts';

/** The groups of texts, one file per group of screens. Keys are unique across the groups. */
export const TEXT_GROUPS = [
  frameTexts,
  signInTexts,
  accountTexts,
  startTexts,
  todayTexts,
  chargeTexts,
  shiftsTexts,
  shellTexts,
  paymentsTexts,
  paymentTexts,
  linksTexts,
  shareTexts,
  receiptTexts,
  referencesTexts,
  booksTexts,
  booksImportTexts,
  movementsTexts,
  searchTexts,
  smsTexts,
  smsSendTexts,
  smsPeopleTexts,
  developersTexts,
  wordpressTexts,
  errorsTexts,
  teamTexts,
  settingsTexts,
  articlesTexts,
  railsTexts,
  noticesTexts,
  officeTexts,
  auditTexts,
] as const;

type KeyOf<Group> = Group extends { pt: infer Texts } ? keyof Texts & string : never;
export type ConsoleTextKey = KeyOf<(typeof TEXT_GROUPS)[number]>;
export type ConsoleTexts = Record<ConsoleTextKey, string>;

const gather = (lang: Language) => Object.assign({}, ...TEXT_GROUPS.map((group) => group[lang])) as ConsoleTexts;

export const TEXTS: Record<Language, ConsoleTexts> = { pt: gather('pt'), en: gather('en'), fr: gather('fr') };

/** Finds a text by a composed key. Null if the key does not exist. */
export function findText(texts: ConsoleTexts, name: string): string | null {
  return Object.hasOwn(texts, name) ? texts[name as ConsoleTextKey] : null;
}

/** Fills in the placeholders (`{names}`) of a text. A placeholder inside a value is not filled in. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : all));
}

/** Keeps a phone number on one line of a button. */
export const unbroken = (text: string): string => text.replaceAll(' ', '\u00a0');

/**
 * Formats an amount of the API (major units). A sum may exceed the limit of one payment.
 * A negative amount is refunded money.
 */
export function money(amount: number, currency: string): string {
  const read = toReceivedMinor(String(Math.abs(amount)), currency);
  if (!('minor' in read)) return `${amount} ${currency}`;
  return `${amount < 0 ? '−' : ''}${showMoney(read.minor, currency)}`;
}

/**
 * Reads a typed amount for the API. Null for an empty field.
 * An unreadable amount is sent as typed, so that the API reports its fault together with the other faults.
 */
export const typedAmount = (typed = '') => (typed.trim() ? (readMajor(typed) ?? typed) : null);

/** Formats a number as `12 345`, with no-break spaces like amounts. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, '\u00a0');

/** Formats an amount as a person types it: `1500,5`. Empty for null. */
export function writeMajor(amount: number | null | undefined): string {
  return amount == null ? '' : String(amount).replace('.', ',');
}

/** Returns the path with those query parameters that have a value. */
export function addressOf(path: string, query: Record<string, string | undefined>): string {
  const kept = new URLSearchParams(Object.entries(query).filter((each): each is [string, string] => !!each[1]));
  return kept.size > 0 ? `${path}?${kept}` : path;
}

/** Formats the day of a time as `30/11/2026`. The hour is `09:05`. */
export const dayOf = (at: string) => showMoment(new Date(at)).slice(0, 10);
export const hourOf = (at: string) => showMoment(new Date(at)).slice(11, 16);
export const whenOf = (at: string) => `${dayOf(at)} ${hourOf(at)}`;

/** Formats the end of a period. The last minute of a day is written as the day alone. */
export const untilOf = (at: string) => (hourOf(at) === '23:59' ? dayOf(at) : whenOf(at));
