// Days as this API asks for them: `dia`, `mes`, `ano`, on Luanda's calendar; one of them, or from one to another.
import { z } from 'zod';
import { addDays, isDay, startOf } from '../../shared/luanda.ts';
import { fault } from '../http/body.ts';
import { smsPage } from './fields.ts';

/** `2026-11-30`; null for what is no day of the calendar, and outside of the years 2000 to 2199. */
export function readDay(year: number, month: number, day: number): string | null {
  const text = [year, month, day].map((part) => String(part).padStart(2, '0')).join('-');
  return isDay(text) ? text : null;
}

/** The moments from `from` on and before `to`. */
export type Span = { from: Date; to: Date };

/** A day of Luanda, or several: both ends count. */
export function spanOf(first: string, last = first): Span {
  return { from: startOf(first), to: startOf(addDays(last, 1)) };
}

const part = (digits: RegExp, minimum: number, maximum: number, description: string) =>
  z
    .string()
    .regex(digits)
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .meta({ override: { type: 'integer', minimum, maximum }, description });

const day = part(/^\d{1,2}$/, 1, 31, 'Day of the month, in Luanda');
const month = part(/^\d{1,2}$/, 1, 12, 'Number of the month');
const year = part(/^\d{4}$/, 2000, 2199, 'Year, in four digits');

/** The query of a search by one day. */
export const dayQuery = z
  .object({ dia: day, mes: month, ano: year, ...smsPage })
  .refine((query) => dayIn(query) !== null, told(fault('impossible_date'), 'dia', ['dia', 'mes', 'ano']));

/** The day's moments. */
export function readSpan(query: z.output<typeof dayQuery>): Span {
  return spanOf(dayIn(query) as string);
}

const FIRST = ['diaInicio', 'mesInicio', 'anoInicio'];
const LAST = ['diaFim', 'mesFim', 'anoFim'];

/** The query of a search from one day to another, a year later at most. */
export const rangeQuery = z
  .object({
    diaInicio: day,
    mesInicio: month,
    anoInicio: year,
    diaFim: day,
    mesFim: month,
    anoFim: year,
    ...smsPage,
  })
  .refine((query) => endsIn(query).first !== null, told(fault('impossible_date'), 'diaInicio', FIRST))
  .refine((query) => endsIn(query).last !== null, told(fault('impossible_date'), 'diaFim', LAST))
  .refine((query) => !isReversed(endsIn(query)), told(fault('range_reversed'), 'diaFim', [...FIRST, ...LAST]))
  .refine((query) => !isTooLong(endsIn(query)), told(fault('range_too_long'), 'diaFim', [...FIRST, ...LAST]));

type RangeQuery = {
  [Name in `${'dia' | 'mes' | 'ano'}${'Inicio' | 'Fim'}`]: number;
};

/** The moments of all its days. */
export function readRange(query: z.output<typeof rangeQuery>): Span {
  const { first, last } = endsIn(query);
  return spanOf(first as string, last as string);
}

function dayIn({ dia, mes, ano }: { dia: number; mes: number; ano: number }): string | null {
  return readDay(ano, mes, dia);
}

type Ends = { first: string | null; last: string | null };

function endsIn(query: RangeQuery): Ends {
  return {
    first: readDay(query.anoInicio, query.mesInicio, query.diaInicio),
    last: readDay(query.anoFim, query.mesFim, query.diaFim),
  };
}

function isReversed({ first, last }: Ends): boolean {
  return first !== null && last !== null && last < first;
}

/** Later than the same day a year after: of 29 February, than the 28th. */
function isTooLong({ first, last }: Ends): boolean {
  if (first === null || last === null) return false;
  return last > `${Number(first.slice(0, 4)) + 1}${first.slice(4)}`;
}

/** A fault told beside others, unless one of the fields that it is about is wrong by itself. */
function told(found: ReturnType<typeof fault>, at: string, fields: string[]) {
  const isAbout = ({ path = [] }: { path?: PropertyKey[] | undefined }) => fields.includes(String(path[0]));
  return {
    path: [at],
    ...found,
    when: ({ issues }: z.core.ParsePayload) => !issues.some(isAbout),
  };
}
