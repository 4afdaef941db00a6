// Hydrates the islands of a page, and renders each again when a signal that it reads changes.
import { effect, signal, type Signal } from '@preact/signals';
import { hydrate, render, type ComponentType } from 'preact';
import type { Browser, Connection, IslandProps } from './browser.ts';
import { ISLANDS } from './island.tsx';
import { followPaper, recallPaper } from './paper.ts';
import { followCharge } from '../send-charge.ts';
import { followArticles } from './articles.ts';
import { followKeys } from './keys.ts';
import { followSignals } from './signals.ts';
import { followSums } from './sum.ts';

followCharge();
followKeys();
followSums();
followSignals();
followArticles();
followPaper();

/** The event stream's current state, and the callback for changes of that state. */
export type ConnectionFeed = { state: Connection; onChange(now: Connection): void };

const connection = signal<Connection>('opening');
const second = signal(0);
if (document.querySelector('[data-island=clock]')) setInterval(() => second.value++, 1_000);
const mounted = new Map<HTMLElement, () => void>();

/** Hydrates the islands. It may be called again after a redraw replaced parts of the page. */
export function mountIslands(feed: ConnectionFeed): void {
  feed.onChange = (now) => void (connection.value = now);
  feed.onChange(feed.state);
  recallPaper();
  for (const [element, stop] of mounted) {
    if (element.isConnected) continue;
    stop();
    mounted.delete(element);
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-island]'))
    if (!mounted.has(element)) mounted.set(element, mount(element));
}

function mount(place: HTMLElement): () => void {
  const { island, of } = place.dataset;
  const own = JSON.parse(of as string) as { field?: string };
  const Component = ISLANDS[island as keyof typeof ISLANDS] as ComponentType<typeof own & IslandProps>;
  hydrate(<Component {...own} browser={null} />, place);
  const browser: Browser = { connection, second, typed: followField(own.field) };
  return effect(() => render(<Component {...own} browser={browser} />, place));
}

/** The text of a server-rendered field, as a signal that the island may change. */
function followField(id = ''): Signal<string> {
  const field = document.getElementById(id) as HTMLInputElement | HTMLTextAreaElement | null;
  const typed = signal(field?.value ?? '');
  field?.addEventListener('input', () => void (typed.value = field.value));
  typed.subscribe((text) => {
    if (!field || field.value === text) return;
    field.value = text;
    // Other parts of the script follow the field too, such as the articles and the amount on a button.
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  return typed;
}
