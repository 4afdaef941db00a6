// Following a payment through streams that break, stay silent or go deaf, on a clock that moves when told.
import { describe, expect, test } from 'vitest';
import type { CheckoutSession } from '../../../shared/checkout.ts';
import { watchSession, type StreamListener, type Watch } from '../../../shared/watch.ts';
import { CODE, PUSH, REFERENCE, referenceWith, sessionWith } from '../../support/checkout.ts';
import { testClock } from '../../support/clock.ts';

type Stream = StreamListener & { isClosed: boolean };

/** A watch over a server whose answers the test decides. */
function openWatch(first = sessionWith(PUSH), hear = (_watch: Watch) => {}) {
  const clock = testClock();
  const streams: Stream[] = [];
  const shown: string[] = [];
  const server = { answer: first as CheckoutSession | string | Error, reads: 0, hanging: 0 };
  let isReachable = true;
  const watch: Watch = watchSession(
    {
      openStream(listener) {
        const stream = { ...listener, isClosed: false };
        streams.push(stream);
        return { close: () => (stream.isClosed = true) };
      },
      async readSession() {
        server.reads++;
        if (server.hanging-- > 0) return new Promise(() => {});
        const { answer } = server;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      after(delayMs, act) {
        const calledOff = new AbortController();
        void clock.wait(delayMs, calledOff.signal).then(() => calledOff.signal.aborted || act());
        return () => calledOff.abort();
      },
    },
    first,
    {
      session({ status, revision }) {
        shown.push(`${status} ${revision}`);
        hear(watch);
      },
      heard: () => {},
      reachable: (is) => (isReachable = is),
    },
  );
  const stream = () => streams.at(-1) as Stream;
  return { watch, clock, streams, stream, server, shown, isReachable: () => isReachable };
}

const paid = (revision: number) => sessionWith({ status: 'Paid', revision });
const processing = (revision: number) => sessionWith({ ...PUSH, revision });

describe('the stream', () => {
  test('shows each newer session once, in order, whatever arrives', () => {
    const { stream, shown } = openWatch();
    for (const revision of [1, 3, 2, 3, 4]) stream().session(processing(revision));
    expect(shown).toEqual(['Processing 3', 'Processing 4']);
  });
  test('closes when the payment is final, and nothing more is asked', async () => {
    const { stream, server, clock, shown } = openWatch();
    stream().session(paid(2));
    await clock.advance(120_000);
    expect(shown).toEqual(['Paid 2']);
    expect(stream().isClosed).toBe(true);
    expect(server.reads).toBe(0);
  });
  test('is not opened for a payment that was final from the start', () => {
    expect(openWatch(paid(1)).streams).toHaveLength(0);
  });
  test('while it speaks and no money moves, nothing is read beside it', async () => {
    const { stream, server, clock } = openWatch(sessionWith());
    stream().session(sessionWith());
    await clock.advance(600_000);
    expect(server.reads).toBe(0);
  });
});

describe('reads', () => {
  test('double a code’s stream that has gone deaf while somebody paid', async () => {
    const first = sessionWith(CODE);
    const { stream, server, clock, shown } = openWatch(first);
    stream().session(first);
    server.answer = { ...first, revision: 2, qr: { ...CODE.qr, accepted: 4 } };
    await clock.advance(30_000);
    await expect.poll(() => shown).toEqual(['Pending 2']);
  });

  test('double a stream that says nothing for six seconds, then ever more slowly', async () => {
    const { server, clock } = openWatch();
    await clock.advance(5_999);
    expect(server.reads).toBe(0);
    await clock.advance(1);
    expect(server.reads).toBe(1);
    await clock.advance(3_000);
    expect(server.reads).toBe(2);
    await clock.advance(120_000);
    expect(server.reads).toBeGreaterThan(12);
    expect(server.reads).toBeLessThan(18);
  });
  test('end when the stream speaks again', async () => {
    const { stream, server, clock } = openWatch(sessionWith());
    await clock.advance(10_000);
    stream().session(sessionWith());
    const before = server.reads;
    await clock.advance(60_000);
    expect(server.reads).toBe(before);
  });
  test('begin within three seconds when the stream is refused for good, which is tried again beside them', async () => {
    const { stream, streams, server, clock, shown } = openWatch();
    stream().lost(true);
    server.answer = paid(2);
    await clock.advance(3_000);
    expect(shown).toEqual(['Paid 2']);
    expect(streams).toHaveLength(1);

    const other = openWatch();
    other.stream().lost(true);
    await other.clock.advance(3_000);
    expect(other.streams).toHaveLength(2);
  });
  test('are not put off by a stream that keeps failing to reconnect', async () => {
    const { stream, server, clock } = openWatch();
    stream().session(processing(1));
    for (let second = 0; second < 7; second++) {
      stream().lost(false);
      await clock.advance(1_000);
    }
    expect(server.reads).toBe(1);
  });
  test('doubt a stream that is silent for long while money may be moving, and open a deaf one anew', async () => {
    const { stream, streams, server, clock, shown } = openWatch();
    stream().session(processing(1));
    server.answer = processing(2);
    await clock.advance(30_000);
    expect(shown).toEqual(['Processing 2']);
    expect(streams).toHaveLength(2);
    expect(streams[0]?.isClosed).toBe(true);
  });
  test('a network that is gone is told as such, and only as such', async () => {
    const { server, clock, shown, isReachable } = openWatch();
    server.answer = new TypeError('no network');
    await clock.advance(6_000);
    expect(isReachable()).toBe(false);
    server.answer = 'busy';
    await clock.advance(10_000);
    expect(isReachable()).toBe(true);
    expect(shown).toEqual([]);
  });
});

describe('a read that says nothing', () => {
  test('gets another beside it after four seconds, whose answer counts at once', async () => {
    const { watch, stream, server, clock, shown } = openWatch();
    stream().session(processing(1));
    Object.assign(server, { answer: paid(2), hanging: 1 });
    const woken = watch.wake();
    await clock.advance(3_999);
    expect(shown).toEqual([]);
    await clock.advance(1);
    await woken;
    expect(shown).toEqual(['Paid 2']);
    expect(server.reads).toBe(2);
  });
  test('gets no other where the watch has stopped meanwhile', async () => {
    const { watch, server, clock } = openWatch();
    server.hanging = 1;
    void watch.wake();
    watch.stop();
    await clock.advance(60_000);
    expect(server.reads).toBe(1);
  });
  test('and ends before that is the only one', async () => {
    const { watch, server, clock, isReachable } = openWatch(sessionWith({ status: 'Expired' }));
    server.answer = new TypeError('no network');
    await watch.wake();
    await clock.advance(60_000);
    expect([server.reads, isReachable()]).toEqual([1, false]);
  });
});

describe('a reference, which may be paid after hours or days', () => {
  const first = sessionWith(REFERENCE);
  test('is read every five minutes beside a stream that spoke, and found paid where that has gone deaf', async () => {
    const { stream, server, clock, shown } = openWatch(first);
    stream().session(first);
    await clock.advance(3_600_000);
    expect(server.reads).toBe(12);
    server.answer = { ...first, status: 'Paid', isFinal: true, revision: 2 };
    await clock.advance(300_000);
    expect(shown).toEqual(['Paid 2']);
  });
  test('without a stream is read ever more slowly, down to once a minute', async () => {
    const { server, clock } = openWatch(first);
    await clock.advance(600_000);
    const before = server.reads;
    await clock.advance(600_000);
    expect(server.reads - before).toBe(10);
  });
  test('is asked about sooner while it is not registered yet', async () => {
    const fresh = sessionWith(referenceWith({ isRegistered: false }));
    const { stream, server, clock } = openWatch(fresh);
    stream().session(fresh);
    await clock.advance(30_000);
    expect(server.reads).toBe(1);
  });
  test('that is paid but may be paid again goes on being followed, until it is closed', async () => {
    const { stream, clock, shown } = openWatch(first);
    const again = (revision: number) =>
      sessionWith(referenceWith({ type: 'Charging' }, { status: 'Paid', isFinal: false, revision }));
    stream().session(again(2));
    await clock.advance(120_000);
    expect(stream().isClosed).toBe(false);
    stream().session(again(3));
    stream().session({ ...again(4), isFinal: true });
    expect(shown).toEqual(['Paid 2', 'Paid 3', 'Paid 4']);
    expect(stream().isClosed).toBe(true);
  });
});

describe('wake', () => {
  test('reads at once and opens the stream anew', async () => {
    const { watch, stream, streams, server, shown } = openWatch();
    stream().session(processing(1));
    server.answer = paid(2);
    await watch.wake();
    expect(shown).toEqual(['Paid 2']);
    expect(streams).toHaveLength(2);
    expect(streams.every(({ isClosed }) => isClosed)).toBe(true);
  });
  test('finds money that came after the end', async () => {
    const { watch, server, shown, streams } = openWatch(sessionWith({ status: 'Expired' }));
    server.answer = paid(2);
    await watch.wake();
    expect(shown).toEqual(['Paid 2']);
    expect(streams).toHaveLength(0);
  });
  test('does nothing after stop', async () => {
    const { watch, server, clock, stream } = openWatch();
    watch.stop();
    await watch.wake();
    await clock.advance(60_000);
    expect(server.reads).toBe(0);
    expect(stream().isClosed).toBe(true);
  });
});

describe('rest', () => {
  test('closes the stream of a page that is left; one that comes back reads at once and opens another', async () => {
    const { watch, stream, streams, server, shown } = openWatch();
    stream().session(processing(1));
    watch.rest();
    expect([streams.length, stream().isClosed]).toEqual([1, true]);
    server.answer = processing(2);
    await watch.wake();
    expect([server.reads, shown]).toEqual([1, ['Processing 2']]);
    expect([streams.length, stream().isClosed]).toEqual([2, false]);
  });
  test('of a page that was not left after all is made good by the next read', async () => {
    const { watch, stream, streams, clock } = openWatch();
    watch.rest();
    await clock.advance(6_000);
    expect([streams.length, stream().isClosed]).toEqual([2, false]);
  });
});

describe('stopped by whoever hears its news', () => {
  const stop = (watch: Watch) => watch.stop();
  test('it opens no stream anew and reads no more', async () => {
    const { stream, streams, server, clock, shown } = openWatch(sessionWith(PUSH), stop);
    stream().lost(true);
    server.answer = processing(2);
    await clock.advance(3_000);
    await clock.advance(120_000);
    expect(shown).toEqual(['Processing 2']);
    expect([streams.length, stream().isClosed, server.reads]).toEqual([1, true, 1]);
  });
  test('it closes the stream that told them, and reads nothing', async () => {
    const { stream, server, clock } = openWatch(sessionWith(PUSH), stop);
    stream().session(processing(2));
    await clock.advance(120_000);
    expect([stream().isClosed, server.reads]).toEqual([true, 0]);
  });
});

test('the answer to a pay counts like the stream’s', () => {
  const { watch, shown, stream } = openWatch(sessionWith());
  expect(watch.accept(processing(2))).toBe(true);
  stream().session(processing(2));
  expect(shown).toEqual(['Processing 2']);
});
