// Clearing periods: which period of its rail a movement of money belongs to, and when a day of clearing ends.
import { dayOf, startOf } from './luanda.ts';
import { HOUR_MS } from './durations.ts';

/** A day of clearing ends at 20:00 in Luanda. */
const ENDS_AT_H = 20;

/** The day of clearing that a moment belongs to, by the date on which it ends. */
export function clearingDayOf(at: Date): string {
  return dayOf(new Date(at.getTime() + (24 - ENDS_AT_H) * HOUR_MS));
}

/** When a day of clearing ends: the moment the next one begins. */
export function endOfClearingDay(day: string): Date {
  return new Date(startOf(day).getTime() + ENDS_AT_H * HOUR_MS);
}

/**
 * The period as the rail calls it, else the day of clearing. A rail counts on its own: only with its account is a period one.
 * @param details what the rail said of the money
 */
export function periodOf(details: Record<string, string>, occurredAt: Date): string {
  return details['clearingPeriod'] || clearingDayOf(occurredAt);
}
