// Calls an OPG account's host with the access token, and reads answers that contain no transaction.
import { createRailCall, explainStatus, readText, type CallFailure, type RailAnswer } from '../rail-call.ts';
import type { RailOutcome } from '../provider.ts';
import { baseUrlOf, type OpgAccount } from './settings.ts';

/** A rail's answer with any HTTP status, or the failure of the call. */
export type OpgResponse = RailAnswer | CallFailure;

export type OpgWire = {
  get(path: string): Promise<OpgResponse>;
  /** Sends a POST. @param key the `Idempotency-Key` */
  post(path: string, key: string, body: object, timeoutMs?: number): Promise<OpgResponse>;
};

/** Creates the functions that call an OPG host. They send every request once. */
export function createOpgWire(account: OpgAccount): OpgWire {
  const { secrets, timeoutMs, clock, connections } = account;
  const authorize = () => ({ Authorization: `Bearer ${secrets.token}` });
  const call = createRailCall({ url: baseUrlOf(account), timeoutMs, clock, connections, authorize });
  const read = (answer: RailAnswer): OpgResponse => answer;
  const onFailure = (error: CallFailure): OpgResponse => error;
  return {
    get: (path) => call({ method: 'GET', path, read, onFailure }),
    post: (path, key, body, limitMs = timeoutMs) => {
      const headers = { 'Idempotency-Key': key };
      return call({ method: 'POST', path, headers, body: JSON.stringify(body), timeoutMs: limitMs, read, onFailure });
    },
  };
}

/** True for a rail's answer with a status 2xx. */
export function isSuccess(response: OpgResponse): response is RailAnswer {
  return 'status' in response && response.status >= 200 && response.status < 300;
}

/** Returns the details of an unknown outcome from the rail's answer. */
export function explainResponse(response: OpgResponse): Record<string, string> {
  if (!('status' in response)) return { reason: response.code, error: response.message };
  return { ...explainStatus(response), ...(isTokenRefused(response) && { reason: 'token_refused' }) };
}

/** Judges a failed POST. A rail that refused the token executed nothing. After other failures it may have. */
export function judgePost(response: OpgResponse): Pick<RailOutcome, 'failureCode' | 'details'> & {
  result: 'declined' | 'unknown';
} {
  const details = explainResponse(response);
  return isTokenRefused(response)
    ? { result: 'declined', failureCode: 'acquirer_setup', details }
    : { result: 'unknown', failureCode: null, details };
}

/** The outcome of an order that OPG rails do not support. No request is sent. */
export const UNSUPPORTED = {
  result: 'declined',
  failureCode: 'acquirer_setup',
  details: { reason: 'unsupported' },
} as const;

function isTokenRefused(response: OpgResponse): boolean {
  return 'status' in response && (response.status === 401 || response.status === 403);
}

/** Reads an id of the rail. Null if the id is not safe as one segment of a URL path. */
export function readId(value: unknown): string | null {
  const id = readText(value);
  return id && /^(?!\.+$)[\w.~:-]+$/.test(id) ? id : null;
}

/** Reads the id at the end of a Location header. The rest is ignored, so that no answer can redirect our calls. */
export function readLocation({ headers }: RailAnswer, collection: 'requests' | 'transactions'): string | null {
  const [id, name] = (headers?.location ?? '').split('/').reverse();
  return name === collection ? readId(id) : null;
}
