// The client token of a payment's checkout has the payment's id and an HMAC.
// No column stores it, so a copy of the database opens no checkout, and the gateway can compute it again.
import { idTokenOf, readIdToken } from '../../http/id-token.ts';
import { replay, type Keyed, type StoredAnswer } from '../../http/idempotency.ts';
import type { Answer } from '../../http/problem.ts';
import type { Keyring } from '../../secrets.ts';

const PURPOSE = 'client-token';

/** See http/id-token.ts. */
export function clientTokenOf(keyring: Keyring, paymentId: string): string {
  return idTokenOf(keyring, paymentId, PURPOSE);
}

/** The payment a token is for; null when the token is not ours. */
export function readClientToken(keyring: Keyring, token: string): string | null {
  return readIdToken(keyring, token, PURPOSE);
}

/** Replaces the client tokens in an answer before it is stored, because no column may contain one. */
export function hideTokens(keyring: Keyring, answer: string, paymentIds: string[]): string {
  const hidden = new Map(paymentIds.map((id) => [clientTokenOf(keyring, id), `<clientToken of ${id}>`]));
  return answer.replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, (token) => hidden.get(token) ?? token);
}

/** Puts the client tokens of the answer's own payments back. The id of another payment in a request gets no token. */
export function showTokens(keyring: Keyring, stored: string): string {
  const { internalId, data = [{ internalId }] } = JSON.parse(stored) as Answered;
  const own = new Set(data.map((item) => item.internalId));
  return stored.replace(/<clientToken of ([0-9a-f-]{36})>/g, (hidden, id: string) =>
    own.has(id) ? clientTokenOf(keyring, id) : hidden,
  );
}

/** The first answer to a key again, its client tokens shown. @throws what `replay` throws */
export function replayWithTokens(keyring: Keyring, stored: StoredAnswer, keyed: Keyed): Answer {
  const answer = replay(stored, keyed);
  return { ...answer, body: showTokens(keyring, String(answer.body)) };
}

type Answered = { internalId?: string; data?: { internalId?: string }[] };
