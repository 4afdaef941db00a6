// The one statement that writes a creation: payment, events, attempt and idempotency key, for one caller or several.
import type { Pool } from 'pg';
import type { Core } from '../core.ts';
import { writeTogether, type Together } from '../database/together.ts';
import type { StoredAnswer } from '../http/idempotency.ts';
import { Problem } from '../http/problem.ts';
import type { Payment } from './entities.ts';

/** What one creation writes; absent parts are null. */
export type Creation = {
  payment: Payment;
  events: { id: string; type: string }[];
  attempt: { id: string; dueAt: Date } | null;
  key: { key: string; fingerprint: string; body: string } | null;
};

/** What was found instead of a free place: the key's answer, or the twin that is under way. Both null: written. */
export type Found = { keyed: StoredAnswer | null; busyId: string | null };

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

/** The answer stored under a merchant's key. */
export async function findStored(pool: Pool, merchantId: string, key: string): Promise<StoredAnswer | null> {
  const { rows } = await pool.query<StoredAnswer>(
    'select fingerprint, status, body from idempotency_keys where merchant_id = $1::uuid and key = $2',
    [merchantId, key],
  );
  return rows[0] ?? null;
}

/** The connection ended or fell silent after the statement was sent: it may have been committed. */
function isAnswerLost(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return /^(ECONNRESET|EPIPE)$/.test(code ?? '') || (!code && /terminated|read timeout/i.test(message ?? ''));
}

/**
 * Looks whether the payment was written although nobody could say so. When that cannot be told either, a push may
 * still go out: then the answer must not be the 503 that promises none (decisions §1).
 */
async function findWritten(pool: Pool, { payment, attempt }: Creation, lost: unknown): Promise<Found> {
  try {
    const { rowCount } = await pool.query('select from payments where id = $1::uuid', [payment.id]);
    if (rowCount) return { keyed: null, busyId: null };
  } catch {
    if (attempt) throw new Problem('internal_error');
  }
  throw lost;
}

/** With two under way, the next rows gather while the last ones reach the disk; more would only make more commits. */
const TOGETHER = { statements: 2, rows: 64 };

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
  busy: string | null;
};

async function insertAll(pool: Pool, creations: Creation[]): Promise<Found[]> {
  const values = [JSON.stringify(creations.map(rowOf))];
  const { rows } = await pool.query<FoundRow>({ name: 'create_payments', text: CREATE, values });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return creations.map(({ payment }) => {
    const { fingerprint, status, body, busy } = byId.get(payment.id) as FoundRow;
    return { keyed: fingerprint === null ? null : { fingerprint, status, body }, busyId: busy };
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
    attempts_made: p.attemptsMade,
    created_at: p.createdAt,
    expires_at: p.expiresAt,
    due_at: p.dueAt,
    event_ids: events.map(({ id }) => id),
    event_types: events.map(({ type }) => type),
    attempt_id: attempt?.id,
    attempt_due_at: attempt?.dueAt,
    ...key,
  };
}

const CREATE = `
with creation as (
  select r.*, stored.fingerprint as stored_fingerprint, stored.status as stored_status, stored.body as stored_body, busy.id as busy_id
  from json_to_recordset($1::json) as r(
    id uuid, merchant_id uuid, reference text, amount_minor bigint, currency text, payment_type text, payment_method text,
    status text, revision int, description text, custom_metadata text, phone text, provider text, gpo_merchant_id text,
    gpo_pos_id text, return_url text, cancel_url text, attempts_made smallint, created_at timestamptz,
    expires_at timestamptz, due_at timestamptz, event_ids uuid[], event_types text[], attempt_id uuid,
    attempt_due_at timestamptz, key text, fingerprint text, body text)
  left join lateral (
    select k.fingerprint, k.status, k.body from idempotency_keys k where k.merchant_id = r.merchant_id and k.key = r.key limit 1
  ) stored on true
  left join lateral (
    select p.id from payments p
    where p.merchant_id = r.merchant_id and p.reference = r.reference and p.amount_minor = r.amount_minor
      and p.phone = r.phone and p.status = 'Processing' and p.payment_type = 'GPO' and r.status = 'Processing' limit 1
  ) busy on true
), free as (
  select * from creation where stored_fingerprint is null and busy_id is null
), payment as (
  insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision,
    description, custom_metadata, phone, provider, gpo_merchant_id, gpo_pos_id, return_url, cancel_url, attempts_made,
    created_at, expires_at, due_at)
  select id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision,
    description, custom_metadata, phone, provider, gpo_merchant_id, gpo_pos_id, return_url, cancel_url, attempts_made,
    created_at, expires_at, due_at
  from free
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
  select e.id, merchant_id, free.id, e.type, status, created_at, '{}'
  from free, unnest(event_ids, event_types) with ordinality as e(id, type, nth) order by free.id, nth
), attempt as (
  insert into attempts (id, payment_id, phone, status, created_at, sent_at, due_at)
  select attempt_id, id, phone, 'Unsent', created_at, created_at, attempt_due_at from free where attempt_id is not null
), stored as (
  insert into idempotency_keys (merchant_id, key, fingerprint, status, body, created_at)
  select merchant_id, key, fingerprint, 201, body, created_at from free where key is not null
)
select id, stored_fingerprint as fingerprint, stored_status as status, stored_body as body, busy_id as busy from creation`;
