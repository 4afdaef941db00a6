// All metrics of a node with their help texts: counters (counts.ts), gauges of the node, and figures of the database.
import type { Pool } from 'pg';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../config.ts';
import { counts } from './counts.ts';

export type Figure = { name: string; value: number; labels: Record<string, string> };

/** Figures of the database; null if it does not answer in time. */
export type Figures = { read(): Promise<Figure[] | null>; close(): unknown };

export type Metrics = {
  /** Measures an answered request. `route` is the pattern of its path. */
  observe(request: { method: string; route: string; status: number }, ms: number): void;
  /** All metrics in Prometheus' text format. It never throws. */
  render(): Promise<{ body: string; type: string }>;
};

export type MetricsDeps = {
  node: string;
  /** The newest migration that this release knows. */
  schema: string;
  pool: Pool;
  isReady(): boolean;
  openStreams(): number;
  /** Whether each use of Redis has it now; null where no Redis is named. */
  redis: Record<'limits' | 'changes', () => boolean | null>;
  figures: Figures;
};

/** The help text of each figure of the database, and its labels. */
const FIGURES: Record<string, [help: string, ...labels: string[]]> = {
  balcao_jobs_due: ['Jobs that are due and nobody is at; counted up to 10000', 'queue'],
  balcao_jobs_oldest_due_seconds: ['How late the first of them is', 'queue'],
  balcao_deliveries_pending: ['Callbacks and webhooks not confirmed yet; counted up to 10000 an endpoint', 'endpoint'],
  balcao_deliveries_oldest_due_seconds: ['How late the first that is due is', 'endpoint'],
  balcao_endpoints_failing: ['Merchants’ endpoints that fail: tried by one call a minute'],
  balcao_endpoints_failing_oldest_seconds: ['How long the first of them has failed'],
  balcao_orders_undecided: ['Orders to rails without an outcome, from an age on; up to 10000', 'older_than_seconds'],
  balcao_orders_oldest_seconds: ['Age of the oldest order without an outcome'],
  balcao_orders_left_to_person: ['Orders that are not asked about any more: balcao stuck list'],
  balcao_rail_messages_unmatched: ['Messages of rails in the last day that nobody could be given', 'outcome'],
  balcao_messages_pending: ['Mail and SMS not handed in yet; counted up to 10000', 'channel'],
  balcao_messages_oldest_seconds: ['Age of the oldest of them', 'channel'],
  balcao_events_seq: ['The newest event'],
  balcao_events_unread: ['Events that no feed has read, as the last vacuum or analyze estimated them'],
  balcao_database_connections: ['Connections of clients to the database, everybody’s'],
  balcao_database_connections_max: ['How many it takes (max_connections)'],
  balcao_database_info: ['1; the newest migration that ran', 'schema'],
  balcao_clock_offset_seconds: ['This node’s clock less the database’s'],
};

export function createMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const count of Object.values(counts)) registry.registerMetric(count as Gauge);
  const durations = new Histogram({
    name: 'balcao_http_request_seconds',
    help: 'Time to answer, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 100],
    registers: [registry],
  });
  gaugeNode(registry, deps);
  const figures = new Map(
    Object.entries(FIGURES).map(([name, [help, ...labelNames]]) => {
      return [name, new Gauge({ name, help, labelNames, registers: [registry] })];
    }),
  );
  const isUp = new Gauge({
    name: 'balcao_database_up',
    help: '1: the database said its figures in time; without them 0, and none of them is shown',
    registers: [registry],
  });
  return {
    observe({ method, route, status }, ms) {
      durations.labels(method, route, String(status)).observe(ms / 1000);
    },
    async render() {
      const read = await deps.figures.read();
      isUp.set(read ? 1 : 0);
      for (const [name, gauge] of figures) {
        gauge.reset();
        // A gauge without labels would show 0 for an unknown value.
        if (FIGURES[name]?.length === 1) gauge.remove();
      }
      for (const { name, labels, value } of read ?? []) figures.get(name)?.set(labels, value);
      return { body: await registry.metrics(), type: registry.contentType };
    },
  };
}

/** Gauges that are read at each scrape. */
function gaugeNode(registry: Registry, { node, schema, pool, isReady, openStreams, redis }: MetricsDeps): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('balcao_ready', '1: the database takes its writes, and its clock is right', () => Number(isReady()));
  gauge('balcao_open_streams', 'Streams of checkouts and feeds open on this node', openStreams);
  gauge('balcao_pool_connections', 'Connections of this node to the database', () => pool.totalCount);
  gauge('balcao_pool_idle_connections', 'Those of them that nobody uses', () => pool.idleCount);
  gauge('balcao_pool_connections_max', 'How many it may have (DATABASE_POOL)', () => pool.options.max);
  gauge('balcao_pool_waiting', 'Who waits for one', () => pool.waitingCount);
  const info = ['version', 'node', 'schema'] as const;
  new Gauge({ name: 'balcao_build_info', help: '1; what runs here', labelNames: info, registers }).set(
    { version: VERSION, node, schema },
    1,
  );
  new Gauge({
    name: 'balcao_redis_up',
    help: '1: connected; 0: limits count alone, news of other nodes come within a second. Absent without Redis',
    labelNames: ['use'],
    registers,
    collect() {
      for (const [use, isUp] of Object.entries(redis)) if (isUp() !== null) this.set({ use }, isUp() ? 1 : 0);
    },
  });
}
