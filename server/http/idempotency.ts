// Idempotency-Key (IETF httpapi draft): a repeated request returns the first response and has no second effect.
//
// A key of a merchant is in one of three states:
// - Free: no row exists. The next request with the key runs.
// - In flight: the row has a lease (`paymentId`, `inFlightUntil`) and no status. Repeats receive 409.
// - Finished: the row has the response, or the payment that repeats show in its current state. Repeats receive
//   `Idempotency-Replayed: true`.
//
// A route stores its response in one of two modes:
// - Together (`runKeyed`): one transaction commits the effect and the response.
// - By lease (`storeKey`): for responses that wait for a rail. `finishKey` or `releaseKey` ends the lease later.
//
// Trade-off: no lock is taken before the work, so a request needs no additional commit.
// Two concurrent requests with one key may both do the work. The unique key lets only one of them commit.
// The other request runs again and finds the stored response.
// Refusals are not stored, so a request may succeed later with the same key.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { repeatLost } from '../database/unavailable.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction, repeatOnDuplicate, type Database } from '../database/orm.ts';
import { spellCanonically } from './json.ts';
import { Problem, tryLater, type Answer } from './problem.ts';

/** The key of a request, and the fingerprint of the request (SHA-256 of method, path and body, as base64url). */
export type Keyed = { key: string; fingerprint: string };

/** The stored row of an idempotency key. */
export type StoredAnswer = {
  /** The fingerprint of the first request. Another request with the same key is refused. */
  fingerprint: string;
  /** The HTTP status of the response. Null while the key is in flight. */
  status: number | null;
  /** The body of the response. Null while the key is in flight, or if a repeat builds the response from the payment. */
  body: string | null;
  /** The payment of the response, if the response waits for a rail, or if a repeat builds it from the payment. */
  paymentId?: string | null;
  /** The end of the key's lease. The first request has ended by this time. */
  inFlightUntil?: Date | null;
};

/**
 * Returns the request's Idempotency-Key with the fingerprint of method, path and body (not of `Prefer`).
 * Equal JSON has one fingerprint in any spelling: white space, escapes, order of members, `1500` or `1500.00`.
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
 * Returns the stored response of the first request.
 * @throws Problem idempotency_key_reused for another request, idempotency_in_progress while the first still runs
 */
export function replay(stored: StoredAnswer, keyed: Keyed): Answer {
  if (stored.fingerprint !== keyed.fingerprint) throw new Problem('idempotency_key_reused');
  if (stored.status === null) throw tryLater('idempotency_in_progress', 1);
  return { status: stored.status, body: stored.body, headers: { 'Idempotency-Replayed': 'true' } };
}

/** Returns the ids of the payments in a stored creation. The body of several payments has only their ids. */
export function paymentIdsOf({ paymentId, body }: StoredAnswer): string[] {
  if (paymentId) return [paymentId];
  const { internalId = '', data = [{ internalId }] } = JSON.parse(body ?? '{}') as Created;
  return data.map((one) => one.internalId);
}

type Created = { internalId?: string; data?: { internalId: string }[] };

/** Reads the header `Prefer` (RFC 7240): `wait=N` in seconds (at most 100), `return=representation`. */
export function readPrefer(ctx: Context): { waitS: number; wantsRepresentation: boolean } {
  const header = ctx.get('prefer');
  const wait = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(header)?.[1];
  return {
    waitS: Math.min(Number(wait ?? 0), 100),
    wantsRepresentation: /(?:^|[,;\s])return\s*=\s*"?representation/i.test(header),
  };
}

/** True if `Accept` names JSON, and no range of it matches an image. */
export function acceptsOnlyJson(ctx: Context): boolean {
  const ranges = ctx
    .get('accept')
    .split(',')
    .filter((range) => !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range))
    .map((range) => (range.split(';')[0] ?? '').trim().toLowerCase());
  const isImage = (range: string) => range === '*/*' || range.startsWith('image/');
  return ranges.some((range) => /^application\/(json|[\w.-]+\+json)$/.test(range)) && !ranges.some(isImage);
}

type OwnedKey = { merchantId: string; key: string };

/** The merchant of a request, and its idempotency key. Without a key, no response is stored. */
type OwnedRequest = { merchantId: string; keyed: Keyed | null };

/** Finds the row of a merchant's idempotency key. */
export const findStored = prepared((tables, { merchantId, key }: OwnedKey) =>
  tables
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body', 'paymentId', 'inFlightUntil'])
    .where('merchantId', '=', merchantId)
    .where('key', '=', key),
);

type FinalAnswer = Pick<StoredAnswer, 'status' | 'body' | 'paymentId'>;

/** A key in flight: the response about `paymentId` follows, at the latest when the lease ends. */
type Lease = { paymentId: string; inFlightUntil: Date };

/** Stores a response, or a lease, under its key. @throws a unique violation (23505) if the key has a row */
export async function storeKey(
  db: Db,
  { merchantId, keyed }: OwnedRequest,
  stored: FinalAnswer | Lease,
  createdAt: Date,
): Promise<void> {
  if (keyed) await insertKey.run(db, { row: { merchantId, ...keyed, createdAt, ...stored } });
}

type NewKey = OwnedKey & { fingerprint: string; createdAt: Date } & (FinalAnswer | Lease);

const insertKey = prepared((tables, { row }: { row: NewKey }) => tables.insertInto('idempotency_keys').values(row));

/**
 * Stores the response of a key in flight and returns the stored response. An earlier stored response stays.
 * Returns no row if the key was released before.
 */
export const finishKey = prepared((tables, { merchantId, key, status, body }: OwnedKey & FinalAnswer) =>
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

/** Releases an idempotency key that is in flight. */
export const releaseKey = prepared((tables, { merchantId, key }: OwnedKey) =>
  tables
    .deleteFrom('idempotency_keys')
    .where('merchantId', '=', merchantId)
    .where('key', '=', key)
    .where('status', 'is', null),
);

/** Releases the idempotency key that is in flight for this payment. */
export const releaseKeyOfPayment = prepared((tables, { merchantId, id }: { merchantId: string; id: string }) =>
  tables
    .deleteFrom('idempotency_keys')
    .where('merchantId', '=', merchantId)
    .where('paymentId', '=', id)
    .where('status', 'is', null),
);

/**
 * Runs `work` in a transaction that also stores its response under the key.
 * A used key returns its stored response without `work`. A refusal that `work` throws is not stored.
 * @throws Problem idempotency_key_reused, idempotency_in_progress
 */
export async function runKeyed(
  core: Database & { clock: Clock },
  { merchantId, keyed }: OwnedRequest,
  work: (db: Db) => Promise<Answer>,
): Promise<Answer> {
  const run = async (db: Db): Promise<Answer> => {
    const stored = keyed && (await findStored.first(db, { merchantId, key: keyed.key }));
    if (stored) return replay(stored, keyed);
    const answer = await work(db);
    if (!keyed) return answer;
    const { status, body = null } = answer;
    const kept = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body);
    await storeKey(db, { merchantId, keyed }, { status, body: kept }, core.clock.now());
    return { ...answer, body: kept };
  };
  try {
    // A concurrent request may commit the same key first. The second run finds its stored response.
    const once = () => repeatOnDuplicate(() => inTransaction(core, run));
    return await (keyed ? repeatLost(once) : once());
  } catch (refusal) {
    // The first request with this key may be the cause of the refusal, for example because it removed the row.
    const stored =
      keyed && refusal instanceof Problem ? await findStored.first(core, { merchantId, key: keyed.key }) : null;
    if (!stored || !keyed) throw refusal;
    return replay(stored, keyed);
  }
}
