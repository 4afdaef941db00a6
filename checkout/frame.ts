// The script of the hosted page in a frame: reports height and status to the widget element around the frame.
import type { CheckoutSession } from '../shared/checkout.ts';
import { hear, readName, type ElementWord, type PageWord, type Signed } from '../shared/frame.ts';
import { CARRIED_ID, SESSION_EVENT, type CarriedView } from './view.ts';

type Opener = { nonce: string; origin: string };

/** Posts messages to the origin of the element that opened the page. */
const speakTo =
  ({ nonce, origin }: Opener) =>
  (word: PageWord) =>
    parent.postMessage({ ...word, balcao: nonce } satisfies Signed<PageWord>, origin);

/**
 * Connects to the element that opened this page, if its origin belongs to the merchant.
 * The page sends its status only after the element's reply to `hello`.
 */
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

/** Closes the dialog on Escape: the page around the frame gets no key events from inside the frame. */
function hearEscape(say: (word: PageWord) => void) {
  addEventListener('keydown', ({ key }) => key === 'Escape' && say({ type: 'close' }));
}

/** For the notice page: the payment is not shown on this origin. The message reveals no data of the payment. */
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
