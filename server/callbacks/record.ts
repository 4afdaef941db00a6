// Recording attempts: delivery, attempt and the payment's history of all that ended meanwhile, in one statement.
import type { Core } from '../core.ts';
import { runStatement } from '../database/db.ts';
import { announceEvents } from '../events/record.ts';
import type { Claimed } from './claim.ts';
import type { DeliveryStatus } from './entities.ts';
import { RECORD } from './record.sql.ts';
import { nextTryAt } from './schedule.ts';
import type { Result } from './send.ts';

/** An attempt that ended. */
export type Ended = { claimed: Claimed; result: Result };

/** `hasMore`: others are due at the same endpoint, perhaps those of the same payment that had to wait for this one. */
export type Recorded = { hasMore: boolean };

/**
 * Records them all. A result counts while its lease stands; a confirmation always does, whoever waited for it. Later
 * deliveries of the same payment may go from now on.
 */
export async function recordAttempts(core: Core, ended: Ended[]): Promise<Recorded[]> {
  const now = core.clock.now();
  const rows = ended.map((one) => rowOf(one, now));
  const values = [JSON.stringify(rows), now, ended.map(({ claimed }) => claimed.id)];
  const moved = await runStatement<Moved>(core, RECORD, values);
  const byId = new Map(moved.map((row) => [row.id, row.hasMore]));
  const news = new Map(moved.map(({ merchantId, toWebhooks }) => [merchantId, toWebhooks]));
  for (const [merchantId, toWebhooks] of news) announceEvents(core, { merchantId, toWebhooks, toCallback: false });
  // Of a lease that was lost nothing is known.
  return ended.map(({ claimed: { id } }) => ({ hasMore: byId.get(id) ?? true }));
}

type Moved = Recorded & { id: string; merchantId: string; toWebhooks: boolean };

function rowOf({ claimed, result }: Ended, now: Date): object {
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
