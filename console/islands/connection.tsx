// Shows whether a waiting page receives live updates. Only a lost connection is prominent.
import type { Connection, Living } from './browser.ts';

export type ConnectionTexts = Record<Exclude<Connection, 'opening'>, string>;

/** Without JavaScript the page reloads itself and shows the same. */
export function Heard({ texts, browser }: { texts: ConnectionTexts } & Living) {
  const state = browser?.connection.value ?? 'opening';
  return (
    <p class={`heard small quiet ${state}`} role="status">
      {texts[state === 'opening' ? 'live' : state]}
    </p>
  );
}
