// The script of the console: what changes at the merchant is drawn anew where it stands, lists go on by themselves, texts are copied.
// Whatever is drawn was drawn by the server: this asks for the page again and takes the parts that are otherwise.
import { serveFiles } from './files.ts';
import { followLists } from './follow.ts';
import type { ConnectionNews } from './islands/mount.tsx';
import { listenReleases, redraw, rememberDrawn, showButtons } from './redraw.ts';
import { openInSlot } from '../shared/slots.ts';

const main = document.querySelector('main');
const subjects = main?.dataset['live']?.split(' ');
const only = main?.dataset['livePayment'];

/** Much may change at once: the page is asked for once, and once more after that. */
const PAUSE_MS = 500;
/** What could not be asked for is asked for again. */
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

/** Parts that live in the browser bring what draws them: pages without one do not wait for it. Where it does not come they stay as they were drawn. */
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

/** A page without a stream reads this often. */
const POLL_MS = 10_000;

function listenAgain(): void {
  again = setTimeout(() => listen(), POLL_MS);
}

/**
 * Only while somebody looks: a browser opens few connections to one house.
 * @param after the cursor of what is drawn; absent where it is older, or nobody knows: then it is drawn anew once the stream is open
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
    // Refused, it does not come back by itself: the session is over, or the node busy.
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
  // An open stream would keep the page from coming back as it was.
  addEventListener('pagehide', () => stream?.close());
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) listen();
  });
}

/** Within so long a second press is the first one's: a slow line shows nothing meanwhile. */
const PRESS_MS = 2_000;
const pressed = new WeakMap<Element, number>();
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (event.timeStamp - (pressed.get(form) ?? -PRESS_MS) < PRESS_MS) event.preventDefault();
  else pressed.set(form, event.timeStamp);
});

// The chip that is on may stand beyond the edge of a phone.
for (const chip of document.querySelectorAll('.chips [aria-current]'))
  chip.scrollIntoView({ inline: 'center', block: 'nearest' });

// A live region is announced only when it changes after the page was loaded.
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
