// Months and days in Luanda, where it is one hour later than UTC all year: `2026-11`, `2026-11-30`.
import { DAY_MS } from './durations.ts';

const AHEAD_MS = 3_600_000;

/** The month of a moment. */
export function monthOf(at: Date): string {
  return dayOf(at).slice(0, 7);
}

/** The day of a moment. */
export function dayOf(at: Date): string {
  return new Date(at.getTime() + AHEAD_MS).toISOString().slice(0, 10);
}

/** A moment as its people write it there: `30/11/2026 09:05:00`. */
export function showMoment(at: Date): string {
  const there = new Date(at.getTime() + AHEAD_MS).toISOString();
  return `${there.slice(8, 10)}/${there.slice(5, 7)}/${there.slice(0, 4)} ${there.slice(11, 19)}`;
}

/** The month after. */
export function monthAfter(month: string): string {
  const next = new Date(`${month}-01T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return next.toISOString().slice(0, 7);
}

/** When a month or a day begins. */
export function startOf(monthOrDay: string): Date {
  return new Date(Date.parse(`${monthOrDay.padEnd(10, '-01')}T00:00:00Z`) - AHEAD_MS);
}

/** When a month is over: the moment the next one begins. */
export function endOf(month: string): Date {
  return startOf(monthAfter(month));
}

/** So many days later, or earlier. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** From one day to another; below zero when it comes before. */
export function countDays(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS;
}

/** Whether the calendar has it; years from 2000 to 2199. */
export function isDay(text: string): boolean {
  if (!/^2[01]\d\d-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
