// Answers kept under an Idempotency-Key, in the transaction of what they answer (decisions §1).
import type { Clock } from '../clock.ts';
import { inTransaction, repeatOnDuplicate, type Database } from '../database/orm.ts';
import { insertRow, type Db } from '../database/rows.ts';
import { IdempotencyKey } from './entities.ts';
import { Problem } from './problem.ts';
import { replay, type Keyed, type StoredAnswer } from './idempotency.ts';
import type { Answer } from './route.ts';

/** The answer stored under a merchant's key. */
export async function findStored(pool: Db['pool'], merchantId: string, key: string): Promise<StoredAnswer | null> {
  const { rows } = await pool.query<StoredAnswer & { inFlightMs: number | null }>(
    `select fingerprint, status, body, payment_id as "paymentId", ${toMs('in_flight_until')} as "inFlightMs"
     from idempotency_keys where merchant_id = $1::uuid and key = $2`,
    [merchantId, key],
  );
  return rows[0] ? { ...rows[0], inFlightUntil: readMs(rows[0].inFlightMs) } : null;
}

/**
 * Runs `work` in a transaction that also keeps its answer under the key; a key that was used answers as it did then.
 * Refusals that `work` throws keep nothing.
 * @throws Problem idempotency_key_reused, idempotency_in_progress
 */
export async function runKeyed(
  core: Database & { clock: Clock },
  { merchantId, keyed }: { merchantId: string; keyed: Keyed | null },
  work: (db: Db) => Promise<Answer>,
): Promise<Answer> {
  const run = async (db: Db): Promise<Answer> => {
    const stored = keyed && (await findStored(db.pool, merchantId, keyed.key));
    if (stored) return replay(stored, keyed);
    const answer = await work(db);
    if (!keyed) return answer;
    const { status, body = null } = answer;
    const kept = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body);
    await insertRow(db, IdempotencyKey, { merchantId, ...keyed, createdAt: core.clock.now(), status, body: kept });
    return { ...answer, body: kept };
  };
  try {
    // The same key may be committed meanwhile: the second run finds it.
    return await repeatOnDuplicate(() => inTransaction(core, run));
  } catch (refusal) {
    // What refuses it may be what the first request with this key just did: its units are used, its row is gone.
    const stored = keyed && refusal instanceof Problem ? await findStored(core.pool, merchantId, keyed.key) : null;
    if (!stored || !keyed) throw refusal;
    return replay(stored, keyed);
  }
}

/** The pool's own statements give moments as text: these are read as a number of milliseconds. */
export function toMs(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::float8`;
}

export function readMs(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
