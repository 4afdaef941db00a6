// The hosted page's side of a frame: tells the element around it how tall it is, and what becomes of the payment.
import type { CheckoutSession } from '../shared/checkout.ts';
import { hear, readName, type ElementWord, type PageWord, type Signed } from '../shared/frame.ts';
import { CARRIED_ID, SESSION_EVENT, type CarriedView } from './view.ts';

type Opener = { nonce: string; origin: string };

/** Says one word to the element, and to nobody else. */
const speakTo =
  ({ nonce, origin }: Opener) =>
  (word: PageWord) =>
    parent.postMessage({ ...word, balcao: nonce } satisfies Signed<PageWord>, origin);

/** Joins the element that opened this page in a frame, if its origin is one of the merchant's. Nothing is said before it has answered. */
function joinFrame({ token, session, frame }: CarriedView, opener: Opener) {
  if (!frame?.origins.includes(opener.origin)) return;
  let latest = session as CheckoutSession;
  let say = (_word: PageWord) => {};
  const tell = () => say({ type: 'status', status: latest.status, revision: latest.revision, token });
  addEventListener(SESSION_EVENT, (event) => {
    latest = (event as CustomEvent<CheckoutSession>).detail;
    tell();
  });
  const { nonce, origin } = opener;
  const post = speakTo(opener);
  addEventListener('message', (event) => {
    if (say === post || !hear<ElementWord>(event, parent, origin, nonce)) return;
    say = post;
    tell();
    tellHeight(post);
  });
  hearEscape((word) => say(word));
  post({ type: 'hello' });
}

function tellHeight(post: (word: PageWord) => void) {
  const tell = () => post({ type: 'height', height: Math.ceil(document.body.offsetHeight) });
  new ResizeObserver(tell).observe(document.body);
}

/** A key pressed in here is not heard around it. */
function hearEscape(say: (word: PageWord) => void) {
  addEventListener('keydown', ({ key }) => key === 'Escape' && say({ type: 'close' }));
}

/** In the payment's place stands that it is not shown on this origin, which is no secret from who is there. */
function tellBlocked(opener: Opener) {
  const post = speakTo(opener);
  hearEscape(post);
  post({ type: 'blocked' });
  tellHeight(post);
}

const opener = readName(window.name);
const carried = document.getElementById(CARRIED_ID)?.textContent;
if (opener && parent !== window) {
  if (carried) joinFrame(JSON.parse(carried) as CarriedView, opener);
  else tellBlocked(opener);
}
