// ProxyPay as a connector (RPS v2, payment by reference): what it needs, what it can do, and whom its notifications are believed from.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseAnswer, parseList, type Missed, type RailAnswer } from '../ask.ts';
import type { Capabilities, Connector, Notification, Probe, RailNews } from '../connector.ts';
import { createAccountAsk, secrets, settings, type ProxypayAccount, type ProxypaySettings } from './account.ts';
import { createProxypayRail } from './client.ts';
import { CURRENCY, readPayment } from './payment.ts';

function listCapabilities(isExclusive: boolean): Capabilities {
  return {
    kind: 'ppr',
    // Two systems that draw from one entity meet: a shared one's digits are reserved.
    ownDigits: isExclusive,
    withdraw: true,
    // It knows digits only, and nothing of those that it was told to forget.
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
  [403, { result: 'not_allowed', detail: 'ProxyPay knows this API key but does not let it read payments.' }],
]);

/** Slow, too early, too often. */
const BUSY: readonly number[] = [408, 425, 429];

function readProbe(answer: RailAnswer): Probe {
  const { status } = answer;
  if (status === 200 && parseList(answer)) return { result: 'ok' };
  const known = PROBES.get(status);
  if (known) return known;
  return status >= 500 || BUSY.includes(status)
    ? { result: 'no_connection', detail: `ProxyPay answered ${status}; try again in a minute.` }
    : { result: 'wrong_host', detail: `The address answered ${status} but not with ProxyPay’s queue of payments.` };
}

function missProbe({ code, message }: Missed): Probe {
  return code === 'blocked'
    ? { result: 'wrong_host', detail: 'This gateway may not call that address.' }
    : { result: 'no_connection', detail: `ProxyPay gave no whole answer: ${message}.` };
}

/** HMAC-SHA256 of the body as it travelled, with the API key, as lower-case hex. */
function isSigned({ headers, body }: Notification, { secrets: { apiKey } }: ProxypayAccount): boolean {
  const given = headers['x-signature'];
  if (typeof given !== 'string') return false;
  const wanted = Buffer.from(createHmac('sha256', apiKey).update(body).digest('hex'));
  const shown = Buffer.from(given);
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}

/** Of a payment without a time of its own whose arrival nobody told either. */
const NO_TIME = new Date(0);

/** One payment; what is not proven, or has no time at all, is only a reason to look into the queue. */
const readNews: Connector['read'] = (body, { trust, receivedAt = NO_TIME }): RailNews[] => {
  // Whether the entity is ours alone is not known here: then only the queue says what may be taken off it.
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
    const ask = createAccountAsk(account);
    return ask({ method: 'GET', path: '/payments', truncates: true, read: readProbe, miss: missProbe });
  },
  verify: (notification, account) => (isSigned(notification, account) ? 'proven' : 'refused'),
  read: readNews,
};
