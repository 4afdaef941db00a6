// The browser's client for one payment: reads its session, opens its stream, and sends the payer's requests.
// The payment client in the browser sends no cookies.
import type { CheckoutSession, CheckoutSessionWithTexts, Lang } from './checkout.ts';
import { openInSlot } from './slots.ts';
import type { StreamListener, Watch, WatchPorts } from './watch.ts';

/**
 * The result of a payer's request. `session`: accepted. `code`: refused. `url`: the payer continues at this URL.
 * Without any of the three fields, the request may have arrived or not. Only a read of the session shows which.
 */
export type PayAnswer = { session?: CheckoutSession; code?: string; url?: string };

export type Gateway = {
  /** The gateway's origin. Empty if the page itself comes from the gateway. */
  base: string;
  /** Returns one of the payment's URLs, in the payer's language. */
  addressOf(leaf: string): string;
  openStream: WatchPorts['openStream'];
  /** Rejects if the gateway is unreachable. `gone`: the payment does not exist (404). `busy`: another error status. */
  readSession(): Promise<CheckoutSessionWithTexts | 'busy' | 'gone'>;
  pay(phoneNumber: string): Promise<PayAnswer>;
  /** Replaces this payment by a payment by reference. */
  payByReference(): Promise<PayAnswer>;
  /** Requests a QR code that the payer scans or opens in a banking app. */
  payByCode(): Promise<PayAnswer>;
  after: WatchPorts['after'];
};

const TIMEOUT_MS = 15_000;

/** Opens the payment of a client token. @param base the gateway's origin, empty for the page's own */
export function openGateway(base: string, token: string, lang: Lang): Gateway {
  const addressOf = (leaf: string) => `${base}/checkout/${encodeURIComponent(token)}/${leaf}?lang=${lang}`;
  const ask = (leaf: string, body: string) =>
    request(addressOf(leaf), { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
      readPayAnswer,
      () => ({}),
    );
  return {
    base,
    addressOf,
    openStream: (listener) =>
      openInSlot(
        () => listenStream(new EventSource(addressOf('events')), listener),
        () => listener.lost(true),
      ),
    async readSession() {
      const { status, body } = await request(addressOf('session'));
      // A response without JSON comes from another server, such as a captive portal. It counts as a network failure.
      if (!body) throw body;
      return status === 200 ? (body as CheckoutSessionWithTexts) : status === 404 ? 'gone' : 'busy';
    },
    // The JSON is built by hand, because a merchant's page may have changed `Object.prototype.toJSON`.
    pay: (phoneNumber) => ask('pay', `{"phoneNumber":${JSON.stringify(phoneNumber)}}`),
    payByReference: () => ask('reference', '{}'),
    payByCode: () => ask('qrcode', '{}'),
    after(delayMs, act) {
      const timer = setTimeout(act, delayMs);
      return () => clearTimeout(timer);
    },
  };
}

/**
 * Calls `wake` when the page may have missed a change: it is shown, thawed, restored from the cache, or online.
 * A page that becomes hidden wakes too, but gets no stream slot. Calls `rest` when the payer leaves the page.
 */
export function listenWakes({ wake, rest }: Pick<Watch, 'wake' | 'rest'>, options: AddEventListenerOptions = {}) {
  document.addEventListener('visibilitychange', wake, options);
  document.addEventListener('resume', wake, options);
  addEventListener('pageshow', (event) => event.persisted && wake(), options);
  addEventListener('online', wake, options);
  addEventListener('pagehide', rest, options);
}

/** `body`: the parsed JSON of a response, or null. Without JSON, another server than the gateway has responded. */
type Answer = { status: number; body: any };

/** Only a problem from the gateway itself is a refusal. A proxy's error page says nothing about the request. */
function readPayAnswer({ status, body }: Answer): PayAnswer {
  if (status < 300 && body) return body.url ? body : { session: body };
  return status < 500 || status === 503 ? { code: body?.code } : {};
}

async function request(url: string, init: RequestInit = {}): Promise<Answer> {
  const abort = new AbortController();
  // The timer is not cleared: aborting a finished request has no effect.
  setTimeout(() => abort.abort(), TIMEOUT_MS);
  // The gateway sets no cookies here. `credentials: 'omit'` would only prevent the reuse of the page's connection.
  const response = await fetch(url, { ...init, cache: 'no-store', signal: abort.signal });
  return { status: response.status, body: await response.json().catch(() => null) };
}

function listenStream(source: EventSource, listener: StreamListener) {
  source.addEventListener('session', (event) => listener.session(JSON.parse(event.data)));
  source.addEventListener('end', () => listener.lost(true));
  source.onerror = () => listener.lost(source.readyState === source.CLOSED);
  return source;
}
