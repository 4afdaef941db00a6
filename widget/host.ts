// Shared by both elements: the shadow root, the language, and the events that they send.
import css from './widget.css?inline';
import type { Lang } from '../shared/checkout.ts';
import type { PaymentStatus } from '../shared/status.ts';
import { NOTICES } from './notices.ts';
import { read } from './shell.ts';

export function langOf(host: HTMLElement): Lang {
  const wanted = (read(host, 'lang') ?? document.documentElement.lang).slice(0, 2).toLowerCase();
  return wanted in NOTICES ? (wanted as Lang) : 'pt';
}

/** The element's one box, and after it room for what the merchant put inside. Constructed sheets need no allowance in the page's policy; browsers without them get a style element. */
export function openBox(host: HTMLElement): Element {
  const { shadowRoot } = host;
  if (shadowRoot) return shadowRoot.querySelector('div')!;
  const root = host.attachShadow({ mode: 'open' });
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {
    root.append(Object.assign(document.createElement('style'), { textContent: css }));
  }
  const box = document.createElement('div');
  root.append(box, document.createElement('slot'));
  return box;
}

export type Detail = { status: PaymentStatus; revision: number; token: string };

const EVENTS: Partial<Record<PaymentStatus, 'paid' | 'failed' | 'expired'>> = {
  Paid: 'paid',
  Captured: 'paid',
  Failed: 'failed',
  Expired: 'expired',
};

/** Events for the page around: every change, and the ends by name. */
export function tellPage(host: HTMLElement, { status, revision, token }: Detail, last: Pick<Detail, 'status'> | null) {
  const detail = { status, revision, token };
  sendEvent(host, 'status', detail);
  const end = EVENTS[status];
  if (end && status !== last?.status) sendEvent(host, end, detail);
}

export function sendEvent(host: HTMLElement, name: string, detail: Detail | null) {
  host.dispatchEvent(new CustomEvent(`balcao:${name}`, { detail, bubbles: true, composed: true }));
}
