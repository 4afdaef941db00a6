// The routes of callbacks and webhooks: endpoints, deliveries, replays and tests.
import type { Core } from '../core.ts';
import type { Route } from '../http/route.ts';
import { deliveryRoutes } from './deliveries.ts';
import { endpointRoutes } from './endpoint.ts';
import { replayRoutes } from './replay.ts';
import type { CallbackDeps } from './schemas.ts';
import { testRoutes } from './test.ts';
import { eventWebhookRoutes } from './webhooks.ts';

export function webhookRoutes(core: Core, deps: CallbackDeps): Route[] {
  return [
    ...endpointRoutes(core, deps),
    ...deliveryRoutes(core, deps),
    ...replayRoutes(core),
    ...testRoutes(core, deps),
    ...eventWebhookRoutes(core, deps),
  ];
}
