// The demo shop's script: after an event of the widget, it reads the payment from the shop's own server.
import { h, hydrate, render } from 'preact';
import type { OrderRead } from '../../shared/sandbox.ts';
import { isFinal, type PaymentStatus } from '../../shared/status.ts';
import { OrderState } from './OrderState.tsx';

const RETRY_MS = 3000;

const root = document.getElementById('order-state');
if (root) followOrder(root);

// A shop page restored by the Back button contains used order numbers, so it reloads to get new ones.
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

/**
 * Opens the checkout dialog on a click, or after a link that requests the dialog.
 * Without the widget, the link of the dialog leads to the checkout page.
 */
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
    // The reloaded page shows the payment state of the shop's server, without the button.
    if (detail && isFinal(detail.status)) location.reload();
  });
  if (location.hash !== '#pagar') return;
  // Removes the request from the URL, so that a reload of the page does not open the dialog again.
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
