// Months (`2026-11`) and days (`2026-11-30`) in Luanda. Luanda is UTC+1 all year.
import { DAY_MS, HOUR_MS } from './durations.ts';

const AHEAD_MS = HOUR_MS;

/** Writes a time as the clock in Luanda shows it: `2026-11-30T09:05:00.000`. */
export function writeLuandaTime(at: Date): string {
  return new Date(at.getTime() + AHEAD_MS).toISOString().slice(0, -1);
}

/** Returns the month of a time in Luanda, such as `2026-11`. */
export function monthOf(at: Date): string {
  return dayOf(at).slice(0, 7);
}

/** Returns the day of a time in Luanda, such as `2026-11-30`. */
export function dayOf(at: Date): string {
  return writeLuandaTime(at).slice(0, 10);
}

/** Formats a time as in Angola: `30/11/2026 09:05:00`. */
export function showMoment(at: Date): string {
  const there = writeLuandaTime(at);
  return `${there.slice(8, 10)}/${there.slice(5, 7)}/${there.slice(0, 4)} ${there.slice(11, 19)}`;
}

/** Formats a time to the minute. The date is left out on `day`: `09:05`, else `30/11/2026 09:05`. */
export function showTimeOn(day: string, at: Date): string {
  return showMoment(at).slice(dayOf(at) === day ? 11 : 0, 16);
}

/** Formats a period on a page about `day`. The end has a date if it is on another day than the start. No end: `…`. */
export function showSpanOn(day: string, from: Date, to: Date | null): string {
  return `${showTimeOn(day, from)} – ${to ? showTimeOn(dayOf(from), to) : '…'}`;
}

/** Formats a day such as `2026-11-30` as in Angola: `30/11/2026`. */
export function showDay(day: string): string {
  return day.split('-').toReversed().join('/');
}

/** Writes the month of a Portuguese date with a capital letter, as in Angola: `2 de Março de 2026`. */
export function capitalizeMonth(date: string): string {
  return date.replace(/\p{L}{4,}/u, (month) => `${month.slice(0, 1).toUpperCase()}${month.slice(1)}`);
}

/** Returns the month that follows a month: `2026-12` for `2026-11`. */
export function monthAfter(month: string): string {
  const next = new Date(`${month}-01T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return next.toISOString().slice(0, 7);
}

/** Returns the time at which a month or a day starts in Luanda. */
export function startOf(monthOrDay: string): Date {
  return new Date(Date.parse(`${monthOrDay.padEnd(10, '-01')}T00:00:00Z`) - AHEAD_MS);
}

/** Returns the time at which a month ends in Luanda, which is the start of the next month. */
export function endOf(month: string): Date {
  return startOf(monthAfter(month));
}

/** Adds days to a day. A negative count subtracts them. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the number of days from one day to another. Negative if `to` is before `from`. */
export function countDays(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS;
}

/** True if the text is a valid date of the years 2000 to 2199. */
export function isDay(text: string): boolean {
  if (!/^2[01]\d\d-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
