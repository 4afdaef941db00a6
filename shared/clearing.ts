// Clearing periods: the rail's banking day to which a transaction or refund belongs, and the end of that day.
import { dayOf, startOf } from './luanda.ts';
import { HOUR_MS } from './durations.ts';

/** A clearing day ends at 20:00 in Luanda. */
const ENDS_AT_H = 20;

/** The clearing day of a time. Its name is the date on which it ends: `2026-11-30`. */
export function clearingDayOf(at: Date): string {
  return dayOf(new Date(at.getTime() + (24 - ENDS_AT_H) * HOUR_MS));
}

/** The end of a clearing day, which is the start of the next one. */
export function endOfClearingDay(day: string): Date {
  return new Date(startOf(day).getTime() + ENDS_AT_H * HOUR_MS);
}

/**
 * The rail's own name of the period, or the clearing day if the rail reports no name.
 * Each rail numbers its periods itself, so a period is unique only together with its rail account.
 * @param details the fields that the rail reported with the transaction
 */
export function periodOf(details: Record<string, string>, occurredAt: Date): string {
  return details['clearingPeriod'] || clearingDayOf(occurredAt);
}
