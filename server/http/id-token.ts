// Tokens that callers cannot guess: an id with an HMAC for one purpose. They are computed, so no column stores them.
import { parse, stringify } from 'uuid';
import { equalsSecret, type Keyring } from '../secrets.ts';

const MAC_BYTES = 16;

/** Creates a token of 43 base64url characters: 16 bytes of the id, then 16 bytes of HMAC-SHA256. */
export function idTokenOf(keyring: Keyring, id: string, purpose: string): string {
  const bytes = parse(id);
  const [digest] = keyring.digests(bytes, purpose);
  return Buffer.concat([bytes, (digest as Buffer).subarray(0, MAC_BYTES)]).toString('base64url');
}

/** Returns the id in a token of this purpose. Null for a forged token. Tokens signed with older keys are accepted. */
export function readIdToken(keyring: Keyring, token: string, purpose: string): string | null {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const id = bytes.subarray(0, 16);
  const mac = bytes.subarray(16);
  const isOurs = keyring.digests(id, purpose).some((digest) => equalsSecret(digest.subarray(0, MAC_BYTES), mac));
  // The last base64url character has two unused bits, so only the spelling that `idTokenOf` produces is accepted.
  return isOurs && bytes.toString('base64url') === token ? stringify(id) : null;
}
