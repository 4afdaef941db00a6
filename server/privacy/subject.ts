// The person of an export or erasure: a phone or e-mail, all its spellings in texts, and its digest.
import { z } from 'zod';
import { normalizeEmail } from '../../shared/email.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { fault } from '../http/validate.ts';
import type { Fault } from '../http/problem.ts';
import type { Digest } from '../sms/opt-outs/refusals.ts';
import { ERASED } from './forget.ts';

export const SEALED_FOR = 'erasure subject';

/** A phone in E.164, or an e-mail in lower case. */
export type Subject = { phone: string } | { email: string };

const phone = z
  .string()
  .max(32)
  .refine((typed) => normalizePhone(typed) !== null, fault('invalid_phone'))
  .transform((typed) => normalizePhone(typed) as string)
  .meta({ description: 'An Angolan mobile number, in any spelling', example: '923 456 789' });

const email = z
  .string()
  .refine((typed) => normalizeEmail(typed) !== null, fault('invalid_email'))
  .transform((typed) => normalizeEmail(typed) as string)
  .meta({ description: 'In any case', example: 'ana@correio.example' });

/** Exactly one of the two (`checkSubject`). */
export const subjectRequest = z.object({ phone: phone.nullish(), email: email.nullish() });

const isPresent = (input: unknown, name: string) => ((input ?? {}) as Record<string, unknown>)[name] != null;

/** Returns a fault if the body has neither or both. */
export function checkSubject(input: unknown): Fault[] {
  const isOne = isPresent(input, 'phone') !== isPresent(input, 'email');
  return isOne ? [] : [{ pointer: '/phone', code: 'exactly_one', params: { fields: 'phone, email' } }];
}

export function subjectOf({ phone, email }: z.output<typeof subjectRequest>): Subject {
  return phone ? { phone } : { email: email as string };
}

/** Characters between the digits of a phone number: separators that people type, and their URL encoding. */
const BETWEEN = String.raw`(?:[ \t.()/\u00a0-]|%20|\+){0,2}`;
const COUNTRY = String.raw`(?:(?:\+|%2B|00)?2${BETWEEN}4${BETWEEN}4${BETWEEN})?`;

/** A person as texts may name them: phones, e-mails, and words such as a name. */
export type Persona = { subjects: Subject[]; words: string[] };

/** Regular expression of every spelling, valid in JavaScript and PostgreSQL. Use it case-insensitively. */
export function patternOf({ subjects, words }: Persona): string {
  return [...subjects.map(spellingsOf), ...words.map(wordPattern)].join('|');
}

function spellingsOf(subject: Subject): string {
  if ('phone' in subject) {
    const digits = subject.phone.replace('+244', '').split('').join(BETWEEN);
    return `(?<![0-9])${COUNTRY}${digits}(?![0-9])`;
  }
  const [name = '', domain = ''] = subject.email.split('@').map(encodedToo);
  // A match inside a longer address is another person. A percent-escape before the match is not part of the address.
  const before = String.raw`(?:(?<=%[0-9a-f][0-9a-f])|(?<![a-z0-9_.+-]))`;
  return `${before}${name}(?:@|%40)${domain}(?![a-z0-9_-]|\\.[a-z0-9])`;
}

/** Matches a whole word, literally or percent-encoded. */
function wordPattern(word: string): string {
  return `(?<![a-z0-9])${word.trim().split(/\s+/).map(encodedToo).join('(?:\\s|%20|\\+)+')}(?![a-z0-9])`;
}

/** Matches each character literally or percent-encoded. Escapes only syntax, as JavaScript requires. */
function encodedToo(text: string): string {
  return [...text]
    .map((sign) => {
      const literal = sign.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      const encoded = encodeURIComponent(sign);
      const escaped = JSON.stringify(sign)
        .slice(1, -1)
        .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      const forms = [...new Set([literal, escaped, ...(encoded === sign ? [] : [encoded])])];
      return forms.length === 1 ? literal : `(?:${forms.join('|')})`;
    })
    .join('');
}

/** Fields about money whose digits may look like a phone number. Redaction keeps their values. */
export const MONEY_FIELDS = [
  'amount',
  'attemptId',
  'clearingPeriod',
  'entity',
  'id',
  'period',
  'posId',
  'providerRef',
  'reference',
  'terminalId',
  'transactionId',
  'transactionNumber',
];
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const MONEY = String.raw`"(?:${MONEY_FIELDS.join('|')})"\s*:\s*(?:"[^"]*"|[0-9.]+)`;

export type Redact = (text: string) => string;

/**
 * Creates a function that replaces every spelling of the person. JSON stays valid JSON.
 * @param keepsMoney true for data from rails, in which fields about money stay
 */
export function redactor(persona: Persona, keepsMoney: boolean): Redact {
  const kept = keepsMoney ? `${ID}|${MONEY}` : ID;
  const spelling = new RegExp(`(${kept})|${patternOf(persona)}`, 'giu');
  return (text) => {
    const isJson = /^\s*[[{]/.test(text);
    return text.replace(spelling, (found: string, isKept: string | undefined, at: number) => {
      if (isKept !== undefined) return found;
      // Outside of quotes the number is a whole JSON value. Null keeps the JSON valid.
      return isJson && isBare(text, at, at + found.length) ? 'null' : ERASED;
    });
  };
}

/** True if only white space separates the match from the syntax around a JSON value. Copies no text. */
function isBare(text: string, from: number, to: number): boolean {
  let [before, after] = [from - 1, to];
  while (/\s/.test(text.charAt(before))) before--;
  while (/\s/.test(text.charAt(after))) after++;
  return /[[,:]/.test(text.charAt(before)) && /[,\]}]/.test(text.charAt(after));
}

/** Digest of the person that an erasure keeps. It cannot be reversed. */
export function hashSubject(digest: Digest, subject: Subject, merchantId: string | null): string {
  return digest(JSON.stringify([merchantId, subject]));
}
