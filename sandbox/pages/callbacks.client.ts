// The script of the demo shop's page: polls each second while the page is visible.
// The script also changes the demo shop's answer mode without leaving the page.
import { h, hydrate, render } from 'preact';
import { ShopDesk, type DeskProps } from './ShopDesk.tsx';

const POLL_MS = 1000;
const ADDRESS = '/sandbox/callbacks';

const root = document.getElementById('desk') as HTMLElement;
let desk = JSON.parse(document.getElementById('view')?.textContent ?? '') as DeskProps;
let tag = '';
let timer: number | undefined;

hydrate(h(ShopDesk, desk), root);
document.addEventListener('visibilitychange', follow);
window.addEventListener('pageshow', follow);
root.addEventListener('submit', send);
follow();

function follow() {
  window.clearTimeout(timer);
  if (document.visibilityState === 'visible') timer = window.setTimeout(refresh, POLL_MS);
}

async function refresh() {
  window.clearTimeout(timer);
  desk = await readDesk();
  // Stable keys keep the DOM nodes, so that open details and the focus survive a redraw.
  render(h(ShopDesk, desk), root);
  follow();
}

async function readDesk(): Promise<DeskProps> {
  try {
    const answer = await fetch(ADDRESS, { headers: { accept: 'application/json', 'if-none-match': tag } });
    if (answer.status === 304) return { ...desk, isOffline: false };
    if (!answer.ok) return { ...desk, isOffline: true };
    tag = answer.headers.get('etag') ?? '';
    return await answer.json();
  } catch {
    return { ...desk, isOffline: true };
  }
}

/** Sends the form of an answer mode without leaving the page, so that the scroll position stays. */
async function send(event: SubmitEvent) {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const button = event.submitter as HTMLButtonElement;
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value));
  if (button.name) body.append(button.name, button.value);
  try {
    const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual' });
    // A refusal has its own page, so the browser sends the form again.
    if (answer.status >= 400) return form.submit();
  } catch {
    // The next poll shows that the sandbox is unreachable.
  }
  await refresh();
}
