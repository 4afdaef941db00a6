// The browser state that every island receives. It is null on the server and during hydration.
import type { ReadonlySignal, Signal } from '@preact/signals';

/** State of the live connection: not open yet, open, reconnecting, or lost. */
export type Connection = 'opening' | 'live' | 'asking' | 'away';

export type Browser = {
  /** The text of the field that belongs to the island. */
  typed: Signal<string>;
  connection: ReadonlySignal<Connection>;
  /** Changes every second. */
  second: ReadonlySignal<number>;
};

/** Props that every island gets in addition to its own props. */
export type IslandProps = { browser: Browser | null };
