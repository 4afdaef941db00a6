// The status of a settlement and of a day, as a badge with a word, and its difference in words.
import type { ListedDay, ListedSettlement } from '../../../packages/client/src/contract.ts';
import { dayStatusOf } from '../../../shared/books.ts';
import type { IconName } from '../../icons.tsx';
import { Badge, textsOf, type AnyScreenProps, type Tone } from '../../parts.tsx';
import { fill, money } from '../../words.ts';

type DayStatus = ListedDay['status'];

const SIGNS: Record<DayStatus, [IconName, Tone]> = {
  open: ['clock', 'quiet'],
  waiting: ['bank', 'brand'],
  balanced: ['check', 'success'],
  differs: ['stop', 'danger'],
  explained: ['check', 'quiet'],
};

export function DayState({ page, status }: { page: AnyScreenProps; status: DayStatus }) {
  const [icon, tone] = SIGNS[status];
  return <Badge icon={icon} tone={tone} text={textsOf(page)[`day.${status}`]} />;
}

/** The badge of a settlement. A day that has not ended has no comparison, so its badge shows that it is open. */
export function SettlementState({ page, settlement }: { page: AnyScreenProps; settlement: ListedSettlement }) {
  return <DayState page={page} status={dayStatusOf([settlement])} />;
}

/** A missing or extra amount in words. */
export function sayDifference(page: AnyScreenProps, difference: number, currency: string): string {
  const t = textsOf(page);
  const text = difference < 0 ? t['settlement.short'] : t['settlement.over'];
  return fill(text, { amount: money(Math.abs(difference), currency) });
}

/** The missing or extra amount of a settlement. Null if the amounts match, or without a bank credit. */
export function differenceOf(page: AnyScreenProps, settlement: ListedSettlement): string | null {
  const { status, difference, currency } = settlement;
  return status === 'differs' || status === 'explained' ? sayDifference(page, difference, currency) : null;
}

/** The colour of a difference: an explained one needs no person. */
export const toneOf = (status: string) => (status === 'differs' ? 'danger' : 'quiet');
