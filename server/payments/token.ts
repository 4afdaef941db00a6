// The client token of a payment's checkout: its id and an HMAC, kept in no column, so that it can always be shown again.
import { parse, stringify } from 'uuid';
import { replay, type Keyed, type StoredAnswer } from '../http/idempotency.ts';
import type { Answer } from '../http/problem.ts';
import type { Keyring } from '../secrets.ts';
import { equalsSecret } from '../secrets.ts';

const PURPOSE = 'client-token';
const MAC_BYTES = 16;

/** 43 characters of base64url: 16 bytes of id, 16 bytes of HMAC-SHA256. */
export function clientTokenOf(keyring: Keyring, paymentId: string): string {
  const id = parse(paymentId);
  const [digest] = keyring.digests(id, PURPOSE);
  return Buffer.concat([id, (digest as Buffer).subarray(0, MAC_BYTES)]).toString('base64url');
}

/** The payment a token is for; null when the token is not ours. Tokens of older keys are accepted. */
export function readClientToken(keyring: Keyring, token: string): string | null {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const id = bytes.subarray(0, 16);
  const mac = bytes.subarray(16);
  const isOurs = keyring.digests(id, PURPOSE).some((digest) => equalsSecret(digest.subarray(0, MAC_BYTES), mac));
  // The last character carries two unused bits: only the spelling we make is accepted.
  return isOurs && bytes.toString('base64url') === token ? stringify(id) : null;
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
