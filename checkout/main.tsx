// The page's script: takes over what the server drew, follows the payment, and does what the payer asks of it.
import { hydrate, render } from 'preact';
import { announceScreen, newsOf } from '../shared/announce.ts';
import { followServerClock } from '../shared/countdown.ts';
import { listenWakes, openGateway } from '../shared/gateway.ts';
import { followPayment, type PayerState } from '../shared/payer.ts';
import { App } from './App.tsx';
import { describeFirstPage, describePage } from './state.ts';
import { CARRIED_ID, ROOT_ID, searchOf, SESSION_EVENT, type CarriedView } from './view.ts';

const TICK_MS = 500;

function openCheckout(root: HTMLElement, view: CarriedView) {
  const first = describeFirstPage(view);
  let { state, screen } = first;
  const clock = followServerClock(view.session.serverTime, () => performance.now());
  const gateway = openGateway('', view.token, view.session.lang);
  const payer = followPayment(gateway, state, show, clock.hear);

  function show(next: PayerState) {
    state = next;
    const { replacedByUrl } = state.session;
    // In the same frame; going back from there leads to the shop.
    if (replacedByUrl) return location.replace(replacedByUrl + searchOf(view.frame?.theme));
    redraw();
    dispatchEvent(new CustomEvent(SESSION_EVENT, { detail: next.session }));
  }

  async function pay(typed: string) {
    await payer.pay(typed);
    if (state.error) document.getElementById('phone')?.focus();
  }
  const acts = { pay, copy: payer.copy, payByReference: payer.payByReference };

  function redraw() {
    announceScreen(document, () => {
      const page = describePage(view, state, clock.nowMs(), true);
      render(<App page={page} {...acts} />, root);
      const last = screen;
      ({ screen } = page);
      if (screen.title !== last.title) document.title = screen.title;
      return newsOf(screen, last);
    });
  }

  hydrate(<App page={first} {...acts} />, root);
  redraw();
  listenWakes(payer);
  // A reference may be looked at for hours, and nothing on it counts down.
  setInterval(() => !state.session.isFinal && !screen.details && redraw(), TICK_MS);
  // Why the form was refused is said once: not again when the page is reloaded, long after it.
  if (view.formError) history.replaceState(null, '', location.href.replace(/.error=\w+$/, ''));
}

const root = document.getElementById(ROOT_ID);
const carried = document.getElementById(CARRIED_ID)?.textContent;
if (root && carried) openCheckout(root, JSON.parse(carried) as CarriedView);
