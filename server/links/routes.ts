// The API of payment links.
import type { Core } from '../core.ts';
import type { Route } from '../http/route.ts';
import { linkWrites } from './change.ts';
import { linkReads } from './read.ts';
import { declareSms } from './share.ts';

/** Returns the API of payment links. `linkPageRoutes` declares their pages. */
export function linkRoutes(core: Core): Route[] {
  return [...linkWrites(core), ...linkReads(core), declareSms(core)];
}
