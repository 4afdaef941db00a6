// The person of an export or erasure: a phone or e-mail address, its spellings in texts, and its digest.
import { z } from 'zod';
import { normalizeEmail } from '../../shared/email.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { fault } from '../http/validate.ts';
import type { Fault } from '../http/problem.ts';
import type { Digest } from '../sms/opt-outs/refusals.ts';
import { ERASED } from './forget.ts';

export const SEALED_FOR = 'erasure subject';

/** The person's phone in E.164, or e-mail address in lower case. */
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

/** Body with a phone or an e-mail address. `checkSubject` requires exactly one of the two. */
export const subjectRequest = z.object({ phone: phone.nullish(), email: email.nullish() });

const isPresent = (input: unknown, name: string) => ((input ?? {}) as Record<string, unknown>)[name] != null;

/** Returns a fault if the body has both phone and e-mail address, or neither. */
export function checkSubject(input: unknown): Fault[] {
  const isOne = isPresent(input, 'phone') !== isPresent(input, 'email');
  return isOne ? [] : [{ pointer: '/phone', code: 'exactly_one', params: { fields: 'phone, email' } }];
}

export function subjectOf({ phone, email }: z.output<typeof subjectRequest>): Subject {
  return phone ? { phone } : { email: email as string };
}

/** Pattern of separators between the digits of a phone number, as people type or URL-encode them. */
const BETWEEN = String.raw`(?:[ \t.()/\u00a0-]|%20|\+){0,2}`;
const COUNTRY = String.raw`(?:(?:\+|%2B|00)?2${BETWEEN}4${BETWEEN}4${BETWEEN})?`;

/** A person as texts may name them: phones, e-mail addresses, and words such as a name. */
export type Persona = { subjects: Subject[]; words: string[] };

/** Returns a regular expression of every spelling, valid in JavaScript and PostgreSQL. Use it without case. */
export function patternOf({ subjects, words }: Persona): string {
  return [...subjects.map(spellingsOf), ...words.map(wordPattern)].join('|');
}

function spellingsOf(subject: Subject): string {
  if ('phone' in subject) {
    const digits = subject.phone.replace('+244', '').split('').join(BETWEEN);
    return `(?<![0-9])${COUNTRY}${digits}(?![0-9])`;
  }
  const [name = '', domain = ''] = subject.email.split('@').map(encodedToo);
  // A match inside a longer e-mail address is another person. A percent-escape before the match is no part of it.
  const before = String.raw`(?:(?<=%[0-9a-f][0-9a-f])|(?<![a-z0-9_.+-]))`;
  return `${before}${name}(?:@|%40)${domain}(?![a-z0-9_-]|\\.[a-z0-9])`;
}

/** Returns a pattern that matches a whole word, literally or percent-encoded. */
function wordPattern(word: string): string {
  return `(?<![a-z0-9])${word.trim().split(/\s+/).map(encodedToo).join('(?:\\s|%20|\\+)+')}(?![a-z0-9])`;
}

/** Returns a pattern that matches each character literally or percent-encoded. Only syntax characters are escaped. */
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

/** Fields about money, whose digits may look like a phone number. Redaction keeps their values. */
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
      // Outside of quotes the phone number is a whole JSON value, so null keeps the JSON valid.
      return isJson && isBare(text, at, at + found.length) ? 'null' : ERASED;
    });
  };
}

/** True if only white space is between the match and the JSON syntax around it. The check copies no text. */
function isBare(text: string, from: number, to: number): boolean {
  let [before, after] = [from - 1, to];
  while (/\s/.test(text.charAt(before))) before--;
  while (/\s/.test(text.charAt(after))) after++;
  return /[[,:]/.test(text.charAt(before)) && /[,\]}]/.test(text.charAt(after));
}

/** Returns the digest of the person that an erasure keeps. The digest cannot be reversed. */
export function hashSubject(digest: Digest, subject: Subject, merchantId: string | null): string {
  return digest(JSON.stringify([merchantId, subject]));
}
