// Creating a payment: validated and built, then written with its events, attempt and idempotency key in one statement.
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
import { GPO_CURRENCIES } from '../providers/registry.ts';
import type { Attempt, Payment } from './entities.ts';
import { findStored, insertCreation } from './insert.ts';
import { methodOf } from './methods/registry.ts';
import { leaseMs } from './polling.ts';
import type { CreationRequest } from './schemas.ts';
import { eventTypeOf, FIRST_STATUS } from './states.ts';
import { clientTokenOf } from './token.ts';
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
  const payment = await buildOrReplay(core, merchant, request, keyed);
  if ('answer' in payment) return payment;
  const body = JSON.stringify(viewPayment(core, { ...payment, customMetadata: request.metadata?.custom ?? null }, []));
  const attempt =
    payment.status === 'Processing' && payment.phone
      ? { id: uuid(), phone: payment.phone, createdAt: payment.createdAt }
      : null;
  const found = await insertCreation(core, {
    payment,
    events: eventTypesOf(payment).map((type) => ({ id: randomUuid(), type })),
    attempt: attempt && { id: attempt.id, dueAt: new Date(attempt.createdAt.getTime() + leaseMs(core.config)) },
    key: keyed && { ...keyed, body: hideToken(core, payment.id, body) },
  });
  if (found.keyed && keyed) return replayCreation(core, found.keyed, keyed);
  if (found.busyId) throw new Problem('reference_in_flight', { extra: { internalId: found.busyId } });
  return { answer: { status: 201, body }, paymentId: payment.id, push: attempt && { payment, attempt } };
}

/** What was answered once is answered again, although the merchant's settings would refuse it by now. */
async function buildOrReplay(
  core: Core,
  merchant: Merchant,
  request: CreationRequest,
  keyed: Keyed | null,
): Promise<Payment | Created> {
  try {
    return buildPayment(core, merchant, request);
  } catch (refusal) {
    const stored = keyed && (await findStored(core.pool, merchant.id, keyed.key));
    if (!stored) throw refusal;
    return replayCreation(core, stored, keyed);
  }
}

function replayCreation(core: Core, stored: StoredAnswer, keyed: Keyed): Created {
  const answer = replay(stored, keyed);
  const body = String(answer.body);
  const id = /"internalId":"([^"]+)"/.exec(body)?.[1] ?? '';
  const shown = body.replaceAll(hiddenToken(id), clientTokenOf(core.keyring, id));
  return { answer: { ...answer, body: shown }, paymentId: null, push: null };
}

/** The client token is kept in no column (decisions §3), so not in a stored answer either. */
function hideToken(core: Core, id: string, body: string): string {
  return body.replaceAll(clientTokenOf(core.keyring, id), hiddenToken(id));
}

/** Nobody can write this into a request: the id is not known before the answer. */
function hiddenToken(id: string): string {
  return `<clientToken of ${id}>`;
}

/** A push at creation is told too. */
function eventTypesOf({ status }: Payment): string[] {
  return status === 'Processing' ? ['payment.created', eventTypeOf(status)] : ['payment.created'];
}

function buildPayment(core: Core, merchant: Merchant, request: CreationRequest): Payment {
  const metadata = request.metadata ?? {};
  const method = methodOf({ paymentMethod: gpoMethodOf(metadata.paymentMethod) });
  const amount = toMinor(request.amount, request.currency);
  if ('fault' in amount) throw invalid([{ pointer: '/amount', code: amount.fault }]);
  const ids = chooseGpoIds(merchant, metadata);
  const faults = [...checkCurrency(core, request.currency), ...ids.faults, ...checkOrigins(merchant, metadata)];
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
    provider: typeof metadata.provider === 'string' ? metadata.provider : null,
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

function checkCurrency(core: Core, currency: string): Fault[] {
  if (core.config.isSandbox || GPO_CURRENCIES.includes(currency)) return [];
  return [{ pointer: '/currency', code: 'currency_not_supported' }];
}

/** returnUrl and cancelUrl may lead only to origins the merchant registered (decisions §11). */
function checkOrigins(merchant: Merchant, metadata: Metadata): Fault[] {
  return (['returnUrl', 'cancelUrl'] as const).flatMap((name): Fault[] => {
    const url = metadata[name];
    if (!url || merchant.returnOrigins.includes(new URL(url).origin)) return [];
    return [{ pointer: `/metadata/${name}`, code: 'origin_not_registered' }];
  });
}
