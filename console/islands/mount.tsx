// Hydrates the islands of a page, and renders each again when a signal that it reads changes.
import { effect, signal, type Signal } from '@preact/signals';
import { hydrate, render, type ComponentType } from 'preact';
import type { Browser, Connection, Living } from './browser.ts';
import { ISLANDS } from './island.tsx';
import { followSums } from './sum.ts';

followSums();

/** The stream's current state, and the callback for changes of it. */
export type ConnectionNews = { now: Connection; tell(now: Connection): void };

const connection = signal<Connection>('opening');
const mounted = new Map<HTMLElement, () => void>();

/** May be called again after a redraw replaced parts of the page. */
export function mountIslands(news: ConnectionNews): void {
  news.tell = (now) => void (connection.value = now);
  news.tell(news.now);
  for (const [place, stop] of mounted) {
    if (place.isConnected) continue;
    stop();
    mounted.delete(place);
  }
  for (const place of document.querySelectorAll<HTMLElement>('[data-island]'))
    if (!mounted.has(place)) mounted.set(place, mount(place));
}

function mount(place: HTMLElement): () => void {
  const { island, of } = place.dataset;
  const own = JSON.parse(of as string) as { field?: string };
  const Drawn = ISLANDS[island as keyof typeof ISLANDS] as ComponentType<typeof own & Living>;
  hydrate(<Drawn {...own} browser={null} />, place);
  const browser: Browser = { connection, typed: followField(own.field) };
  return effect(() => render(<Drawn {...own} browser={browser} />, place));
}

/** The text of a server-rendered field, as a signal that the island may write to. */
function followField(id = ''): Signal<string> {
  const field = document.getElementById(id) as HTMLInputElement | HTMLTextAreaElement | null;
  const typed = signal(field?.value ?? '');
  field?.addEventListener('input', () => void (typed.value = field.value));
  typed.subscribe((text) => field && field.value !== text && (field.value = text));
  return typed;
}
