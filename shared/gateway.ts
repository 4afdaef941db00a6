// The browser's side of one payment's addresses: read its session, stream it, pay it, or go on by reference. No cookie is ever sent.
import type { CheckoutSession, CheckoutSessionWithTexts, Lang } from './checkout.ts';
import { openInSlot } from './slots.ts';
import type { StreamListener, Watch, WatchPorts } from './watch.ts';

/** Accepted with a session, refused with a code; without either nobody can say whether the request arrived: only a read can. */
export type PayAnswer = { session?: CheckoutSession; code?: string; /** Where the payer goes on. */ url?: string };

export type Gateway = {
  /** Its origin; empty for the page's own. */
  base: string;
  /** Where one of the payment's addresses is, in the payer's language. */
  addressOf(leaf: string): string;
  openStream: WatchPorts['openStream'];
  /** Rejects when the gateway cannot be reached; `gone`: there is no such payment (any more); `busy`: no answer now. */
  readSession(): Promise<CheckoutSessionWithTexts | 'busy' | 'gone'>;
  pay(phoneNumber: string): Promise<PayAnswer>;
  /** Has a payment by reference take this one's place. */
  payByReference(): Promise<PayAnswer>;
  /** Has a code made, to be scanned or opened in the payer's app. */
  payByCode(): Promise<PayAnswer>;
  after: WatchPorts['after'];
};

const TIMEOUT_MS = 15_000;

/** The payment behind a client token, at `base` (empty for the page's own origin), in the payer's language. */
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
      // Something else answered for it (a portal that wants a login): as good as no network.
      if (!body) throw body;
      return status === 200 ? (body as CheckoutSessionWithTexts) : status === 404 ? 'gone' : 'busy';
    },
    // A page that has taught its objects another `toJSON` does not change what is sent.
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
 * Calls `wake` when the page may have missed a change: it is shown, thawed, restored from the cache, or online again.
 * A page that becomes hidden wakes too, and finds no slot for its stream. Calls `rest` when the payer leaves the page.
 */
export function listenWakes({ wake, rest }: Pick<Watch, 'wake' | 'rest'>, options: AddEventListenerOptions = {}) {
  document.addEventListener('visibilitychange', wake, options);
  document.addEventListener('resume', wake, options);
  addEventListener('pageshow', (event) => event.persisted && wake(), options);
  addEventListener('online', wake, options);
  addEventListener('pagehide', rest, options);
}

type Answer = { status: number; /** Null when it is not JSON: then it was not the gateway that answered. */ body: any };

/** Only a problem told by the gateway itself is a refusal: a proxy's error page says nothing about what happened behind it. */
function readPayAnswer({ status, body }: Answer): PayAnswer {
  if (status < 300 && body) return body.url ? body : { session: body };
  return status < 500 || status === 503 ? { code: body?.code } : {};
}

async function request(url: string, init: RequestInit = {}): Promise<Answer> {
  const abort = new AbortController();
  // Of a request that is over it ends nothing.
  setTimeout(() => abort.abort(), TIMEOUT_MS);
  // Without cookies by there being none: said here, it would keep the page's own connection from being used again.
  const response = await fetch(url, { ...init, cache: 'no-store', signal: abort.signal });
  return { status: response.status, body: await response.json().catch(() => null) };
}

function listenStream(source: EventSource, listener: StreamListener) {
  source.addEventListener('session', (event) => listener.session(JSON.parse(event.data)));
  source.addEventListener('end', () => listener.lost(true));
  source.onerror = () => listener.lost(source.readyState === source.CLOSED);
  return source;
}
