// Keeps a busy node responsive. It refuses requests while the event loop is late, before balancers remove the node, and prepares
// one answer at a time for each connection.
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { counts } from '../metrics/counts.ts';
import { tryLater } from './problem.ts';

const EVERY_MS = 250;
const LATE_MS = 500;
const IN_A_ROW = 4;

const COME_AGAIN_S = 2;

export type Lag = {
  /** True while the loop is late for so long that new requests would only wait. */
  isHeld(): boolean;
};

/**
 * Measures the event loop's lag. One long pause refuses nothing, because it is over once it is measured.
 * @param readMs a monotonic clock
 */
export function watchLag(
  clock: Pick<Clock, 'wait'>,
  stopping: AbortSignal,
  readMs: () => number = () => performance.now(),
): Lag {
  let late = 0;
  const watch = async () => {
    while (!stopping.aborted) {
      const dueMs = readMs() + EVERY_MS;
      await clock.wait(EVERY_MS, stopping);
      late = readMs() - dueMs > LATE_MS ? late + 1 : 0;
    }
  };
  void watch();
  return { isHeld: () => late >= IN_A_ROW };
}

/** @throws Problem service_unavailable while the loop is late */
export function refuseLate(lag: Lag): void {
  if (!lag.isHeld()) return;
  counts.shed.inc();
  throw tryLater('service_unavailable', COME_AGAIN_S);
}

/** Far above the pipelined requests of any client. Browsers and proxies send none. */
const MOST_WAITING = 256;

/** The requests that wait on a connection, and the answer before the next one. */
type Pipeline = { waiting: number; last: ServerResponse };

/**
 * Begins a request when the caller's system has the answer before it on the connection. A caller that pipelines requests
 * and reads nothing makes the node prepare one answer, not all.
 */
export function inTurn(answer: RequestListener): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (req, res) => {
    const { socket } = req;
    const pipeline = pipelines.get(socket);
    const before = pipeline?.last;
    if (!pipeline || !before || before.closed) {
      pipelines.set(socket, { waiting: 0, last: res });
      return answer(req, res);
    }
    pipeline.last = res;
    if (++pipeline.waiting > MOST_WAITING) return socket.destroy();
    before.once('close', () => {
      pipeline.waiting--;
      if (!socket.destroyed) answer(req, res);
    });
  };
}
