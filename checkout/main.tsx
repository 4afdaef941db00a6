// The script of the checkout page: hydrates the server's HTML, follows the payment, and sends the payer's requests.
import { hydrate, render } from 'preact';
import { followServerClock } from '../shared/countdown.ts';
import { listenWakes, openGateway } from '../shared/gateway.ts';
import { followPayment, isCodeWanted } from '../shared/payer.ts';
import { keepDrawn, runClock } from '../shared/ui/scene.ts';
import { App } from './App.tsx';
import { openPage } from './state.ts';
import { CARRIED_ID, ROOT_ID, searchOf, SESSION_EVENT, type CarriedView } from './view.ts';

function openCheckout(root: HTMLElement, view: CarriedView) {
  const page = openPage(view);
  const clock = followServerClock(view.session.serverTime, () => performance.now());
  const payer = followPayment(openGateway('', view.token, view.session.lang), page.held, clock.observe);

  hydrate(<App page={page} acts={payer} />, root);
  page.isLive.value = true;
  runClock(page, clock);
  let { title } = page.screen.value;
  keepDrawn(page, document, false, () => {
    render(<App page={page} acts={payer} />, root);
    const next = page.screen.value.title;
    if (next !== title) document.title = title = next;
  });
  if (isCodeWanted(view.session)) void payer.payByCode(false);
  listenWakes(payer);
  page.held.subscribe(({ session }) => {
    // The replacement's page opens without a history entry, so that the Back button leads to the shop.
    if (session.replacedByUrl) location.replace(session.replacedByUrl + searchOf(page.theme));
    else dispatchEvent(new CustomEvent(SESSION_EVENT, { detail: session }));
  });
  // Removes the error from the URL, so that a later reload does not show the error again.
  if (view.formError) history.replaceState(null, '', location.href.replace(/.error=\w+$/, ''));
}

const root = document.getElementById(ROOT_ID);
const carried = document.getElementById(CARRIED_ID)?.textContent;
if (root && carried) openCheckout(root, JSON.parse(carried) as CarriedView);
