// The merchants API (decisions §5): merchants and their settings, and their API clients.
import type { Core } from '../core.ts';
import type { Route } from '../http/route.ts';
import { clientRoutes } from './clients.ts';
import { creationRoutes } from './create.ts';
import { settingsRoutes } from './settings.ts';

export function merchantRoutes(core: Core): Route[] {
  return [
    ...creationRoutes(core),
    ...settingsRoutes(core),
    ...clientRoutes(core),
  ];
}
