// How any rail is asked and read (docs/rail.md, version 1): one signed request, one whole answer in time and not too large, or a
// reason why there is none; exact digits, short words, money never guessed.
import { z } from 'zod';
import { toReceivedMinor } from '../../shared/money.ts';
import type { Clock } from '../clock.ts';
import { OutgoingError, sendRequest } from '../http/outgoing.ts';
import { signMessage } from '../http/signature.ts';
import type { RailOutcome } from './provider.ts';

export type RailOptions = {
  /** Base address: `/v1/…` follows it. */
  url: string;
  key: string;
  timeoutMs: number;
  clock: Clock;
};

type Question<T> = {
  method: Method;
  /** With its query: both are signed. */
  path: string;
  body?: string;
  timeoutMs?: number;
  maxBytes?: number;
  read(answer: RailAnswer): T;
  /** What it means that no whole answer came. */
  miss(error: OutgoingError): T;
};

/** Far above most answers of a rail; what is larger is none. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** A way to ask one rail; it never throws for what the rail or the network does. */
export function createAsk({ url, key, timeoutMs, clock }: RailOptions) {
  const base = url.replace(/\/+$/, '');
  return async <T>(question: Question<T>): Promise<T> => {
    const { method, path, body = '', read, miss } = question;
    const headers = {
      Accept: 'application/json',
      ...(body && { 'Content-Type': 'application/json' }),
      ...signMessage(key, { method, path, body }, clock.now()),
    };
    const limits = { timeoutMs: question.timeoutMs ?? timeoutMs, maxBytes: question.maxBytes ?? MAX_ANSWER_BYTES };
    const request = { url: base + path, method, headers, body, ...limits, clock };
    try {
      return read(await sendRequest(request));
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      return miss(error);
    }
  };
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** An answer as it came over HTTP. */
export type RailAnswer = { status: number; body: string };

const parseWithSource = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

/**
 * JSON with every number as the text it was written in: ids of 18 digits are beyond a double, and amounts and ids drift
 * between number and string. What is no JSON is null.
 * @param textFields names under which a number stays one, so that nobody takes it for text: it may have lost its first zeros
 */
export function parseExact(text: string, textFields: readonly string[] = []): unknown {
  try {
    return parseWithSource(text, (key, value, context) => {
      if (typeof value !== 'number') return value;
      return textFields.includes(key) ? value : context.source;
    });
  } catch {
    return null;
  }
}

/** An object's fields; none for anything else. */
export function readFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** A word or number of the rail: short and printable, or it is none (it is going into the database and the logs). */
export function readText(value: unknown, maxLength = 64): string | null {
  return typeof value === 'string' && value.length <= maxLength && /^[\x20-\x7e]+$/.test(value) ? value : null;
}

/** A line for people (a place, a bank) in any alphabet, or null when it is empty, long, or not to be shown. */
export function readLine(value: unknown, maxLength = 64): string | null {
  return typeof value === 'string' && value.length <= maxLength && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(value)
    ? value
    : null;
}

/** An ISO 8601 time, or null; without an offset nobody can tell whose clock it is by. */
export function readTime(value: unknown): Date | null {
  const text = readText(value);
  // `Date` would make 2 March of 30 February.
  return text && TIME.safeParse(text).success ? new Date(text) : null;
}

const TIME = z.iso.datetime({ offset: true });

/** Money that the rail took or reserved: its number, and exactly how much. */
type Money = { providerRef: string; amountMinor: number; currency: string };

/** The money of a purchase, hold, capture or scan, or which part of it nobody can read. */
export function readMoney(
  thing: Record<string, unknown>,
): Money | { fault: 'amount_unreadable' | 'transaction_unreadable' } {
  const amount = readText(thing.amount) ?? '';
  const currency = readText(thing.currency) ?? '';
  const taken = /^[A-Z]{3}$/.test(currency) ? toReceivedMinor(amount, currency) : null;
  if (!taken || 'fault' in taken) return { fault: 'amount_unreadable' };
  const providerRef = readText(thing.transactionId);
  if (!providerRef) return { fault: 'transaction_unreadable' };
  return { providerRef, amountMinor: taken.minor, currency };
}

/** The texts among the wanted fields, by our names for them. */
export function pickTexts(thing: Record<string, unknown>, wanted: Record<string, string>): Record<string, string> {
  const found = Object.entries(wanted).map(([ours, theirs]) => [ours, readText(thing[theirs])] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** The `code` of a refusal; null where there is none. */
export function readCode(answer: RailAnswer): string | null {
  return readText(readFields(parseExact(answer.body)).code);
}

/** Why an answer that is not the thing asked for leaves everything open: the details of an unknown outcome. */
export function explainStatus(answer: RailAnswer): Record<string, string> {
  const code = readCode(answer);
  const reason = answer.status >= 400 && answer.status < 500 ? 'rail_refused' : 'rail_error';
  return { reason, httpStatus: String(answer.status), ...(code && { railCode: code }) };
}

/** The rail was not asked, or said nothing. */
export const NOTHING_HEARD: RailOutcome = {
  result: 'unknown',
  failureCode: null,
  providerRef: null,
  amountMinor: null,
  currency: null,
  occurredAt: null,
  details: {},
};
