// Creates payment references from requests: each becomes a payment with a reference. A request has one or many.
import { NO_END_DATE } from '../../../shared/reference.ts';
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Core } from '../../core.ts';
import { findStored, paymentIdsOf, replay, type Keyed, type StoredAnswer } from '../../http/idempotency.ts';
import { invalidFields, tryLater, type Answer } from '../../http/problem.ts';
import type { Caller } from '../../http/route.ts';
import { pprLeaseMs } from '../../jobs/schedule.ts';
import type { Merchant } from '../../merchants/entities.ts';
import { findMerchant } from '../../merchants/find.ts';
import type { PprAccount } from '../../rails/rail.ts';
import { choosePpr, entityOf, type PprRequirements } from '../../rails/choose.ts';
import { creatorOf } from '../core/creator.ts';
import { makePayment } from '../core/new-payment.ts';
import type { Payment, PaymentWithReference, Reference, ReferenceContract } from '../core/entities.ts';
import {
  insertBulk,
  insertCreation,
  writeUntilKnown,
  NO_CONFLICT,
  type Creation,
  type InsertConflicts,
} from '../core/insert.ts';
import { checkOrigins, searchTermsOf } from '../core/fields.ts';
import { findPairs } from './find.ts';
import { findFaults, inUseFault, isPast, type Locate, type ReferenceRequest } from './schemas.ts';
import { addMonths, drawFreeDigits, findUsedDigits, unusedSince } from './number.ts';
import { assignsDigits, returnDigits, takeReserved } from './reserved.ts';
import { registerTogether, syncRegistration, takesMany } from './registration.ts';
import { FIRST_REFERENCE_STATUS } from './states.ts';

type ReferencesInput = {
  merchantId: string;
  caller: Pick<Caller, 'userId' | 'clientId'>;
  requests: ReferenceRequest[];
  contract: ReferenceContract;
  keyed: Keyed | null;
  locate: Locate;
  view(pairs: PaymentWithReference[]): object;
  /** Builds the response of a repeat, which shows the references in their current state. Absent: by `view`. */
  repeat?(paymentIds: string[]): Promise<object>;
};

/**
 * The most rounds of drawing digits.
 * Concurrent requests may take drawn digits, so each round draws free digits again.
 */
const ROUNDS = 20;

/**
 * Creates the references of the request atomically, and commits before it returns.
 * A single reference is registered at the rail immediately.
 * Several references are registered by bulk calls if the rail has them, else by the due-row job within a second.
 * @throws Problem 400 with every fault of every item (reference_in_use, date_in_past …), entity_not_assigned,
 * payment_method_unavailable if no rail takes references, references_exhausted, idempotency_key_reused,
 * idempotency_in_progress
 */
export async function createReferences(core: Core, input: ReferencesInput): Promise<Answer> {
  try {
    return await insertPairs(core, input);
  } catch (refusal) {
    // A stored response is replayed, even if the request would be refused now.
    const { merchantId, keyed } = input;
    const stored = keyed && (await findStored.first(core, { merchantId, key: keyed.key }));
    if (!stored) throw refusal;
    return repeat(core, input, stored);
  }
}

/** Repeats a stored response with its references in their current state. @throws the problems of `replay` */
async function repeat(core: Core, { keyed, ...input }: ReferencesInput, stored: StoredAnswer): Promise<Answer> {
  const first = replay(stored, keyed as Keyed);
  const ids = paymentIdsOf(stored);
  return { ...first, body: await (input.repeat?.(ids) ?? findPairs(core, ids).then(input.view)) };
}

async function insertPairs(core: Core, input: ReferencesInput): Promise<Answer> {
  const { requests, locate } = input;
  const merchant = await findMerchant(core, input.merchantId);
  const accounts = requests.map((request) => choosePpr(core, merchant, wishOf(request)));
  const [first] = accounts;
  // If no item has an account, the response names this fault once instead of for each item.
  if (first && !first.account && first.faults.some(({ code }) => code === 'payment_method_unavailable'))
    throw invalidFields(first.faults);
  const lacksEntity = accounts.flatMap(({ faults }) => faults).find(({ code }) => code === 'entity_not_assigned');
  if (lacksEntity) throw invalidFields([lacksEntity]);
  const now = core.clock.now();
  const faults = requests.flatMap((request, nth) =>
    [...(accounts[nth]?.faults ?? []), ...checkOrigins(core, merchant, request)].map((fault) => ({
      ...fault,
      pointer: locate(nth, fault.pointer),
    })),
  );
  if (faults.length > 0 || requests.some((request) => isPast(request, now)))
    throw invalidFields([...faults, ...(await findFaults(core, merchant.id, requests, locate))]);
  const items = requests.map((request, nth): Item => {
    return { request, account: accounts[nth]?.account as PprAccount, digits: request.reference };
  });
  const creator = await creatorOf(core, input.merchantId, input.caller);
  try {
    return await insertInRounds(core, { ...input, merchant, items, creator });
  } finally {
    // An inserted reference has removed its digits from `items`. The remaining digits are released.
    for (const [account, own] of groupByAccount(items))
      await returnDigits(core, account, digitsOf(own.filter(isGenerated)));
  }
}

/** One reference of the request. `digits`: from the request or generated. Null: the next round draws digits. */
type Item = { request: ReferenceRequest; account: PprAccount; digits: string | null };

type Drawing = ReferencesInput & { merchant: Merchant; items: Item[]; creator: Partial<Payment> };

const isGenerated = ({ request }: Item) => request.reference === null;

const digitsOf = (items: Item[]) => items.flatMap(({ digits }) => digits ?? []);

/** References of one merchant usually share one account. */
const groupByAccount = (items: Item[]) => Map.groupBy(items, ({ account }) => account);

async function insertInRounds(core: Core, drawing: Drawing): Promise<Answer> {
  const { items, locate, view } = drawing;
  for (let round = 0; round < ROUNDS; round++) {
    await drawMissing(core, drawing);
    const pairs = buildPairs(core, drawing);
    const found = await insertAll(core, drawing, pairs);
    // A concurrent request inserted the same digits.
    if (!found) {
      await dropUsed(core, drawing);
      continue;
    }
    const keyed = found.find((one) => one.keyed)?.keyed;
    if (keyed) return repeat(core, drawing, keyed);
    const taken = items.filter((_item, nth) => found[nth]?.isReferenceTaken);
    const inUse = taken.filter((item) => !isGenerated(item));
    if (inUse.length > 0)
      throw invalidFields(
        inUse.map((item) => inUseFault(items.indexOf(item), locate, entityOf(item.account, drawing.merchant))),
      );
    // A concurrent request took some of the generated digits. The next round draws new digits for these references.
    for (const item of taken.length > 0 ? taken : items) item.digits = null;
    if (taken.length > 0) continue;
    tellRails(core, pairs, items);
    return { status: 201, body: view(pairs) };
  }
  throw tryLater('references_exhausted', 1);
}

function tellRails(core: Core, pairs: PaymentWithReference[], items: Item[]): void {
  const [only, ...others] = pairs;
  if (only && others.length === 0) return core.inBackground(syncRegistration(core, only.reference.id));
  for (const account of groupByAccount(items).keys()) {
    const own = pairs.filter(({ reference }) => reference.rail === account.id);
    if (takesMany(account)) core.inBackground(registerTogether(core, account, own));
  }
}

/** Draws digits for all references without digits. */
async function drawMissing(core: Core, { merchant, items }: Drawing): Promise<void> {
  const except = new Set(digitsOf(items));
  for (const [account, missing] of groupByAccount(items.filter(({ digits }) => digits === null))) {
    const drawn = await generateDigits(core, merchant, account, missing.length, except);
    for (const [nth, item] of missing.entries()) item.digits = drawn[nth] ?? null;
  }
}

/** After a conflict, drops generated digits that a concurrent request has taken. The next round draws new ones. */
async function dropUsed(core: Core, { merchant, items }: Drawing): Promise<void> {
  for (const [account, own] of groupByAccount(items.filter(isGenerated))) {
    const used = await findUsedDigits(core, entityOf(account, merchant) ?? '', digitsOf(own));
    // The concurrent request may not be visible yet, so digits that are not reserved are always drawn again.
    for (const item of own) if (!assignsDigits(account) || used.has(item.digits ?? '')) item.digits = null;
  }
}

function buildPairs(core: Core, { merchant, items, contract, creator }: Drawing): PaymentWithReference[] {
  return items.map(({ request, account, digits }) => {
    const isRegisteredByCaller = items.length === 1 || takesMany(account);
    const options = { digits: digits as string, contract, isRegisteredByCaller, account };
    const pair = buildPair(core, merchant, request, options);
    return { ...pair, payment: { ...pair.payment, ...creator } };
  });
}

/**
 * Draws random digits, or takes reserved ones if the rail assigns them.
 * @throws Problem references_exhausted, rail_unavailable
 */
export async function generateDigits(
  core: Core,
  merchant: Merchant,
  account: PprAccount,
  count: number,
  except: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  if (assignsDigits(account)) return takeReserved(core, account, count);
  return drawFreeDigits(core, entityOf(account, merchant) ?? '', count, except);
}

function wishOf({ amountMinor, currency, type }: ReferenceRequest): PprRequirements {
  return { amountMinor, currency, isCharging: type === 'Charging' };
}

/** Inserts one reference in a batch with concurrent creations, or several references in one transaction. */
async function insertAll(
  core: Core,
  { keyed, items }: Drawing,
  pairs: PaymentWithReference[],
): Promise<InsertConflicts[] | null> {
  const since = unusedSince(core.clock.now());
  // The key's row has one column for a payment, so its body has the ids of several payments.
  const data = pairs.map(({ payment }) => ({ internalId: payment.id }));
  const body = data.length > 1 ? JSON.stringify({ data }) : null;
  const creations = pairs.map(({ payment, reference }, nth): Creation => ({
    payment,
    reference: { ...reference, unusedSince: isGenerated(items[nth] as Item) ? since : null },
    events: [{ id: randomUUID(), type: 'payment.created' }],
    attempt: null,
    // One idempotency key covers the whole request, so the row of the first reference stores it.
    key: keyed && nth === 0 ? { ...keyed, body } : null,
  }));
  const [first] = creations;
  if (!first) return [];
  const write = async () =>
    creations.length === 1 ? [await insertCreation(core, first)] : insertBulk(core, creations);
  return writeUntilKnown(core, first, { write, written: creations.map(() => NO_CONFLICT) });
}

/** The expiry of Charging references without an `expiryDate`. */
const NO_END = new Date(`${NO_END_DATE}T23:59:59.000Z`);

type PairOptions = { digits: string; contract: ReferenceContract; isRegisteredByCaller: boolean; account: PprAccount };

/** Builds a payment and its reference. `isRegisteredByCaller`: the due-row job waits for the caller's lease. */
export function buildPair(
  core: Core,
  merchant: Merchant,
  request: ReferenceRequest,
  { digits, contract, isRegisteredByCaller, account }: PairOptions,
): PaymentWithReference {
  const createdAt = core.clock.now();
  const expiresAt = request.expiryDate ?? (request.type === 'Charging' ? NO_END : addMonths(createdAt, 1));
  const payment = makePayment({
    merchantId: merchant.id,
    reference: digits,
    amountMinor: request.amountMinor,
    currency: request.currency,
    paymentType: 'PPR',
    paymentMethod: 'reference',
    description: request.description,
    customMetadata: request.custom ? JSON.stringify(request.custom) : null,
    searchTerms: searchTermsOf(merchant.searchKeys, request.custom),
    returnUrl: request.returnUrl,
    cancelUrl: request.cancelUrl,
    createdAt,
    expiresAt,
  });
  const reference: Reference = {
    id: uuid(),
    paymentId: payment.id,
    merchantId: merchant.id,
    rail: account.id,
    entity: entityOf(account, merchant) ?? '',
    reference: digits,
    type: request.type,
    contract,
    status: FIRST_REFERENCE_STATUS,
    customerEmail: request.customerEmail,
    customerName: request.customerName,
    customerTelephone: request.customerTelephone,
    documentNumber: request.documentNumber,
    createdAt,
    expiresAt,
    closedAt: null,
    registeredAt: null,
    withdrawnAt: null,
    railFault: null,
    // If the caller crashes, the due-row job registers the reference.
    dueAt: isRegisteredByCaller ? new Date(createdAt.getTime() + pprLeaseMs(core.config)) : createdAt,
    dueCount: 0,
  };
  return { payment, reference };
}
