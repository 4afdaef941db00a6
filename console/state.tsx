// A payment's badge shows its standing (shared/standing.ts): the status, or money that the status does not show.
import { isAboutMoney, STANDING_WORDS, type Standing } from '../shared/standing.ts';
import type { AttentionFlag } from '../shared/status.ts';
import type { IconName } from './icons.tsx';
import { Badge, type AnyScreenProps, type Tone } from './parts.tsx';

type Look = { icon: IconName; tone: Tone };

const LOOKS: Record<Standing, Look> = {
  pending: { icon: 'clock', tone: 'quiet' },
  processing: { icon: 'phone', tone: 'brand' },
  authorized: { icon: 'bank', tone: 'brand' },
  captured: { icon: 'check', tone: 'success' },
  paid: { icon: 'check', tone: 'success' },
  refused: { icon: 'stop', tone: 'danger' },
  timed_out: { icon: 'clock', tone: 'danger' },
  failed: { icon: 'broken', tone: 'danger' },
  canceled: { icon: 'close', tone: 'quiet' },
  expired: { icon: 'clock', tone: 'quiet' },
  overpaid: { icon: 'alert', tone: 'warning' },
  short_paid: { icon: 'alert', tone: 'danger' },
  other_amount: { icon: 'alert', tone: 'danger' },
  paid_late: { icon: 'clock', tone: 'warning' },
  reserved_late: { icon: 'bank', tone: 'warning' },
  canceled_with_money: { icon: 'close', tone: 'danger' },
  partly_refunded: { icon: 'back', tone: 'brand' },
  refunded: { icon: 'back', tone: 'quiet' },
};

/** The fields that decide a payment's badge. */
export type Stated = { standing: Standing; attention: AttentionFlag | null };

/** The standings of odd money. They warn only while the payment needs a person. */
const ODD: ReadonlySet<Standing> = new Set([
  'overpaid',
  'short_paid',
  'other_amount',
  'paid_late',
  'reserved_late',
  'canceled_with_money',
] as const);

/** The look of a payment's badge. */
export function lookOf({ standing, attention }: Stated): Look {
  return ODD.has(standing) && !attention ? { icon: 'check', tone: 'quiet' } : LOOKS[standing];
}

/** The word of a payment's badge. */
export function wordOf({ visitor }: AnyScreenProps, { standing }: Stated): string {
  return STANDING_WORDS[standing][visitor.lang];
}

/** The payment's badge. Odd or refunded money replaces the status, which would look like success. */
export function State({ page, payment }: { page: AnyScreenProps; payment: Stated }) {
  return <Badge {...lookOf(payment)} text={wordOf(page, payment)} />;
}

/** The look of money that the payment's status does not show. Null if money and status agree. */
export function moneyLookOf(payment: Stated): Look | null {
  return isAboutMoney(payment.standing) ? lookOf(payment) : null;
}
