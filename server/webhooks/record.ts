// Records finished attempts in batches: the delivery, the attempt and the event of the payment.
// It also counts failures of each endpoint. After CIRCUIT_OPENS_AT failures in a row, the endpoint's circuit opens.
// An open circuit keeps new deliveries from queueing behind the timeouts of a dead endpoint.
import type { Core } from '../core.ts';
import { counts } from '../metrics/counts.ts';
import { em, runStatement, createBatchWriter, type Db, type BatchWriter } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { announceEvents, recordEvent } from '../events/record.ts';
import type { ClaimedDelivery } from './claim.ts';
import { LOCKED } from './endpoints.ts';
import { Endpoint, type DeliveryStatus } from './entities.ts';
import { RECORD_RESULTS } from './deliveries.sql.ts';
import { nextProbeAt, nextTryAt, CIRCUIT_OPENS_AT } from './schedule.ts';
import type { Result } from './send.ts';

/** A finished attempt: the claimed delivery, and how the call ended. */
export type FinishedAttempt = { claimed: ClaimedDelivery; result: Result };

/**
 * Records the results of finished attempts.
 * A failure counts only while the attempt's lease is valid. A confirmation always counts.
 * After the commit, later deliveries of the same payment may start.
 */
async function recordAttempts(core: Core, ended: FinishedAttempt[]): Promise<void> {
  const now = core.clock.now();
  const rows = ended.map((one) => rowOf(one, now));
  const seqs = ended.map(({ claimed }) => claimed.seq);
  const moved = await runStatement<UpdatedDelivery>(core, RECORD_RESULTS, [JSON.stringify(rows), now, seqs]);
  countFinished(ended, rows, moved);
  const merchants = new Map(moved.map(({ merchantId, toWebhooks }) => [merchantId, toWebhooks]));
  for (const [merchantId, toWebhooks] of merchants) announceEvents(core, { merchantId, toWebhooks, toCallback: false });
}

type UpdatedDelivery = { id: string; merchantId: string; toWebhooks: boolean };

function countFinished(ended: FinishedAttempt[], rows: AttemptRow[], moved: UpdatedDelivery[]): void {
  const movedIds = new Set(moved.map(({ id }) => id));
  for (const [nth, { claimed, result }] of ended.entries()) {
    const { kind } = claimed;
    counts.deliveryAttempts.observe({ kind, outcome: result.outcome }, result.durationMs / 1_000);
    const { status } = rows[nth] as AttemptRow;
    if (status !== 'Pending' && movedIds.has(claimed.id)) counts.deliveriesEnded.inc({ kind, status });
  }
}

type AttemptRow = { status: DeliveryStatus } & Record<string, unknown>;

function rowOf({ claimed, result }: FinishedAttempt, now: Date): AttemptRow {
  const { outcome, status: httpStatus, answer, error, startedAt, durationMs } = result;
  const attempt = { outcome, http_status: httpStatus, answer, error, started_at: startedAt, duration_ms: durationMs };
  const { status, dueAt } = decideNext({ claimed, result }, now);
  return { id: claimed.id, number: claimed.number, ...attempt, status, due_at: dueAt };
}

/**
 * Decides the next state of a delivery: confirmed, tried again, or abandoned.
 * A test is tried only once. Status 410 abandons a delivery, because the merchant wants no repeat.
 */
function decideNext({ claimed, result }: FinishedAttempt, now: Date): { status: DeliveryStatus; dueAt: Date | null } {
  if (result.outcome === 'delivered') return { status: 'Delivered', dueAt: null };
  const isGone = result.status === 410;
  const since = claimed.triesSince ?? result.startedAt;
  const { retryAfterMs } = result;
  const next =
    isGone || claimed.kind === 'test' ? null : nextTryAt({ tries: claimed.tries + 1, since, now, retryAfterMs });
  return next ? { status: 'Pending', dueAt: next } : { status: 'Abandoned', dueAt: null };
}

export type Recorder = {
  record: BatchWriter<FinishedAttempt, null>;
  /**
   * Counts the result for the endpoint's circuit, in a separate statement: a locked endpoint must not delay recording.
   */
  updateHealth: BatchWriter<FinishedAttempt, null>;
  failing: FailingEndpoints;
};

export function openRecorder(core: Core): Recorder {
  const failing: FailingEndpoints = new Set();
  return {
    record: createBatchWriter((ended: FinishedAttempt[]) => recordBatch(core, ended), { statements: 1, rows: 256 }),
    // Few statements run concurrently, because locked endpoints must not use up the connection pool.
    updateHealth: createBatchWriter(
      async (ended: FinishedAttempt[]) => {
        await updateCircuits(core, ended, failing);
        return ended.map(() => null);
      },
      { statements: 4, rows: 64 },
    ),
    failing,
  };
}

async function recordBatch(core: Core, ended: FinishedAttempt[]): Promise<null[]> {
  // A replay may lock the same deliveries in another order. PostgreSQL ends the deadlock, and the second run succeeds.
  await recordAttempts(core, ended).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== '40P01') throw error;
    return recordAttempts(core, ended);
  });
  for (const { claimed } of ended) core.changes.notifyLocal(`delivery:${claimed.id}`);
  return ended.map(() => null);
}

/** Endpoints whose last attempt from this node failed. Their next success must reset the stored failures. */
export type FailingEndpoints = Set<string>;

/** True for status 2xx, even without a confirmation, because the endpoint works. A 410 concerns only one delivery. */
function isAlive({ result: { status } }: FinishedAttempt): boolean {
  return (status !== null && status >= 200 && status <= 299) || status === 410;
}

/** True if an attempt may change its endpoint's health. The success of a healthy endpoint needs no statement. */
export function changesHealth(one: FinishedAttempt, failing: FailingEndpoints): boolean {
  const { id, failures } = one.claimed.endpoint;
  return !isAlive(one) || failures > 0 || failing.has(id);
}

/**
 * Updates the failures and circuits of the endpoints.
 * Errors are only logged, because the next attempts count again.
 */
export async function updateCircuits(core: Core, ended: FinishedAttempt[], failing: FailingEndpoints): Promise<void> {
  const byEndpoint = Map.groupBy(ended, ({ claimed }) => claimed.endpoint.id);
  await Promise.all([...byEndpoint].map(([id, attempts]) => updateCircuit(core, id, attempts, failing)));
}

/** Updates one endpoint's circuit. @param attempts the endpoint's attempts in the order of their ends */
async function updateCircuit(
  core: Core,
  id: string,
  attempts: FinishedAttempt[],
  failing: FailingEndpoints,
): Promise<void> {
  try {
    const failures = await countFailures(core, id, attempts);
    if (failures > 0) failing.add(id);
    else failing.delete(id);
  } catch (error) {
    failing.add(id);
    core.log.warn({ err: error, endpointId: id }, 'could not update circuit of endpoint');
  }
}

async function countFailures(core: Core, id: string, attempts: FinishedAttempt[]): Promise<number> {
  const now = core.clock.now();
  return inTransaction(core, async (db) => {
    const endpoint = await em(db).findOne(Endpoint, { id, deletedAt: null }, LOCKED);
    const current = endpoint ? attempts.filter((one) => targetsCurrentEndpoint(one, endpoint)) : [];
    if (!endpoint || current.length === 0) return endpoint?.failures ?? 0;
    const lastAlive = current.findLastIndex(isAlive);
    const before = lastAlive < 0 ? endpoint.failures : 0;
    const failures = before + countFurtherFailures(current.slice(lastAlive + 1), before);
    if (failures === endpoint.failures) return failures;
    const since = lastAlive < 0 ? endpoint.failingSince : null;
    const failingSince = failures > 0 ? (since ?? now) : null;
    const set = { failures, failingSince, probeAt: nextProbeAt(failures, now) };
    await em(db).nativeUpdate(Endpoint, { id }, set);
    const [wasOpen, isOpen] = [endpoint.failures >= CIRCUIT_OPENS_AT, failures >= CIRCUIT_OPENS_AT];
    if (wasOpen === isOpen) return failures;
    const change = isOpen ? 'endpoint_failing' : 'endpoint_recovered';
    const { kind, merchantId } = endpoint;
    const details = { endpointId: id, failures, failingSince: endpoint.failingSince ?? failingSince };
    const event = { merchantId, paymentId: null, status: null, occurredAt: now };
    await recordEvent(db, { ...event, type: `${kind}.${change}`, details });
    core.log.warn({ endpointId: id, merchantId, failures }, `${kind} endpoint ${isOpen ? 'fails' : 'works again'}`);
    return failures;
  });
}

/** False if the attempt used an earlier URL or access key of the endpoint. Then its result does not count. */
function targetsCurrentEndpoint(
  { claimed: { endpoint: then } }: FinishedAttempt,
  { kind, url, accessKey }: Endpoint,
): boolean {
  return then.url === url && (kind === 'webhook' || then.accessKey === (accessKey ?? null));
}

/**
 * Counts failures: every failure until the circuit opens, and only failures of probes after that.
 * Concurrent calls that time out together belong to one outage.
 */
function countFurtherFailures(failed: FinishedAttempt[], before: number): number {
  if (before < CIRCUIT_OPENS_AT) return Math.min(failed.length, CIRCUIT_OPENS_AT - before);
  return failed.filter(({ claimed }) => claimed.endpoint.failures >= CIRCUIT_OPENS_AT).length;
}

/** Makes probes of the merchant's open circuits due now, because the merchant requested a delivery. */
export async function probeEndpointsNow(db: Db, merchantId: string, now: Date): Promise<void> {
  await em(db).nativeUpdate(Endpoint, { merchantId, probeAt: { $gt: now } }, { probeAt: now });
}
