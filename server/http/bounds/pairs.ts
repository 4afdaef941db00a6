// Reads the names and values of queries and forms in one pass, at most so many.
import type Koa from 'koa';
import type { Request } from 'koa';
import { invalid } from '../problem.ts';

export const MAX_QUERY_NAMES = 100;
export const MAX_FORM_NAMES = 500;

type Query = NodeJS.Dict<string | string[]>;

/** @throws Problem validation_failed at `pointer` beyond `most` pairs */
export function refuseManyPairs(text: string, most: number, pointer: string): void {
  if (endOfPairs(text, most) === text.length) return;
  throw invalid([{ pointer, code: 'too_big', params: { maximum: most, isList: true } }]);
}

/** Replaces Koa's reader of `ctx.query`: its time grows with the square of the names. */
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

/** The first names of a query. It has no prototype, so that no name reaches one. */
function readQuery(text: string): Query {
  const query = Object.create(null) as Query;
  for (const [name, value] of new URLSearchParams(text.slice(0, endOfPairs(text, MAX_QUERY_NAMES)))) {
    const before = query[name];
    if (Array.isArray(before)) before.push(value);
    else query[name] = before === undefined ? value : [before, value];
  }
  return query;
}

/** `name.key=` and `name[key]=` of a query are fields of one record, `name`. A plain `name=` replaces the record. */
export function gatherRecords(asked: Record<string, unknown>): Record<string, unknown> {
  // Without prototypes, so that no name reaches one.
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

/** Where the first `most` pairs end. Empty pairs count, because the reader visits them too. */
function endOfPairs(text: string, most: number): number {
  let end = -1;
  for (let pair = 0; pair < most; pair++) {
    end = text.indexOf('&', end + 1);
    if (end < 0) return text.length;
  }
  return end;
}
