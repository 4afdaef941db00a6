// The status routes of a node for load balancers and operators: liveness, readiness, metrics.
import { z } from 'zod';
import type { Watch } from '../database/watch.ts';
import { isPrivateCall } from './limits.ts';
import type { Metrics } from '../metrics/registry.ts';
import { Problem, tryLater } from './problem.ts';
import { route, type Route } from './route.ts';

const open = { method: 'GET', tag: 'Status', access: { kind: 'public' }, bucket: null, isUrgent: true } as const;
const state = z.object({ status: z.string() });

export type StatusDeps = { watch: Watch; stopping: AbortSignal; metrics: Metrics };

export function statusRoutes({ watch, stopping, metrics }: StatusDeps): Route[] {
  return [
    route({
      ...open,
      path: '/healthz',
      operationId: 'readHealth',
      summary: 'Check that the process is alive',
      answers: { 200: { description: 'Alive', schema: state } },
      run: () => ({ status: 200, body: { status: 'ok' } }),
    }),
    route({
      ...open,
      path: '/readyz',
      operationId: 'readReadiness',
      summary: 'Check that this node accepts requests',
      answers: { 200: { description: 'Ready', schema: state } },
      refusals: { 503: 'The node is stopping, or the database is unavailable' },
      run() {
        if (stopping.aborted) throw tryLater('service_unavailable', 5);
        if (!watch.isReady()) {
          // Starts a new check of the database, for the next status request.
          void watch.look();
          throw tryLater('service_unavailable', 2);
        }
        return { status: 200, body: { status: 'ready' } };
      },
    }),
    route({
      ...open,
      path: '/metrics',
      operationId: 'readMetrics',
      summary: 'Read metrics for Prometheus, only from this machine or its private network',
      isHidden: true,
      answers: { 200: { description: 'The metrics', contentType: 'text/plain' } },
      async run({ ctx }) {
        if (!isPrivateCall(ctx)) throw new Problem('not_found');
        return { status: 200, ...(await metrics.render()) };
      },
    }),
  ];
}
