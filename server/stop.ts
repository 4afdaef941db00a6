// Stops a node in order: drain for load balancers, close the listener, finish requests, then stop the services.
import { once } from 'node:events';
import type { Server } from 'node:http';

export type Stop = () => unknown;

export type Shutdown = {
  /** `draining`: aborted first. Readiness then fails, and answers close their connections. */
  draining: AbortController;
  /** `stopping`: aborted after the drain delay. No new work starts after that. */
  stopping: AbortController;
  server: Server;
  /** `stops`: stop functions of the services, which run in reverse order of the start. */
  stops: Stop[];
  /** Waits for the drain delay while the node still answers. The wait ends when `hurry` aborts. */
  drain(hurry: AbortSignal): Promise<void>;
};

/** Returns an idempotent function that stops the node. A second call skips the drain delay. */
export function stopOnce(node: Shutdown): () => Promise<void> {
  const hurry = new AbortController();
  let stopped: Promise<void> | null = null;
  return () => {
    if (stopped) hurry.abort();
    return (stopped ??= stopAll(node, hurry.signal));
  };
}

async function stopAll(node: Shutdown, hurry: AbortSignal): Promise<void> {
  const { draining, stopping, server, stops } = node;
  draining.abort();
  await node.drain(hurry);
  stopping.abort();
  if (server.listening) await closeServer(server);
  for (const stop of stops.reverse()) await stop();
}

/** Stops a server: refuses new connections, closes idle ones, and lets running requests finish for up to 10 s. */
async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const force = setTimeout(() => server.closeAllConnections(), 10_000);
  await closed;
  clearInterval(sweep);
  clearTimeout(force);
}
