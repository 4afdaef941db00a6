// authorization: like a one-time purchase, but the money is only reserved, until it is captured, canceled or its time is over.
import type { Method } from './method.ts';

/** An authorization that nobody captures is voided at the rail after this time (decisions §3). */
export const HOLD_MS = 7 * 24 * 3_600_000;

export const authorization: Method = {
  name: 'authorization',
  start: 'push',
  asks: 'authorization',
  failedPush: 'decline',
  // Set when the money is reserved.
  expiresAt: () => null,
};
