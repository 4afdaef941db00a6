// reference (PPR): the payer goes to an ATM, the app or internet banking with an entity and a reference.
import type { Method } from './method.ts';

export const reference: Method = {
  name: 'reference',
  start: 'reference',
  asks: null,
  failedPush: 'decline',
  // Kept by the reference, whose time it is.
  expiresAt: () => null,
};
