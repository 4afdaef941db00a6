// The registry of all metrics of a node: counters (counts.ts), gauges of the node, and figures of the database.
import type { Pool } from 'pg';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../config.ts';
import { counts } from './counts.ts';

export type Figure = { name: string; value: number; labels: Record<string, string> };

/** Reads the figures of the database. `read` returns null if the database does not respond in time. */
export type Figures = { read(): Promise<Figure[] | null>; close(): unknown };

export type Metrics = {
  /** Measures a completed request. `route` is the pattern of its path. */
  observe(request: { method: string; route: string; status: number }, ms: number): void;
  /** Returns all metrics in Prometheus' text format. It does not throw. */
  render(): Promise<{ body: string; type: string }>;
};

export type MetricsDeps = {
  node: string;
  /** The newest migration that this release knows. */
  schema: string;
  pool: Pool;
  isReady(): boolean;
  openStreams(): number;
  /** True for each use of Redis that is connected now. Null if no Redis is configured. */
  redis: Record<'limits' | 'changes', () => boolean | null>;
  figures: Figures;
};

/** The help text and the labels of each figure of the database. */
const FIGURES: Record<string, [help: string, ...labels: string[]]> = {
  balcao_jobs_due: ['Due jobs that no node runs, at most 10000', 'queue'],
  balcao_jobs_oldest_due_seconds: ['Time since the oldest due job became due', 'queue'],
  balcao_deliveries_pending: ['Unconfirmed callbacks and webhooks, at most 10000 for each endpoint', 'endpoint'],
  balcao_deliveries_oldest_due_seconds: ['Time since the oldest due delivery became due', 'endpoint'],
  balcao_endpoints_failing: ['Merchants’ endpoints with an open circuit, which one call a minute probes'],
  balcao_endpoints_failing_oldest_seconds: ['Time since the first failure of the longest failing endpoint'],
  balcao_orders_undecided: ['Orders to rails without an outcome, by minimum age, at most 10000', 'older_than_seconds'],
  balcao_orders_oldest_seconds: ['Age of the oldest order without an outcome'],
  balcao_orders_left_to_person: ['Orders that need manual review, because polling has ended (balcao stuck list)'],
  balcao_rail_messages_unmatched: ['Rail notifications of the last day that match no payment or reference', 'outcome'],
  balcao_messages_pending: ['Mail and SMS not yet handed to their provider, at most 10000', 'channel'],
  balcao_messages_oldest_seconds: ['Age of the oldest pending mail or SMS', 'channel'],
  balcao_events_seq: ['Sequence number of the newest event'],
  balcao_events_unread: ['Events that no feed has read, estimated by the last vacuum or analyze'],
  balcao_database_connections: ['Client connections to the database, of all clients'],
  balcao_database_connections_max: ['Connections that the database accepts (max_connections)'],
  balcao_database_info: ['Always 1. The label has the newest applied migration', 'schema'],
  balcao_clock_offset_seconds: ['This node’s clock minus the database’s clock'],
};

export function createMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const count of Object.values(counts)) registry.registerMetric(count as Gauge);
  const durations = new Histogram({
    name: 'balcao_http_request_seconds',
    help: 'Duration of HTTP requests, by route',
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
    help: '1: the database returned its figures in time. 0: the figures are missing',
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
        // Removes a gauge without labels, because it would show 0 for an unknown value.
        if (FIGURES[name]?.length === 1) gauge.remove();
      }
      for (const { name, labels, value } of read ?? []) figures.get(name)?.set(labels, value);
      return { body: await registry.metrics(), type: registry.contentType };
    },
  };
}

/** Registers the gauges of the node, which are read at each scrape. */
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
  gauge('balcao_ready', '1: the database accepts writes, and the node’s clock is correct', () => Number(isReady()));
  gauge('balcao_open_streams', 'Open streams of checkouts and event feeds on this node', openStreams);
  gauge('balcao_pool_connections', 'Connections of this node to the database', () => pool.totalCount);
  gauge('balcao_pool_idle_connections', 'Idle connections of this node to the database', () => pool.idleCount);
  gauge('balcao_pool_connections_max', 'The most connections of this node (DATABASE_POOL)', () => pool.options.max);
  gauge('balcao_pool_waiting', 'Operations that wait for a database connection', () => pool.waitingCount);
  const info = ['version', 'node', 'schema'] as const;
  new Gauge({
    name: 'balcao_build_info',
    help: 'Always 1. The labels describe this node',
    labelNames: info,
    registers,
  }).set({ version: VERSION, node, schema }, 1);
  new Gauge({
    name: 'balcao_redis_up',
    help:
      '1: connected. 0: the node counts its limits alone, and changes of other nodes arrive within a second. ' +
      'Absent without Redis',
    labelNames: ['use'],
    registers,
    collect() {
      for (const [use, isUp] of Object.entries(redis)) if (isUp() !== null) this.set({ use }, isUp() ? 1 : 0);
    },
  });
}
