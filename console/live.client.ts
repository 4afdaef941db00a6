// The console's script: redraws changed parts of the page, extends lists, and copies texts.
// The server renders all HTML. The script fetches the page again and replaces the parts that differ.
import { serveFiles } from './files.ts';
import { followLists } from './follow.ts';
import type { ConnectionNews } from './islands/mount.tsx';
import { listenReleases, redraw, rememberDrawn, showButtons } from './redraw.ts';
import { openInSlot } from '../shared/slots.ts';

const main = document.querySelector('main');
const subjects = main?.dataset['live']?.split(' ');
const only = main?.dataset['livePayment'];

/** Groups changes: at most one redraw runs, and at most one waits for it. */
const PAUSE_MS = 500;
/** Retry interval after a failed redraw. */
const AGAIN_MS = 5_000;

let isAsking = false;
let hasNews = false;

async function refresh(): Promise<void> {
  hasNews = true;
  if (isAsking) return;
  isAsking = true;
  while (hasNews && !document.hidden) {
    hasNews = false;
    const isDrawn = await redraw().then(
      () => true,
      () => false,
    );
    hasNews ||= !isDrawn;
    void serveIslands();
    await new Promise((resolve) => setTimeout(resolve, isDrawn ? PAUSE_MS : AGAIN_MS));
  }
  isAsking = false;
}

/**
 * Loads the code of islands only on pages that have one.
 * If it does not load, the islands stay as the server rendered them.
 */
async function serveIslands(): Promise<void> {
  if (!document.querySelector('[data-island],[data-sum]')) return;
  await import('./islands/mount.tsx').then(({ mountIslands }) => mountIslands(connection)).catch(() => {});
}

const connection: ConnectionNews = { now: 'opening', tell: () => {} };

function tell(now: ConnectionNews['now']): void {
  connection.now = now;
  connection.tell(now);
}

let stream: { close(): void } | null = null;
let again: ReturnType<typeof setTimeout> | undefined;

/** A page without a stream polls at this interval. */
const POLL_MS = 10_000;

function listenAgain(): void {
  again = setTimeout(() => listen(), POLL_MS);
}

/**
 * Opens the stream while the page is visible, because a browser opens few connections to one host.
 * @param after the cursor of the rendered page. Without it the page is redrawn once the stream is open.
 */
function listen(after?: string): void {
  stream?.close();
  stream = null;
  clearTimeout(again);
  if (document.hidden) return;
  stream = openInSlot(
    () => openStream(after),
    () => {
      // Other tabs hold the streams of this browser.
      void refresh();
      tell('live');
      listenAgain();
    },
  );
}

function openStream(after?: string): EventSource {
  let mayHaveMissed = after === undefined;
  const source = new EventSource(`/console/stream?after=${after ?? 'now'}`);
  source.onmessage = ({ data }) => {
    const { type, paymentId } = JSON.parse(data) as { type: string; paymentId: string | null };
    if (subjects?.includes(type.split('.')[0] ?? '') && (!only || only === paymentId)) void refresh();
  };
  source.onopen = () => {
    if (mayHaveMissed) void refresh();
    mayHaveMissed = true;
    tell('live');
  };
  source.onerror = () => {
    const isClosed = source.readyState === EventSource.CLOSED;
    tell(isClosed || !navigator.onLine ? 'away' : 'asking');
    if (!isClosed) return;
    // The browser does not reopen a refused stream: the session has ended, or the node is busy.
    stream?.close();
    void refresh();
    listenAgain();
  };
  return source;
}

if (subjects && 'EventSource' in window) {
  rememberDrawn(document);
  listenReleases(() => void refresh());
  listen(main?.dataset['liveAfter']);
  document.addEventListener('visibilitychange', () => listen());
  addEventListener('offline', () => tell('away'));
  addEventListener('online', () => {
    tell('asking');
    listen();
  });
  // An open stream would keep the page out of the back/forward cache.
  addEventListener('pagehide', () => stream?.close());
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) listen();
  });
}

/** A second press within this time is ignored: on a slow connection the page shows no sign of the first. */
const PRESS_MS = 2_000;
const pressed = new WeakMap<Element, number>();
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (event.timeStamp - (pressed.get(form) ?? -PRESS_MS) < PRESS_MS) event.preventDefault();
  else pressed.set(form, event.timeStamp);
});

// On a phone, the selected chip may be outside of the visible area.
for (const chip of document.querySelectorAll('.chips [aria-current]'))
  chip.scrollIntoView({ inline: 'center', block: 'nearest' });

// Screen readers announce a live region only if it changes after the page load.
setTimeout(() => {
  for (const said of document.querySelectorAll('.notice[role=status] p')) said.replaceWith(said.cloneNode(true));
});

followLists();
serveFiles();
void serveIslands();

showButtons(document);
document.addEventListener('click', ({ target }) => {
  if ((target as Element).closest('[data-print]')) print();
  const button = (target as Element).closest<HTMLElement>('[data-copy]');
  if (!button) return;
  void navigator.clipboard.writeText(button.dataset['copy'] ?? '').then(() => {
    button.textContent = button.dataset['copied'] ?? '';
  });
});
