// The client of ProxyPay's payment references (RPS v2). ProxyPay identifies a reference by its nine digits only.
// A second registration of the same digits therefore changes the existing reference.
import { dayOf } from '../../../shared/luanda.ts';
import { toDecimal } from '../../../shared/money.ts';
import { explainStatus, MAX_LIST_BYTES, type CallFailure, type RailAnswer } from '../rail-call.ts';
import type { PprRail, ReferenceKey, ReferenceOrder, RegistrationOutcome } from '../provider.ts';
import { createProxypayCall, type ProxypayAccount } from './account.ts';
import { CURRENCY, readQueue, REFERENCE_FIELD, UNKNOWN_QUEUE } from './payment.ts';

/** Creates the PPR client of one ProxyPay account. The caller records the outcomes. */
export function createProxypayRail(account: ProxypayAccount): PprRail {
  const call = createProxypayCall(account);
  const { entity, isExclusive } = account.settings;
  // ProxyPay may have executed the call. The node repeats it until ProxyPay confirms it.
  const onFailure = (error: CallFailure) => makeOutcome('unknown', error.code, { error: error.message });
  return {
    async register(order) {
      const reason = findRefusal(order, entity);
      if (reason) return makeOutcome('refused', reason);
      return call({
        method: 'PUT',
        path: pathOf(order),
        body: writeReference(order),
        read: readRegistration,
        onFailure,
      });
    },
    async withdraw(key) {
      // Under the account's own entity, these digits may belong to another reference.
      if (key.entity !== entity) return makeOutcome('unknown', 'other_entity');
      if (!isNineDigits(key)) return { result: 'ended', details: { reason: 'never_registered' } };
      return call({ method: 'DELETE', path: pathOf(key), read: readWithdrawal, onFailure });
    },
    async query() {
      return { result: 'unsupported', payments: [] };
    },
    async listPayments() {
      const read = (answer: RailAnswer) => readQueue(answer, { receivedAt: account.clock.now(), isExclusive });
      const onFailure = () => UNKNOWN_QUEUE;
      // A long queue is read in several calls: acknowledged payments leave the queue, so the next call reads on.
      return call({ method: 'GET', path: '/payments', maxBytes: MAX_LIST_BYTES, truncates: true, read, onFailure });
    },
    async acknowledge(receipt) {
      if (!/^\d+$/.test(receipt)) return false;
      const read = ({ status }: RailAnswer) => status === 204 || status === 404;
      return call({ method: 'DELETE', path: `/payments/${receipt}`, read, onFailure: () => false });
    },
    async reserve(count) {
      const reserved = new Set<string>();
      while (reserved.size < count) {
        const number = await call({ method: 'POST', path: '/reference_ids', read: readNumber, onFailure: () => null });
        if (number === null || reserved.has(number)) return null;
        reserved.add(number);
      }
      return [...reserved];
    },
  };
}

/** Returns the reason why ProxyPay cannot register this reference. Null if it can. */
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

/** Writes the body of a registration. The same order gives the same bytes, so that a repeat changes nothing. */
export function writeReference({ referenceId, amountMinor, currency, expiresAt }: ReferenceOrder): string {
  return JSON.stringify({
    // In a registration without an amount, the payer chooses the amount.
    ...(amountMinor !== 0 && { amount: toDecimal(amountMinor, currency) }),
    // ProxyPay accepts payments until the end of this day, so an expiry at midnight gives the day before.
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
  const reason = INCONCLUSIVE_STATUSES.get(answer.status);
  if (reason) return { result: 'unknown', details: { ...details, reason } };
  return { result: answer.status >= 400 && answer.status < 500 ? 'refused' : 'unknown', details };
}

/** HTTP statuses that do not refuse the reference: wrong credentials, timeout, rate limit. A repeat may succeed. */
const INCONCLUSIVE_STATUSES: ReadonlyMap<number, string> = new Map([
  [401, 'token_refused'],
  [403, 'not_allowed'],
  [408, 'rail_timeout'],
  [425, 'too_early'],
  [429, 'too_many_requests'],
]);

/** Reads reserved digits from an answer, which is an integer without leading zeros or a JSON string. */
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
