// Shows whether a waiting page receives live updates. Only a lost connection is prominent.
import type { Connection, IslandProps } from './browser.ts';

export type ConnectionTexts = Record<Exclude<Connection, 'opening'>, string>;

/** Without JavaScript the page reloads itself and shows the same. */
export function ConnectionNote({ texts, browser }: { texts: ConnectionTexts } & IslandProps) {
  const state = browser?.connection.value ?? 'opening';
  return (
    <p class={`heard small quiet ${state}`} role="status">
      {texts[state === 'opening' ? 'live' : state]}
    </p>
  );
}
