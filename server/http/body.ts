// Reading request bodies: size, type, UTF-8, JSON or a form; and zod's findings as our faults.
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import type { z } from 'zod';
import { MESSAGES, type FaultCode } from '../../shared/messages.ts';
import { findBadText, MAX_VALUES, parseExactJson } from './json.ts';
import { MAX_FORM_NAMES, refuseManyPairs } from './bounds/pairs.ts';
import { CallerGone, Problem, type Fault } from './problem.ts';

/** The request line and all headers. Node's default is twice that, and every byte costs a parser time. */
export const MAX_HEADER_BYTES = 8_192;
/** The largest body of any address (decisions §1): what is many things in one. */
export const MAX_BYTES = 1_048_576;
/** What one thing takes. */
export const ONE_MAX_BYTES = 65_536;
/** What callers without a merchant's token may send: reading more would be work that anybody can order. */
export const OPEN_MAX_BYTES = 16_384;

/** Values that a body may be made of: each is work, however few bytes it has. */
export const maxValuesOf = (maxBytes: number) => (maxBytes > ONE_MAX_BYTES ? MAX_VALUES : 10_000);

/**
 * Reads JSON and form bodies as plain values. An absent body is undefined. `ctx.state` keeps the bytes as `rawBody` and
 * JSON as `json`, for the fingerprint of an idempotent request.
 */
export async function readBody(ctx: Context, acceptsForm: boolean, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(ctx, maxBytes);
  if (bytes.length === 0) return undefined;
  const type = ctx.is('json', 'urlencoded');
  const encoding = ctx.get('content-encoding') || 'identity';
  const isUtf8 = /^(utf-?8)?$/i.test(ctx.request.charset);
  if (!type || (type === 'urlencoded' && !acceptsForm) || encoding !== 'identity' || !isUtf8) {
    throw new Problem('unsupported_media_type');
  }
  const text = decodeUtf8(bytes);
  if (type === 'json') return (ctx.state['json'] = parseExactJson(text, maxValuesOf(maxBytes)));
  refuseManyPairs(text, MAX_FORM_NAMES, '');
  const pairs = [...new URLSearchParams(text)];
  const form = Object.fromEntries(pairs);
  // RFC 6749 §3.2: a parameter sent twice has no meaning.
  if (Object.keys(form).length !== pairs.length) throw new Problem('validation_failed');
  const faults = findBadText(form);
  if (faults.length > 0) throw new Problem('invalid_text', { faults });
  return form;
}

/** The raw bytes. @throws Problem body_too_large beyond `maxBytes`; CallerGone if the caller hangs up before the last byte */
export async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer> {
  try {
    const length = ctx.get('content-length');
    const bytes = await getRawBody(ctx.req, { limit: maxBytes, ...(length ? { length } : {}) });
    ctx.state['rawBody'] = bytes;
    return bytes;
  } catch (error) {
    const { type } = error as { type?: string };
    if (type === 'request.aborted') throw new CallerGone();
    if (type === 'request.size.invalid') throw new Problem('malformed_json');
    if (type !== 'entity.too.large') throw error;
    ctx.set('Connection', 'close');
    throw new Problem('body_too_large');
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('malformed_json');
  }
}

/** The texts of a form by their names. A form's route also accepts JSON, whose other values count as absent. */
export function readTexts(body: object | null | undefined): Record<string, string> {
  const entries = Object.entries(body ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries);
}

type Issue = z.core.$ZodIssue;

/** Every fault of a failed parse, each once. `input` tells a missing field from a wrong one. */
export function faultsOf(error: z.ZodError, input: unknown): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ pointer: pointerOf([...issue.path, key]), code: 'unknown_field' }));
    const { code, params } = describe(issue, input);
    const rule = ZODS_OWN.test(issue.message) || code === 'required' ? {} : { rule: issue.message };
    return [{ pointer: pointerOf(issue.path), code, params: { ...params, ...rule } }];
  });
}

/** Each costs a copy of the value. */
const MOST_EMPTY = 100;

/**
 * Parses a value. Where the schema wants an object and the value has `[]`, `{}` is read: PHP encodes an empty object that way.
 * The inside of merchant-defined JSON has no schema, so it stays unchanged.
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
    if (empty.length === 0 || empty.length > MOST_EMPTY) return { parsed, input };
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

/** A copy with `{}` at the path. */
function withObjectAt(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return {};
  const inner = withObjectAt((value as Record<PropertyKey, unknown>)[key], rest);
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...(value as object), [key]: inner };
}

/** How zod begins its sentences: any other is the schema's, and says what is wanted there. */
const ZODS_OWN = /^(Invalid|Too) /;

/** Marks a custom check with one of our codes: `z.refine(check, fault('invalid_phone'))`. */
export function fault(code: FaultCode, params: Record<string, unknown> = {}): { params: Record<string, unknown> } {
  return { params: { code, ...params } };
}

/** RFC 6901. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function describe(issue: Issue, input: unknown): { code: FaultCode; params?: Record<string, unknown> } {
  switch (issue.code) {
    case 'custom': {
      const { code, ...params } = (issue.params ?? {}) as { code?: string };
      if (valueAt(input, issue.path) === undefined) return { code: 'required' };
      if (code && Object.hasOwn(MESSAGES, code)) return { code: code as FaultCode, params };
      return { code: 'invalid_format' };
    }
    case 'invalid_type':
      if (valueAt(input, issue.path) === undefined) return { code: 'required' };
      return { code: 'invalid_type', params: { expected: issue.expected } };
    case 'invalid_value':
      if (valueAt(input, issue.path) === undefined) return { code: 'required' };
      return { code: 'invalid_value', params: { values: issue.values.join(', ') } };
    case 'invalid_union': {
      if (valueAt(input, issue.path) === undefined) return { code: 'required' };
      const options = 'options' in issue ? issue.options : undefined;
      return options ? { code: 'invalid_value', params: { values: options.join(', ') } } : { code: 'invalid_format' };
    }
    case 'too_small':
      return {
        code: issue.origin === 'string' ? 'too_short' : 'too_small',
        params: { minimum: issue.minimum, isList: issue.origin === 'array' },
      };
    case 'too_big':
      return {
        code: issue.origin === 'string' ? 'too_long' : 'too_big',
        params: { maximum: issue.maximum, isList: issue.origin === 'array' },
      };
    default:
      return { code: 'invalid_format' };
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input);
}
