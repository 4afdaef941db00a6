// Idempotency-Key (IETF httpapi draft, decisions §1). The transaction of an effect also stores its answer under the key. If the
// answer waits for a rail, the key has a lease first, and is finished or released later.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { repeatLost } from '../database/away.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction, repeatOnDuplicate, type Database } from '../database/orm.ts';
import { spellCanonically } from './json.ts';
import { Problem, tryLater, type Answer } from './problem.ts';

export type Keyed = { key: string; fingerprint: string };

export type StoredAnswer = {
  fingerprint: string;
  /** Null while the first request runs. */
  status: number | null;
  body: string | null;
  /** The payment that the answer is about, if the answer waits for a rail or is built from the payment. */
  paymentId?: string | null;
  /** Until when the first request may run. */
  inFlightUntil?: Date | null;
};

/**
 * The request's Idempotency-Key with a fingerprint of method, path and body (`Prefer` stays outside). JSON that a program spells
 * in another way has the same fingerprint: white space, escapes, the order of members, `1500` and `1500.00`.
 * @throws Problem idempotency_key_invalid
 */
export function readKeyed(ctx: Context): Keyed | null {
  const header = ctx.get('idempotency-key');
  if (!header && ctx.req.headers['idempotency-key'] === undefined) return null;
  const key = /^"([\x20-\x21\x23-\x7e]{1,255})"$/.exec(header)?.[1] ?? /^[\x21\x23-\x7e]{1,255}$/.exec(header)?.[0];
  if (!key) throw new Problem('idempotency_key_invalid');
  const { json, rawBody = '' } = ctx.state as { json?: unknown; rawBody?: Buffer };
  const body = json === undefined ? rawBody : spellCanonically(json);
  const hash = createHash('sha256').update(`${ctx.method} ${ctx.path}\n`).update(body);
  return { key, fingerprint: hash.digest('base64url') };
}

/**
 * The first request's answer again, byte for byte.
 * @throws Problem idempotency_key_reused for another request, idempotency_in_progress while the first still runs
 */
export function replay(stored: StoredAnswer, keyed: Keyed): Answer {
  if (stored.fingerprint !== keyed.fingerprint) throw new Problem('idempotency_key_reused');
  if (stored.status === null) throw tryLater('idempotency_in_progress', 1);
  return { status: stored.status, body: stored.body, headers: { 'Idempotency-Replayed': 'true' } };
}

/** The caller's `Prefer` (RFC 7240): `wait=N` in seconds (at most 100), `return=representation`. */
export function readPrefer(ctx: Context): { waitS: number; wantsRepresentation: boolean } {
  const header = ctx.get('prefer');
  const wait = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(header)?.[1];
  return {
    waitS: Math.min(Number(wait ?? 0), 100),
    wantsRepresentation: /(?:^|[,;\s])return\s*=\s*"?representation/i.test(header),
  };
}

type OwnedKey = { merchantId: string; key: string };

/** The merchant of a request, and its key. Without a key no answer is kept. */
type Requested = { merchantId: string; keyed: Keyed | null };

/** The answer stored under a merchant's key. */
export const findStored = prepared((tables, { merchantId, key }: OwnedKey) =>
  tables
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body', 'paymentId', 'inFlightUntil'])
    .where('merchantId', '=', merchantId)
    .where('key', '=', key),
);

type KeptAnswer = Pick<StoredAnswer, 'status' | 'body'>;

/** The answer about `paymentId` will come, at the latest when the lease ends. */
type Lease = { paymentId: string; inFlightUntil: Date };

/** Keeps an answer, or a lease, under its key. @throws a unique violation (23505) if another request has used the key */
export async function keepKey(
  db: Db,
  { merchantId, keyed }: Requested,
  kept: KeptAnswer | Lease,
  createdAt: Date,
): Promise<void> {
  if (keyed) await insertKey.run(db, { row: { merchantId, ...keyed, createdAt, ...kept } });
}

type NewKey = OwnedKey & { fingerprint: string; createdAt: Date } & (KeptAnswer | Lease);

const insertKey = prepared((tables, { row }: { row: NewKey }) => tables.insertInto('idempotency_keys').values(row));

/** The answer that is kept from now on: this one, unless another came first. No row: the key was released. */
export const finishKey = prepared((tables, { merchantId, key, status, body }: OwnedKey & KeptAnswer) =>
  tables
    .updateTable('idempotency_keys')
    .set((eb) => ({
      status: eb.fn.coalesce('status', sql<number>`${status}`),
      body: eb.case().when('status', 'is', null).then(body).else(eb.ref('body')).end(),
      inFlightUntil: null,
    }))
    .where('merchantId', '=', merchantId)
    .where('key', '=', key)
    .returning(['fingerprint', 'status', 'body']),
);

/** Frees a key without an answer. */
export const releaseKey = prepared((tables, { merchantId, key }: OwnedKey) =>
  tables
    .deleteFrom('idempotency_keys')
    .where('merchantId', '=', merchantId)
    .where('key', '=', key)
    .where('status', 'is', null),
);

/** Frees the key that waits for this payment. */
export const releaseKeyOf = prepared((tables, { merchantId, id }: { merchantId: string; id: string }) =>
  tables
    .deleteFrom('idempotency_keys')
    .where('merchantId', '=', merchantId)
    .where('paymentId', '=', id)
    .where('status', 'is', null),
);

/**
 * Runs `work` in a transaction that also keeps its answer under the key; a key that was used answers as it did then.
 * Refusals that `work` throws keep nothing.
 * @throws Problem idempotency_key_reused, idempotency_in_progress
 */
export async function runKeyed(
  core: Database & { clock: Clock },
  { merchantId, keyed }: Requested,
  work: (db: Db) => Promise<Answer>,
): Promise<Answer> {
  const run = async (db: Db): Promise<Answer> => {
    const stored = keyed && (await findStored.first(db, { merchantId, key: keyed.key }));
    if (stored) return replay(stored, keyed);
    const answer = await work(db);
    if (!keyed) return answer;
    const { status, body = null } = answer;
    const kept = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body);
    await keepKey(db, { merchantId, keyed }, { status, body: kept }, core.clock.now());
    return { ...answer, body: kept };
  };
  try {
    // A concurrent request may commit the same key. The second run finds it.
    const once = () => repeatOnDuplicate(() => inTransaction(core, run));
    return await (keyed ? repeatLost(once) : once());
  } catch (refusal) {
    // The first request with this key may cause the refusal: it has used the units or removed the row.
    const stored =
      keyed && refusal instanceof Problem ? await findStored.first(core, { merchantId, key: keyed.key }) : null;
    if (!stored || !keyed) throw refusal;
    return replay(stored, keyed);
  }
}
