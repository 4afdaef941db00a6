// The client token of a payment's checkout: its id and an HMAC, kept in no column, so that it can always be shown again.
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

/** An answer to be stored: the client token is kept in no column (decisions §3), so not in a stored answer either. */
export function hideToken(answer: string, paymentId: string, clientToken: string): string {
  return answer.replaceAll(clientToken, hiddenToken(paymentId));
}

/** The same for several payments, in one pass. */
export function hideTokens(keyring: Keyring, answer: string, paymentIds: string[]): string {
  const hidden = new Map(paymentIds.map((id) => [clientTokenOf(keyring, id), hiddenToken(id)]));
  return answer.replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, (token) => hidden.get(token) ?? token);
}

function hiddenToken(paymentId: string): string {
  return `<clientToken of ${paymentId}>`;
}

/**
 * A stored answer as it was given: a payment, or `data` of several. Only tokens of its own payments are shown: whoever
 * wrote another payment's id into a request gets nothing for it.
 */
export function showTokens(keyring: Keyring, stored: string): string {
  const { internalId, data = [{ internalId }] } = JSON.parse(stored) as Answered;
  const own = new Set(data.map((item) => item.internalId));
  return stored.replace(/<clientToken of ([0-9a-f-]{36})>/g, (hidden, id: string) =>
    own.has(id) ? clientTokenOf(keyring, id) : hidden,
  );
}

/** The first answer to a key again, its client tokens shown. @throws what `replay` throws */
export function replayShown(keyring: Keyring, stored: StoredAnswer, keyed: Keyed): Answer {
  const answer = replay(stored, keyed);
  return { ...answer, body: showTokens(keyring, String(answer.body)) };
}

type Answered = { internalId?: string; data?: { internalId?: string }[] };
