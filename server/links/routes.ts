// Payment links that anybody can send: the API, and the page behind each.
import type { Core } from '../core.ts';
import type { Route } from '../http/route.ts';
import { linkWrites } from './change.ts';
import { linkReads } from './read.ts';
import { declareSms } from './share.ts';

/** The API of links; their pages are `linkPageRoutes`. */
export function linkRoutes(core: Core): Route[] {
  return [...linkWrites(core), ...linkReads(core), declareSms(core)];
}
