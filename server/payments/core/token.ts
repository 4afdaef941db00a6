// The client token of a payment's checkout consists of the payment's id and an HMAC.
// No column stores the token, so a copy of the database opens no checkout. The gateway can compute it again.
import { idTokenOf, readIdToken } from '../../http/id-token.ts';
import { replay, type Keyed, type StoredAnswer } from '../../http/idempotency.ts';
import type { Answer } from '../../http/problem.ts';
import type { Keyring } from '../../secrets.ts';

const PURPOSE = 'client-token';

/** Computes the client token of a payment (see http/id-token.ts). */
export function clientTokenOf(keyring: Keyring, paymentId: string): string {
  return idTokenOf(keyring, paymentId, PURPOSE);
}

/** Returns the id of the payment that a client token names. Null if the gateway did not issue the token. */
export function readClientToken(keyring: Keyring, token: string): string | null {
  return readIdToken(keyring, token, PURPOSE);
}

/** Replaces the client tokens in a response before the response is stored, because no column may contain a token. */
export function hideTokens(keyring: Keyring, answer: string, paymentIds: string[]): string {
  const hidden = new Map(paymentIds.map((id) => [clientTokenOf(keyring, id), `<clientToken of ${id}>`]));
  return answer.replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, (token) => hidden.get(token) ?? token);
}

/** Restores the client tokens of a stored response, only for the response's own payments. */
export function showTokens(keyring: Keyring, stored: string): string {
  const { internalId, data = [{ internalId }] } = JSON.parse(stored) as Answered;
  const own = new Set(data.map((item) => item.internalId));
  return stored.replace(/<clientToken of ([0-9a-f-]{36})>/g, (hidden, id: string) =>
    own.has(id) ? clientTokenOf(keyring, id) : hidden,
  );
}

/** Replays the stored response of a key, with its client tokens. @throws the problems of `replay` */
export function replayWithTokens(keyring: Keyring, stored: StoredAnswer, keyed: Keyed): Answer {
  const answer = replay(stored, keyed);
  return { ...answer, body: showTokens(keyring, String(answer.body)) };
}

type Answered = { internalId?: string; data?: { internalId?: string }[] };
