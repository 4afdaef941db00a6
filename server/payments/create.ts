// Creating a payment: validated, then written with its event, attempt and idempotency key in one prepared statement.
import { v4 as randomUuid, v7 as uuid } from 'uuid';
import { gpoMethodOf } from '../../shared/methods.ts';
import { toMinor } from '../../shared/money.ts';
import { normalizePhone } from '../../shared/phone.ts';
import type { Core } from '../core.ts';
import type { Keyed, StoredAnswer } from '../http/idempotency.ts';
import { replay } from '../http/idempotency.ts';
import { invalid, Problem, type Fault } from '../http/problem.ts';
import type { Answer } from '../http/route.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import type { Attempt, Payment } from './entities.ts';
import { leaseMs } from './charge.ts';
import { methodOf } from './methods/registry.ts';
import type { CreationRequest } from './schemas.ts';
import { eventTypeOf, FIRST_STATUS } from './states.ts';
import { viewPayment } from './view.ts';

/** The answer to send, and the push to make when this call (not a replay) created one. */
export type Created = { answer: Answer; paymentId: string | null; push: PushedAttempt | null };
export type PushedAttempt = { payment: Payment; attempt: Pick<Attempt, 'id' | 'phone' | 'createdAt'> };

/**
 * Creates a payment for the merchant; commits before it returns and asks no rail.
 * @throws Problem 400 (GPO ids, origins), reference_in_flight, idempotency_key_reused, idempotency_in_progress
 */
export async function createPayment(
  core: Core,
  merchantId: string,
  request: CreationRequest,
  keyed: Keyed | null,
): Promise<Created> {
  const merchant = await findMerchant(core, merchantId);
  const payment = buildPayment(core, merchant, request);
  const body = JSON.stringify(viewPayment(core, { ...payment, customMetadata: request.metadata?.custom ?? null }, []));
  const attempt =
    payment.status === 'Processing' && payment.phone
      ? { id: uuid(), phone: payment.phone, createdAt: payment.createdAt }
      : null;
  const values = valuesOf(core, payment, attempt, keyed, body);
  const found = await insertOnce(core, values);
  if (found.keyed && keyed) return { answer: replay(found.keyed, keyed), paymentId: null, push: null };
  if (found.busyId) throw new Problem('reference_in_flight', { extra: { internalId: found.busyId } });
  return { answer: { status: 201, body }, paymentId: payment.id, push: attempt && { payment, attempt } };
}

function buildPayment(core: Core, merchant: Merchant, request: CreationRequest): Payment {
  const metadata = request.metadata ?? {};
  const method = methodOf({ paymentMethod: gpoMethodOf(metadata.paymentMethod) });
  const amount = toMinor(request.amount, request.currency);
  if ('fault' in amount) throw invalid([{ pointer: '/amount', code: amount.fault }]);
  const ids = chooseGpoIds(merchant, metadata);
  const faults = [...ids.faults, ...checkOrigins(merchant, metadata)];
  if (faults.length > 0) throw invalid(faults);
  const createdAt = core.clock.now();
  const expiresAt = method.expiresAt(createdAt, metadata.expiresInMinutes);
  return {
    id: uuid(),
    merchantId: merchant.id,
    reference: request.reference,
    amountMinor: amount.minor,
    currency: request.currency,
    paymentType: request.paymentType,
    paymentMethod: method.name,
    status: FIRST_STATUS[method.start],
    revision: 1,
    description: metadata.description ?? request.description ?? null,
    customMetadata: metadata.custom ? JSON.stringify(metadata.custom) : null,
    phone: method.start === 'push' ? normalizePhone(metadata.phoneNumber ?? '') : null,
    provider: metadata.provider ?? null,
    gpoMerchantId: ids.gpoMerchantId,
    gpoPosId: ids.gpoPosId,
    returnUrl: metadata.returnUrl ?? null,
    cancelUrl: metadata.cancelUrl ?? null,
    amountPaidMinor: 0,
    flags: [],
    failureCode: null,
    attemptsMade: method.start === 'push' ? 1 : 0,
    createdAt,
    completedAt: null,
    expiresAt,
    dueAt: expiresAt,
    dueCount: 0,
  } as Payment;
}

type Metadata = NonNullable<CreationRequest['metadata']>;
type GpoIds = { gpoMerchantId: string | null; gpoPosId: string | null; faults: Fault[] };

/** The request's GPO ids if they are the merchant's own, else the first assigned ones (interface.md "GPO metadata"). */
function chooseGpoIds(merchant: Merchant, metadata: Metadata): GpoIds {
  const choose = (
    name: 'gpo_merchant_id' | 'gpo_pos_id',
    assigned: string[],
  ): { id: string | null; faults: Fault[] } => {
    const id = metadata[name] || assigned[0] || null;
    if (id !== null && assigned.includes(id)) return { id, faults: [] };
    return {
      id,
      faults: [{ pointer: `/metadata/${name}`, code: id === null ? 'gpo_id_required' : 'gpo_id_not_assigned' }],
    };
  };
  const owner = choose('gpo_merchant_id', merchant.gpoMerchantIds);
  const pos = choose('gpo_pos_id', merchant.gpoPosIds);
  return { gpoMerchantId: owner.id, gpoPosId: pos.id, faults: [...owner.faults, ...pos.faults] };
}

/** returnUrl and cancelUrl may lead only to origins the merchant registered (decisions §11). */
function checkOrigins(merchant: Merchant, metadata: Metadata): Fault[] {
  return (['returnUrl', 'cancelUrl'] as const).flatMap((name): Fault[] => {
    const url = metadata[name];
    if (!url || merchant.returnOrigins.includes(new URL(url).origin)) return [];
    return [{ pointer: `/metadata/${name}`, code: 'origin_not_registered' }];
  });
}

type Found = { keyed: StoredAnswer | null; busyId: string | null };

/**
 * Runs the statement; a unique violation means that another request committed in between: the second run sees it.
 * Only a second violation in a row is answered by its constraint.
 */
async function insertOnce(core: Core, values: unknown[]): Promise<Found> {
  const run = () => core.pool.query<FoundRow>({ name: 'create_payment', text: CREATE, values });
  const isDuplicate = (error: unknown) => (error as { code?: string }).code === '23505';
  let rows: FoundRow[];
  try {
    ({ rows } = await run());
  } catch (first) {
    if (!isDuplicate(first)) throw first;
    ({ rows } = await run().catch((second: unknown) => {
      throw isDuplicate(second) ? refuseDuplicate(second as { constraint?: string }) : second;
    }));
  }
  const row = rows[0] as FoundRow;
  const keyed = row.fingerprint === null ? null : { fingerprint: row.fingerprint, status: row.status, body: row.body };
  return { keyed, busyId: row.busy };
}

function refuseDuplicate({ constraint }: { constraint?: string }): Problem {
  if (constraint === 'payments_in_flight') return new Problem('reference_in_flight');
  return new Problem('idempotency_in_progress', { headers: { 'Retry-After': '1' } });
}

type FoundRow = { fingerprint: string | null; status: number | null; body: string | null; busy: string | null };

const CREATE = `
with keyed as (
  select fingerprint, status, body from idempotency_keys where merchant_id = $2::uuid and key = $27::text
), busy as (
  select id from payments
  where merchant_id = $2::uuid and reference = $3 and amount_minor = $4::bigint and phone = $12::text
    and status = 'Processing' and payment_type = 'GPO' and $8 = 'Processing' limit 1
), payment as (
  insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision,
    description, custom_metadata, phone, provider, gpo_merchant_id, gpo_pos_id, return_url, cancel_url, attempts_made,
    created_at, expires_at, due_at)
  select $1::uuid, $2::uuid, $3, $4::bigint, $5, $6, $7, $8, $9::int, $10::text, $11::text, $12::text, $13::text, $14::text,
    $15::text, $16::text, $17::text, $18::smallint, $19::timestamptz, $20::timestamptz, $21::timestamptz
  where not exists (select from keyed) and not exists (select from busy)
  returning id
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
  select e.id, $2::uuid, $1::uuid, e.type, $8, $19::timestamptz, '{}'
  from payment, unnest($22::uuid[], $23::text[]) with ordinality as e(id, type, nth) order by nth
), attempt as (
  insert into attempts (id, payment_id, phone, status, created_at, due_at)
  select $24::uuid, id, $12::text, $25::text, $19::timestamptz, $26::timestamptz from payment where $24::uuid is not null
), stored as (
  insert into idempotency_keys (merchant_id, key, fingerprint, status, body, created_at)
  select $2::uuid, $27::text, $28::text, 201, $29::text, $19::timestamptz from payment where $27::text is not null
)
select (select fingerprint from keyed), (select status from keyed), (select body from keyed), (select id from busy) as busy`;

function valuesOf(
  core: Core,
  p: Payment,
  attempt: PushedAttempt['attempt'] | null,
  keyed: Keyed | null,
  body: string,
): unknown[] {
  const events = attempt ? ['payment.created', eventTypeOf('Processing')] : ['payment.created'];
  const dueAt = attempt && new Date(p.createdAt.getTime() + leaseMs(core.config));
  // prettier-ignore
  return [
    p.id, p.merchantId, p.reference, p.amountMinor, p.currency, p.paymentType, p.paymentMethod, p.status, p.revision,
    p.description, p.customMetadata, p.phone, p.provider, p.gpoMerchantId, p.gpoPosId, p.returnUrl, p.cancelUrl,
    p.attemptsMade, p.createdAt, p.expiresAt, p.dueAt,
    events.map(() => randomUuid()), events, attempt?.id ?? null, attempt ? 'Unsent' : null, dueAt,
    keyed?.key ?? null, keyed?.fingerprint ?? null, body,
  ];
}
