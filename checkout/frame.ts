// The script of the hosted page in a frame: reports height and status to the widget element outside the frame.
import type { CheckoutSession } from '../shared/checkout.ts';
import { readMessage, readName, type ElementMessage, type PageMessage, type Signed } from '../shared/frame.ts';
import { listsOrigin } from '../shared/origins.ts';
import { CARRIED_ID, SESSION_EVENT, type CarriedView } from './view.ts';

type Opener = { nonce: string; origin: string };

/** Posts messages to the origin of the element that opened the page. */
const postTo =
  ({ nonce, origin }: Opener) =>
  (message: PageMessage) =>
    parent.postMessage({ ...message, balcao: nonce } satisfies Signed<PageMessage>, origin);

/**
 * Connects to the widget element that opened this page, if the element's origin belongs to the merchant.
 * The page sends its status only after the element's reply to `hello`.
 */
function joinFrame({ token, session, frame }: CarriedView, opener: Opener) {
  if (!frame || !listsOrigin(frame.origins, opener.origin)) return;
  let latest = session as CheckoutSession;
  let send = (_message: PageMessage) => {};
  const reportStatus = () => send({ type: 'status', status: latest.status, revision: latest.revision, token });
  addEventListener(SESSION_EVENT, (event) => {
    latest = (event as CustomEvent<CheckoutSession>).detail;
    reportStatus();
  });
  const { nonce, origin } = opener;
  const post = postTo(opener);
  addEventListener('message', (event) => {
    if (send === post || !readMessage<ElementMessage>(event, parent, origin, nonce)) return;
    send = post;
    reportStatus();
    reportHeight(post);
  });
  closeOnEscape((message) => send(message));
  post({ type: 'hello' });
}

function reportHeight(post: (message: PageMessage) => void) {
  const report = () => post({ type: 'height', height: Math.ceil(document.body.offsetHeight) });
  new ResizeObserver(report).observe(document.body);
}

/** Closes the dialog on Escape, because the page around the frame gets no key events from inside the frame. */
function closeOnEscape(send: (message: PageMessage) => void) {
  addEventListener('keydown', ({ key }) => key === 'Escape' && send({ type: 'close' }));
}

/** Reports that the payment is not shown on this origin. The message contains no data of the payment. */
function reportBlocked(opener: Opener) {
  const post = postTo(opener);
  closeOnEscape(post);
  post({ type: 'blocked' });
  reportHeight(post);
}

const opener = readName(window.name);
const carried = document.getElementById(CARRIED_ID)?.textContent;
if (opener && parent !== window) {
  if (carried) joinFrame(JSON.parse(carried) as CarriedView, opener);
  else reportBlocked(opener);
}
