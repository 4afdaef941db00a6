// Islands are interactive parts of a page. The server renders them, and the script hydrates them.
// Their props travel in the page as JSON.
import type { ComponentType } from 'preact';
import { Amount } from './amount.tsx';
import type { Living } from './browser.ts';
import { Heard } from './connection.tsx';
import { Parts } from './parts.tsx';

export const ISLANDS = { amount: Amount, connection: Heard, parts: Parts };

type Name = keyof typeof ISLANDS;
type Own<Of extends Name> = Omit<Parameters<(typeof ISLANDS)[Of]>[0], 'browser'>;

/** @param of the island's own props, sent as JSON; they hold texts in the page's language only */
export function Island<Of extends Name>({ name, of }: { name: Of; of: Own<Of> }) {
  const Drawn = ISLANDS[name] as ComponentType<Own<Of> & Living>;
  return (
    <div data-island={name} data-of={JSON.stringify(of)}>
      <Drawn {...of} browser={null} />
    </div>
  );
}
