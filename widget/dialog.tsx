// The implementation of <balcao-checkout>: shows the hosted checkout in a frame inside a modal dialog.
// The dialog exchanges messages with the hosted page in the frame.
import { render } from 'preact';
import type { Lang } from '../shared/checkout.ts';
import { readMessage, writeName, type ElementMessage, type PageMessage, type Signed } from '../shared/frame.ts';
import { Icon } from '../shared/ui/Icon.tsx';
import { blockScrolling } from './hold.ts';
import { langOf, openBox, sendEvent, dispatchStatus, type Detail } from './host.ts';
import { NOTICES } from './notices.ts';
import { baseOf, warnDeveloper } from './origin.ts';
import { isNeeded, readAttribute } from './shell.ts';

/** After this time without a message the page probably cannot load: no network, or an outer page forbids the frame. */
const HELLO_TIMEOUT_MS = 6_000;
const MIN_HEIGHT_PX = 240;

/** Opens the checkout dialog, if the element is open. The returned function closes the dialog. */
export function openCheckout(host: HTMLElement): (() => void) | undefined {
  if (!isNeeded(host)) return undefined;
  const base = baseOf(host);
  if (!base) return void warnDeveloper(base);
  const lang = langOf(host);
  const path = `/checkout/${encodeURIComponent(readAttribute(host, 'token')!)}?lang=${lang}`;
  const page = new URL(base + path, location.href).href;
  if (typeof HTMLDialogElement === 'undefined') return void location.assign(page);
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('');
  const box = openBox(host);
  // The page in the frame cannot know the color-scheme of the page around it.
  const theme = /^(dark|light)$/.exec(readAttribute(host, 'theme')!)?.[0] ?? (box.className || 'light');
  const address = `${page}&embed=1&theme=${theme}&origin=${encodeURIComponent(location.origin)}`;
  const name = writeName(nonce, location.origin);
  const closing = new AbortController();
  // The dialog's close event is asynchronous: another dialog may have opened in the meantime.
  const leave = () => closing.signal.aborted || host.removeAttribute('open');
  const draw = (next: Note) => render(<Dialog {...view} note={next} />, box);
  // A page about a wrong token sends no message.
  const settle = () => draw(null);
  const view = { lang, page, name, address, leave, settle };

  draw('opening');
  const focusedBefore = document.activeElement as HTMLElement | null;
  const dialog = box.querySelector('dialog')!;
  dialog.showModal();
  const releasePage = blockScrolling();
  const late = setTimeout(() => {
    draw('elsewhere');
    // The warning is logged as info, because the network may only be slow.
    warnDeveloper(base, console.info);
  }, HELLO_TIMEOUT_MS);
  listenPage(host, box.querySelector('iframe')!, new URL(page).origin, nonce, closing.signal, leave, () => {
    clearTimeout(late);
    draw(null);
  });
  return () => {
    clearTimeout(late);
    releasePage();
    dialog.close();
    render(null, box);
    // The browser does not restore the focus for a dialog that was removed from the page.
    if (document.activeElement === document.body) focusedBefore?.focus({ preventScroll: true });
    // This line must be last: the page gets an event and may immediately open the dialog again.
    closing.abort();
  };
}

/** The dialog's notice until the page in the frame sends its first message. */
type Note = 'opening' | 'elsewhere' | null;

type View = { lang: Lang; page: string; name: string; address: string; note: Note; leave(): void; settle(): void };

function Dialog({ lang, page, name, address, note, leave, settle }: View) {
  const words = NOTICES[lang];
  return (
    <dialog aria-label={words.dialog} lang={lang} part="dialog" onClose={leave}>
      <div class="bar" part="bar">
        <p class="small quiet">{new URL(page).host}</p>
        <button part="close" aria-label={words.close} onClick={leave}>
          <Icon name="close" />
        </button>
      </div>
      <p class="opening small center" role="status">
        {note === 'opening' && words.opening}
        {note === 'elsewhere' && (
          <a href={page} target="_top">
            {words.elsewhere}
          </a>
        )}
      </p>
      <iframe
        title={words.dialog}
        part="frame"
        allow="clipboard-write"
        referrerpolicy="no-referrer"
        name={name}
        src={address}
        onLoad={settle}
      />
    </dialog>
  );
}

type Handlers = { [Type in PageMessage['type']]: (message: Extract<PageMessage, { type: Type }>) => void };

/** Receives the frame's messages, and dispatches events to the merchant's page. */
function listenPage(
  host: HTMLElement,
  frame: HTMLIFrameElement,
  origin: string,
  nonce: string,
  signal: AbortSignal,
  leave: () => void,
  welcome: () => void,
) {
  let last: Detail | null = null;
  /** True after the first `blocked` message. The page sends `blocked` again after a change of language. */
  let isBlocked = false;
  const handlers: Handlers = {
    hello() {
      frame.contentWindow!.postMessage({ type: 'welcome', balcao: nonce } satisfies Signed<ElementMessage>, origin);
      welcome();
    },
    height({ height }) {
      frame.style.height = `${Math.max(MIN_HEIGHT_PX, height)}px`;
    },
    status({ status, revision, token }) {
      const before = last;
      last = { status, revision, token };
      // After a change of language the page in the frame sends the same status again.
      const isKnown = revision === before?.revision && status === before.status && token === before.token;
      if (!isKnown) dispatchStatus(host, last, before);
    },
    close: leave,
    blocked() {
      if (isBlocked) return;
      isBlocked = true;
      welcome();
      console.error(
        `Balcão: the allowedOrigins lack ${location.origin}: PUT ${origin}/api/merchants/{merchantId} sets them`,
      );
      sendEvent(host, 'blocked', null);
    },
  };
  addEventListener(
    'message',
    (event) => {
      const message = readMessage<PageMessage>(event, frame.contentWindow, origin, nonce);
      // The page in the frame may be newer than this script and send unknown messages.
      if (message && Object.keys(handlers).includes(message.type))
        (handlers[message.type] as (message: PageMessage) => void)(message);
    },
    { signal },
  );
  signal.addEventListener('abort', () => isNeeded(host) || sendEvent(host, 'close', last));
}
