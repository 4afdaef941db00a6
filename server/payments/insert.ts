// The one statement that writes a creation: payment, events, attempt and idempotency key, for one caller or several.
import type { Pool } from 'pg';
import type { Core } from '../core.ts';
import type { Db } from '../database/rows.ts';
import { writeTogether, type Together } from '../database/together.ts';
import type { StoredAnswer } from '../http/idempotency.ts';
import { Problem } from '../http/problem.ts';
import type { AttemptKind, Payment } from './entities.ts';

/** What one creation writes; absent parts are null. */
export type Creation = {
  payment: Payment;
  events: { id: string; type: string }[];
  attempt: { id: string; kind: AttemptKind; dueAt: Date } | null;
  /** `body` null: the answer waits for the rail, until `inFlightUntil` at most. */
  key: { key: string; fingerprint: string; body: string | null; inFlightUntil?: Date } | null;
};

/** What was found instead of a free place: the key's answer, the twin that is under way, a closed terminal. */
export type Found = { keyed: StoredAnswer | null; busyId: string | null; isTerminalClosed: boolean };

/** Nothing stood in the way. */
const WRITTEN: Found = { keyed: null, busyId: null, isTerminalClosed: false };

/**
 * Writes a creation, unless its key or a twin under way is found. Creations that wait at the same time share a statement
 * and its commit.
 * @throws Problem reference_in_flight, idempotency_in_progress
 */
export async function insertCreation(core: Core, creation: Creation): Promise<Found> {
  try {
    return await togetherOf(core.pool)(creation);
  } catch (error) {
    // A statement fails as a whole: which of its rows was wrong is found by running each alone.
    if (isFaultOfRows(error)) return insertAlone(core.pool, creation);
    if (!isAnswerLost(error)) throw error;
    return findWritten(core.pool, creation, error);
  }
}

/** Writes one creation inside a transaction, with whatever else belongs to it. */
export async function insertWithin({ pool }: Db, creation: Creation): Promise<Found> {
  return (await insertAll(pool, [creation]))[0] as Found;
}

/**
 * A unique violation means that another request committed in between: the second run sees it. Only a second violation
 * in a row is answered by its constraint.
 */
async function insertAlone(pool: Pool, creation: Creation): Promise<Found> {
  const run = async () => (await insertAll(pool, [creation]))[0] as Found;
  const isDuplicate = (error: unknown) => (error as { code?: string }).code === '23505';
  try {
    return await run();
  } catch (first) {
    if (!isDuplicate(first)) throw first;
    return run().catch((second: unknown) => {
      throw isDuplicate(second) ? refuseDuplicate(second as { constraint?: string }) : second;
    });
  }
}

function refuseDuplicate({ constraint }: { constraint?: string }): Problem {
  if (constraint === 'payments_in_flight') return new Problem('reference_in_flight');
  return new Problem('idempotency_in_progress', { headers: { 'Retry-After': '1' } });
}

/** Bad data, a broken constraint, a deadlock: nothing was written. Of a lost connection nobody can say that. */
function isFaultOfRows(error: unknown): boolean {
  return /^(22|23|40)[0-9A-Z]{3}$/.test(String((error as { code?: unknown }).code));
}

type Queries = Pick<Pool, 'query'>;

/** The answer stored under a merchant's key. */
export async function findStored(pool: Queries, merchantId: string, key: string): Promise<StoredAnswer | null> {
  const { rows } = await pool.query<StoredAnswer & { inFlightMs: number | null }>(
    `select fingerprint, status, body, payment_id as "paymentId", ${toMs('in_flight_until')} as "inFlightMs"
     from idempotency_keys where merchant_id = $1::uuid and key = $2`,
    [merchantId, key],
  );
  return rows[0] ? { ...rows[0], inFlightUntil: readMs(rows[0].inFlightMs) } : null;
}

/** The pool's own statements give moments as text: these are read as a number of milliseconds. */
function toMs(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::float8`;
}

function readMs(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

/** The connection ended or fell silent after the statement was sent: it may have been committed. */
export function isAnswerLost(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return /^(ECONNRESET|EPIPE)$/.test(code ?? '') || (!code && /terminated|read timeout/i.test(message ?? ''));
}

/**
 * Looks whether the payment was written although nobody could say so. When that cannot be told either, a push may
 * still go out: then the answer must not be the 503 that promises none (decisions §1).
 */
export async function findWritten(
  pool: Pool,
  { payment, attempt }: Pick<Creation, 'payment' | 'attempt'>,
  lost: unknown,
): Promise<Found> {
  try {
    const { rowCount } = await pool.query('select from payments where id = $1::uuid', [payment.id]);
    if (rowCount) return WRITTEN;
  } catch {
    if (attempt) throw new Problem('internal_error');
  }
  throw lost;
}

/** With one under way, the next rows gather while the last ones reach the disk; more would only make more commits. */
const TOGETHER = { statements: 1, rows: 64 };

const togethers = new WeakMap<Pool, Together<Creation, Found>>();

function togetherOf(pool: Pool): Together<Creation, Found> {
  let together = togethers.get(pool);
  if (!together) {
    together = writeTogether((creations) => insertAll(pool, creations), TOGETHER);
    togethers.set(pool, together);
  }
  return together;
}

type FoundRow = {
  id: string;
  fingerprint: string | null;
  status: number | null;
  body: string | null;
  payment_id: string | null;
  in_flight_ms: number | null;
  busy: string | null;
  closed: boolean;
};

async function insertAll(pool: Queries, creations: Creation[]): Promise<Found[]> {
  const values = [JSON.stringify(creations.map(rowOf))];
  const { rows } = await pool.query<FoundRow>({ name: 'create_payments', text: CREATE, values });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return creations.map(({ payment }) => {
    const { fingerprint, status, body, busy, closed, ...found } = byId.get(payment.id) as FoundRow;
    const about = { paymentId: found.payment_id, inFlightUntil: readMs(found.in_flight_ms) };
    const keyed = fingerprint === null ? null : { fingerprint, status, body, ...about };
    return { keyed, busyId: busy, isTerminalClosed: closed };
  });
}

/** Named as the statement's record names its columns. */
function rowOf({ payment: p, events, attempt, key }: Creation): object {
  return {
    id: p.id,
    merchant_id: p.merchantId,
    reference: p.reference,
    amount_minor: p.amountMinor,
    currency: p.currency,
    payment_type: p.paymentType,
    payment_method: p.paymentMethod,
    status: p.status,
    revision: p.revision,
    description: p.description,
    custom_metadata: p.customMetadata,
    phone: p.phone,
    provider: p.provider,
    gpo_merchant_id: p.gpoMerchantId,
    gpo_pos_id: p.gpoPosId,
    return_url: p.returnUrl,
    cancel_url: p.cancelUrl,
    authorization_id: p.authorizationId,
    qr_size: p.qrSize,
    qr_type: p.qrType,
    max_transactions: p.maxTransactions,
    attempts_made: p.attemptsMade,
    created_at: p.createdAt,
    expires_at: p.expiresAt,
    due_at: p.dueAt,
    event_ids: events.map(({ id }) => id),
    event_types: events.map(({ type }) => type),
    attempt_id: attempt?.id,
    attempt_kind: attempt?.kind,
    attempt_due_at: attempt?.dueAt,
    key: key?.key,
    fingerprint: key?.fingerprint,
    body: key?.body,
    in_flight_until: key?.inFlightUntil,
  };
}

const CREATE = `
with creation as (
  select r.*, stored.fingerprint as stored_fingerprint, stored.status as stored_status, stored.body as stored_body,
    stored.payment_id as stored_payment_id, stored.in_flight_until as stored_in_flight_until, busy.id as busy_id,
    closed.pos_id is not null as is_closed
  from json_to_recordset($1::json) as r(
    id uuid, merchant_id uuid, reference text, amount_minor bigint, currency text, payment_type text, payment_method text,
    status text, revision int, description text, custom_metadata text, phone text, provider text, gpo_merchant_id text,
    gpo_pos_id text, return_url text, cancel_url text, authorization_id uuid, qr_size text, qr_type text,
    max_transactions int, attempts_made smallint, created_at timestamptz, expires_at timestamptz, due_at timestamptz,
    event_ids uuid[], event_types text[], attempt_id uuid, attempt_kind text, attempt_due_at timestamptz, key text,
    fingerprint text, body text, in_flight_until timestamptz)
  left join lateral (
    select k.* from idempotency_keys k where k.merchant_id = r.merchant_id and k.key = r.key limit 1
  ) stored on true
  left join lateral (
    select p.id from payments p
    where p.merchant_id = r.merchant_id and p.reference = r.reference and p.amount_minor = r.amount_minor
      and p.phone = r.phone and p.status = 'Processing' and p.payment_type = 'GPO' and r.status = 'Processing' limit 1
  ) busy on true
  left join lateral (
    select t.pos_id from terminals t
    where t.merchant_id = r.merchant_id and t.pos_id = r.gpo_pos_id and t.status = 'Closed'
      and r.attempt_kind in ('purchase', 'authorization', 'qrcode') limit 1
  ) closed on true
), free as (
  select * from creation where stored_fingerprint is null and busy_id is null and not is_closed
), payment as (
  insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision,
    description, custom_metadata, phone, provider, gpo_merchant_id, gpo_pos_id, return_url, cancel_url, authorization_id,
    qr_size, qr_type, max_transactions, attempts_made, created_at, expires_at, due_at)
  select id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision,
    description, custom_metadata, phone, provider, gpo_merchant_id, gpo_pos_id, return_url, cancel_url, authorization_id,
    qr_size, qr_type, max_transactions, attempts_made, created_at, expires_at, due_at
  from free
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
  select e.id, merchant_id, free.id, e.type, status, created_at, '{}'
  from free, unnest(event_ids, event_types) with ordinality as e(id, type, nth) order by free.id, nth
), attempt as (
  insert into attempts (id, payment_id, kind, phone, status, created_at, sent_at, due_at)
  select attempt_id, id, attempt_kind, phone, 'Unsent', created_at, created_at, attempt_due_at
  from free where attempt_id is not null
), stored as (
  insert into idempotency_keys (merchant_id, key, fingerprint, status, body, in_flight_until, payment_id, created_at)
  select merchant_id, key, fingerprint, case when body is not null then 201 end, body, in_flight_until,
    case when body is null then id end, created_at
  from free where key is not null
)
select id, stored_fingerprint as fingerprint, stored_status as status, stored_body as body,
  stored_payment_id as payment_id, ${toMs('stored_in_flight_until')} as in_flight_ms, busy_id as busy, is_closed as closed
from creation`;
