// The callbacks and webhooks API (decisions §9): endpoints, what was sent to them, replays, tests.
import type { Core } from '../core.ts';
import type { Route } from '../http/route.ts';
import { deliveryRoutes } from './deliveries.ts';
import { endpointRoutes } from './endpoint.ts';
import type { Delivery } from './entities.ts';
import { replayRoutes } from './replay.ts';
import type { Guard } from './schemas.ts';
import { testRoutes } from './test.ts';
import { webhookRoutes } from './webhooks.ts';

export type CallbackDeps = {
  guard: Guard;
  /** Deliveries of the merchant are due: said once they are committed. */
  wake(merchantId: string): void;
  /** The body that is sent; null where it cannot be told. */
  describeBody(delivery: Delivery): Promise<object | null>;
};

export function callbackRoutes(core: Core, deps: CallbackDeps): Route[] {
  return [
    ...endpointRoutes(core, deps),
    ...deliveryRoutes(core, deps),
    ...replayRoutes(core, deps),
    ...testRoutes(core, deps),
    ...webhookRoutes(core, deps),
  ];
}
