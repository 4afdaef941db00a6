// Stopping a node in order: balancers are told first and what still comes is answered, then the door closes and the rest ends.
import { once } from 'node:events';
import type { Server } from 'node:http';

export type Stop = () => unknown;

export type Departure = {
  /** Aborted first: readiness is red, and answers ask their callers to leave. */
  draining: AbortController;
  /** Aborted when the time for that is over: nothing new is begun. */
  stopping: AbortController;
  server: Server;
  /** What was started, to be stopped the last first. */
  stops: Stop[];
  /** Goes on answering for as long as balancers may need; ends at once when the signal aborts. */
  drain(hurry: AbortSignal): Promise<void>;
};

/** Stops once, however often it is asked to; who asks again does not want to wait for balancers. */
export function stopOnce(node: Departure): () => Promise<void> {
  const hurry = new AbortController();
  let stopped: Promise<void> | null = null;
  return () => {
    if (stopped) hurry.abort();
    return (stopped ??= stopAll(node, hurry.signal));
  };
}

async function stopAll(node: Departure, hurry: AbortSignal): Promise<void> {
  const { draining, stopping, server, stops } = node;
  draining.abort();
  await node.drain(hurry);
  stopping.abort();
  if (server.listening) await closeServer(server);
  for (const stop of stops.reverse()) await stop();
}

/** No new connections; those that answer finish, idle ones are let go. */
async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const force = setTimeout(() => server.closeAllConnections(), 10_000);
  await closed;
  clearInterval(sweep);
  clearTimeout(force);
}
