// The one statement that writes creations: payment, reference, events, attempt and idempotency key of each.
import type { Db } from '../database/rows.ts';
import { announce, webhookDeliveries } from '../events/outbox.ts';
import type { StoredAnswer } from '../http/idempotency.ts';
import { readMs, toMs } from '../http/stored.ts';
import type { Reference } from '../references/entities.ts';
import type { AttemptKind, Payment } from './entities.ts';

/** What one creation writes; absent parts are null. */
export type Creation = {
  payment: Payment;
  events: { id: string; type: string }[];
  attempt: { id: string; kind: AttemptKind; dueAt: Date } | null;
  /** `body` null: the answer waits for the rail, until `inFlightUntil` at most. */
  key: { key: string; fingerprint: string; body: string | null; inFlightUntil?: Date } | null;
  /** `unusedSince`: of generated digits, which must not have been in use since then. */
  reference?: Omit<Reference, 'paymentId'> & { unusedSince: Date | null };
};

/** What was found instead of a free place: the key's answer, the twin that is under way, a closed terminal, a used reference. */
export type Found = {
  keyed: StoredAnswer | null;
  busyId: string | null;
  isTerminalClosed: boolean;
  isReferenceTaken: boolean;
};

type FoundRow = {
  id: string;
  fingerprint: string | null;
  status: number | null;
  body: string | null;
  payment_id: string | null;
  in_flight_ms: number | null;
  busy: string | null;
  closed: boolean;
  taken: boolean;
  told: boolean;
};

/** Runs the statement for all of them; answers in their order. */
export async function insertAll(db: Db, creations: Creation[]): Promise<Found[]> {
  const values = [JSON.stringify(creations.map(rowOf))];
  const { rows } = await db.pool.query<FoundRow>({ name: 'create_payments', text: CREATE, values });
  const due = rows.some((row) => row.told);
  for (const merchantId of new Set(creations.map(({ payment }) => payment.merchantId)))
    announce(db, { merchantId, due, leased: [] });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return creations.map(({ payment }) => {
    const { fingerprint, status, body, busy, closed, taken, ...found } = byId.get(payment.id) as FoundRow;
    const about = { paymentId: found.payment_id, inFlightUntil: readMs(found.in_flight_ms) };
    const keyed = fingerprint === null ? null : { fingerprint, status, body, ...about };
    return { keyed, busyId: busy, isTerminalClosed: closed, isReferenceTaken: taken };
  });
}

/** Named as the statement's record names its columns. */
function rowOf({ payment: p, events, attempt, key, reference: r }: Creation): object {
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
    allow_reference_fallback: p.allowReferenceFallback,
    replaces_id: p.replacesId,
    authorization_id: p.authorizationId,
    qr_size: p.qrSize,
    qr_type: p.qrType,
    max_transactions: p.maxTransactions,
    attempts_made: p.attemptsMade,
    created_at: p.createdAt,
    expires_at: p.expiresAt,
    due_at: p.dueAt,
    reference_claim: p.referenceClaim,
    event_ids: events.map(({ id }) => id),
    event_types: events.map(({ type }) => type),
    attempt_id: attempt?.id,
    attempt_kind: attempt?.kind,
    attempt_due_at: attempt?.dueAt,
    key: key?.key,
    fingerprint: key?.fingerprint,
    body: key?.body,
    in_flight_until: key?.inFlightUntil,
    ...(r && {
      reference_id: r.id,
      entity: r.entity,
      reference_type: r.type,
      contract: r.contract,
      reference_status: r.status,
      customer_email: r.customerEmail,
      customer_name: r.customerName,
      customer_telephone: r.customerTelephone,
      document_number: r.documentNumber,
      reference_due_at: r.dueAt,
      unused_since: r.unusedSince,
    }),
  };
}

const CREATE = `
with creation as (
  select r.*, stored.fingerprint as stored_fingerprint, stored.status as stored_status, stored.body as stored_body,
    stored.payment_id as stored_payment_id, stored.in_flight_until as stored_in_flight_until, busy.id as busy_id,
    closed.pos_id is not null as is_closed, taken.id is not null or used.id is not null as is_taken
  from json_to_recordset($1::json) as r(
    id uuid, merchant_id uuid, reference text, amount_minor bigint, currency text, payment_type text, payment_method text,
    status text, revision int, description text, custom_metadata text, phone text, provider text, gpo_merchant_id text,
    gpo_pos_id text, return_url text, cancel_url text, allow_reference_fallback boolean, replaces_id uuid,
    authorization_id uuid, qr_size text, qr_type text, max_transactions int, attempts_made smallint, created_at timestamptz, expires_at timestamptz, due_at timestamptz,
    reference_claim text, event_ids uuid[], event_types text[], attempt_id uuid, attempt_kind text, attempt_due_at timestamptz, key text,
    fingerprint text, body text, in_flight_until timestamptz, reference_id uuid, entity text, reference_type text,
    contract text, reference_status text, customer_email text, customer_name text, customer_telephone text,
    document_number text, reference_due_at timestamptz, unused_since timestamptz)
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
  left join lateral (
    select f.id from payment_references f
    where f.entity = r.entity and f.reference = r.reference and (f.status = 'Pending' or f.closed_at > r.unused_since)
    limit 1
  ) taken on true
  left join lateral (
    -- Payments without a claim count too: of before the merchant wanted it so, and with money that came late.
    select p.id from payments p
    where r.reference_claim is not null and p.merchant_id = r.merchant_id and p.reference = r.reference_claim
      and p.payment_type = 'GPO' and (p.status not in ('Failed', 'Expired', 'Canceled') or exists (
        -- What took its place is the same thing to be paid.
        select from payments n where n.id = p.replaced_by_id and n.status not in ('Failed', 'Expired', 'Canceled')))
    limit 1
  ) used on true
), free as (
  select * from creation where stored_fingerprint is null and busy_id is null and not is_closed and not is_taken
), payment as (
  insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision,
    description, custom_metadata, phone, provider, gpo_merchant_id, gpo_pos_id, return_url, cancel_url,
    allow_reference_fallback, replaces_id, authorization_id,
    qr_size, qr_type, max_transactions, attempts_made, created_at, expires_at, due_at, reference_claim)
  select id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision,
    description, custom_metadata, phone, provider, gpo_merchant_id, gpo_pos_id, return_url, cancel_url,
    allow_reference_fallback, replaces_id, authorization_id,
    qr_size, qr_type, max_transactions, attempts_made, created_at, expires_at, due_at, reference_claim
  from free
), reference as (
  insert into payment_references (id, payment_id, merchant_id, entity, reference, type, contract, status, customer_email,
    customer_name, customer_telephone, document_number, created_at, expires_at, due_at)
  select reference_id, id, merchant_id, entity, reference, reference_type, contract, reference_status, customer_email,
    customer_name, customer_telephone, document_number, created_at, expires_at, reference_due_at
  from free where reference_id is not null
  -- Two statements at once take the same digits in the same order.
  order by entity, reference
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details, state)
  select e.id, merchant_id, free.id, e.type, status, created_at, '{}', jsonb_build_object('expiresAt', expires_at)
  from free, unnest(event_ids, event_types) with ordinality as e(id, type, nth) order by free.id, nth
  returning *
), told as (
  ${webhookDeliveries('event')}
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
  stored_payment_id as payment_id, ${toMs('stored_in_flight_until')} as in_flight_ms, busy_id as busy, is_closed as closed,
  is_taken as taken, exists (select from told) as told
from creation`;
