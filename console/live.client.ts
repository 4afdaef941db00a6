// The console's script: redraws changed parts of the page, extends lists, and copies texts.
// The server renders all HTML. The script fetches the page again and replaces the parts that differ.
import { followBrand } from './brand.ts';
import { serveFiles } from './files.ts';
import { followLists } from './follow.ts';
import type { ConnectionFeed } from './islands/mount.tsx';
import { listenReleases, redraw, rememberRendered, showButtons } from './redraw.ts';
import { openInSlot } from '../shared/slots.ts';

const main = document.querySelector('main');
const subjects = main?.dataset['live']?.split(' ');
const only = main?.dataset['livePayment'];

/** Groups changes: at most one redraw runs, and at most one more waits. */
const PAUSE_MS = 500;
/** Retry interval after a failed redraw. */
const AGAIN_MS = 5_000;

let isRedrawing = false;
let isStale = false;

async function refresh(): Promise<void> {
  isStale = true;
  if (isRedrawing) return;
  isRedrawing = true;
  while (isStale && !document.hidden) {
    isStale = false;
    const isDrawn = await redraw().then(
      () => true,
      () => false,
    );
    isStale ||= !isDrawn;
    void serveIslands();
    await new Promise((resolve) => setTimeout(resolve, isDrawn ? PAUSE_MS : AGAIN_MS));
  }
  isRedrawing = false;
}

/**
 * Loads the code of islands only on pages that have one.
 * If an island's code does not load, the island stays as the server rendered it.
 */
async function serveIslands(): Promise<void> {
  if (!document.querySelector('[data-island],[data-sum],[data-paper]')) return;
  await import('./islands/mount.tsx').then(({ mountIslands }) => mountIslands(connection)).catch(() => {});
}

const connection: ConnectionFeed = { state: 'opening', onChange: () => {} };

function setConnection(state: ConnectionFeed['state']): void {
  connection.state = state;
  connection.onChange(state);
}

let stream: { close(): void } | null = null;
let retryTimer: ReturnType<typeof setTimeout> | undefined;

/** A page without a stream polls at this interval. */
const POLL_MS = 10_000;

function listenAgain(): void {
  retryTimer = setTimeout(() => listen(), POLL_MS);
}

/**
 * Opens the stream while the page is visible, because a browser opens only few connections to one host.
 * @param after the event cursor of the rendered page. Without a cursor, the page is redrawn when the stream opens.
 */
function listen(after?: string): void {
  stream?.close();
  stream = null;
  clearTimeout(retryTimer);
  if (document.hidden) return;
  stream = openInSlot(
    () => openStream(after),
    () => {
      // Other tabs of this browser use all stream slots, so this page polls.
      void refresh();
      setConnection('live');
      listenAgain();
    },
  );
}

function openStream(after?: string): EventSource {
  let mayHaveMissed = after === undefined;
  const source = new EventSource(`/console/stream?after=${after ?? 'now'}`);
  source.onmessage = ({ data }) => {
    const { type, paymentId } = JSON.parse(data) as { type: string; paymentId: string | null };
    if (subjects?.includes(type.split('.')[0] ?? '') && (!only || only.includes(paymentId ?? '-'))) void refresh();
  };
  source.onopen = () => {
    if (mayHaveMissed) void refresh();
    mayHaveMissed = true;
    setConnection('live');
  };
  source.onerror = () => {
    const isClosed = source.readyState === EventSource.CLOSED;
    setConnection(isClosed || !navigator.onLine ? 'away' : 'asking');
    if (!isClosed) return;
    // The browser does not reopen a refused stream. The session has ended, or the node is busy.
    stream?.close();
    void refresh();
    listenAgain();
  };
  return source;
}

if (subjects && 'EventSource' in window) {
  rememberRendered(document);
  listenReleases(() => void refresh());
  listen(main?.dataset['liveAfter']);
  document.addEventListener('visibilitychange', () => listen());
  addEventListener('offline', () => setConnection('away'));
  addEventListener('online', () => {
    setConnection('asking');
    listen();
  });
  // An open stream would keep the browser from storing the page for its Back button.
  addEventListener('pagehide', () => stream?.close());
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) listen();
  });
}

/** A second press within this time is ignored. On a slow connection the page shows no sign of the first press. */
const PRESS_MS = 2_000;
const pressed = new WeakMap<Element, number>();
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  // send-charge.ts sends the charge form itself.
  if (event.defaultPrevented) return;
  // A preview in a frame changes nothing, and saving may follow at once.
  if ((event.submitter as HTMLButtonElement | null)?.formTarget) return;
  if (event.timeStamp - (pressed.get(form) ?? -PRESS_MS) < PRESS_MS) event.preventDefault();
  else pressed.set(form, event.timeStamp);
});

// On a phone, the selected filter chip may be outside of its row. The page itself stays at its top.
for (const chip of document.querySelectorAll<HTMLElement>('.chips [aria-current]')) {
  const row = chip.parentElement as HTMLElement;
  row.scrollLeft = chip.offsetLeft - row.offsetLeft - (row.clientWidth - chip.offsetWidth) / 2;
}

// Screen readers announce a live region only if it changes after the page load.
setTimeout(() => {
  for (const said of document.querySelectorAll('.notice[role=status] p')) said.replaceWith(said.cloneNode(true));
});

// The browser keeps the focus on the new page's body. A refusal is read and reached first.
document.querySelector<HTMLElement>('[data-focus]')?.focus();

// The menu of a phone is the target of the address, so that it opens without a script.
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || location.hash !== '#menu') return;
  location.replace('#content');
  document.querySelector<HTMLElement>('[href="#menu"]')?.focus();
});

followLists();
followBrand();
serveFiles();
void serveIslands();

// The address of the worker has the language of its shell. Without a worker, everything works as before.
addEventListener('load', () => {
  const { lang } = document.documentElement;
  void navigator.serviceWorker?.register(`/console/worker.js?lang=${lang}`).catch(() => {});
});

showButtons(document);
document.addEventListener('click', ({ target }) => {
  if ((target as Element).closest('[data-print]')) print();
  const { share: text, title } = (target as Element).closest<HTMLElement>('[data-share]')?.dataset ?? {};
  // A person who closes the share sheet rejects the promise.
  if (text) void navigator.share({ title, text } as ShareData).catch(() => {});
  const button = (target as Element).closest<HTMLElement>('[data-copy]');
  if (!button) return;
  void copy(button);
});

/** Copies the button's text. If the browser refuses, the text field beside the button is selected for the person. */
async function copy(button: HTMLElement): Promise<void> {
  const { copy: text = '', copied = '', refused = '' } = button.dataset;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = copied;
  } catch {
    button.parentElement?.querySelector('input')?.select();
    button.textContent = refused;
  }
}
