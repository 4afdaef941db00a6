// State of a payment link, computed from its counters and times at each read. It is not stored, so it is never stale.
import type { ExpressionBuilder } from 'kysely';
import type { LinkState, LinkStatus } from '../../shared/link.ts';
import type { Tables } from '../database/db.ts';
import type { Link } from './entities.ts';

type Counted = Pick<Link, 'stock' | 'openCount' | 'paidCount' | 'expiresAt' | 'withdrawnAt'>;

/** Returns the state that the page shows. An open payment holds one unit of stock until it is paid or released. */
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

/** Returns the link's status for the merchant's API. */
export function statusOf(link: Counted, now: Date): LinkStatus {
  return STATUSES[stateOf(link, now) as keyof typeof STATUSES];
}

/** SQL condition for links in a status. The condition must agree with `statusOf`. */
export function hasLinkStatus(status: LinkStatus, now: Date) {
  return (eb: ExpressionBuilder<Tables, 'links'>) =>
    eb(
      eb
        .case()
        .when('withdrawnAt', 'is not', null)
        .then<LinkStatus>('Withdrawn')
        .when('paidCount', '>=', eb.ref('stock'))
        .then<LinkStatus>('SoldOut')
        .when('expiresAt', '<=', now)
        .then<LinkStatus>('Expired')
        .else<LinkStatus>('Active')
        .end(),
      '=',
      status,
    );
}
