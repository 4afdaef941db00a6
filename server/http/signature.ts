// Signatures of messages between the gateway and a rail. Both sides have the same key (docs/rail.md, "Signature").
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { equalsSecret } from '../secrets.ts';

export type RailMessage = {
  method: string;
  /** Path and query after the receiver's base URL, so that a proxy's path prefix changes nothing. */
  path: string;
  /** The exact bytes of the body. Empty for a GET. */
  body: string | Buffer;
};

/** The tolerated difference of the sender's clock, in seconds. An intercepted message can be replayed for this long. */
const TOLERANCE_S = 300;

export function signMessage(key: string, message: RailMessage, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return { 'Rail-Timestamp': timestamp, 'Rail-Signature': writeSignature(key, message, timestamp) };
}

/** True if the headers sign this message with this key, within 300 s of `now`. */
export function verifySignature(key: string, message: RailMessage, headers: IncomingHttpHeaders, now: Date): boolean {
  const { 'rail-timestamp': timestamp, 'rail-signature': signature } = headers;
  if (typeof timestamp !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(timestamp)) return false;
  const isGenuine = equalsSecret(signature, writeSignature(key, message, timestamp));
  return isGenuine && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= TOLERANCE_S;
}

function writeSignature(key: string, { method, path, body }: RailMessage, timestamp: string): string {
  const hmac = createHmac('sha256', key).update(`${timestamp}.${method}.${path}.`).update(body);
  return `v1=${hmac.digest('hex')}`;
}
