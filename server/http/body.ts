// Reading request bodies: size, type, UTF-8, JSON whose numbers keep the digits they were sent with; and zod's findings as our faults.
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import type { z } from 'zod';
import { MESSAGES, type FaultCode } from '../../shared/messages.ts';
import { Problem, type Fault } from './problem.ts';

/** The largest body of any address (decisions §1); most take less. */
export const MAX_BYTES = 1_048_576;
const MAX_DEPTH = 32;

/** TypeScript does not know these yet (ECMAScript 2026, in Node 24). */
type RawJSON = { rawJSON: string };
type JSONWithSource = {
  parse(
    text: string,
    revive: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawJSON;
  isRawJSON(value: unknown): value is RawJSON;
};
const { parse, rawJSON, isRawJSON } = JSON as unknown as JSONWithSource;

/** The exact decimal text of a parsed JSON number, or null when the value is no number. */
export function numberText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return isRawJSON(value) ? value.rawJSON : null;
}

/**
 * Parses JSON so that stringifying gives back every number as it was written: numbers that a double cannot print
 * as sent become raw JSON numbers. A `__proto__` key is plain data.
 * @throws Problem malformed_json, nesting_too_deep, invalid_text (naming each place)
 */
export function parseExactJson(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH) throw new Problem('nesting_too_deep');
  let hasBadText = false;
  let value: unknown;
  try {
    // What stringifies to the very same text has lost no digit; only escapes can hide bad text. Most bodies end here.
    const plain: unknown = JSON.parse(text);
    if (!text.includes('\\u') && JSON.stringify(plain) === text) return plain;
    value = parse(text, (key, item, { source }) => {
      if (typeof item === 'string') hasBadText ||= isBadText(item);
      else if (typeof item === 'number' && source !== undefined && String(item) !== source) return rawJSON(source);
      hasBadText ||= isBadText(key);
      return item;
    });
  } catch {
    throw new Problem('malformed_json');
  }
  if (hasBadText) throw new Problem('invalid_text', { faults: findBadText(value, '') });
  return value;
}

/** JSON and form bodies as plain values; an absent body is undefined. The bytes stay in `ctx.state.rawBody`. */
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
  if (type === 'json') return parseExactJson(text);
  const pairs = [...new URLSearchParams(text)];
  const form = Object.fromEntries(pairs);
  // RFC 6749 §3.2: a parameter sent twice has no meaning.
  if (Object.keys(form).length !== pairs.length) throw new Problem('validation_failed');
  const faults = findBadText(form, '');
  if (faults.length > 0) throw new Problem('invalid_text', { faults });
  return form;
}

/** The raw bytes. @throws Problem body_too_large beyond `maxBytes` */
export async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer> {
  try {
    const length = ctx.get('content-length');
    const bytes = await getRawBody(ctx.req, { limit: maxBytes, ...(length ? { length } : {}) });
    ctx.state['rawBody'] = bytes;
    return bytes;
  } catch (error) {
    if ((error as { type?: string }).type === 'entity.too.large') {
      ctx.set('Connection', 'close');
      throw new Problem('body_too_large');
    }
    throw new Problem('malformed_json');
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('malformed_json');
  }
}

function isBadText(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

/** Every place whose text a database cannot keep: NUL characters, lone surrogates. */
export function findBadText(value: unknown, pointer: string): Fault[] {
  if (typeof value === 'string') return isBadText(value) ? [{ pointer, code: 'invalid_text' }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return isBadText(key)
      ? [{ pointer: at.replaceAll('\0', '').toWellFormed(), code: 'invalid_text' as const }]
      : findBadText(item, at);
  });
}

/** Deepest nesting of JSON text, found without recursion, so that hostile depth is refused before it is parsed. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 92) i++;
      else if (char === 34) inString = false;
    } else if (char === 34) inString = true;
    else if (char === 123 || char === 91) deepest = Math.max(deepest, ++depth);
    else if (char === 125 || char === 93) depth--;
  }
  return deepest;
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
