// Creates a payment: one statement writes it with its events, attempt and idempotency key.
import { randomUUID } from 'node:crypto';
import { gpoMethodOf } from '../../shared/methods.ts';
import { toDecimal, toMinor } from '../../shared/money.ts';
import type { Way } from '../../shared/ways.ts';
import type { Core } from '../core.ts';
import { findStored, paymentIdsOf, replay, type Keyed, type StoredAnswer } from '../http/idempotency.ts';
import { invalidFields, Problem, type Answer, type Fault } from '../http/problem.ts';
import type { Caller } from '../http/route.ts';
import { leaseMs } from '../jobs/schedule.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import type { Rail } from '../rails/rail.ts';
import { chooseGpo, type GpoRequirements } from '../rails/choose.ts';
import { listPayableMethods, nameAttempt, requirementsOf } from './core/account.ts';
import type { AttemptKind, Payment, RecordedAttempt } from './core/entities.ts';
import { creatorOf } from './core/creator.ts';
import { checkOrigins, searchTermsOf } from './core/fields.ts';
import {
  insertCreation,
  orderOf,
  writeUntilKnown,
  NO_CONFLICT,
  type Creation,
  type InsertConflicts,
} from './core/insert.ts';
import { methodOf, type PendingCreation } from './core/method.ts';
import { makePayment } from './core/new-payment.ts';
import { eventTypeOf } from './core/states.ts';
import { viewPayment } from './core/view.ts';
import { describeCreated } from './read.ts';
import { creationRequest, type GpoCreation } from './schemas.ts';

export type CreationInput = {
  merchantId: string;
  request: GpoCreation;
  keyed: Keyed | null;
  /** True if the request has the header `Prefer: return=representation`. */
  wantsRepresentation: boolean;
  /** The caller who charges. Absent for a payer who uses a link. */
  caller?: Pick<Caller, 'userId' | 'clientId'>;
  /** The payment link of the request. It writes the payment together with its own rows. */
  link?: { id: string; write(creation: Creation): Promise<InsertConflicts> };
  /** The payment that the new one replaces: the columns that it passes on, and the write that ends it. */
  replaced?: { columns: Partial<Payment>; write(creation: Creation): Promise<InsertConflicts> };
};

/** The result of a creation. `order` is null after a replay. `paymentId` is null if the answer has no JSON. */
type Created = { answer: Answer; paymentId: string | null; order: RecordedAttempt | null };

/**
 * Creates a GPO payment for the merchant and commits before it returns.
 * Only a QR code needs a call to the rail before the response.
 * @throws Problem 400 (GPO ids, origins, authorization), reference_in_use, reference_in_flight, terminal_closed,
 *   authorization_busy, authorization_not_capturable, rail_unavailable, idempotency_key_reused, idempotency_in_progress
 */
export async function createPayment(core: Core, input: CreationInput): Promise<Created> {
  const { request, keyed, link, replaced } = input;
  const merchant = await findMerchant(core, input.merchantId);
  const built = await buildOrReplay(core, merchant, input);
  if ('answer' in built) return built;
  const { payment, account } = built;
  if (link) payment.linkId = link.id;
  Object.assign(payment, await creatorOf(core, input.merchantId, input.caller), replaced?.columns);
  const method = methodOf(payment);
  const attempt = method.start === 'checkout' ? null : makeAttempt(core, payment, method.orderKind, account);
  if (merchant.uniqueReferences) payment.referenceClaim = payment.reference;
  const shown = { ...payment, customMetadata: request.metadata?.custom ?? payment.customMetadata };
  const body = viewPayment(core, shown, []);
  const creation: Creation = {
    payment,
    events: eventTypesOf(payment).map((type) => ({ id: randomUUID(), type })),
    attempt,
    // A replay builds the response from the payment. The response with a QR code waits for the rail.
    key: keyed && { ...keyed, body: null, inFlightUntil: method.answer && attempt ? attempt.dueAt : null },
  };
  const write = () =>
    (link ?? replaced)?.write(creation) ?? (method.write ?? insertCreation)(core, creation, request.metadata ?? {});
  const found = await writeUntilKnown(core, creation, { write, written: NO_CONFLICT });
  if (found.keyed && keyed) return replayCreation(core, found.keyed, input);
  if (found.isReferenceTaken) throw invalidFields([REFERENCE_IN_USE]);
  if (found.busyId) throw new Problem('reference_in_flight', { extra: { internalId: found.busyId } });
  if (found.isTerminalClosed) throw new Problem('terminal_closed');
  if (method.answer && attempt)
    return { ...NO_ORDER, answer: await method.answer.first(core, payment, attempt, pendingOf(input)) };
  return {
    answer: { status: 201, body },
    paymentId: payment.id,
    order: attempt && orderOf(payment, attempt),
  };
}

const REFERENCE_IN_USE: Fault = { pointer: '/reference', code: 'reference_in_use', params: { entity: 'GPO' } };

const NO_ORDER = { paymentId: null, order: null } as const;

/** Builds the attempt at the chosen account. Null if the rail receives no order. */
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

/** Replays the stored response, even if the merchant's current settings would refuse the request. */
async function buildOrReplay(core: Core, merchant: Merchant, input: CreationInput): Promise<BuiltPayment | Created> {
  const built = buildPayment(core, merchant, input.request);
  if (built.faults.length === 0) return built;
  const stored = input.keyed && (await findStored.first(core, { merchantId: merchant.id, key: input.keyed.key }));
  if (!stored) throw invalidFields(built.faults);
  return replayCreation(core, stored, input);
}

/**
 * Repeats the stored response of a creation with the payment in its current state.
 * The image of a QR code never changes.
 */
export async function replayCreation(core: Core, stored: StoredAnswer, input: CreationInput): Promise<Created> {
  const replayPending = methodOf({ paymentMethod: gpoMethodOf(input.request.metadata?.paymentMethod) }).answer?.replay;
  const first =
    stored.paymentId && replayPending
      ? await replayPending(core, stored, pendingOf(input))
      : replay(stored, input.keyed as Keyed);
  if (first.status !== 201) return { ...NO_ORDER, answer: first };
  const [paymentId = ''] = paymentIdsOf(stored);
  return { answer: { ...first, body: await describeCreated(core, paymentId) }, paymentId, order: null };
}

function pendingOf({ merchantId, keyed, wantsRepresentation, request }: CreationInput): PendingCreation {
  return { merchantId, keyed, wantsRepresentation, metadata: request.metadata ?? {} };
}

/** Lists the events of a creation. A payment that is created with a push also gets `payment.processing`. */
function eventTypesOf({ status }: Payment): string[] {
  return status === 'Processing' ? ['payment.created', eventTypeOf(status)] : ['payment.created'];
}

type BuiltPayment = { payment: Payment; account: Rail | null; faults: Fault[] };

/**
 * Collects the remaining faults of an invalid request, so that one 400 lists all. Placeholders replace invalid fields.
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
  // An amount is valid only for its currency, so a fault in either field leaves both unchecked.
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
 * Builds the payment of a request, with the faults of its GPO ids, method, currency, origins and end date.
 * @throws Problem 400 for an invalid amount
 */
function buildPayment(core: Core, merchant: Merchant, request: GpoCreation): BuiltPayment {
  const metadata = request.metadata ?? {};
  const method = methodOf({ paymentMethod: gpoMethodOf(metadata.paymentMethod) });
  const amount = toMinor(request.amount, request.currency);
  if ('fault' in amount) throw invalidFields([{ pointer: '/amount', code: amount.fault }]);
  const createdAt = core.clock.now();
  const own = method.read(metadata, createdAt);
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
    payerTaxId: metadata.documentNumber ?? null,
    provider: typeof metadata.provider === 'string' ? metadata.provider : null,
    returnUrl: metadata.returnUrl ?? null,
    cancelUrl: metadata.cancelUrl ?? null,
    createdAt,
    dueAt: own.columns.expiresAt ?? null,
    ...own.columns,
  });
  const { account, ids, faults, wrongIds } = connectGpo(core, merchant, requirementsOf(payment), metadata);
  Object.assign(payment, ids);
  // A checkout page is payable if at least one of its methods has an account.
  const isPayable = method.start === 'checkout' && listPayableMethods(core, merchant, payment).length > 0;
  const unable = [
    ...(isPayable ? wrongIds.filter(({ code }) => code !== 'gpo_id_required') : [...faults, ...wrongIds]),
    ...checkOrigins(core, merchant, metadata),
    ...(own.faults ?? []),
  ];
  return { payment, account, faults: unable };
}

/**
 * Chooses the GPO account and the GPO ids of an order, or returns the faults that refuse it.
 * @param wish null for a capture, which uses the account of its authorization
 */
export function connectGpo(
  core: Pick<Core, 'rails'>,
  merchant: Pick<Merchant, 'id' | 'gpoMerchantIds' | 'gpoPosIds'>,
  wish: GpoRequirements | null,
  metadata: Metadata = {},
) {
  const { account, faults } = wish ? chooseGpo(core, merchant.id, wish) : { account: null, faults: [] };
  const areNeeded = account?.capabilities.gpoIds ?? true;
  const owner = chooseGpoId('gpo_merchant_id', metadata, merchant.gpoMerchantIds, areNeeded);
  const pos = chooseGpoId('gpo_pos_id', metadata, merchant.gpoPosIds, areNeeded);
  const wrongIds = account || !wish ? [...owner.faults, ...pos.faults] : [];
  return { account, ids: { gpoMerchantId: owner.id, gpoPosId: pos.id }, faults, wrongIds };
}

/** Returns the problem codes that explain why no payer could pay a page. Empty if one method works. */
export async function findPageConflicts(
  core: Core,
  { merchantId, amountMinor, currency, methods = null, returnUrl = null }: Page,
): Promise<string[]> {
  const merchant = await findMerchant(core, merchantId);
  const amount = toDecimal(amountMinor, currency);
  const metadata = { paymentMethod: 'webframe', methods, returnUrl } as const;
  const { faults } = buildPayment(core, merchant, { amount, currency, paymentType: 'GPO', reference: '-', metadata });
  return [...new Set(faults.map(({ code }) => code))];
}

type Page = Pick<Payment, 'merchantId' | 'amountMinor' | 'currency' | 'returnUrl'> & {
  methods?: Way[] | null | undefined;
};

type Metadata = NonNullable<GpoCreation['metadata']>;
type GpoId = { id: string | null; faults: Fault[] };

/** Returns the request's GPO id if it is the merchant's own, else the first assigned one. */
function chooseGpoId(
  name: 'gpo_merchant_id' | 'gpo_pos_id',
  metadata: Metadata,
  assigned: string[],
  isNeeded: boolean,
): GpoId {
  const id = metadata[name] || assigned[0] || null;
  if (id === null ? !isNeeded : assigned.includes(id)) return { id, faults: [] };
  const pointer = `/metadata/${name}`;
  return { id, faults: [{ pointer, code: id === null ? 'gpo_id_required' : 'gpo_id_not_assigned' }] };
}
