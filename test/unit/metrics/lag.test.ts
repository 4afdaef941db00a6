// The watch of the event loop's lag. The node holds requests while the lag lasts.
import { expect, onTestFinished, test } from 'vitest';
import { watchLag } from '../../../server/http/overload.ts';
import { testClock } from '../../support/clock.ts';

/** Samples are due every 250 ms. `sample` makes the next sample late by this time. */
function watch() {
  const clock = testClock();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  let nowMs = 0;
  const lag = watchLag(clock, stopping.signal, () => nowMs);
  const sample = async (lateMs: number) => {
    nowMs += 250 + lateMs;
    await clock.advance(250);
    return lag.isOverloaded();
  };
  return { sample, clock, stopping };
}

test('four late samples in a row hold requests, and one punctual sample releases them', async () => {
  const { sample } = watch();
  const seen = [];
  for (const lateMs of [600, 600, 600, 600, 9_000, 20, 600, 600, 600]) seen.push(await sample(lateMs));
  expect(seen).toEqual([false, false, false, true, true, false, false, false, false]);
});

test('a single pause of a minute, or small delays, do not hold requests', async () => {
  const { sample } = watch();
  const seen = [];
  for (const lateMs of [60_000, 0, 450, 450, 450, 450, 450, 450]) seen.push(await sample(lateMs));
  expect(seen).not.toContain(true);
});

test('the watch of the event loop ends when the node stops', async () => {
  const { sample, clock, stopping } = watch();
  await sample(0);
  stopping.abort();
  await clock.advance(1_000);
  expect(clock.waits()).toEqual([]);
});
