// The watch of the event loop.
import { expect, onTestFinished, test } from 'vitest';
import { watchLag } from '../../../server/http/overload.ts';
import { testClock } from '../../support/clock.ts';

/** Looks come every 250 ms; `look` makes the next come so much later than it is due. */
function watch() {
  const clock = testClock();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  let nowMs = 0;
  const lag = watchLag(clock, stopping.signal, () => nowMs);
  const look = async (lateMs: number) => {
    nowMs += 250 + lateMs;
    await clock.advance(250);
    return lag.isOverloaded();
  };
  return { look, clock, stopping };
}

test('four late ticks in a row hold requests, and one tick in time releases them', async () => {
  const { look } = watch();
  const seen = [];
  for (const lateMs of [600, 600, 600, 600, 9_000, 20, 600, 600, 600]) seen.push(await look(lateMs));
  expect(seen).toEqual([false, false, false, true, true, false, false, false, false]);
});

test('one pause of a minute and small delays hold no requests', async () => {
  const { look } = watch();
  const seen = [];
  for (const lateMs of [60_000, 0, 450, 450, 450, 450, 450, 450]) seen.push(await look(lateMs));
  expect(seen).not.toContain(true);
});

test('the watch ends when the node stops', async () => {
  const { look, clock, stopping } = watch();
  await look(0);
  stopping.abort();
  await clock.advance(1_000);
  expect(clock.waits()).toEqual([]);
});
