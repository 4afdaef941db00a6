// Schemas of request fields: ids, texts, whole numbers, moments, choices, and the pages of lists.
import { z } from 'zod';
import { isDay } from '../../shared/luanda.ts';
import { readDay, readMoment } from '../../shared/moment.ts';
import { normalizeNif } from '../../shared/nif.ts';
import { FIELD_RULES, type RuleName } from '../../shared/field-rules.ts';
import { UUID } from '../../shared/uuid.ts';
import { fault } from './validate.ts';
import { numberText, spellCanonically } from './json.ts';

/** Replaces a field's schema in the OpenAPI document (zod-openapi's `override`). */
export const documentedAs = (said: object) => ({
  override({ jsonSchema }: { jsonSchema: object }) {
    for (const key of Object.keys(jsonSchema))
      if (key !== 'description' && key !== RULE_KEY) delete (jsonSchema as Record<string, unknown>)[key];
    Object.assign(jsonSchema, said);
  },
});

/**
 * Documents the known values of a text to which later releases may add. `enum` would refuse the added values.
 * @param type `['string', 'null']` if null is allowed
 */
export const knownValues = (values: readonly string[], type: string | string[] = 'string') =>
  documentedAs({ type, 'x-extensible-enum': [...values] });

export { UUID } from '../../shared/uuid.ts';

/** The key of a field's rule in a JSON schema. The API document moves the rule to the field's description. */
export const RULE_KEY = 'x-rule';

/** Returns the metadata of a schema whose fields follow a rule. */
export const ruledBy = (name: RuleName) => ({ [RULE_KEY]: FIELD_RULES[name].en });

/** Marks a check whose faults say a rule. */
export const ruleFault = (name: RuleName) => fault('invalid_format', { rule: FIELD_RULES[name].en });

/** Adds a pattern to a text. Descriptions and refusals say the pattern's rule in words. */
export const withPattern = (schema: z.ZodString, pattern: RegExp, name: RuleName) =>
  schema.regex(pattern, FIELD_RULES[name].en).meta(ruledBy(name));

/** A text that matches a pattern. */
export const matching = (pattern: RegExp, name: RuleName) => withPattern(z.string(), pattern, name);

/** An id. Another text is a fault of the field. */
export const uuidText = matching(UUID, 'uuid');

/** An optional text field. Null counts as absent. */
export const text = (max: number) => z.string().max(max).nullish();

/** The text of a list's filter. An empty text is refused, because the list would return all rows. */
export const filterText = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => text !== '', fault('too_short', { minimum: 1 }));

/** Matches one line of text, without control characters and characters that change the direction of text. */
const LINE = /^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

export const singleLine = (max: number) => withPattern(z.string().trim().min(1).max(max), LINE, 'line');

/** A tax number (NIF) in any form that people write. */
export const nif = z
  .string()
  .max(64)
  .refine((typed) => normalizeNif(typed) !== null, fault('invalid_nif'))
  .transform((typed) => normalizeNif(typed) as string);

/**
 * Reads a JSON number in any spelling.
 * A number that a double cannot hold stays unchanged, so the schema refuses it.
 */
const readNumber = (value: unknown) => {
  const digits = numberText(value);
  if (digits === null) return value;
  const number = Number(digits);
  return Number.isFinite(number) && spellCanonically(number) === spellCanonically(value) ? number : value;
};

/** A JSON number as its exact decimal text, never as a floating-point number. */
export const decimal = z
  .custom<number>((value) => numberText(value) !== null, fault('invalid_type', { expected: 'number' }))
  .meta({
    ...documentedAs({ type: 'number', minimum: 0.01, maximum: 10_000_000 }),
    description: 'Major units, 0.01 to 10000000',
  })
  .transform((value) => numberText(value) as string);

export const integer = (min: number, max: number) => z.preprocess(readNumber, z.int().min(min).max(max).nullish());

export const requiredInteger = (min: number, max: number) => z.preprocess(readNumber, z.int().min(min).max(max));

/** True for a year that ISO 8601 writes with four digits. PostgreSQL reads no other years. */
export const hasUsualYear = (at: Date) => at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9999;

const momentBy = (read: (text: string) => Date | null, rule: RuleName) =>
  z
    .string()
    .max(64)
    .transform((text, { issues }) => {
      const at = read(text);
      if (!at || !hasUsualYear(at))
        issues.push({ code: 'custom', input: text, ...(at ? fault('invalid_date') : ruleFault(rule)) });
      return at as Date;
    })
    .meta({ ...documentedAs({ type: 'string', format: 'date-time' }), ...ruledBy(rule) });

/** A point in time with its offset, in any unambiguous form of RFC 3339 and ISO 8601. */
export const moment = momentBy(readMoment, 'moment');

/** A point in time, or a date without a time. A date means the last moment of that day in Luanda. */
export const lastMoment = momentBy((text) => readMoment(text) ?? lastMomentOf(text), 'lastMoment');

/** Returns the last moment of a day in Luanda (UTC+1 all year). Null if the text is not a valid date. */
export function lastMomentOf(text: string): Date | null {
  const day = readDay(text);
  return day === null ? null : new Date(`${day}T23:59:59.999+01:00`);
}

/** A calendar day from 2000 to 2199, in any form of ISO 8601. */
export const day = z
  .string()
  .transform((text) => readDay(text) ?? text)
  .refine(isDay, fault('invalid_day'));

export const wholeNumber = (max: number, initial: number, about: string) =>
  matching(/^\d{1,9}(\.0{1,9})?$/, 'wholeNumber')
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .default(initial)
    .meta({ ...documentedAs({ type: 'integer', minimum: 1, maximum: max, default: initial }), description: about });

export const pageQuery = {
  page: wholeNumber(1_000_000, 1, 'The number of the page, from 1'),
  pageSize: wholeNumber(100, 20, 'Items on a page, at most 100'),
};

/** An optional field with one of the given values, in upper or lower case. */
export const oneOf = <T extends string>(values: readonly T[]) =>
  z
    .string()
    .transform((value) => values.find((known) => known.toLowerCase() === value.toLowerCase()))
    .refine((value) => value !== undefined, fault('invalid_value', { values: values.join(', ') }))
    .optional()
    .meta(knownValues(values));

export type PageQuery = { page: number; pageSize: number };

export function pageOf({ page, pageSize }: PageQuery): { limit: number; offset: number } {
  return { limit: pageSize, offset: (page - 1) * pageSize };
}

export function viewPage<T>(data: T[], { page, pageSize }: PageQuery, totalItems: number) {
  return { data, pageNumber: page, pageSize, totalPages: Math.ceil(totalItems / pageSize), totalItems };
}

viewPage.schema = (item: z.ZodType) =>
  z.object({ data: z.array(item), pageNumber: z.int(), pageSize: z.int(), totalPages: z.int(), totalItems: z.int() });
