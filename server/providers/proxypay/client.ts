// ProxyPay's payment references (RPS v2): known there by their nine digits alone, so that registering them again changes them.
import { dayOf } from '../../../shared/luanda.ts';
import { toDecimal } from '../../../shared/money.ts';
import { explainStatus, MAX_LIST_BYTES, type Missed, type RailAnswer } from '../ask.ts';
import type { PprRail, ReferenceKey, ReferenceOrder, RegistrationOutcome } from '../provider.ts';
import { createAccountAsk, type ProxypayAccount } from './account.ts';
import { CURRENCY, readQueue, REFERENCE_FIELD, UNKNOWN_QUEUE } from './payment.ts';

/** A client of one account. It keeps nothing: outcomes are for its caller to record. */
export function createProxypayRail(account: ProxypayAccount): PprRail {
  const ask = createAccountAsk(account);
  const { entity, isExclusive } = account.settings;
  // It may have been registered or withdrawn, or not: both may be repeated until the rail says so.
  const miss = (error: Missed) => makeOutcome('unknown', error.code, { error: error.message });
  return {
    async register(order) {
      const reason = findRefusal(order, entity);
      if (reason) return makeOutcome('refused', reason);
      return ask({ method: 'PUT', path: pathOf(order), body: writeReference(order), read: readRegistration, miss });
    },
    async withdraw(key) {
      // The same digits may be another reference's under the account's entity.
      if (key.entity !== entity) return makeOutcome('unknown', 'other_entity');
      if (!isNineDigits(key)) return { result: 'ended', details: { reason: 'never_registered' } };
      return ask({ method: 'DELETE', path: pathOf(key), read: readWithdrawal, miss });
    },
    async query() {
      return { result: 'unsupported', payments: [] };
    },
    async listPayments() {
      const read = (answer: RailAnswer) => readQueue(answer, { receivedAt: account.clock.now(), isExclusive });
      const miss = () => UNKNOWN_QUEUE;
      // A longer queue is read in pieces: the payments of each piece leave it as they are acknowledged.
      return ask({ method: 'GET', path: '/payments', maxBytes: MAX_LIST_BYTES, truncates: true, read, miss });
    },
    async acknowledge(receipt) {
      if (!/^\d+$/.test(receipt)) return false;
      const read = ({ status }: RailAnswer) => status === 204 || status === 404;
      return ask({ method: 'DELETE', path: `/payments/${receipt}`, read, miss: () => false });
    },
    async reserve(count) {
      const reserved = new Set<string>();
      while (reserved.size < count) {
        const number = await ask({ method: 'POST', path: '/reference_ids', read: readNumber, miss: () => null });
        if (number === null || reserved.has(number)) return null;
        reserved.add(number);
      }
      return [...reserved];
    },
  };
}

/** Why the rail cannot hold this reference, before it is asked; null: it may be asked. */
function findRefusal(order: ReferenceOrder, entity: string): string | null {
  if (order.entity !== entity) return 'other_entity';
  if (!isNineDigits(order)) return 'reference_not_nine_digits';
  return order.currency === CURRENCY ? null : 'currency_not_supported';
}

function isNineDigits({ reference }: ReferenceKey): boolean {
  return /^\d{9}$/.test(reference);
}

function pathOf({ reference }: ReferenceKey): string {
  return `/references/${reference}`;
}

/** The body that registers a reference: the same bytes for the same order. */
export function writeReference({ referenceId, amountMinor, currency, expiresAt }: ReferenceOrder): string {
  return JSON.stringify({
    // Left out: the payer chooses.
    ...(amountMinor !== 0 && { amount: toDecimal(amountMinor, currency) }),
    // Payable until that day is over: an end at midnight is the end of the day before.
    end_datetime: dayOf(new Date(expiresAt.getTime() - 1)),
    custom_fields: { [REFERENCE_FIELD]: referenceId },
  });
}

function readRegistration(answer: RailAnswer): RegistrationOutcome {
  return answer.status === 204 ? { result: 'active', details: {} } : readRefusal(answer);
}

function readWithdrawal(answer: RailAnswer): RegistrationOutcome {
  if (answer.status === 204) return { result: 'ended', details: { railStatus: 'WITHDRAWN' } };
  return answer.status === 404 ? { result: 'ended', details: { httpStatus: '404' } } : readRefusal(answer);
}

function readRefusal(answer: RailAnswer): RegistrationOutcome {
  const details = explainStatus(answer);
  const reason = NOT_ABOUT_IT.get(answer.status);
  if (reason) return { result: 'unknown', details: { ...details, reason } };
  return { result: answer.status >= 400 && answer.status < 500 ? 'refused' : 'unknown', details };
}

/** Not let in, too slow, too early, too often: the same order may be taken in a moment. */
const NOT_ABOUT_IT: ReadonlyMap<number, string> = new Map([
  [401, 'token_refused'],
  [403, 'not_allowed'],
  [408, 'rail_timeout'],
  [425, 'too_early'],
  [429, 'too_many_requests'],
]);

/** A reserved number: alone in the body, as an integer without its first zeros or as text in quotes. */
function readNumber({ status, body }: RailAnswer): string | null {
  const digits = status === 200 ? /^\s*("?)(\d{1,9})\1\s*$/.exec(body)?.[2] : null;
  return digits?.padStart(9, '0') ?? null;
}

function makeOutcome(
  result: RegistrationOutcome['result'],
  reason: string,
  details: Record<string, string> = {},
): RegistrationOutcome {
  return { result, details: { ...details, reason } };
}
