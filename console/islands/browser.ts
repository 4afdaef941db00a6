// What an island has of the browser that it lives in; on the server, and while it is taken over, it has none yet.
import type { ReadonlySignal, Signal } from '@preact/signals';

/** Whether what changes is heard of: not yet, at once, by trying again, or not at all. */
export type Connection = 'opening' | 'live' | 'asking' | 'away';

export type Browser = {
  /** What stands in the field that the island belongs to. */
  typed: Signal<string>;
  connection: ReadonlySignal<Connection>;
};

/** Props of every island, beside its own. */
export type Living = { browser: Browser | null };
