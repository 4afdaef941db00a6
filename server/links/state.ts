// Whether a link can be paid, by its counts and its times: nothing of it is stored, so nothing of it is ever late.
import type { ExpressionBuilder } from 'kysely';
import type { LinkState, LinkStatus } from '../../shared/link.ts';
import type { Tables } from '../database/db.ts';
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

/** The links in a status, as rows are asked for it: `statusOf` in the database's words. */
export function isIn(status: LinkStatus, now: Date) {
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
