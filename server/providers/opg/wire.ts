// One account's way to its OPG host: its token, its own base address and no other, and what an answer without the thing means.
import { createAskWith, explainStatus, readText, type Missed, type RailAnswer } from '../ask.ts';
import type { RailOutcome } from '../provider.ts';
import { baseUrlOf, type OpgAccount } from './settings.ts';

/** An answer, whatever its status, or why there is none. */
export type OpgHeard = RailAnswer | Missed;

export type OpgWire = {
  get(path: string): Promise<OpgHeard>;
  /** @param key goes out as the `Idempotency-Key` */
  post(path: string, key: string, body: object, timeoutMs?: number): Promise<OpgHeard>;
};

/** Opens the way; every request is sent once. */
export function createOpgWire(account: OpgAccount): OpgWire {
  const { secrets, timeoutMs, clock, connections } = account;
  const authorize = () => ({ Authorization: `Bearer ${secrets.token}` });
  const ask = createAskWith({ url: baseUrlOf(account), timeoutMs, clock, connections, authorize });
  const read = (answer: RailAnswer): OpgHeard => answer;
  const miss = (error: Missed): OpgHeard => error;
  return {
    get: (path) => ask({ method: 'GET', path, read, miss }),
    post: (path, key, body, limitMs = timeoutMs) => {
      const headers = { 'Idempotency-Key': key };
      return ask({ method: 'POST', path, headers, body: JSON.stringify(body), timeoutMs: limitMs, read, miss });
    },
  };
}

/** Whether the rail answered, and said yes. */
export function isSuccess(heard: OpgHeard): heard is RailAnswer {
  return 'status' in heard && heard.status >= 200 && heard.status < 300;
}

/** Why what was heard leaves everything open: the details of an unknown outcome. */
export function explainHeard(heard: OpgHeard): Record<string, string> {
  if (!('status' in heard)) return { reason: heard.code, error: heard.message };
  return { ...explainStatus(heard), ...(isTokenRefused(heard) && { reason: 'token_refused' }) };
}

/** What a POST that did not succeed came to: a refused token asked for nothing, of anything else nobody can tell. */
export function judgePost(heard: OpgHeard): Pick<RailOutcome, 'failureCode' | 'details'> & {
  result: 'declined' | 'unknown';
} {
  const details = explainHeard(heard);
  return isTokenRefused(heard)
    ? { result: 'declined', failureCode: 'acquirer_setup', details }
    : { result: 'unknown', failureCode: null, details };
}

/** What these rails cannot do is never asked of them. */
export const UNSUPPORTED = {
  result: 'declined',
  failureCode: 'acquirer_setup',
  details: { reason: 'unsupported' },
} as const;

function isTokenRefused(heard: OpgHeard): boolean {
  return 'status' in heard && (heard.status === 401 || heard.status === 403);
}

/** An id of the rail that can stand in a path as one segment of it, or null. */
export function readId(value: unknown): string | null {
  const id = readText(value);
  return id && /^(?!\.+$)[\w.~:-]+$/.test(id) ? id : null;
}

/** The id that a Location ends with, of this collection. Its host and the rest of it are nobody's business. */
export function readLocation({ headers }: RailAnswer, collection: 'requests' | 'transactions'): string | null {
  const [id, name] = (headers?.location ?? '').split('/').reverse();
  return name === collection ? readId(id) : null;
}
