// The counters of this process for /metrics. Each label has few values, and the gateway defines all of them.
// No label contains an id, an address, a phone number or another text from a caller.
import { Counter, Gauge, Histogram } from 'prom-client';

const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const counter = <T extends string>(name: string, help: string, labelNames: T[]) =>
  new Counter({ name, help, labelNames, registers: [] });
const histogram = <T extends string>(name: string, help: string, labelNames: T[], buckets = CALL_SECONDS) =>
  new Histogram({ name, help, labelNames, buckets, registers: [] });

export const counts = {
  payments: counter('balcao_payments_total', 'Payment status transitions by method, including creation', [
    'method',
    'status',
  ]),
  railCalls: histogram('balcao_rail_call_seconds', 'Duration of calls to rails (queries and orders), by result', [
    'connector',
    'kind',
    'call',
    'result',
  ]),
  deliveryAttempts: histogram(
    'balcao_delivery_attempt_seconds',
    'Duration of delivery attempts: callbacks, webhooks, tests',
    ['kind', 'outcome'],
  ),
  deliveriesEnded: counter('balcao_deliveries_ended_total', 'Deliveries that were confirmed or abandoned', [
    'kind',
    'status',
  ]),
  jobs: histogram('balcao_job_seconds', 'Duration of jobs that this node ran, by result', ['queue', 'result']),
  refusals: counter('balcao_limit_refusals_total', 'Requests refused with 429, by rate-limit bucket', ['bucket']),
  unreadableNotifications: counter(
    'balcao_unreadable_hints_total',
    'Unproven rail notifications without an order or reference, which are not stored',
    ['connector'],
  ),
  overloadRefusals: counter('balcao_shed_total', 'Requests refused with 503 because the event loop was overloaded', []),
  expiredRows: counter(
    'balcao_retention_rows_total',
    'Rows past their retention period that were deleted or anonymized',
    ['table'],
  ),
  changesReadAt: new Gauge({
    name: 'balcao_tail_success_timestamp_seconds',
    help: 'When this node last read the changes of other nodes',
    registers: [],
  }),
  lastReadSeq: new Gauge({
    name: 'balcao_tail_seq',
    help: 'Newest event that this node sent to its streams. balcao_events_seq minus this value is the lag',
    registers: [],
  }),
};

/** Increments a counter after the commit, so that a transaction that is rolled back counts nothing. */
export function countCommitted(db: { afterCommit?: (work: () => void) => void }, count: () => void): void {
  if (db.afterCommit) db.afterCommit(count);
  else count();
}

/** Returns the seconds since `startedAt`, a time of performance.now(). */
export function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}
