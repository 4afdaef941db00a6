// Calls rails and reads their answers. Each call sends one authorized request with a timeout and a size limit.
// The readers accept only exact amounts and short printable texts, so that a malformed answer never becomes money.
import { z } from 'zod';
import { toReceivedMinor } from '../../shared/money.ts';
import type { Clock } from '../clock.ts';
import { MAX_VALUES, parseAnswer, parseAnswerList } from '../http/json.ts';
import { OutgoingError, sendRequest, type AnswerHeaders, type Connections } from '../http/client/outgoing.ts';
import { signMessage } from '../http/signature.ts';
import type { QrOutcome, RailOutcome, TerminalOutcome } from './provider.ts';

export { parseAnswer };

export type RailOptions = {
  /** `url`: the rail's base URL, to which `/v1/…` is appended. */
  url: string;
  key: string;
  timeoutMs: number;
  clock: Clock;
};

/** Options for calls to a provider's own API: how requests are authorized, and which hosts they may reach. */
export type RailCallOptions = Omit<RailOptions, 'key'> & {
  /** `connections`: absent for any host, since the operator's own settings name the host. */
  connections?: Connections | undefined;
  /** Returns a request's headers, which may replace `Content-Type` and `Accept`. @throws TokenRefused, OutgoingError */
  authorize(request: RequestToAuthorize): Record<string, string> | Promise<Record<string, string>>;
  /** `renewsOn401`: after a 401 the request is authorized and sent once more. A request with a 401 had no effect. */
  renewsOn401?: boolean;
};

export type RequestToAuthorize = {
  method: Method;
  path: string;
  body: string;
  /** `isRenewal`: true for the second try after a 401, which must not use a cached token again. */
  isRenewal: boolean;
};

/** Error of a provider that refused to issue a token. The request itself was not sent. */
export class TokenRefused extends Error {
  readonly code = 'token_refused';
}

/** The reason why a call to a rail has no answer. */
export type CallFailure = OutgoingError | TokenRefused;

type RailCall<T> = {
  method: Method;
  /** `path`: the URL path with its query. The signature covers both. */
  path: string;
  body?: string;
  headers?: Record<string, string>;
  timeoutMs?: number;
  maxBytes?: number;
  /** `truncates`: cuts an answer at `maxBytes` instead of failing the call. */
  truncates?: boolean;
  read(answer: RailAnswer): T;
  /** Translates a call without a complete answer into a result of the caller's type. */
  onFailure(error: CallFailure): T;
};

/** The usual size limit of a rail's answer. A larger answer fails the call. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** The size limit of a provider's list. */
export const MAX_LIST_BYTES = 1024 * 1024;

/** Creates a function that calls a rail of our own protocol. Faults of the rail or the network do not throw. */
export function createSignedCall({ key, ...options }: RailOptions) {
  return createRailCall({
    ...options,
    authorize: ({ method, path, body }) => signMessage(key, { method, path, body }, options.clock.outside()),
  });
}

/** Creates a function that calls a provider's API. Faults of the provider or the network do not throw. */
export function createRailCall({
  url,
  timeoutMs,
  clock,
  connections,
  authorize,
  renewsOn401 = false,
}: RailCallOptions) {
  const base = url.replace(/\/+$/, '');
  return async <T>(request: RailCall<T>): Promise<T> => {
    const { method, path, body = '', read, onFailure } = request;
    const send = async (isRenewal: boolean) => {
      const headers = {
        Accept: 'application/json',
        ...(body && { 'Content-Type': 'application/json' }),
        ...(await authorize({ method, path, body, isRenewal })),
        ...request.headers,
      };
      const limits = {
        timeoutMs: request.timeoutMs ?? timeoutMs,
        maxBytes: request.maxBytes ?? MAX_ANSWER_BYTES,
        truncates: request.truncates ?? false,
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
      return onFailure(error);
    }
  };
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** An HTTP answer of a rail. */
export type RailAnswer = { status: number; body: string; headers?: AnswerHeaders; isTruncated?: boolean };

/** Reads a JSON array, or the first elements of a truncated one. Null if the answer is no array. */
export function parseList({ body, isTruncated = false }: RailAnswer): { entries: unknown[]; isCut: boolean } | null {
  return parseAnswerList(body, isTruncated);
}

/** Limits for rails of our own protocol, whose answer lists all payments of a reference or a QR code. */
export const LONG_LIST_LIMITS = { maxBytes: 8 * 1024 * 1024, maxValues: 8 * MAX_VALUES };

/** Returns the fields of a JSON object, or an empty object for any other value. */
export function readFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns a short printable ASCII text of a rail, or null. Such texts go into the database and the logs. */
export function readText(value: unknown, maxLength = 64): string | null {
  return typeof value === 'string' && value.length <= maxLength && /^[\x20-\x7e]+$/.test(value) ? value : null;
}

/** Returns a short line of a rail in any alphabet (a town, a bank). Null if it is empty, too long or unprintable. */
export function readLine(value: unknown, maxLength = 64): string | null {
  return typeof value === 'string' && value.length <= maxLength && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(value)
    ? value
    : null;
}

/** Returns an ISO 8601 time, or null. A time without an offset is ambiguous and gives null. */
export function readTime(value: unknown): Date | null {
  const text = readText(value);
  // JavaScript's `Date` alone would read 30 February as 2 March.
  return text && TIME.safeParse(text).success ? new Date(text) : null;
}

const TIME = z.iso.datetime({ offset: true });

/** Money that a rail took or reserved: the transaction's id, and the exact amount. */
type Money = { providerRef: string; amountMinor: number; currency: string };

/** Reads the money of an order or a scan. Returns a fault if the amount or the transaction's id is unreadable. */
export function readMoney(
  fields: Record<string, unknown>,
): Money | { fault: 'amount_unreadable' | 'transaction_unreadable' } {
  const amount = readText(fields.amount) ?? '';
  const currency = readText(fields.currency) ?? '';
  const taken = /^[A-Z]{3}$/.test(currency) ? toReceivedMinor(amount, currency) : null;
  if (!taken || 'fault' in taken) return { fault: 'amount_unreadable' };
  const providerRef = readText(fields.transactionId);
  if (!providerRef) return { fault: 'transaction_unreadable' };
  return { providerRef, amountMinor: taken.minor, currency };
}

/** Returns the readable texts among the given fields. `names` maps our name of a field to the rail's name. */
export function pickTexts(fields: Record<string, unknown>, names: Record<string, string>): Record<string, string> {
  const found = Object.entries(names).map(([ours, theirs]) => [ours, readText(fields[theirs])] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Returns the `code` in a rail's refusal, or null. */
export function readCode(answer: RailAnswer): string | null {
  return readText(readFields(parseAnswer(answer.body)).code);
}

/** Returns the details of an unknown outcome for an answer with an unexpected HTTP status. */
export function explainStatus(answer: RailAnswer): Record<string, string> {
  const code = readCode(answer);
  const reason = answer.status >= 400 && answer.status < 500 ? 'rail_refused' : 'rail_error';
  return { reason, httpStatus: String(answer.status), ...(code && { railCode: code }) };
}

/** The outcome of an order about which the rail's answer shows nothing. */
export const UNKNOWN_OUTCOME: RailOutcome = {
  result: 'unknown',
  failureCode: null,
  railOrderId: null,
  providerRef: null,
  amountMinor: null,
  currency: null,
  occurredAt: null,
  details: {},
};

/** The outcome of a QR code about which the rail's answer shows nothing. */
export const UNKNOWN_QR: QrOutcome = {
  result: 'unknown',
  failureCode: null,
  railOrderId: null,
  content: null,
  deeplink: null,
  endsAt: null,
  scans: [],
  details: {},
};

/** The outcome of a terminal about which the rail's answer shows nothing. */
export const UNKNOWN_TERMINAL: TerminalOutcome = {
  result: 'unknown',
  status: null,
  period: null,
  supervisorRequired: null,
  refusal: null,
  details: {},
};

/** Creates a function that adds a `reason` to an unknown outcome. */
function createUnknownFactory<Outcome extends { details: Record<string, string> }>(unknown: Outcome) {
  return (reason: string, details: Record<string, string> = {}): Outcome => {
    return { ...unknown, details: { ...details, reason } };
  };
}

export const makeUnknown = createUnknownFactory(UNKNOWN_OUTCOME);
export const makeUnknownQr = createUnknownFactory(UNKNOWN_QR);
export const makeUnknownTerminal = createUnknownFactory(UNKNOWN_TERMINAL);

/** The outcome for a rail without terminals. No request is sent. */
export const TERMINAL_UNSUPPORTED: TerminalOutcome = { ...makeUnknownTerminal('unsupported'), result: 'refused' };
