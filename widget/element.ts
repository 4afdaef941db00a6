// The element <balcao-payment>: a payment in a shadow root, from its first read to its end, and the events it sends.
import css from './widget.css?inline';
import { announceScreen, newsOf } from '../shared/announce.ts';
import type { CheckoutSession, CheckoutSessionWithTexts, Lang } from '../shared/checkout.ts';
import { followServerClock } from '../shared/countdown.ts';
import { listenWakes, openGateway, type Gateway } from '../shared/gateway.ts';
import { beginState, followPayment } from '../shared/payer.ts';
import { describeScreen, type Screen } from '../shared/screen.ts';
import type { PaymentStatus } from '../shared/status.ts';
import { draw, h } from './draw.ts';
import { NOTICES, type NoticeName } from './notices.ts';
import { drawPayment } from './payment.tsx';

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
  const gateway = openGateway(host.getAttribute('base') ?? origin, host.getAttribute('token') ?? '', lang);
  const closing = new AbortController();
  const tell = (about: NoticeName) =>
    draw(box, [h('div', { class: 'card center quiet', lang, role: 'status' }, NOTICES[lang][about])]);
  tell('opening');
  void readFirst();
  return () => {
    closing.abort();
    draw(box, []);
  };

  /** Asks for the first session until there is an answer: with it come the words of all that follows. */
  async function readFirst() {
    const answer = await gateway.readSession().catch(() => null);
    if (closing.signal.aborted) return;
    if (answer === 'gone') tell('missing');
    else if (answer && answer !== 'busy') followFirst(host, box, gateway, closing.signal, answer);
    else {
      tell('offline');
      gateway.after(RETRY_MS, readFirst);
    }
  }
}

function followFirst(
  host: HTMLElement,
  box: HTMLElement,
  gateway: Gateway,
  signal: AbortSignal,
  session: CheckoutSessionWithTexts,
) {
  const root = box.getRootNode() as ShadowRoot;
  let state = beginState(session);
  let screen: Screen | undefined;
  const clock = followServerClock(session.serverTime, () => performance.now());
  const payer = followPayment(
    gateway,
    state,
    (next) => {
      const last = state.session;
      state = next;
      redraw();
      if (next.session !== last) tellPage(host, next.session, last);
    },
    clock.hear,
  );

  async function pay(typed: string) {
    await payer.pay(typed);
    if (state.error) root.getElementById('phone')?.focus();
  }

  function redraw() {
    announceScreen(root, () => {
      const last = screen;
      screen = describeScreen(state, clock.nowMs());
      draw(box, [drawPayment({ state, screen, gateway, pay, copy: payer.copy })]);
      return last !== undefined && newsOf(screen, last);
    });
  }

  redraw();
  tellPage(host, session);
  listenWakes(payer.wake, { signal });
  // A reference may be looked at for hours, and nothing on it counts down.
  const ticking = setInterval(() => state.session.isFinal || screen?.details || redraw(), TICK_MS);
  signal.addEventListener('abort', () => {
    clearInterval(ticking);
    payer.stop();
  });
}

const EVENTS: Partial<Record<PaymentStatus, 'paid' | 'failed' | 'expired'>> = {
  Paid: 'paid',
  Captured: 'paid',
  Failed: 'failed',
  Expired: 'expired',
};

/** Events for the page around: every change, and the ends by name. */
function tellPage(host: HTMLElement, { status, revision }: CheckoutSession, last?: CheckoutSession) {
  const send = (name: string) =>
    host.dispatchEvent(
      new CustomEvent(`balcao:${name}`, { detail: { status, revision }, bubbles: true, composed: true }),
    );
  send('status');
  const end = EVENTS[status];
  if (end && status !== last?.status) send(end);
}

function langOf(host: HTMLElement): Lang {
  const wanted = (host.getAttribute('lang') ?? document.documentElement.lang).slice(0, 2).toLowerCase();
  return wanted in NOTICES ? (wanted as Lang) : 'pt';
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
