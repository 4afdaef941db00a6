// Validates path, query and body of a request by their schemas, and returns zod's findings as faults.
import { z } from 'zod';
import { FIELD_RULES } from '../../shared/field-rules.ts';
import { MESSAGES, type FaultCode } from '../../shared/messages.ts';
import { findBadText } from './json.ts';
import { invalidFields, pointerOf, Problem, type Fault } from './problem.ts';
import type { Caller, Route } from './route.ts';

/**
 * Checks path, query and body together, so that one response names every fault.
 * An invalid path is a 404, not a fault.
 */
export async function validate(
  declared: Route,
  { body: input, ...given }: { params: unknown; query: Record<string, unknown>; body: unknown },
  caller: Caller,
): Promise<{ params: unknown; query: unknown; body: unknown }> {
  const params = declared.params?.safeParse(given.params);
  if (params && !params.success) throw new Problem('not_found');
  const { faults, query, body } = checkShape(declared, given.query, input);
  if (faults.length > 0)
    throw invalidFields([...faults, ...((await declared.checkAlso?.(input, caller, faults)) ?? [])]);
  const queryFaults = (await declared.checkQuery?.(query, caller)) ?? [];
  if (queryFaults.length > 0) throw invalidFields(queryFaults);
  return { params: params?.data, query, body };
}

/** Parses query and body. Returns every fault that needs neither the clock nor the database. */
export function checkShape(
  declared: Route,
  rawQuery: Record<string, unknown>,
  input: unknown,
): { faults: Fault[]; query: unknown; body: unknown } {
  // This check runs first, because it may refuse too many entries before any entry is validated.
  const between = declared.checkBody?.(input) ?? [];
  const faults = findBadText(rawQuery, '/query');
  const check = (schema: z.ZodType | undefined, value: unknown, prefix: string): unknown => {
    if (!schema) return value;
    const { parsed, input } = parseTolerantly(schema, value);
    if (parsed.error) faults.push(...faultsOf(parsed.error, input).map((f) => ({ ...f, pointer: prefix + f.pointer })));
    return parsed.data;
  };
  const gathered = gatherRecords(rawQuery);
  if (isListOrFile(declared)) faults.push(...findUnknownNames(declared.query, gathered));
  const query = check(declared.query, gathered, '/query');
  const body = check(declared.body, input, '');
  return { faults: [...faults, ...between], query, body };
}

/** Collects `name.key=` and `name[key]=` of a query into one record `name`. A plain `name=` replaces the record. */
function gatherRecords(asked: Record<string, unknown>): Record<string, unknown> {
  // The objects have no prototype, so that no query name can reach one.
  const query = Object.create(null) as Record<string, unknown>;
  const records = Object.create(null) as Record<string, Record<string, unknown>>;
  for (const [name, value] of Object.entries(asked)) {
    const [, record, dotted, bracketed] = /^(\w+)(?:\.(.+)|\[(.+)\])$/.exec(name) ?? [];
    if (record === undefined) query[name] = value;
    else (records[record] ??= Object.create(null) as Record<string, unknown>)[(dotted ?? bracketed)!] = value;
  }
  for (const [record, fields] of Object.entries(records)) query[record] ??= fields;
  return query;
}

/**
 * True for routes that refuse unknown query names, because a list with a misspelled filter would return all rows.
 * Bodies, public pages and reads of one resource ignore unknown names.
 */
function isListOrFile({ method, access, query, answers, changesState, isStream }: Route): boolean {
  const isPublic = access.kind === 'public' || access.kind === 'clientToken';
  if (method !== 'GET' || isPublic || changesState || isStream) return false;
  const schema = answers[200]?.schema;
  const items = schema instanceof z.ZodObject ? schema.shape['data'] : schema;
  return query !== undefined || items instanceof z.ZodArray;
}

function findUnknownNames(schema: z.ZodType | undefined, query: Record<string, unknown>): Fault[] {
  const known = Object.keys((schema as z.ZodObject | undefined)?.shape ?? {});
  const params = { values: known.join(', ') || '–' };
  const unknown = Object.keys(query).filter((name) => !known.includes(name));
  return unknown.map((name) => ({ pointer: pointerOf(['query', name]), code: 'unknown_parameter', params }));
}

type Issue = z.core.$ZodIssue;

/** Returns every fault of a failed parse. `input` distinguishes a missing field from an invalid one. */
export function faultsOf(error: z.ZodError, input: unknown): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ pointer: pointerOf([...issue.path, key]), code: 'unknown_field' }));
    const { code, params } = describe(issue, input);
    const text = ZODS_OWN.test(issue.message) ? FORMAT_RULES[formatOf(issue)] : issue.message;
    const rule = text && code !== 'required' ? { rule: text } : {};
    return [{ pointer: pointerOf(issue.path), code, params: { ...params, ...rule } }];
  });
}

/** The most empty arrays that are replaced, because each replacement copies the value. */
const MAX_EMPTY_LISTS = 100;

/**
 * Parses a value. An empty array in place of an object counts as `{}`, because PHP encodes empty objects as `[]`.
 * Merchant-defined JSON has no inner schema, so it stays unchanged.
 */
export function parseTolerantly(
  schema: z.ZodType,
  value: unknown,
): { parsed: z.ZodSafeParseResult<unknown>; input: unknown } {
  let input = value;
  for (;;) {
    const parsed = schema.safeParse(input);
    const empty =
      parsed.error?.issues.filter((issue) => wantsObject(issue) && isEmptyList(valueAt(input, issue.path))) ?? [];
    if (empty.length === 0 || empty.length > MAX_EMPTY_LISTS) return { parsed, input };
    for (const { path } of empty) input = withObjectAt(input, path);
  }
}

function wantsObject(issue: Issue): boolean {
  const { code, expected } = (issue.code === 'custom' ? (issue.params ?? {}) : issue) as {
    code?: string;
    expected?: string;
  };
  return code === 'invalid_type' && (expected === 'object' || expected === 'record');
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

function withObjectAt(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return {};
  const inner = withObjectAt((value as Record<PropertyKey, unknown>)[key], rest);
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...(value as object), [key]: inner };
}

/** The rules of zod's own formats. */
const FORMAT_RULES: Record<string, string> = { uuid: FIELD_RULES.uuid.en };

const formatOf = (issue: Issue) => ('format' in issue ? String(issue.format) : '');

/** Matches zod's own messages. Any other message comes from the gateway's schemas and names the rule. */
const ZODS_OWN = /^(Invalid|Too) /;

/** Marks a custom check with one of the gateway's codes: `z.refine(check, fault('invalid_phone'))`. */
export function fault(code: FaultCode, params: Record<string, unknown> = {}): { params: Record<string, unknown> } {
  return { params: { code, ...params } };
}

function describe(issue: Issue, input: unknown): { code: FaultCode; params?: Record<string, unknown> } {
  if (valueAt(input, issue.path) === undefined) return { code: 'required' };
  const isText = 'origin' in issue && issue.origin === 'string';
  const isList = 'origin' in issue && issue.origin === 'array';
  switch (issue.code) {
    case 'custom': {
      const { code, ...params } = issue.params ?? {};
      if (Object.hasOwn(MESSAGES, String(code))) return { code: code as FaultCode, params };
      break;
    }
    case 'invalid_type':
      return { code: 'invalid_type', params: { expected: issue.expected } };
    case 'invalid_value':
      return { code: 'invalid_value', params: { values: issue.values.join(', ') } };
    case 'invalid_union':
      if ('options' in issue && issue.options)
        return { code: 'invalid_value', params: { values: issue.options.join(', ') } };
      break;
    case 'too_small':
      return { code: isText ? 'too_short' : 'too_small', params: { minimum: issue.minimum, isList } };
    case 'too_big':
      return { code: isText ? 'too_long' : 'too_big', params: { maximum: issue.maximum, isList } };
  }
  return { code: 'invalid_format' };
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input);
}
