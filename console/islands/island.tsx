// Islands are interactive parts of a page. The server renders them, and the script hydrates them.
// The page contains each island's props as JSON.
import type { ComponentType } from 'preact';
import { Amount } from './amount.tsx';
import type { IslandProps } from './browser.ts';
import { ConnectionNote } from './connection.tsx';
import { Parts } from './parts.tsx';

export const ISLANDS = { amount: Amount, connection: ConnectionNote, parts: Parts };

type Name = keyof typeof ISLANDS;
type OwnProps<Of extends Name> = Omit<Parameters<(typeof ISLANDS)[Of]>[0], 'browser'>;

/** @param props the island's own props, sent as JSON; their texts are in the page's language only */
export function Island<Of extends Name>({ name, props }: { name: Of; props: OwnProps<Of> }) {
  const Component = ISLANDS[name] as ComponentType<OwnProps<Of> & IslandProps>;
  return (
    <div data-island={name} data-of={JSON.stringify(props)}>
      <Component {...props} browser={null} />
    </div>
  );
}
