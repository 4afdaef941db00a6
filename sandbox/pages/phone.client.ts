// The test phone's script: polls each second while the page is visible, and redraws after changes.
import { h, hydrate, render } from 'preact';
import { PushList, type PhoneProps } from './PushList.tsx';

const POLL_MS = 1000;

const root = document.getElementById('pushes') as HTMLElement;
let phone = JSON.parse(document.getElementById('view')?.textContent ?? '') as PhoneProps;
let timer: number | undefined;

hydrate(h(PushList, phone), root);
document.addEventListener('visibilitychange', follow);
window.addEventListener('pageshow', follow);
follow();

function follow() {
  window.clearTimeout(timer);
  if (document.visibilityState === 'visible') timer = window.setTimeout(refresh, POLL_MS);
}

async function refresh() {
  phone = await readPhone();
  // Stable keys keep the DOM nodes, so that a focused button keeps the focus after a redraw.
  render(h(PushList, phone), root);
  follow();
}

async function readPhone(): Promise<PhoneProps> {
  try {
    const answer = await fetch(`/sandbox/phone/${phone.number}/pushes`, { headers: { accept: 'application/json' } });
    return answer.ok ? await answer.json() : { ...phone, isOffline: true };
  } catch {
    return { ...phone, isOffline: true };
  }
}
