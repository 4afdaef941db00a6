// References through AppyPay, with digits that the gateway chooses. One call registers one or many references.
// AppyPay cannot withdraw references.
import { toReceivedMinor } from '../../../shared/money.ts';
import { explainStatus, readFields, readText, type RailAnswer } from '../rail-call.ts';
import type { PprRail, ReferenceOrder, RegistrationOutcome } from '../provider.ts';
import { createAppyPayCall, type AppyPayCall } from './access.ts';
import { explainFailure, keyOf, luandaDay, parseCharge, readEntity, writeAmount, writeDescription } from './charges.ts';
import { DUPLICATE_DIGITS, DUPLICATE_ID, isFailure, readStatus } from './codes.ts';
import { listReferencePayments, queryReference } from './reference-payments.ts';
import type { AppyPayAccount } from './settings.ts';

/** Maximum references in one bulk call. AppyPay refuses a larger call as a whole. */
export const MAX_BULK_REFERENCES = 500;
/** Limits of a payment to a reference whose amount the payer chooses. */
export const OPEN_BOUNDS = { minMinor: 100, maxMinor: 1_000_000_000 };

/**
 * The result of a registration call. With `ifForeign` the result is open, and a query for the digits must follow.
 * `ifForeign` is the result if that query shows another system's reference.
 */
type RegistrationResult = RegistrationOutcome | { ifForeign: 'taken' | 'unknown' };

/** Creates the PPR client of one AppyPay account. */
export function createPprClient(account: AppyPayAccount): PprRail {
  const call = createAppyPayCall(account);
  const { settings, clock } = account;
  const paymentMethod = settings.methods.ref;
  const registerMany = async (orders: ReferenceOrder[]) => {
    if (!paymentMethod) return orders.map(() => explain('refused', 'method_missing'));
    const outcomes: RegistrationOutcome[] = [];
    for (let start = 0; start < orders.length; start += MAX_BULK_REFERENCES) {
      const chunk = orders.slice(start, start + MAX_BULK_REFERENCES);
      outcomes.push(...(await registerChunk(call, chunk, writeReferences(chunk, paymentMethod, clock.now()))));
    }
    return outcomes;
  };
  return {
    async register(order) {
      if (!paymentMethod || order.type === 'Charging' || order.amountMinor === 0) {
        return (await registerMany([order]))[0] as RegistrationOutcome;
      }
      const registered = await call<RegistrationResult>({
        method: 'POST',
        path: '/charges',
        body: writeReferenceCharge(order, paymentMethod),
        read: (answer) => readChargeAnswer(answer, order),
        onFailure: (error) => explain('unknown', error.code, explainFailure(error)),
      });
      return 'ifForeign' in registered ? queryDigits(call, order, registered.ifForeign) : registered;
    },
    registerMany,
    // AppyPay has no call to withdraw a reference, so payers can pay it until its last day ends.
    withdraw: async () => explain('unsupported', 'unsupported'),
    query: (reference) => queryReference(call, reference, clock),
    listPayments: (after) => listReferencePayments(call, after, clock),
  };
}

/** Writes the last day on which payers can pay the reference, since AppyPay stores no time of expiry. */
function writeLastDay({ expiresAt }: ReferenceOrder): string {
  return luandaDay(new Date(expiresAt.getTime() - 1));
}

function writeReferenceCharge(order: ReferenceOrder, paymentMethod: string): string {
  const { amountMinor, currency, reference } = order;
  const description = writeDescription(order.description);
  return JSON.stringify({
    amount: writeAmount(amountMinor, currency),
    currency,
    merchantTransactionId: keyOf(order.referenceId),
    paymentMethod,
    paymentInfo: { referenceNumber: reference, dueDate: writeLastDay(order) },
    ...(description && { description }),
  });
}

function writeReferences(orders: ReferenceOrder[], paymentMethod: string, now: Date): string {
  const references = orders.map((order) => {
    const { amountMinor, currency, reference } = order;
    const line = writeDescription(order.description);
    const fixed = { amount: writeAmount(amountMinor, currency), ...(line && { descriptionLine1: line }) };
    const open = {
      minAmount: writeAmount(OPEN_BOUNDS.minMinor, currency),
      maxAmount: writeAmount(OPEN_BOUNDS.maxMinor, currency),
    };
    return {
      referenceNumber: reference,
      currency,
      ...(amountMinor === 0 ? open : { amounts: [fixed] }),
      startDate: luandaDay(now),
      expirationDate: writeLastDay(order),
    };
  });
  return JSON.stringify({ paymentMethod, createdBy: 'balcao', references });
}

/** Reads the answer to a registration as a charge. */
function readChargeAnswer(answer: RailAnswer, order: ReferenceOrder): RegistrationResult {
  const body = parseCharge(answer.body);
  const registered = readRegistrationStatus(body.responseStatus);
  if (answer.status !== 200 && answer.status !== 202) {
    const isFinal = answer.status < 500 && 'result' in registered && registered.result === 'refused';
    return isFinal || 'ifForeign' in registered ? registered : httpFailure(registered, answer);
  }
  if (!isRegistered(registered)) return registered;
  const { referenceNumber, entity } = readFields(body.reference);
  // AppyPay has accepted the charge but has not created its reference yet.
  return referenceNumber === order.reference ? checkEntity(entity, order, registered) : { ifForeign: 'unknown' };
}

/** Creates the outcome of an HTTP error. The reference is not payable, even if the error's code means success. */
function httpFailure(outcome: RegistrationOutcome, answer: RailAnswer): RegistrationOutcome {
  return { result: 'unknown', details: { ...outcome.details, ...explainStatus(answer) } };
}

/** Status codes of invalid registrations, which are useless to repeat. */
const REFUSALS: ReadonlySet<string | null> = new Set(['245', '717', '718', '719', '762', '800', '803']);

function readRegistrationStatus(value: unknown): RegistrationResult {
  const { code, meaning, railDetails, isContradicted } = readStatus(value);
  if (code === DUPLICATE_DIGITS) return { ifForeign: 'taken' };
  if (code === DUPLICATE_ID) return { ifForeign: 'unknown' };
  if (!code || isContradicted) return explain('unknown', code ? 'status_contradicted' : 'unreadable', railDetails);
  if (meaning === 'approved' || meaning === 'pending') return { result: 'active', details: railDetails };
  if (REFUSALS.has(code) || isFailure(meaning)) return explain('refused', `code_${code}`, railDetails);
  return explain('unknown', meaning === 'rail_failed' ? 'rail_error' : 'code_unknown', railDetails);
}

function isRegistered(registered: RegistrationResult): registered is RegistrationOutcome {
  return 'result' in registered && registered.result === 'active';
}

/** Checks the PPR entity. Under another entity the digits belong to another merchant, so payers must not pay them. */
function checkEntity(entity: unknown, order: ReferenceOrder, outcome: RegistrationOutcome): RegistrationOutcome {
  const railEntity = readEntity(entity);
  if (railEntity === order.entity) return outcome;
  return railEntity ? explain('refused', 'other_entity', { railEntity }) : explain('unknown', 'entity_unreadable');
}

async function registerChunk(
  call: AppyPayCall,
  orders: ReferenceOrder[],
  body: string,
): Promise<RegistrationOutcome[]> {
  const results = await call<RegistrationResult[]>({
    method: 'POST',
    path: '/references',
    body,
    maxBytes: 1024 * 1024,
    read: (answer) => readBulk(answer, orders),
    onFailure: (error) => orders.map(() => explain('unknown', error.code, explainFailure(error))),
  });
  const outcomes: RegistrationOutcome[] = [];
  for (const [index, order] of orders.entries()) {
    const one = results[index] as RegistrationResult;
    outcomes.push('ifForeign' in one ? await queryDigits(call, order, one.ifForeign) : one);
  }
  // A bulk answer has no PPR entity. All references of a contract share one, so the node queries the first reference.
  const first = outcomes.findIndex(({ result }) => result === 'active');
  if (first < 0) return outcomes;
  const queried = await queryDigits(call, orders[first] as ReferenceOrder, 'unknown');
  const isElsewhere = queried.details.reason === 'other_entity';
  return isElsewhere ? outcomes.map((outcome) => (outcome.result === 'active' ? queried : outcome)) : outcomes;
}

function readBulk(answer: RailAnswer, orders: ReferenceOrder[]): RegistrationResult[] {
  const { references } = answer.status === 200 || answer.status === 202 ? parseCharge(answer.body) : {};
  if (!Array.isArray(references)) {
    const { code, railDetails } = readStatus(parseCharge(answer.body).responseStatus);
    const { reason } = answer.status < 300 ? { reason: 'unreadable' } : explainStatus(answer);
    const outcome = explain('unknown', reason as string, { ...railDetails, httpStatus: String(answer.status) });
    // With a single reference, the bulk answer's code refers to this reference.
    return orders.map(() => (orders.length === 1 && REFUSALS.has(code) ? { ...outcome, result: 'refused' } : outcome));
  }
  const byDigits = new Map(
    references.map(readFields).map((entry) => [entry.referenceNumber, readRegistrationStatus(entry)]),
  );
  return orders.map(({ reference }) => byDigits.get(reference) ?? explain('unknown', 'not_in_answer'));
}

/**
 * Queries AppyPay for the digits of a reference. An active reference with the same amount counts as ours.
 * References from a bulk registration have no id of ours, so only digits and amount identify them.
 */
function queryDigits(
  call: AppyPayCall,
  order: ReferenceOrder,
  other: 'taken' | 'unknown',
): Promise<RegistrationOutcome> {
  return call<RegistrationOutcome>({
    method: 'GET',
    path: `/references/${encodeURIComponent(order.reference)}`,
    read(answer) {
      const { reference } = answer.status === 200 ? parseCharge(answer.body) : {};
      const { referenceNumber, entity, isActive, ...rest } = readFields(reference);
      if (answer.status !== 200) return explain('unknown', explainStatus(answer).reason as string);
      if (referenceNumber !== order.reference || typeof isActive !== 'boolean') return explain('unknown', 'unreadable');
      const isOurs = isActive && hasSameTerms(rest, order);
      return isOurs ? checkEntity(entity, order, { result: 'active', details: {} }) : explain(other, 'other_reference');
    },
    onFailure: (error) => explain('unknown', error.code, explainFailure(error)),
  });
}

function hasSameTerms(listed: Record<string, unknown>, { amountMinor, currency }: ReferenceOrder): boolean {
  const is = (value: unknown, minor: number) => {
    const read = toReceivedMinor(readText(value) ?? '', currency);
    return 'minor' in read && read.minor === minor;
  };
  if (listed.currency !== currency) return false;
  if (amountMinor > 0) return is(listed.amount, amountMinor);
  const isOpen = listed.amount === null || listed.amount === undefined || is(listed.amount, 0);
  return isOpen && is(listed.minAmount, OPEN_BOUNDS.minMinor) && is(listed.maxAmount, OPEN_BOUNDS.maxMinor);
}

function explain(
  result: RegistrationOutcome['result'],
  reason: string,
  details: Record<string, string> = {},
): RegistrationOutcome {
  return { result, details: { ...details, reason } };
}
