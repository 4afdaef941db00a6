// The client token of a payment's checkout consists of the payment's id and an HMAC.
// No column stores the token, so a copy of the database opens no checkout. The gateway can compute it again.
import { idTokenOf, readIdToken } from '../../http/id-token.ts';
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
