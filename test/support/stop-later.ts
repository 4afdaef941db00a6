// Stops everything that a test file has started after its last test, in reverse order.
import { afterAll } from 'vitest';

let stops: (() => unknown)[] = [];

/** Stops the given object after the test file. The file may stop it earlier, and more than once. */
export function stopLater<T extends { stop(): unknown }>(started: T): T {
  const stop = started.stop.bind(started);
  let stopped: unknown;
  started.stop = () => (stopped ??= stop());
  stops.push(started.stop);
  return started;
}

/** Called by the setup file, which runs once for each test file. */
export function stopAfterFile(): void {
  afterAll(async () => {
    const failed: unknown[] = [];
    for (const stop of stops.toReversed())
      await Promise.resolve()
        .then(stop)
        .catch((error: unknown) => failed.push(error));
    stops = [];
    if (failed.length > 0) throw new AggregateError(failed, 'could not be stopped');
  });
}
