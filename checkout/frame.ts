// The hosted page's side of a frame: tells the element around it how tall it is, and what becomes of the payment.
import type { CheckoutSession } from '../shared/checkout.ts';
import { hear, readName, type ElementWord, type PageWord, type Signed } from '../shared/frame.ts';
import { CARRIED_ID, SESSION_EVENT, type CarriedView } from './view.ts';

/** Joins the element that opened this page in a frame, if its origin is one of the merchant's. Nothing is said before it has answered. */
function joinFrame({ token, session, frame }: CarriedView) {
  const opener = readName(window.name);
  if (!opener || parent === window || !frame?.origins.includes(opener.origin)) return;
  let latest = session as CheckoutSession;
  let say = (_word: PageWord) => {};
  const tell = () => say({ type: 'status', status: latest.status, revision: latest.revision, token });
  addEventListener(SESSION_EVENT, (event) => {
    latest = (event as CustomEvent<CheckoutSession>).detail;
    tell();
  });
  const { nonce, origin } = opener;
  const post = (word: PageWord) => parent.postMessage({ ...word, balcao: nonce } satisfies Signed<PageWord>, origin);
  addEventListener('message', (event) => {
    if (say === post || !hear<ElementWord>(event, parent, origin, nonce)) return;
    say = post;
    tell();
    new ResizeObserver(() => post({ type: 'height', height: Math.ceil(document.body.offsetHeight) })).observe(
      document.body,
    );
  });
  // A key pressed in here is not heard around it.
  addEventListener('keydown', ({ key }) => key === 'Escape' && say({ type: 'close' }));
  post({ type: 'hello' });
}

const carried = document.getElementById(CARRIED_ID)?.textContent;
if (carried) joinFrame(JSON.parse(carried) as CarriedView);
