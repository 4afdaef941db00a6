// What a test file starts is stopped after its last test, the last first, whatever failed on the way (setup file of every kind but unit).
import { afterAll } from 'vitest';

let stops: (() => unknown)[] = [];

/** Stops it after the file at the latest. A file may do so earlier, as often as it likes. */
export function stopLater<T extends { stop(): unknown }>(started: T): T {
  const stop = started.stop.bind(started);
  let stopped: unknown;
  started.stop = () => (stopped ??= stop());
  stops.push(started.stop);
  return started;
}

/** For the setup file, which runs once for each test file. */
export function stopAfterFile(): void {
  afterAll(async () => {
    const failed: unknown[] = [];
    for (const stop of stops.toReversed())
      await Promise.resolve()
        .then(stop)
        .catch((error: unknown) => failed.push(error));
    stops = [];
    if (failed.length > 0) throw new AggregateError(failed, 'could not be stopped');
  }, 60_000);
}
