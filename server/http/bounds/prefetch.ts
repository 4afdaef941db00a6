// A GET that changes something is for a person who asked, never for a browser that runs ahead of one.
import type { Context } from 'koa';
import { Problem } from '../problem.ts';

/** Where the several generations of browsers say it. */
const HEADERS = ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'];
const AHEAD: ReadonlySet<string> = new Set(['prefetch', 'prerender', 'preview']);

/**
 * Lets pass only what somebody asked for now.
 * @throws Problem prefetch_refused
 */
export function refusePrefetch(ctx: Context): void {
  const purposes = HEADERS.flatMap((name) => ctx.get(name).toLowerCase().split(/[,;]/));
  if (purposes.some((purpose) => AHEAD.has(purpose.trim()))) throw new Problem('prefetch_refused');
}
