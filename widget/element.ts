// The element <balcao-payment>: a payment in a shadow root, from its first read to its end, and the events it sends.
import { h, render } from 'preact';
import { announceScreen } from '../shared/announce.ts';
import { LANGS, type CheckoutSession, type CheckoutSessionWithTexts, type Lang } from '../shared/checkout.ts';
import { followServerClock } from '../shared/countdown.ts';
import { listenWakes, openGateway, type Gateway } from '../shared/gateway.ts';
import { beginState, followPayment, type PayerState } from '../shared/payer.ts';
import { describeScreen } from '../shared/screen.ts';
import type { PaymentStatus } from '../shared/status.ts';
import { Notice, Payment } from './Payment.tsx';
import type { NoticeName } from './notices.ts';
import css from './widget.css?inline';

export const PAYMENT_TAG = 'balcao-payment';

const TICK_MS = 500;
const RETRY_MS = 3_000;

/** Where the script came from: the gateway. Known only while the script runs for the first time. */
const origin = readOrigin();

/** Defines the element once; a second copy of the script, or a server that imports it, changes nothing. */
export function definePayment() {
  if (typeof customElements === 'undefined' || customElements.get(PAYMENT_TAG)) return;
  customElements.define(
    PAYMENT_TAG,
    class extends HTMLElement {
      // Declared only: fields that are set would be rewritten for old browsers, at some length.
      declare closePayment?: (() => void) | undefined;
      declare paymentBox?: HTMLElement;

      static get observedAttributes() {
        return ['token', 'lang', 'base'];
      }

      connectedCallback() {
        this.closePayment = openPayment(this, (this.paymentBox ??= attachBox(this)));
      }

      disconnectedCallback() {
        this.closePayment?.();
        this.closePayment = undefined;
      }

      attributeChangedCallback() {
        if (!this.closePayment) return;
        this.closePayment();
        this.connectedCallback();
      }
    },
  );
}

/** Shows the element's payment until the returned function is called. */
function openPayment(host: HTMLElement, box: HTMLElement): () => void {
  const lang = langOf(host);
  const base = host.getAttribute('base') ?? origin;
  const gateway = openGateway(base, host.getAttribute('token') ?? '', lang);
  const closing = new AbortController();
  const tell = (about: NoticeName) => render(h(Notice, { lang, about }), box);
  tell('opening');
  void readFirst(gateway, closing.signal, () => tell('offline')).then((first) => {
    if (first === 'gone') tell('missing');
    else if (first) followFirst({ host, box, base, gateway, signal: closing.signal }, first);
  });
  return () => {
    closing.abort();
    render(null, box);
  };
}

/** The first session, asked for until there is an answer (null: closed meanwhile): with it come the words of all that follows. */
async function readFirst(gateway: Gateway, signal: AbortSignal, tellOffline: () => void) {
  for (;;) {
    const answer = await gateway.readSession().catch(() => null);
    if (signal.aborted) return null;
    if (answer && answer !== 'busy') return answer;
    tellOffline();
    await new Promise<void>((resolve) => gateway.after(RETRY_MS, resolve));
  }
}

type Opened = { host: HTMLElement; box: HTMLElement; base: string; gateway: Gateway; signal: AbortSignal };

function followFirst({ host, box, base, gateway, signal }: Opened, session: CheckoutSessionWithTexts) {
  const root = box.getRootNode() as ShadowRoot;
  let state = beginState(session);
  let title: string | null = null;
  const clock = followServerClock(session.serverTime, () => performance.now());
  const payer = followPayment(gateway, state, tell, clock.hear);

  function tell(next: PayerState) {
    const last = state.session;
    state = next;
    redraw();
    if (next.session !== last) tellPage(host, next.session, last);
  }

  async function pay(typed: string) {
    await payer.pay(typed);
    if (state.error) root.getElementById('phone')?.focus();
  }

  function redraw() {
    announceScreen(root, () => {
      const last = title;
      const screen = describeScreen(state, clock.nowMs());
      title = screen.title;
      render(h(Payment, { state, screen, base, pay }), box);
      return last && last !== title ? title : null;
    });
  }

  redraw();
  tellPage(host, session, null);
  listenWakes(payer.wake, signal);
  const ticking = setInterval(() => state.session.status === 'Processing' && redraw(), TICK_MS);
  signal.addEventListener('abort', () => {
    clearInterval(ticking);
    payer.stop();
  });
}

const EVENTS: Partial<Record<PaymentStatus, 'balcao:paid' | 'balcao:failed' | 'balcao:expired'>> = {
  Paid: 'balcao:paid',
  Captured: 'balcao:paid',
  Failed: 'balcao:failed',
  Expired: 'balcao:expired',
};

/** Events for the page around: every change, and the ends by name. */
function tellPage(host: HTMLElement, { status, revision }: CheckoutSession, last: CheckoutSession | null) {
  const send = (name: string) =>
    host.dispatchEvent(new CustomEvent(name, { detail: { status, revision }, bubbles: true, composed: true }));
  send('balcao:status');
  const end = EVENTS[status];
  if (end && status !== last?.status) send(end);
}

function langOf(host: HTMLElement): Lang {
  const wanted = (host.getAttribute('lang') ?? document.documentElement.lang).slice(0, 2).toLowerCase();
  return LANGS.find((lang) => lang === wanted) ?? 'pt';
}

/** Constructed sheets need no allowance in the page's policy; browsers without them get a style element. */
function attachBox(host: HTMLElement): HTMLElement {
  const root = host.attachShadow({ mode: 'open' });
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {
    root.append(Object.assign(document.createElement('style'), { textContent: css }));
  }
  return root.appendChild(document.createElement('div'));
}

function readOrigin(): string {
  const script = typeof document === 'undefined' ? null : document.currentScript;
  const source = (script as HTMLScriptElement | null)?.src ?? import.meta.url;
  return source ? new URL(source).origin : '';
}
