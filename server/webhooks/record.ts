// What is written of attempts that ended: delivery, attempt and the payment's history of those that end at the same time together; and
// the circuit of an endpoint, open while it fails, so that nobody's first attempts wait in a row behind its timeouts.
import type { Core } from '../core.ts';
import { counts } from '../metrics/counts.ts';
import { em, runStatement, createBatchWriter, type Db, type BatchWriter } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { announceEvents, recordEvent } from '../events/record.ts';
import type { ClaimedDelivery } from './claim.ts';
import { LOCKED } from './endpoints.ts';
import { Endpoint, type DeliveryStatus } from './entities.ts';
import { RECORD } from './deliveries.sql.ts';
import { nextProbeAt, nextTryAt, OPENS_AT } from './schedule.ts';
import type { Result } from './send.ts';

/** An attempt that ended. */
export type Ended = { claimed: ClaimedDelivery; result: Result };

/**
 * Records them all. A result counts while its lease stands; a confirmation always does, whoever waited for it. Later
 * deliveries of the same payment may go from now on.
 */
async function recordAttempts(core: Core, ended: Ended[]): Promise<void> {
  const now = core.clock.now();
  const rows = ended.map((one) => rowOf(one, now));
  const seqs = ended.map(({ claimed }) => claimed.seq);
  const moved = await runStatement<Moved>(core, RECORD, [JSON.stringify(rows), now, seqs]);
  countEnded(ended, rows, moved);
  const news = new Map(moved.map(({ merchantId, toWebhooks }) => [merchantId, toWebhooks]));
  for (const [merchantId, toWebhooks] of news) announceEvents(core, { merchantId, toWebhooks, toCallback: false });
}

type Moved = { id: string; merchantId: string; toWebhooks: boolean };

function countEnded(ended: Ended[], rows: AttemptRow[], moved: Moved[]): void {
  const movedIds = new Set(moved.map(({ id }) => id));
  for (const [nth, { claimed, result }] of ended.entries()) {
    const { kind } = claimed;
    counts.deliveryAttempts.observe({ kind, outcome: result.outcome }, result.durationMs / 1_000);
    const { status } = rows[nth] as AttemptRow;
    if (status !== 'Pending' && movedIds.has(claimed.id)) counts.deliveriesEnded.inc({ kind, status });
  }
}

type AttemptRow = { status: DeliveryStatus } & Record<string, unknown>;

function rowOf({ claimed, result }: Ended, now: Date): AttemptRow {
  const { outcome, status: httpStatus, answer, error, startedAt, durationMs } = result;
  const attempt = { outcome, http_status: httpStatus, answer, error, started_at: startedAt, duration_ms: durationMs };
  const { status, dueAt } = decide({ claimed, result }, now);
  return { id: claimed.id, number: claimed.number, ...attempt, status, due_at: dueAt };
}

/** Confirmed, to be tried again, or given up (decisions §9). A test is tried once. */
function decide({ claimed, result }: Ended, now: Date): { status: DeliveryStatus; dueAt: Date | null } {
  if (result.outcome === 'delivered') return { status: 'Delivered', dueAt: null };
  const isGone = result.status === 410;
  const since = claimed.triesSince ?? result.startedAt;
  const { retryAfterMs } = result;
  const next =
    isGone || claimed.kind === 'test' ? null : nextTryAt({ tries: claimed.tries + 1, since, now, retryAfterMs });
  return next ? { status: 'Pending', dueAt: next } : { status: 'Abandoned', dueAt: null };
}

export type Recorder = {
  record: BatchWriter<Ended, null>;
  /** Counts the result for the endpoint's circuit. Runs separately, so that a locked endpoint does not delay recording. */
  settle: BatchWriter<Ended, null>;
  failing: Failing;
};

export function openRecorder(core: Core): Recorder {
  const failing: Failing = new Set();
  return {
    record: createBatchWriter((ended: Ended[]) => recordEnded(core, ended), { statements: 1, rows: 256 }),
    // Few at once: a locked endpoint must not take every connection of the pool.
    settle: createBatchWriter(
      async (ended: Ended[]) => {
        await settleCircuits(core, ended, failing);
        return ended.map(() => null);
      },
      { statements: 4, rows: 64 },
    ),
    failing,
  };
}

async function recordEnded(core: Core, ended: Ended[]): Promise<null[]> {
  // A replay of many deliveries may lock them in another order. After a deadlock the second run finds them free.
  await recordAttempts(core, ended).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== '40P01') throw error;
    return recordAttempts(core, ended);
  });
  for (const { claimed } of ended) core.changes.tell(`delivery:${claimed.id}`);
  return ended.map(() => null);
}

/** Endpoints that failed when this node last heard of them: their next success is news too. */
export type Failing = Set<string>;

/** An answer with 2xx shows that somebody is there, also when it confirms nothing. 410 is an answer about one delivery. */
function isAlive({ result: { status } }: Ended): boolean {
  return (status !== null && status >= 200 && status <= 299) || status === 410;
}

/** Whether an attempt says anything about its endpoint: one that works, as ever, costs nothing. */
export function isNews(one: Ended, failing: Failing): boolean {
  const { id, failures } = one.claimed.endpoint;
  return !isAlive(one) || failures > 0 || failing.has(id);
}

/** Counts what attempts say of their endpoints. Never throws: what is not counted, the next attempts will say again. */
export async function settleCircuits(core: Core, ended: Ended[], failing: Failing): Promise<void> {
  const byEndpoint = Map.groupBy(ended, ({ claimed }) => claimed.endpoint.id);
  await Promise.all([...byEndpoint].map(([id, attempts]) => settleCircuit(core, id, attempts, failing)));
}

/** @param attempts of one endpoint, in the order they ended */
async function settleCircuit(core: Core, id: string, attempts: Ended[], failing: Failing): Promise<void> {
  try {
    const failures = await countFailures(core, id, attempts);
    if (failures > 0) failing.add(id);
    else failing.delete(id);
  } catch (error) {
    failing.add(id);
    core.log.warn({ err: error, endpointId: id }, 'could not settle a circuit');
  }
}

async function countFailures(core: Core, id: string, attempts: Ended[]): Promise<number> {
  const now = core.clock.now();
  return inTransaction(core, async (db) => {
    const endpoint = await em(db).findOne(Endpoint, { id, deletedAt: null }, LOCKED);
    const own = endpoint ? attempts.filter((one) => isOfNow(one, endpoint)) : [];
    if (!endpoint || own.length === 0) return endpoint?.failures ?? 0;
    const lastAlive = own.findLastIndex(isAlive);
    const before = lastAlive < 0 ? endpoint.failures : 0;
    const failures = before + countNew(own.slice(lastAlive + 1), before);
    if (failures === endpoint.failures) return failures;
    const since = lastAlive < 0 ? endpoint.failingSince : null;
    const failingSince = failures > 0 ? (since ?? now) : null;
    const set = { failures, failingSince, probeAt: nextProbeAt(failures, now) };
    await em(db).nativeUpdate(Endpoint, { id }, set);
    const [wasOpen, isOpen] = [endpoint.failures >= OPENS_AT, failures >= OPENS_AT];
    if (wasOpen === isOpen) return failures;
    const what = isOpen ? 'endpoint_failing' : 'endpoint_recovered';
    const { kind, merchantId } = endpoint;
    const details = { endpointId: id, failures, failingSince: endpoint.failingSince ?? failingSince };
    const event = { merchantId, paymentId: null, status: null, occurredAt: now };
    await recordEvent(db, { ...event, type: `${kind}.${what}`, details });
    core.log.warn({ endpointId: id, merchantId, failures }, `a merchant's ${kind} ${isOpen ? 'fails' : 'works again'}`);
    return failures;
  });
}

/** What was sent to a former address, or with a former key, says nothing of this one. */
function isOfNow({ claimed: { endpoint: then } }: Ended, { kind, url, accessKey }: Endpoint): boolean {
  return then.url === url && (kind === 'webhook' || then.accessKey === (accessKey ?? null));
}

/**
 * Up to the opening every failure counts, and after it those of probes only: a roomful of calls that time out together is
 * one outage, not many.
 */
function countNew(failed: Ended[], before: number): number {
  if (before < OPENS_AT) return Math.min(failed.length, OPENS_AT - before);
  return failed.filter(({ claimed }) => claimed.endpoint.failures >= OPENS_AT).length;
}

/** Tries endpoints whose circuit is open at once: somebody asked for it, who may just have mended them. */
export async function probeNow(db: Db, merchantId: string, now: Date): Promise<void> {
  await em(db).nativeUpdate(Endpoint, { merchantId, probeAt: { $gt: now } }, { probeAt: now });
}
