// onetimepurchase: the merchant gives the phone and the push goes out at creation; one push, one outcome.
import type { Method } from './method.ts';

export const onetimepurchase: Method = {
  name: 'onetimepurchase',
  start: 'push',
  asks: 'purchase',
  failedPush: 'decline',
  expiresAt: () => null,
};
