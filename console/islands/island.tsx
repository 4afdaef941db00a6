// Islands are interactive parts of a page. The server renders them, and the script hydrates them.
// The page contains each island's props as JSON.
import type { ComponentType } from 'preact';
import { Amount } from './amount.tsx';
import type { IslandProps } from './browser.ts';
import { Clock } from './clock.tsx';
import { ConnectionNote } from './connection.tsx';
import { Parts } from './parts.tsx';

export const ISLANDS = { amount: Amount, clock: Clock, connection: ConnectionNote, parts: Parts };

type Name = keyof typeof ISLANDS;
type OwnProps<Of extends Name> = Omit<Parameters<(typeof ISLANDS)[Of]>[0], 'browser'>;

type Placed<Of extends Name> = { name: Of; props: OwnProps<Of>; onServer?: Partial<OwnProps<Of>> };

/**
 * @param props the island's own props, sent as JSON; their texts are in the page's language only
 * @param onServer props of the server's rendering only, so that a redraw with other values replaces nothing
 */
export function Island<Of extends Name>({ name, props, onServer }: Placed<Of>) {
  const Component = ISLANDS[name] as ComponentType<OwnProps<Of> & IslandProps>;
  return (
    <div data-island={name} data-of={JSON.stringify(props)}>
      <Component {...props} {...onServer} browser={null} />
    </div>
  );
}
