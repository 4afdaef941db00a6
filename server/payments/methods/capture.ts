// capture: a payment of its own that takes what an authorization reserved, or less of it.
import type { Method } from './method.ts';

export const capture: Method = {
  name: 'capture',
  start: 'capture',
  asks: 'capture',
  failedPush: 'decline',
  expiresAt: () => null,
};
