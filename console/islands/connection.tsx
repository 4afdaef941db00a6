// Whether a page that waits hears of what changes: said quietly, and aloud only when it is otherwise.
import type { Connection, Living } from './browser.ts';

export type ConnectionTexts = Record<Exclude<Connection, 'opening'>, string>;

/** Without a script the page asks again by itself, and says no less. */
export function Heard({ texts, browser }: { texts: ConnectionTexts } & Living) {
  const state = browser?.connection.value ?? 'opening';
  return (
    <p class={`heard small quiet ${state}`} role="status">
      {texts[state === 'opening' ? 'live' : state]}
    </p>
  );
}
