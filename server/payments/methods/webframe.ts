// webframe: the payer opens the hosted page and gives a phone; a refused push may be tried again until the page expires.
import type { Method } from './method.ts';

const DEFAULT_MINUTES = 30;

export const webframe: Method = {
  name: 'webframe',
  start: 'checkout',
  failedPush: 'reopen',
  expiresAt: (createdAt, minutes) => new Date(createdAt.getTime() + (minutes ?? DEFAULT_MINUTES) * 60_000),
};
