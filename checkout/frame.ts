// The hosted page's side of a frame: tells the element around it how tall it is, and what becomes of the payment.
import type { CheckoutSession } from '../shared/checkout.ts';
import { hear, readFragment, type ElementWord, type PageWord, type Signed } from '../shared/frame.ts';

/**
 * Joins the element that opened this page in a frame, if its origin is one of the merchant's. The returned function tells
 * it a session. Without such an element, or before it has answered, nothing is said to anybody.
 */
export function joinFrame(origins: readonly string[] | undefined, token: string, first: CheckoutSession) {
  const opener = readFragment(location.hash);
  let latest = first;
  let say = (_word: PageWord) => {};
  const tell = (session: CheckoutSession) => {
    const { status, revision } = (latest = session);
    say({ type: 'status', status, revision, token });
  };
  if (!opener || parent === window || !origins?.includes(opener.origin)) return tell;
  const { nonce, origin } = opener;
  const post = (word: PageWord) => parent.postMessage({ ...word, balcao: nonce } satisfies Signed<PageWord>, origin);
  addEventListener('message', (event) => {
    if (say === post || !hear<ElementWord>(event, parent, origin, nonce)) return;
    say = post;
    tell(latest);
    new ResizeObserver(() => post({ type: 'height', height: Math.ceil(document.body.offsetHeight) })).observe(
      document.body,
    );
  });
  // A key pressed in here is not heard around it.
  addEventListener('keydown', ({ key }) => key === 'Escape' && say({ type: 'close' }));
  addEventListener('click', leadLink);
  post({ type: 'hello' });
  return tell;
}

const CHECKOUT = /^\/checkout\/[^/]+$/;

/** Links of the checkout stay in the frame, and framed; all others are for the whole window. */
function leadLink({ target }: Event) {
  const link = target instanceof Element && target.closest('a');
  if (!link || link.target) return;
  if (link.origin !== location.origin || !CHECKOUT.test(link.pathname)) link.target = '_top';
  else if (!link.hash) {
    link.search += location.search.replace(/^\?lang=\w+/, '');
    link.hash = location.hash;
  }
}
