// References over AppyPay: registered with our own digits, one as a charge or many in one call, and never to be withdrawn.
import { toReceivedMinor } from '../../../shared/money.ts';
import { explainStatus, readFields, readText, type RailAnswer } from '../ask.ts';
import type { PprRail, ReferenceOrder, RegistrationOutcome } from '../provider.ts';
import { createAccess, type AppyPayAsk } from './access.ts';
import { explainMiss, keyOf, luandaDay, parseCharge, readEntity, writeAmount, writeDescription } from './charges.ts';
import { DIGITS_EXIST, KNOWN_ALREADY, isFailure, readStatus } from './codes.ts';
import { listReferencePayments, queryReference } from './reference-payments.ts';
import type { AppyPayAccount } from './settings.ts';

/** More than that in one call it refuses whole. */
export const BULK = 500;
/** The bounds of a payment whose amount the payer chooses. */
export const OPEN_BOUNDS = { minMinor: 100, maxMinor: 1_000_000_000 };

/** What an answer says of a registration. `look`: the reference itself tells, and this is what it is if it cannot be ours. */
type Registered = RegistrationOutcome | { look: 'taken' | 'unknown' };

/** The PPR client of one account. */
export function createPprClient(account: AppyPayAccount): PprRail {
  const ask = createAccess(account);
  const { settings, clock } = account;
  const paymentMethod = settings.methods.ref;
  const registerMany = async (orders: ReferenceOrder[]) => {
    if (!paymentMethod) return orders.map(() => explain('refused', 'method_missing'));
    const outcomes: RegistrationOutcome[] = [];
    for (let start = 0; start < orders.length; start += BULK) {
      const chunk = orders.slice(start, start + BULK);
      outcomes.push(...(await registerChunk(ask, chunk, writeReferences(chunk, paymentMethod, clock.now()))));
    }
    return outcomes;
  };
  return {
    async register(order) {
      if (!paymentMethod || order.type === 'Charging' || order.amountMinor === 0) {
        return (await registerMany([order]))[0] as RegistrationOutcome;
      }
      const registered = await ask<Registered>({
        method: 'POST',
        path: '/charges',
        body: writeReferenceCharge(order, paymentMethod),
        read: (answer) => readRegistered(answer, order),
        miss: (error) => explain('unknown', error.code, explainMiss(error)),
      });
      return 'look' in registered ? lookAt(ask, order, registered.look) : registered;
    },
    registerMany,
    // There is no call for it: the reference can be paid until its day is over.
    withdraw: async () => explain('unsupported', 'unsupported'),
    query: (reference) => queryReference(ask, reference, clock),
    listPayments: (after) => listReferencePayments(ask, after, clock),
  };
}

/** The rail knows the day: the last one on which a payment is still in time. */
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

/** What an answer to a reference's charge says of it. */
function readRegistered(answer: RailAnswer, order: ReferenceOrder): Registered {
  const body = parseCharge(answer.body);
  const said = readVerdict(body.responseStatus);
  if (answer.status !== 200 && answer.status !== 202) {
    const isFinal = answer.status < 500 && 'result' in said && said.result === 'refused';
    return isFinal || 'look' in said ? said : failed(said, answer);
  }
  if (!isTaken(said)) return said;
  const { referenceNumber, entity } = readFields(body.reference);
  // Taken on, and not yet drawn: the reference itself tells.
  return referenceNumber === order.reference ? checkEntity(entity, order, said) : { look: 'unknown' };
}

/** An HTTP error never makes a reference payable, whatever its number says. */
function failed(said: RegistrationOutcome, answer: RailAnswer): RegistrationOutcome {
  return { result: 'unknown', details: { ...said.details, ...explainStatus(answer) } };
}

/** Numbers that only a bad order has: these digits will not be registered as they are. */
const REFUSALS: ReadonlySet<string | null> = new Set(['245', '717', '718', '719', '762', '800', '803']);

function readVerdict(value: unknown): Registered {
  const { code, meaning, words, isContradicted } = readStatus(value);
  if (code === DIGITS_EXIST) return { look: 'taken' };
  if (code === KNOWN_ALREADY) return { look: 'unknown' };
  if (!code || isContradicted) return explain('unknown', code ? 'status_contradicted' : 'unreadable', words);
  if (meaning === 'approved' || meaning === 'pending') return { result: 'active', details: words };
  if (REFUSALS.has(code) || isFailure(meaning)) return explain('refused', `code_${code}`, words);
  return explain('unknown', meaning === 'rail_failed' ? 'rail_error' : 'code_unknown', words);
}

function isTaken(said: Registered): said is RegistrationOutcome {
  return 'result' in said && said.result === 'active';
}

/** Under another entity the same digits are somebody else's: payers must not be sent there. */
function checkEntity(entity: unknown, order: ReferenceOrder, said: RegistrationOutcome): RegistrationOutcome {
  const railEntity = readEntity(entity);
  if (railEntity === order.entity) return said;
  return railEntity ? explain('refused', 'other_entity', { railEntity }) : explain('unknown', 'entity_unreadable');
}

async function registerChunk(ask: AppyPayAsk, orders: ReferenceOrder[], body: string): Promise<RegistrationOutcome[]> {
  const said = await ask<Registered[]>({
    method: 'POST',
    path: '/references',
    body,
    maxBytes: 1024 * 1024,
    read: (answer) => readBulk(answer, orders),
    miss: (error) => orders.map(() => explain('unknown', error.code, explainMiss(error))),
  });
  const outcomes: RegistrationOutcome[] = [];
  for (const [index, order] of orders.entries()) {
    const one = said[index] as Registered;
    outcomes.push('look' in one ? await lookAt(ask, order, one.look) : one);
  }
  // The answer names no entity, and all of a contract have the same: the first one's is looked up.
  const first = outcomes.findIndex(({ result }) => result === 'active');
  if (first < 0) return outcomes;
  const seen = await lookAt(ask, orders[first] as ReferenceOrder, 'unknown');
  const isElsewhere = seen.details.reason === 'other_entity';
  return isElsewhere ? outcomes.map((outcome) => (outcome.result === 'active' ? seen : outcome)) : outcomes;
}

function readBulk(answer: RailAnswer, orders: ReferenceOrder[]): Registered[] {
  const { references } = answer.status === 200 || answer.status === 202 ? parseCharge(answer.body) : {};
  if (!Array.isArray(references)) {
    const { code, words } = readStatus(parseCharge(answer.body).responseStatus);
    const { reason } = answer.status < 300 ? { reason: 'unreadable' } : explainStatus(answer);
    const outcome = explain('unknown', reason as string, { ...words, httpStatus: String(answer.status) });
    // Of one alone, the answer's number is about it.
    return orders.map(() => (orders.length === 1 && REFUSALS.has(code) ? { ...outcome, result: 'refused' } : outcome));
  }
  const said = new Map(references.map(readFields).map((entry) => [entry.referenceNumber, readVerdict(entry)]));
  return orders.map(({ reference }) => said.get(reference) ?? explain('unknown', 'not_in_answer'));
}

/**
 * The reference as it stands there: ours when it can be paid and asks the same amount. Nothing else shows whose it is, as
 * one that was registered in bulk carries no id of ours.
 */
function lookAt(ask: AppyPayAsk, order: ReferenceOrder, other: 'taken' | 'unknown'): Promise<RegistrationOutcome> {
  return ask<RegistrationOutcome>({
    method: 'GET',
    path: `/references/${encodeURIComponent(order.reference)}`,
    read(answer) {
      const { reference } = answer.status === 200 ? parseCharge(answer.body) : {};
      const { referenceNumber, entity, isActive, ...rest } = readFields(reference);
      if (answer.status !== 200) return explain('unknown', explainStatus(answer).reason as string);
      if (referenceNumber !== order.reference || typeof isActive !== 'boolean') return explain('unknown', 'unreadable');
      const isOurs = isActive && asksTheSame(rest, order);
      return isOurs ? checkEntity(entity, order, { result: 'active', details: {} }) : explain(other, 'other_reference');
    },
    miss: (error) => explain('unknown', error.code, explainMiss(error)),
  });
}

function asksTheSame(there: Record<string, unknown>, { amountMinor, currency }: ReferenceOrder): boolean {
  const is = (value: unknown, minor: number) => {
    const read = toReceivedMinor(readText(value) ?? '', currency);
    return 'minor' in read && read.minor === minor;
  };
  if (there.currency !== currency) return false;
  if (amountMinor > 0) return is(there.amount, amountMinor);
  const isOpen = there.amount === null || there.amount === undefined || is(there.amount, 0);
  return isOpen && is(there.minAmount, OPEN_BOUNDS.minMinor) && is(there.maxAmount, OPEN_BOUNDS.maxMinor);
}

function explain(
  result: RegistrationOutcome['result'],
  reason: string,
  details: Record<string, string> = {},
): RegistrationOutcome {
  return { result, details: { ...details, reason } };
}
