// The connector of ProxyPay (RPS v2, payment by reference): capabilities, credential test and signed notifications.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseAnswer, parseList, type CallFailure, type RailAnswer } from '../rail-call.ts';
import type { Capabilities, Connector, RailNotification, Probe, NotificationItem } from '../connector.ts';
import { createProxypayCall, secrets, settings, type ProxypayAccount, type ProxypaySettings } from './account.ts';
import { createProxypayRail } from './client.ts';
import { CURRENCY, readPayment } from './payment.ts';

function listCapabilities(isExclusive: boolean): Capabilities {
  return {
    kind: 'ppr',
    // If another system shares the entity, both could choose the same digits, so ProxyPay reserves the digits.
    ownDigits: isExclusive,
    withdraw: true,
    // ProxyPay forgets a withdrawn reference, so a registration that arrives late would create the reference again.
    reopens: true,
    openAmount: true,
    repeated: true,
    expiry: 'day',
    feed: 'queue',
    query: false,
    refund: 'none',
    refundRepeat: false,
    bulk: 1,
    amounts: { stepMinor: 1, minMinor: 100, maxMinor: 99_999_999_999 },
    currencies: [CURRENCY],
  };
}

const PROBES: ReadonlyMap<number, Probe> = new Map([
  [401, { result: 'wrong_secret', detail: 'ProxyPay does not know this API key in this environment.' }],
  [403, { result: 'not_allowed', detail: 'ProxyPay knows this API key but refuses it the list of payments.' }],
]);

/** HTTP statuses of a busy provider: timeout, too early, rate limit. */
const BUSY_STATUSES: readonly number[] = [408, 425, 429];

function readProbe(answer: RailAnswer): Probe {
  const { status } = answer;
  if (status === 200 && parseList(answer)) return { result: 'ok' };
  const known = PROBES.get(status);
  if (known) return known;
  return status >= 500 || BUSY_STATUSES.includes(status)
    ? { result: 'no_connection', detail: `ProxyPay answered ${status}; try again in a minute.` }
    : { result: 'wrong_host', detail: `The address answered ${status}, but not with ProxyPay’s queue of payments.` };
}

function failedProbe({ code, message }: CallFailure): Probe {
  return code === 'blocked'
    ? { result: 'wrong_host', detail: 'This gateway may not call that address.' }
    : { result: 'no_connection', detail: `ProxyPay did not answer completely: ${message}.` };
}

/** Verifies a notification's signature: HMAC-SHA256 of the raw body with the API key, in lower-case hex. */
function isSigned({ headers, body }: RailNotification, { secrets: { apiKey } }: ProxypayAccount): boolean {
  const signature = headers['x-signature'];
  if (typeof signature !== 'string') return false;
  const expected = Buffer.from(createHmac('sha256', apiKey).update(body).digest('hex'));
  const received = Buffer.from(signature);
  return received.length === expected.length && timingSafeEqual(received, expected);
}

/** Marks a payment without any known time: neither its own nor the time of its notification. */
const NO_TIME = new Date(0);

/** Reads one payment. An unproven payment, or one without a time, becomes a hint to read the queue. */
const readNotification: Connector['read'] = (body, { trust, receivedAt = NO_TIME }): NotificationItem[] => {
  // A notification does not show whether the entity is exclusive, so only payments from the queue are acknowledged.
  const payment = readPayment(parseAnswer(body), { receivedAt, isExclusive: false });
  if (!payment) return [];
  const notificationId = `payment ${payment.providerRef}`;
  const isMoney = trust === 'proven' && payment.occurredAt !== NO_TIME;
  return [
    isMoney
      ? { notificationId, about: 'reference', payment }
      : { notificationId, about: 'hint', reference: payment.reference },
  ];
};

export const proxypay: Connector<ProxypaySettings, ProxypayAccount['secrets']> = {
  name: 'proxypay',
  kinds: ['ppr'],
  settings,
  secrets,
  capabilities: (_kind, { isExclusive }) => listCapabilities(isExclusive),
  open: (account) => ({ ppr: createProxypayRail(account) }),
  probe(account) {
    const call = createProxypayCall(account);
    return call({ method: 'GET', path: '/payments', truncates: true, read: readProbe, onFailure: failedProbe });
  },
  verify: (notification, account) => (isSigned(notification, account) ? 'proven' : 'refused'),
  read: readNotification,
};
