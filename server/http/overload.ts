// Keeps a busy node responsive: it refuses requests while the event loop is late, before load balancers remove it.
// It also prepares only one response at a time for each connection.
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { counts } from '../metrics/counts.ts';
import { tryLater } from './problem.ts';

const SAMPLE_MS = 250;
const LATE_MS = 500;
const LATE_SAMPLES = 4;

const RETRY_AFTER_S = 2;

export type Lag = {
  /** True after several late samples in a row, because new requests would only wait. */
  isOverloaded(): boolean;
};

/**
 * Measures the event loop's lag. One long pause is no overload, because it has ended when it is measured.
 * @param readMs reads a monotonic clock in milliseconds
 */
export function watchLag(
  clock: Pick<Clock, 'wait'>,
  stopping: AbortSignal,
  readMs: () => number = () => performance.now(),
): Lag {
  let late = 0;
  const watch = async () => {
    while (!stopping.aborted) {
      const dueMs = readMs() + SAMPLE_MS;
      await clock.wait(SAMPLE_MS, stopping);
      late = readMs() - dueMs > LATE_MS ? late + 1 : 0;
    }
  };
  void watch();
  return { isOverloaded: () => late >= LATE_SAMPLES };
}

/** Refuses requests during an overload. @throws Problem service_unavailable while the event loop is late */
export function refuseWhenOverloaded(lag: Lag): void {
  if (!lag.isOverloaded()) return;
  counts.overloadRefusals.inc();
  throw tryLater('service_unavailable', RETRY_AFTER_S);
}

/** The most pipelined requests of a connection. No known client sends so many, and browsers do not pipeline. */
const MAX_WAITING = 256;

/** The number of requests that wait on a connection, and the response before the next request. */
type Pipeline = { waiting: number; last: ServerResponse };

/**
 * Starts a request only after the previous response on its connection was sent.
 * If a caller pipelines requests and reads nothing, the node therefore prepares only one response.
 */
export function oneResponsePerConnection(answer: RequestListener): RequestListener {
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
    if (++pipeline.waiting > MAX_WAITING) return socket.destroy();
    before.once('close', () => {
      pipeline.waiting--;
      if (!socket.destroyed) answer(req, res);
    });
  };
}
