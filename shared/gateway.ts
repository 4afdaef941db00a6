// The browser's side of one payment's three addresses: read its session, stream it, pay it. No cookie is ever sent.
import type { CheckoutSession, CheckoutSessionWithTexts, Lang } from './checkout.ts';
import type { StreamListener, WatchPorts } from './watch.ts';

export type PayAnswer =
  | { outcome: 'accepted'; session: CheckoutSession }
  | { outcome: 'refused'; code: string }
  /** Nobody can say whether the request arrived: only a read can. */
  | { outcome: 'unknown' };

export type Gateway = {
  openStream: WatchPorts['openStream'];
  /** Rejects when the gateway cannot be reached; `gone`: there is no such payment (any more); `busy`: no answer now. */
  readSession(): Promise<CheckoutSessionWithTexts | 'busy' | 'gone'>;
  pay(phoneNumber: string): Promise<PayAnswer>;
  after: WatchPorts['after'];
};

const TIMEOUT_MS = 15_000;

/** The payment behind a client token, at `base` (empty for the page's own origin), in the payer's language. */
export function openGateway(base: string, token: string, lang: Lang): Gateway {
  const addressOf = (leaf: string) => `${base}/checkout/${encodeURIComponent(token)}/${leaf}?lang=${lang}`;
  return {
    openStream: (listener) => listenStream(new EventSource(addressOf('events')), listener),
    async readSession() {
      const { status, body } = await request(addressOf('session'));
      // Something else answered for it (a portal that wants a login): as good as no network.
      if (!body) throw body;
      return status === 200 ? (body as CheckoutSessionWithTexts) : status === 404 ? 'gone' : 'busy';
    },
    async pay(phoneNumber) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ phoneNumber });
      return request(addressOf('pay'), { method: 'POST', headers, body }).then(readPayAnswer, () => ({
        outcome: 'unknown',
      }));
    },
    after(delayMs, act) {
      const timer = setTimeout(act, delayMs);
      return () => clearTimeout(timer);
    },
  };
}

/** Calls `wake` when the page may have missed something: shown again, brought back from the cache, or online again. */
export function listenWakes(wake: () => unknown, signal?: AbortSignal) {
  const options = signal ? { signal } : {};
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && wake(), options);
  window.addEventListener('pageshow', (event) => event.persisted && wake(), options);
  window.addEventListener('online', wake, options);
}

type Answer = { status: number; /** Null when it is not JSON: then it was not the gateway that answered. */ body: any };

/** Only a problem told by the gateway itself is a refusal: a proxy's error page says nothing about what happened behind it. */
function readPayAnswer({ status, body }: Answer): PayAnswer {
  if (status < 300 && body) return { outcome: 'accepted', session: body };
  const isRefusal = status < 500 || status === 503;
  if (!isRefusal || !body?.code) return { outcome: 'unknown' };
  return { outcome: 'refused', code: body.code };
}

async function request(url: string, init: RequestInit = {}): Promise<Answer> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(url, { ...init, cache: 'no-store', credentials: 'omit', signal: abort.signal });
    const text = await response.text();
    return { status: response.status, body: parseJson(text) };
  } finally {
    clearTimeout(timer);
  }
}

function parseJson(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function listenStream(source: EventSource, listener: StreamListener) {
  source.addEventListener('session', (event) => listener.session(JSON.parse(event.data)));
  source.addEventListener('end', () => listener.lost(true));
  source.onerror = () => listener.lost(source.readyState === EventSource.CLOSED);
  return source;
}
