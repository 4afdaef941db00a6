// Reads bodies and queries as plain values within bounds: size, type, UTF-8, JSON or a form.
import type Koa from 'koa';
import type { Context, Request } from 'koa';
import getRawBody from 'raw-body';
import { findBadText, MAX_VALUES, parseExactJson } from './json.ts';
import { CallerGone, invalidFields, Problem } from './problem.ts';

/** The largest size of the request line and all headers. Node's default is twice as large. */
export const MAX_HEADER_BYTES = 8_192;
/** The largest body of any request, which bulk requests and files need. */
export const MAX_BYTES = 1_048_576;
/** The largest body of a request about one resource. */
export const RESOURCE_MAX_BYTES = 65_536;
/** The largest body of a request without a merchant's token, because any caller can send one. */
export const PUBLIC_MAX_BYTES = 16_384;

export const MAX_QUERY_NAMES = 100;
export const MAX_FORM_NAMES = 500;

/** Returns the most values of a body. Each value costs work, however few bytes it has. */
export const maxValuesOf = (maxBytes: number) => (maxBytes > RESOURCE_MAX_BYTES ? MAX_VALUES : 10_000);

/**
 * Reads JSON and form bodies as plain values. An absent body is undefined.
 * `ctx.state` keeps the bytes as `rawBody` and the JSON as `json`.
 * Both are needed for the fingerprint of an idempotent request.
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
  // A parameter that is sent twice has no meaning (RFC 6749 §3.2), so the form is refused.
  if (Object.keys(form).length !== pairs.length) throw new Problem('validation_failed');
  const faults = findBadText(form);
  if (faults.length > 0) throw new Problem('invalid_text', { faults });
  return form;
}

/**
 * Reads the raw bytes.
 * @throws Problem body_too_large beyond `maxBytes`; CallerGone if the caller disconnects early
 */
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

/** Returns the text fields of a form. In a JSON body, values of other types count as absent. */
export function readTexts(body: object | null | undefined): Record<string, string> {
  const entries = Object.entries(body ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries);
}

type Query = NodeJS.Dict<string | string[]>;

/** Refuses a form or query with too many pairs. @throws Problem validation_failed at `pointer` beyond `most` pairs */
export function refuseManyPairs(text: string, most: number, pointer: string): void {
  if (endOfPairs(text, most) === text.length) return;
  throw invalidFields([{ pointer, code: 'too_big', params: { maximum: most, isList: true } }]);
}

/** Replaces Koa's reader of `ctx.query`, whose time grows with the square of the number of names. */
export function boundQueries({ request }: Koa): void {
  const queries = new WeakMap<Request, Query>();
  Object.defineProperty(request, 'query', {
    get(this: Request) {
      const query = queries.get(this) ?? readQuery(this.querystring);
      queries.set(this, query);
      return query;
    },
  });
}

/** Returns the first names and values of a query. The object has no prototype, so no name reaches a prototype. */
function readQuery(text: string): Query {
  const query = Object.create(null) as Query;
  for (const [name, value] of new URLSearchParams(text.slice(0, endOfPairs(text, MAX_QUERY_NAMES)))) {
    const before = query[name];
    if (Array.isArray(before)) before.push(value);
    else query[name] = before === undefined ? value : [before, value];
  }
  return query;
}

/** Returns the position after the first `most` pairs. Empty pairs count, because the query reader visits them too. */
function endOfPairs(text: string, most: number): number {
  let end = -1;
  for (let pair = 0; pair < most; pair++) {
    end = text.indexOf('&', end + 1);
    if (end < 0) return text.length;
  }
  return end;
}
