// Counters of this process, for /metrics. Each label has few values, all of our own: no id, no address, no phone, and
// no other text that a caller chooses.
import { Counter, Gauge, Histogram } from 'prom-client';

const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const counter = <T extends string>(name: string, help: string, labelNames: T[]) =>
  new Counter({ name, help, labelNames, registers: [] });
const histogram = <T extends string>(name: string, help: string, labelNames: T[], buckets = CALL_SECONDS) =>
  new Histogram({ name, help, labelNames, buckets, registers: [] });

export const counts = {
  payments: counter('balcao_payments_total', 'Payments that came to a status, by method; the first is their creation', [
    'method',
    'status',
  ]),
  railCalls: histogram('balcao_rail_call_seconds', 'Questions and orders to rails, by what the rail said', [
    'connector',
    'kind',
    'call',
    'result',
  ]),
  deliveryAttempts: histogram('balcao_delivery_attempt_seconds', 'Calls of merchants: callbacks, webhooks, tests', [
    'kind',
    'outcome',
  ]),
  deliveriesEnded: counter('balcao_deliveries_ended_total', 'Deliveries that were confirmed, or given up', [
    'kind',
    'status',
  ]),
  jobs: histogram('balcao_job_seconds', 'Jobs that this node ran', ['queue', 'result']),
  refusals: counter('balcao_limit_refusals_total', 'Requests refused with 429, by bucket of the rate limits', [
    'bucket',
  ]),
  unreadableHints: counter(
    'balcao_unreadable_hints_total',
    'Unproven notifications of rails that name no order or reference; they are not stored',
    ['connector'],
  ),
  shed: counter('balcao_shed_total', 'Requests refused with 503 because the event loop was late again and again', []),
  pastTheirTime: counter(
    'balcao_retention_rows_total',
    'Rows past their time that were deleted, or lost what is personal',
    ['table'],
  ),
  tailedAt: new Gauge({
    name: 'balcao_tail_success_timestamp_seconds',
    help: 'When this node last read what other nodes changed',
    registers: [],
  }),
  tailSeq: new Gauge({
    name: 'balcao_tail_seq',
    help: 'The newest event that this node told its streams of; beside balcao_events_seq it says how far behind it is',
    registers: [],
  }),
};

/** Counts after the commit. A transaction that is rolled back counts nothing. */
export function countCommitted(db: { afterCommit?: (work: () => void) => void }, count: () => void): void {
  if (db.afterCommit) db.afterCommit(count);
  else count();
}

/** Seconds since `startedAt` of performance.now(). */
export function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}
