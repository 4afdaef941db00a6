// The client token of a payment's checkout: its id and an HMAC, kept in no column, so that it can always be shown again.
import { parse, stringify } from 'uuid';
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

/** A text to be stored: the client token is kept in no column (decisions §3), so not in a stored answer either. */
export function hideToken(text: string, paymentId: string, clientToken: string): string {
  return text.replaceAll(clientToken, hiddenToken(paymentId));
}

/** A stored answer as it was given; its `internalId` says whose token it had. */
export function showToken(keyring: Keyring, stored: string): string {
  const id = /"internalId":"([^"]+)"/.exec(stored)?.[1];
  return id ? stored.replaceAll(hiddenToken(id), clientTokenOf(keyring, id)) : stored;
}

/** Nobody can write this into a request: the id is not known before the answer. */
function hiddenToken(paymentId: string): string {
  return `<clientToken of ${paymentId}>`;
}
