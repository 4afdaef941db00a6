// Answers kept under an Idempotency-Key, in the transaction of what they answer (decisions §1).
import type { Insertable } from 'kysely';
import type { Clock } from '../clock.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';
import { inTransaction, repeatOnDuplicate, type Database } from '../database/orm.ts';
import { queriesOf, writer, type Connection } from '../database/queries.ts';
import { Problem } from './problem.ts';
import { replay, type Keyed, type StoredAnswer } from './idempotency.ts';
import type { Answer } from './route.ts';

/** The answer stored under a merchant's key. */
export function findStored(pool: Connection, merchantId: string, key: string): Promise<StoredAnswer | null> {
  return findKey.first(pool, { merchantId, key });
}

// On a connection alone, as the callers have it in the middle of their own statements.
const house = writer<Tables>();
const onConnection = queriesOf<Tables, Connection>({ tables: () => house, connection: (pool) => pool });

const findKey = onConnection.prepared((tables, { merchantId, key }: { merchantId: string; key: string }) =>
  tables
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body', 'paymentId', 'inFlightUntil'])
    .where('merchantId', '=', merchantId)
    .where('key', '=', key),
);

type NewKey = Insertable<Tables['idempotency_keys']>;

const insertKey = prepared((tables, { row }: { row: NewKey }) => tables.insertInto('idempotency_keys').values(row));

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
    await insertKey.run(db, {
      row: { merchantId, ...keyed, createdAt: core.clock.now(), status, body: kept },
    });
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
