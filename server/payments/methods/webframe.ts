// webframe: the payer opens the hosted page and gives a phone; a refused push may be tried again until the page expires.
import type { Method } from './method.ts';

const DEFAULT_MINUTES = 30;

export const webframe: Method = {
  name: 'webframe',
  start: 'checkout',
  asks: 'purchase',
  failedPush: 'reopen',
  expiresAt: (createdAt, { expiresInMinutes }) =>
    new Date(createdAt.getTime() + (expiresInMinutes ?? DEFAULT_MINUTES) * 60_000),
};
