// The demo shop's script: when the widget says something happened, the shop asks its own server what is true.
import { h, hydrate, render } from 'preact';
import type { OrderRead } from '../../shared/sandbox.ts';
import { isFinal, type PaymentStatus } from '../../shared/status.ts';
import { OrderState } from './OrderState.tsx';

const RETRY_MS = 3000;

const root = document.getElementById('order-state');
if (root) followOrder(root);

// A shop page brought back by the Back button still holds the order numbers it was left with: a new visit, new orders.
else window.addEventListener('pageshow', (event) => event.persisted && location.reload());

function followOrder(root: HTMLElement) {
  let isReading = false;
  let isStale = false;
  hydrate(h(OrderState, JSON.parse(document.getElementById('view')?.textContent ?? '') as OrderRead), root);

  for (const name of ['balcao:status', 'balcao:paid', 'balcao:failed', 'balcao:expired']) {
    document.addEventListener(name, read);
  }
  const link = document.querySelector<HTMLAnchorElement>('#pay');
  if (link) offerDialog(link);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && read());
  window.addEventListener('pageshow', (event) => event.persisted && read());

  async function read() {
    isStale = true;
    if (isReading) return;
    isReading = true;
    while (isStale) {
      isStale = false;
      const order = await fetchOrder();
      if (order) render(h(OrderState, order), root);
      else {
        isStale = true;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    isReading = false;
  }
}

/** The window opens for a click, and for who chose it on the shelf; without the widget the link leads to the page. */
function offerDialog(link: HTMLAnchorElement) {
  const dialog = document.querySelector('balcao-checkout')!;
  const open = () => dialog.setAttribute('open', '');
  link.addEventListener('click', (event) => {
    if (!customElements.get('balcao-checkout')) return;
    event.preventDefault();
    open();
  });
  dialog.addEventListener('balcao:close', (event) => {
    const { detail } = event as CustomEvent<{ status: PaymentStatus } | null>;
    // Drawn anew, the page shows what the shop's server knows, and no button.
    if (detail && isFinal(detail.status)) location.reload();
  });
  if (location.hash !== '#pagar') return;
  // Once: not when the page is loaded again.
  history.replaceState(null, '', location.pathname + location.search);
  open();
}

async function fetchOrder(): Promise<OrderRead | null> {
  try {
    const answer = await fetch(`${location.pathname}/status`, { headers: { accept: 'application/json' } });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}
