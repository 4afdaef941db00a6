// Shows whether a waiting page receives live updates. Only a lost connection is prominent.
import type { Connection, IslandProps } from './browser.ts';

export type ConnectionTexts = Record<Exclude<Connection, 'opening'>, string>;

/** Shows the state of live updates. Without JavaScript the page reloads automatically and shows the same state. */
export function ConnectionNote({ texts, browser }: { texts: ConnectionTexts } & IslandProps) {
  const state = browser?.connection.value ?? 'opening';
  return (
    <p class={`heard small quiet ${state}`} role="status">
      {texts[state === 'opening' ? 'live' : state]}
    </p>
  );
}
