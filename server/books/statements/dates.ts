// Dates as banks and spreadsheets write them. The day comes before the month, as in Angola.
import { addDays, isDay } from '../../../shared/luanda.ts';
import type { Cell } from './rows.ts';

/** Month names in Portuguese and English, by their first three letters. */
const MONTHS: Record<string, string> = {
  jan: '01',
  fev: '02',
  feb: '02',
  mar: '03',
  abr: '04',
  apr: '04',
  mai: '05',
  may: '05',
  jun: '06',
  jul: '07',
  ago: '08',
  aug: '08',
  set: '09',
  sep: '09',
  out: '10',
  oct: '10',
  nov: '11',
  dez: '12',
  dec: '12',
};

/** Excel counts the days from here. Its numbers of the years 2000 to 2099 have five digits. */
const EXCEL_ZERO = '1899-12-30';
const [FIRST_SERIAL, LAST_SERIAL] = [36_526, 73_050];
/** In old Excel files of the Mac, day zero is this number of days later. */
export const MAC_DAYS = 1_462;

/** The day that Excel stores as a number. Null for another number. */
export function readSerial(serial: number): string | null {
  return serial >= FIRST_SERIAL && serial <= LAST_SERIAL ? addDays(EXCEL_ZERO, Math.floor(serial)) : null;
}

/** A time of day may follow the date. */
const NUMERIC = /^(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})(?=$|[ T,])/;
const NAMED = /^(\d{1,2})[ /.-]*(?:de )?(\p{L}{3,10})\.?[ /.-]*(?:de )?(\d{2}|\d{4})(?=$|[ T,])/iu;
/** A date with a time has at most this number of characters. */
const MAX_LENGTH = 40;

/** Reads a date such as `30/11/2026`, `30.11.26`, `2026-11-30` or `30 Nov 2026`, or Excel's number. Null if invalid. */
export function readDate(cell: Cell): string | null {
  if (typeof cell === 'number') return readSerial(cell);
  const text = cell.trim();
  if (text.length > MAX_LENGTH) return null;
  if (/^\d{5}(?:[.,]\d+)?$/.test(text)) return readSerial(Number(text.replace(',', '.')));
  const [, whole] = /^(\d{8})$/.exec(text) ?? [];
  if (whole) return join(whole.slice(0, 4), whole.slice(4, 6), whole.slice(6));
  const [, first = '', , month = '', last = ''] = NUMERIC.exec(text) ?? [];
  if (first.length === 4) return join(first, month, last);
  if (first) return join(last, month, first);
  const [, day = '', name = '', year = ''] = NAMED.exec(text) ?? [];
  return join(year, MONTHS[name.slice(0, 3).toLowerCase()] ?? '', day);
}

function join(year: string, month: string, day: string): string | null {
  const text = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(text) ? text : null;
}
