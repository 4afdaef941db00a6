// Whether a link can be paid, by its counts and its times: nothing of it is stored, so nothing of it is ever late.
import type { LinkState, LinkStatus } from '../../shared/link.ts';
import type { Link } from './entities.ts';

type Counted = Pick<Link, 'stock' | 'openCount' | 'paidCount' | 'expiresAt' | 'withdrawnAt'>;

/** What its page says. A payment in progress holds its place of the stock until it is paid or over. */
export function stateOf({ stock, openCount, paidCount, expiresAt, withdrawnAt }: Counted, now: Date): LinkState {
  const limit = stock ?? Infinity;
  if (withdrawnAt) return 'withdrawn';
  if (paidCount >= limit) return limit === 1 ? 'paid' : 'soldout';
  if (expiresAt && expiresAt <= now) return 'expired';
  return openCount + paidCount >= limit ? 'busy' : 'open';
}

const STATUSES: Record<Exclude<LinkState, 'unavailable'>, LinkStatus> = {
  open: 'Active',
  busy: 'Active',
  soldout: 'SoldOut',
  paid: 'SoldOut',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
};

/** What its merchant is told. */
export function statusOf(link: Counted, now: Date): LinkStatus {
  return STATUSES[stateOf(link, now) as keyof typeof STATUSES];
}
