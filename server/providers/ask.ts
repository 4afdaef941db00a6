// How any rail is asked and read (docs/rail.md, version 1): one signed request, one whole answer in time and not too large, or a
// reason why there is none; exact digits, short words, money never guessed.
import { z } from 'zod';
import { toReceivedMinor } from '../../shared/money.ts';
import type { Clock } from '../clock.ts';
import { MAX_VALUES, parseAnswer, parseAnswerList } from '../http/json.ts';
import { OutgoingError, sendRequest, type AnswerHeaders, type Connections } from '../http/client/outgoing.ts';
import { signMessage } from '../http/signature.ts';
import type { QrOutcome, RailOutcome, TerminalOutcome } from './provider.ts';

export { parseAnswer };

export type RailOptions = {
  /** Base address: `/v1/…` follows it. */
  url: string;
  key: string;
  timeoutMs: number;
  clock: Clock;
};

/** Somebody else's rail: how its requests are shown to be ours, and whom they may reach. */
export type AskOptions = Omit<RailOptions, 'key'> & {
  /** Default: anybody, as the operator's own settings name it. */
  connections?: Connections | undefined;
  /** Beside `Content-Type: application/json` and `Accept`, which it may replace. @throws TokenRefused, OutgoingError */
  authorize(request: RailRequest): Record<string, string> | Promise<Record<string, string>>;
  /** After a 401 the request is authorized anew and sent once more: what is not let in has no effect. */
  renewsOn401?: boolean;
};

export type RailRequest = {
  method: Method;
  path: string;
  body: string;
  /** The authorization of the first try was refused: whatever was kept is worth nothing. */
  isRenewal: boolean;
};

/** The rail would not let us in: nothing was asked of it. */
export class TokenRefused extends Error {
  readonly code = 'token_refused';
}

/** Why there is no answer. */
export type Missed = OutgoingError | TokenRefused;

type Question<T> = {
  method: Method;
  /** With its query: both are signed. */
  path: string;
  body?: string;
  headers?: Record<string, string>;
  timeoutMs?: number;
  maxBytes?: number;
  /** Cuts a longer answer at `maxBytes`, instead of refusing it. */
  truncates?: boolean;
  read(answer: RailAnswer): T;
  /** What it means that no whole answer came. */
  miss(error: Missed): T;
};

/** Far above most answers of a rail; what is larger is none. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** The longest answer of a provider: a list. */
export const MAX_LIST_BYTES = 1024 * 1024;

/** A way to ask a rail of our own protocol; it never throws for what the rail or the network does. */
export function createAsk({ key, ...options }: RailOptions) {
  return createAskWith({
    ...options,
    authorize: ({ method, path, body }) => signMessage(key, { method, path, body }, options.clock.outside()),
  });
}

/** A way to ask any rail; likewise. */
export function createAskWith({ url, timeoutMs, clock, connections, authorize, renewsOn401 = false }: AskOptions) {
  const base = url.replace(/\/+$/, '');
  return async <T>(question: Question<T>): Promise<T> => {
    const { method, path, body = '', read, miss } = question;
    const send = async (isRenewal: boolean) => {
      const headers = {
        Accept: 'application/json',
        ...(body && { 'Content-Type': 'application/json' }),
        ...(await authorize({ method, path, body, isRenewal })),
        ...question.headers,
      };
      const limits = {
        timeoutMs: question.timeoutMs ?? timeoutMs,
        maxBytes: question.maxBytes ?? MAX_ANSWER_BYTES,
        truncates: question.truncates ?? false,
      };
      return sendRequest({
        url: base + path,
        method,
        headers,
        body,
        ...limits,
        clock,
        ...(connections && { connections }),
      });
    };
    try {
      const answer = await send(false);
      return read(renewsOn401 && answer.status === 401 ? await send(true) : answer);
    } catch (error) {
      if (!(error instanceof OutgoingError || error instanceof TokenRefused)) throw error;
      return miss(error);
    }
  };
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** An answer as it came over HTTP. */
export type RailAnswer = { status: number; body: string; headers?: AnswerHeaders; isTruncated?: boolean };

/** A list that may be longer than its bounds: then its first entries. Null: the answer is no list. */
export function parseList({ body, isTruncated = false }: RailAnswer): { entries: unknown[]; isCut: boolean } | null {
  return parseAnswerList(body, isTruncated);
}

/** A rail of the operator's own may list all payments of one reference or code: so much, and so many values. */
export const OWN_LISTS = { maxBytes: 8 * 1024 * 1024, maxValues: 8 * MAX_VALUES };

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
  return readText(readFields(parseAnswer(answer.body)).code);
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
  railOrderId: null,
  providerRef: null,
  amountMinor: null,
  currency: null,
  occurredAt: null,
  details: {},
};

/** Likewise of a QR code. */
export const NO_CODE: QrOutcome = {
  result: 'unknown',
  failureCode: null,
  railOrderId: null,
  content: null,
  deeplink: null,
  endsAt: null,
  scans: [],
  details: {},
};

/** Likewise of a terminal. */
export const NO_TERMINAL: TerminalOutcome = {
  result: 'unknown',
  status: null,
  period: null,
  supervisorRequired: null,
  refusal: null,
  details: {},
};

/** Makes outcomes of which only the reason for not knowing is known. */
function explainUnknown<Outcome extends { details: Record<string, string> }>(nothing: Outcome) {
  return (reason: string, details: Record<string, string> = {}): Outcome => {
    return { ...nothing, details: { ...details, reason } };
  };
}

export const makeUnknown = explainUnknown(NOTHING_HEARD);
export const makeUnknownQr = explainUnknown(NO_CODE);
export const makeUnknownTerminal = explainUnknown(NO_TERMINAL);

/** Of a rail without terminals nothing is asked. */
export const TERMINAL_UNSUPPORTED: TerminalOutcome = { ...makeUnknownTerminal('unsupported'), result: 'refused' };
