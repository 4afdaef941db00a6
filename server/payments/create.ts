// Creating a payment: what the request asks for becomes a payment, written with its events, attempt and idempotency key in one statement.
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { gpoMethodOf } from '../../shared/methods.ts';
import { toMinor } from '../../shared/money.ts';
import { normalizePhone } from '../../shared/phone.ts';
import type { Core } from '../core.ts';
import { findStored, replay, type Keyed, type StoredAnswer } from '../http/idempotency.ts';
import { invalid, Problem, type Answer, type Fault } from '../http/problem.ts';
import { leaseMs } from '../jobs/schedule.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import type { Rail } from '../rails/book.ts';
import { chooseGpo } from '../rails/choose.ts';
import { answerWithCode, replayCode, type CreationAsked } from './qr/qrcode.ts';
import { asCreated } from './core/event-snapshot.ts';
import { insertCapture } from './hold/capture.ts';
import { insertCreation, orderOf, writeSurely, WRITTEN, type Creation } from './core/insert.ts';
import { methodOf } from './core/method.ts';
import { creationRequest, qrOptions, type GpoCreation } from './schemas.ts';
import { eventTypeOf, FIRST_STATUS } from './core/states.ts';
import type { AttemptKind, Payment, RecordedAttempt } from './core/entities.ts';
import { checkOrigins, searchTermsOf } from './core/fields.ts';
import { listWays, nameAttempt, wishOf } from './core/account.ts';
import { replayShown } from './core/token.ts';
import { findPayment } from './core/rows.ts';
import { viewPayment } from './core/view.ts';

/** The answer to send, and the order to give the rail when this call (not a replay) created one. */
type Created = { answer: Answer; paymentId: string | null; order: RecordedAttempt | null };

/**
 * Creates a GPO payment for the merchant and commits before it returns. Only a QR code asks the rail first, which makes it.
 * @throws Problem 400 (GPO ids, origins, authorization), reference_in_use, reference_in_flight, terminal_closed, authorization_busy,
 * authorization_not_capturable, rail_unavailable, idempotency_key_reused, idempotency_in_progress
 */
export async function createPayment(core: Core, asked: CreationAsked): Promise<Created> {
  const { request, keyed, link } = asked;
  const merchant = await findMerchant(core, asked.merchantId);
  const built = await buildOrReplay(core, merchant, asked);
  if ('answer' in built) return built;
  const { payment, account } = built;
  if (link) payment.linkId = link.id;
  const method = methodOf(payment);
  const attempt = method.start === 'checkout' ? null : makeAttempt(core, payment, method.asks, account);
  if (merchant.uniqueReferences) payment.referenceClaim = payment.reference;
  const shown = { ...payment, customMetadata: request.metadata?.custom ?? null };
  const body = JSON.stringify(viewPayment(core, shown, []));
  const creation: Creation = {
    payment,
    events: eventTypesOf(payment).map((type) => ({ id: randomUUID(), type })),
    attempt,
    // The answer is the payment as it was created, which can always be said again; a code's waits for the rail.
    key: keyed && { ...keyed, body: null, inFlightUntil: attempt?.kind === 'qrcode' ? attempt.dueAt : null },
  };
  const write = () =>
    method.start === 'capture'
      ? insertCapture(core, creation, request)
      : (link?.write(creation) ?? insertCreation(core, creation));
  const found = await writeSurely(core, creation, { write, written: WRITTEN });
  if (found.keyed && keyed) return replayCreation(core, found.keyed, asked);
  if (found.isReferenceTaken) throw invalid([REFERENCE_IN_USE]);
  if (found.busyId) throw new Problem('reference_in_flight', { extra: { internalId: found.busyId } });
  if (found.isTerminalClosed) throw new Problem('terminal_closed');
  if (attempt?.kind === 'qrcode') return { ...NO_ORDER, answer: await answerWithCode(core, payment, attempt, asked) };
  return {
    answer: { status: 201, body },
    paymentId: payment.id,
    order: attempt && orderOf(payment, attempt),
  };
}

/** As of a payment reference, which names its entity. */
const REFERENCE_IN_USE: Fault = { pointer: '/reference', code: 'reference_in_use', params: { entity: 'GPO' } };

const NO_ORDER = { paymentId: null, order: null } as const;

/** By the account that was chosen; a capture's is that of its authorization, once it is found. */
function makeAttempt(
  core: Core,
  payment: Payment,
  kind: AttemptKind | null,
  account: Rail | null,
): Creation['attempt'] {
  if (!kind) return null;
  const dueAt = new Date(payment.createdAt.getTime() + leaseMs(core.config));
  return { kind, ...nameAttempt(core, account), dueAt };
}

/** What was answered once is answered again, although the merchant's settings would refuse it by now. */
async function buildOrReplay(core: Core, merchant: Merchant, asked: CreationAsked): Promise<Built | Created> {
  const built = buildPayment(core, merchant, asked.request);
  if (built.faults.length === 0) return built;
  const stored = asked.keyed && (await findStored(core, merchant.id, asked.keyed.key));
  if (!stored) throw invalid(built.faults);
  return replayCreation(core, stored, asked);
}

async function replayCreation(core: Core, stored: StoredAnswer, asked: CreationAsked): Promise<Created> {
  const keyed = asked.keyed as Keyed;
  if (stored.paymentId && stored.status === 201 && stored.body === null) {
    const answer = replay(stored, keyed);
    const payment = await findPayment.one(core, { id: stored.paymentId });
    return { ...NO_ORDER, answer: { ...answer, body: JSON.stringify(viewPayment(core, asCreated(payment), [])) } };
  }
  if (stored.paymentId) return { ...NO_ORDER, answer: await replayCode(core, stored, asked) };
  return { ...NO_ORDER, answer: replayShown(core.keyring, stored, keyed) };
}

/** A push at creation is told too. */
function eventTypesOf({ status }: Payment): string[] {
  return status === 'Processing' ? ['payment.created', eventTypeOf(status)] : ['payment.created'];
}

/** A payment not yet written, the account that it would begin with, and why it cannot be. */
type Built = { payment: Payment; account: Rail | null; faults: Fault[] };

/**
 * What else is wrong with a request that has faults already, so that one answer names all: its faulty fields are left out,
 * or stand-ins take their place.
 */
export async function findOtherFaults(
  core: Core,
  merchantId: string,
  input: unknown,
  found: Fault[],
): Promise<Fault[]> {
  if (typeof input !== 'object' || input === null || found.some(({ pointer }) => pointer === '')) return [];
  const merchant = await findMerchant(core, merchantId);
  const faulty = new Set(found.map(({ pointer }) => pointer));
  // Neither says anything without the other.
  if (faulty.has('/amount') || faulty.has('/currency')) faulty.add('/amount').add('/currency');
  const request = creationRequest.safeParse({ ...STAND_INS, ...leaveOut(input as Record<string, unknown>, faulty) });
  if (!request.success) return [];
  const { faults } = buildPayment(core, merchant, request.data as GpoCreation);
  return faults.filter(({ pointer }) => !faulty.has(pointer));
}

const STAND_INS = { amount: 1, currency: 'AOA', paymentType: 'GPO', reference: '-' };

function leaveOut(input: Record<string, unknown>, faulty: Set<string>): Record<string, unknown> {
  const top = { ...input };
  for (const pointer of faulty) {
    const [, field = '', inner] = pointer.split('/');
    if (field !== 'metadata' || inner === undefined) delete top[field];
    else top['metadata'] = Object.fromEntries(Object.entries(top['metadata'] ?? {}).filter(([key]) => key !== inner));
  }
  return top;
}

/**
 * A payment as the merchant asks for it, and what of its GPO ids, method, currency, origins and end date cannot be; a capture's
 * authorization is looked up when it is written.
 * @throws Problem 400 for amounts that cannot be
 */
export function buildPayment(core: Core, merchant: Merchant, request: GpoCreation): Built {
  const metadata = request.metadata ?? {};
  const method = methodOf({ paymentMethod: gpoMethodOf(metadata.paymentMethod) });
  const amount = toMinor(request.amount, request.currency);
  if ('fault' in amount) throw invalid([{ pointer: '/amount', code: amount.fault }]);
  const createdAt = core.clock.now();
  const qr = method.name === 'qrcode' ? qrOptions.parse(metadata) : null;
  const endDate = qr?.endDate ?? null;
  const provider = typeof metadata.provider === 'string' ? metadata.provider : null;
  const asked = {
    amountMinor: amount.minor,
    currency: request.currency,
    provider,
    maxTransactions: qr?.maxTransactions ?? null,
  };
  const wish = wishOf({ ...asked, paymentMethod: method.name });
  const { account, faults } = wish ? chooseGpo(core, merchant.id, wish) : NO_ACCOUNT;
  const ids = chooseGpoIds(merchant, metadata, account?.capabilities.gpoIds ?? true);
  const expiresAt = method.expiresAt(createdAt, { expiresInMinutes: metadata.expiresInMinutes, endDate });
  const payment = makePayment({
    merchantId: merchant.id,
    reference: request.reference,
    amountMinor: amount.minor,
    currency: request.currency,
    paymentType: 'GPO',
    paymentMethod: method.name,
    description: metadata.description ?? request.description ?? null,
    customMetadata: metadata.custom ? JSON.stringify(metadata.custom) : null,
    searchTerms: searchTermsOf(merchant.searchKeys, metadata.custom),
    phone: method.start === 'push' ? normalizePhone(metadata.phoneNumber ?? '') : null,
    payerTaxId: metadata.documentNumber ?? null,
    provider,
    gpoMerchantId: ids.gpoMerchantId,
    gpoPosId: ids.gpoPosId,
    returnUrl: metadata.returnUrl ?? null,
    cancelUrl: metadata.cancelUrl ?? null,
    allowReferenceFallback: method.name === 'webframe' && metadata.allowReferenceFallback === true,
    checkoutMethods: method.name === 'webframe' ? (metadata.methods ?? null) : null,
    authorizationId: method.name === 'capture' ? (metadata.authorizationId?.toLowerCase() ?? null) : null,
    qrSize: qr?.qrSize ?? null,
    qrType: qr?.qrType ?? null,
    maxTransactions: qr?.maxTransactions ?? null,
    attemptsMade: method.start === 'push' ? 1 : 0,
    createdAt,
    expiresAt,
    dueAt: expiresAt,
  });
  // A page can be paid as long as there is one way to.
  const isPayable = method.start === 'checkout' && listWays(core, merchant, payment).length > 0;
  const wrongIds = account || !wish ? ids.faults : [];
  const unable = [
    ...(isPayable ? wrongIds.filter(({ code }) => code !== 'gpo_id_required') : [...faults, ...wrongIds]),
    ...checkOrigins(merchant, metadata),
    ...checkEnd(endDate, createdAt),
  ];
  return { payment, account, faults: unable };
}

const NO_ACCOUNT = { account: null, faults: [] };

type Given = Pick<Payment, 'merchantId' | 'reference' | 'amountMinor' | 'currency' | 'paymentType' | 'paymentMethod'> &
  Pick<Payment, 'createdAt'>;

/** A payment in its method's first status, with what is given; everything else is as nothing has happened yet. */
export function makePayment(given: Given & Partial<Payment>): Payment {
  return {
    id: uuid(),
    status: FIRST_STATUS[methodOf(given).start],
    revision: 1,
    description: null,
    customMetadata: null,
    searchTerms: null,
    phone: null,
    payerTaxId: null,
    provider: null,
    gpoMerchantId: null,
    gpoPosId: null,
    returnUrl: null,
    cancelUrl: null,
    allowReferenceFallback: false,
    checkoutMethods: null,
    replacedById: null,
    replacesId: null,
    linkId: null,
    authorizationId: null,
    authorizedMinor: null,
    capturedMinor: null,
    operation: null,
    operationId: null,
    qrContent: null,
    qrDeeplink: null,
    qrSize: null,
    qrType: null,
    maxTransactions: null,
    acceptedCount: 0,
    late: false,
    amountPaidMinor: 0,
    refundedMinor: 0,
    flags: [],
    failureCode: null,
    attemptsMade: 0,
    completedAt: null,
    expiresAt: null,
    dueAt: null,
    dueCount: 0,
    referenceClaim: null,
    ...given,
  };
}

type Metadata = NonNullable<GpoCreation['metadata']>;
type GpoIds = { gpoMerchantId: string | null; gpoPosId: string | null; faults: Fault[] };

/** The request's GPO ids if they are the merchant's own, else the first assigned ones (decisions §3). */
function chooseGpoIds(merchant: Merchant, metadata: Metadata, areNeeded: boolean): GpoIds {
  const choose = (
    name: 'gpo_merchant_id' | 'gpo_pos_id',
    assigned: string[],
  ): { id: string | null; faults: Fault[] } => {
    const id = metadata[name] || assigned[0] || null;
    if (id !== null && assigned.includes(id)) return { id, faults: [] };
    if (id === null && !areNeeded) return { id, faults: [] };
    return {
      id,
      faults: [{ pointer: `/metadata/${name}`, code: id === null ? 'gpo_id_required' : 'gpo_id_not_assigned' }],
    };
  };
  const owner = choose('gpo_merchant_id', merchant.gpoMerchantIds);
  const pos = choose('gpo_pos_id', merchant.gpoPosIds);
  return { gpoMerchantId: owner.id, gpoPosId: pos.id, faults: [...owner.faults, ...pos.faults] };
}

const YEAR_MS = 366 * 24 * 3_600_000;

/** A code's end lies ahead, one year at most (decisions §3). */
function checkEnd(endDate: Date | null, now: Date): Fault[] {
  if (!endDate) return [];
  const aheadMs = endDate.getTime() - now.getTime();
  const pointer = '/metadata/endDate';
  if (aheadMs <= 0) return [{ pointer, code: 'date_in_past' }];
  return aheadMs > YEAR_MS ? [{ pointer, code: 'date_too_far' }] : [];
}
