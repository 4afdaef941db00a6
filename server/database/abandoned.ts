// Connections that fell silent in somebody's hands: they are ended here, while their backends may go on waiting over there. Those are
// counted until they are gone, so that a standby that is silent does not fill the database with them.
import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';

/** A backend that is still there; `isHeld`: it waits for a standby to confirm what it has committed. */
export type Left = { pid: number; isHeld: boolean };

export type Abandoned = {
  /** From now on they are counted, since somebody looks which are left; who does is told of each new one. */
  watch(tell: () => void): void;
  pids(): number[];
  /** @param asked those that were looked for; whoever is not among `left` is gone */
  settle(asked: number[], left: Left[]): void;
};

/**
 * Ends a connection that falls silent, which fails what was asked on it. A timer of the socket's own: one for each query (pg's
 * query_timeout) keeps its results alive until the next great collection of garbage, and makes every small one take ten times as long.
 */
export function endSilent(pool: Pool, isTaken: (client: PoolClient) => boolean, silenceMs: number): Abandoned {
  /** By pid, whether it is held; as long as nobody has looked, it might be. */
  const backends = new Map<number, boolean>();
  const poolMax = pool.options.max;
  let tell: (() => void) | null = null;
  // Beside those that were abandoned there is room for a pool at most, and for less where they are more than that.
  const makeRoom = () => (pool.options.max = Math.min(poolMax, 2 * poolMax - backends.size));
  const abandon = (client: Inner) => {
    client.connection.stream.destroy(new Error('Connection terminated: the database fell silent'));
    if (!tell || client.processID === null) return;
    backends.set(client.processID, true);
    makeRoom();
    tell();
  };
  const watched = new WeakSet<PoolClient>();
  // When it is taken, not when it connects: the first one is there before anybody listens.
  pool.on('acquire', (client) => {
    holdWrites(client, [...backends.values()].includes(true));
    if (watched.has(client)) return;
    watched.add(client);
    const inner = client as unknown as Inner;
    inner.connection.stream.setTimeout(silenceMs);
    inner.connection.stream.on('timeout', () => isTaken(client) && abandon(inner));
  });
  return {
    watch: (listener) => void (tell = listener),
    pids: () => [...backends.keys()],
    settle(asked, left) {
      for (const pid of asked) backends.delete(pid);
      for (const { pid, isHeld } of left) backends.set(pid, isHeld);
      makeRoom();
    },
  };
}

/** What pg keeps of a connection. */
type Inner = { processID: number | null; connection: { stream: Socket } };

const readOnly = new WeakSet<PoolClient>();

/**
 * While commits wait for a standby, whoever would begin another is refused at once, by the database itself and so without
 * exception: else writing takes every connection, and nobody can read either.
 */
function holdWrites(client: PoolClient, areHeld: boolean): void {
  if (areHeld === readOnly.has(client)) return;
  if (areHeld) readOnly.add(client);
  else readOnly.delete(client);
  // Before whatever its taker asks; where it fails, that fails too.
  client.query(areHeld ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only', () => {});
}
