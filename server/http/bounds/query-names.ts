// The names of query parameters. A filter in another spelling would return everything, so lists and files refuse names that they
// do not have. Bodies stay tolerant of them, and so do reads of one thing.
import { z } from 'zod';
import { pointerOf } from '../body.ts';
import type { Fault } from '../problem.ts';
import type { Route } from '../route.ts';

type Read = Pick<Route, 'method' | 'access' | 'query' | 'answers' | 'changesState' | 'isStream'>;

/** Reads with a query select something. A list without one has no filter at all. Pages of the public are neither. */
export function isListOrFile({ method, access, query, answers, changesState, isStream }: Read): boolean {
  const isPublic = access.kind === 'public' || access.kind === 'clientToken';
  if (method !== 'GET' || isPublic || changesState || isStream) return false;
  const schema = answers[200]?.schema;
  const items = schema instanceof z.ZodObject ? schema.shape['data'] : schema;
  return query !== undefined || items instanceof z.ZodArray;
}

/** Each name that the schema does not have. */
export function findUnknownNames(schema: z.ZodType | undefined, query: Record<string, unknown>): Fault[] {
  const known = Object.keys((schema as z.ZodObject | undefined)?.shape ?? {});
  const params = { values: known.join(', ') || '–' };
  const unknown = Object.keys(query).filter((name) => !known.includes(name));
  return unknown.map((name) => ({ pointer: pointerOf(['query', name]), code: 'unknown_parameter', params }));
}
