// Code that both elements share: the shadow root, the language, and the events.
import css from './widget.css?inline';
import type { Lang } from '../shared/checkout.ts';
import type { PaymentStatus } from '../shared/status.ts';
import { NOTICES } from './notices.ts';
import { readAttribute } from './shell.ts';

export function langOf(host: HTMLElement): Lang {
  const wanted = (readAttribute(host, 'lang') ?? document.documentElement.lang).slice(0, 2).toLowerCase();
  return wanted in NOTICES ? (wanted as Lang) : 'pt';
}

/**
 * Creates the shadow root and returns the container inside it. The container precedes a slot for the children.
 * The CSP of a page always allows constructable stylesheets. Old browsers get a style element.
 */
export function openBox(host: HTMLElement): Element {
  const box = host.shadowRoot?.querySelector('div') ?? createBox(host);
  // The outline has the text colour of the element's color-scheme: white on a dark page.
  box.classList.toggle('dark', /255/.test(getComputedStyle(box).outlineColor));
  return box;
}

function createBox(host: HTMLElement): HTMLDivElement {
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

/** Dispatches `balcao:status`, and an event such as `balcao:paid` if the payment has just ended. */
export function dispatchStatus(
  host: HTMLElement,
  { status, revision, token }: Detail,
  last: Pick<Detail, 'status'> | null,
) {
  const detail = { status, revision, token };
  sendEvent(host, 'status', detail);
  const end = EVENTS[status];
  if (end && status !== last?.status) sendEvent(host, end, detail);
}

export function sendEvent(host: HTMLElement, name: string, detail: Detail | null) {
  host.dispatchEvent(new CustomEvent(`balcao:${name}`, { detail, bubbles: true, composed: true }));
}
