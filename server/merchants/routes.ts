// The merchants API (decisions §5): merchants and their settings, API clients, people and roles, the audit.
import type { Core } from '../core.ts';
import type { Route } from '../http/route.ts';
import { auditRoutes } from './audit.ts';
import { clientRoutes } from './clients.ts';
import { creationRoutes } from './create.ts';
import { memberRoutes } from './members.ts';
import { roleRoutes } from './roles.ts';
import { settingsRoutes } from './settings.ts';

export function merchantRoutes(core: Core): Route[] {
  return [
    ...creationRoutes(core),
    ...settingsRoutes(core),
    ...clientRoutes(core),
    ...memberRoutes(core),
    ...roleRoutes(),
    ...auditRoutes(core),
  ];
}
