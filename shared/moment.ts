// Reads dates and times that programs write: RFC 3339, and the unambiguous forms of ISO 8601.
import { DAY_MS } from './durations.ts';

/** Pattern of a date: a calendar date, a week date or an ordinal date, each with or without hyphens. */
const DATE = /^(\d{4})(?:(-?)(\d\d)\2(\d\d)|(-?)W(\d\d)\5([1-7])|-?(\d{3}))$/;
const TIME = /^(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,30}))?)?)?$/;
/** Pattern of a UTC offset. Its sign may be a space, because an unencoded `+` in a URL arrives as a space. */
const OFFSET = /(?: ?(Z)| ?([-+])(\d\d)(?::?(\d\d))?|( )(\d\d):(\d\d))$/;

/** Reads a date such as `2026-11-30`, `20261130`, `2026-W49-1` or `2026-334`. Null for other text. */
export function readDay(text: string): string | null {
  const start = startOfDate(text.trim().toUpperCase());
  return start === null ? null : new Date(start).toISOString().slice(0, 10);
}

/** Reads a time with its offset, such as `2026-11-30T10:00:00+01:00`. Null for other text. */
export function readMoment(text: string): Date | null {
  const whole = text
    .trim()
    .toUpperCase()
    .replace(/\u2212/g, '-');
  const offset = OFFSET.exec(whole);
  if (!offset) return null;
  const [date = '', time, ...others] = whole.slice(0, offset.index).split(/T| +/);
  const start = startOfDate(date);
  const sinceMs = time === undefined || others.length > 0 ? null : readTime(time);
  const aheadMs = readOffset(offset);
  if (start === null || sinceMs === null || aheadMs === null) return null;
  const at = new Date(start + sinceMs - aheadMs);
  // A leap second is only valid as the last second of a UTC day.
  if (/^\d\d:?\d\d:?60/.test(time ?? '') && at.getTime() % DAY_MS >= 1_000) return null;
  return at;
}

/** The start of a date as milliseconds in UTC. */
function startOfDate(text: string): number | null {
  const [, year, , month, day, , week, weekday, ordinal] = DATE.exec(text) ?? [];
  if (year === undefined) return null;
  const at = new Date(0);
  if (month !== undefined) at.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // Week 1 of ISO 8601 contains 4 January. Weeks start on Monday.
  else if (week !== undefined) {
    at.setUTCFullYear(Number(year), 0, 4);
    at.setUTCDate(4 - ((at.getUTCDay() + 6) % 7) + 7 * (Number(week) - 1) + Number(weekday) - 1);
  } else at.setUTCFullYear(Number(year), 0, Number(ordinal));
  const isThere =
    month !== undefined
      ? at.getUTCMonth() === Number(month) - 1
      : week !== undefined
        ? week >= '01' && (week <= '52' || (week === '53' && isoYearOf(at) === Number(year)))
        : ordinal !== '000' && at.getUTCFullYear() === Number(year);
  return isThere ? at.getTime() : null;
}

/** The ISO year of a date: the year of the Thursday in its week. */
function isoYearOf(at: Date): number {
  return new Date(at.getTime() + (3 - ((at.getUTCDay() + 6) % 7)) * DAY_MS).getUTCFullYear();
}

/** Reads a time of day as milliseconds. Digits after the milliseconds are cut off. */
function readTime(text: string): number | null {
  const [, hour, minute = '00', second = '00', fraction = ''] = TIME.exec(text) ?? [];
  if (hour === undefined || minute > '59' || second > '60') return null;
  const ms = Number(fraction.padEnd(3, '0').slice(0, 3));
  const sinceMs = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000 + ms;
  return hour <= '23' || sinceMs === DAY_MS ? sinceMs : null;
}

function readOffset([, zulu, sign, hours, minutes = '00', blank, plusHours, plusMinutes]: string[]): number | null {
  if (zulu) return 0;
  const [hour, minute] = blank ? [plusHours, plusMinutes] : [hours, minutes];
  if (!hour || !minute || hour > '23' || minute > '59') return null;
  return (sign === '-' ? -1 : 1) * (Number(hour) * 60 + Number(minute)) * 60_000;
}
