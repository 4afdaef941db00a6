// Takes over the islands of a page: each is hydrated where the server drew it, and drawn anew when a signal that it read has changed.
import { effect, signal, type Signal } from '@preact/signals';
import { hydrate, render, type ComponentType } from 'preact';
import type { Browser, Connection, Living } from './browser.ts';
import { ISLANDS } from './island.tsx';
import { followSums } from './sum.ts';

followSums();

/** What the page's script knows of its stream, and whom it tells when that changes. */
export type ConnectionNews = { now: Connection; tell(now: Connection): void };

const connection = signal<Connection>('opening');
const mounted = new Map<HTMLElement, () => void>();

/** May be called again: parts of the page were drawn anew since. */
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

/** What is typed into a field, which the server draws and the island may write into. */
function followField(id = ''): Signal<string> {
  const field = document.getElementById(id) as HTMLInputElement | HTMLTextAreaElement | null;
  const typed = signal(field?.value ?? '');
  field?.addEventListener('input', () => void (typed.value = field.value));
  typed.subscribe((text) => field && field.value !== text && (field.value = text));
  return typed;
}
