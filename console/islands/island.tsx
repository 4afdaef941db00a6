// A part of a page that lives in the browser: drawn by the server with what it is drawn of beside it, for the script to take over.
import type { ComponentType } from 'preact';
import { Amount } from './amount.tsx';
import type { Living } from './browser.ts';
import { Heard } from './connection.tsx';
import { Parts } from './parts.tsx';

export const ISLANDS = { amount: Amount, connection: Heard, parts: Parts };

type Name = keyof typeof ISLANDS;
type Own<Of extends Name> = Omit<Parameters<(typeof ISLANDS)[Of]>[0], 'browser'>;

/** @param of its own props: they travel as JSON, in nothing but their texts in this page's language */
export function Island<Of extends Name>({ name, of }: { name: Of; of: Own<Of> }) {
  const Drawn = ISLANDS[name] as ComponentType<Own<Of> & Living>;
  return (
    <div data-island={name} data-of={JSON.stringify(of)}>
      <Drawn {...of} browser={null} />
    </div>
  );
}
