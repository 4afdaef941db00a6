// A watch updates the page of a payment, although its event stream breaks, stays silent or stops delivering.
import { describe, expect, test } from 'vitest';
import type { CheckoutSession } from '../../../shared/checkout.ts';
import { watchSession, type StreamListener, type Watch } from '../../../shared/watch.ts';
import { CODE, PUSH, REFERENCE, referenceWith, sessionWith } from '../../support/checkout.ts';
import { testClock } from '../../support/clock.ts';

type Stream = StreamListener & { isClosed: boolean };

/** A watch and a server with the responses of the test. */
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
      serverTime: () => {},
      reachable: (is) => (isReachable = is),
    },
  );
  const stream = () => streams.at(-1) as Stream;
  return { watch, clock, streams, stream, server, shown, isReachable: () => isReachable };
}

const paid = (revision: number) => sessionWith({ status: 'Paid', revision });
const processing = (revision: number) => sessionWith({ ...PUSH, revision });

describe('the stream of a watch', () => {
  test('passes on each newer session once, in order', () => {
    const { stream, shown } = openWatch();
    for (const revision of [1, 3, 2, 3, 4]) stream().session(processing(revision));
    expect(shown).toEqual(['Processing 3', 'Processing 4']);
  });
  test('closes with the final status, and the watch reads no more', async () => {
    const { stream, server, clock, shown } = openWatch();
    stream().session(paid(2));
    await clock.advance(120_000);
    expect(shown).toEqual(['Paid 2']);
    expect(stream().isClosed).toBe(true);
    expect(server.reads).toBe(0);
  });
  test('does not open for a final payment', () => {
    expect(openWatch(paid(1)).streams).toHaveLength(0);
  });
  test('makes reads unnecessary while it delivers and no money moves', async () => {
    const { stream, server, clock } = openWatch(sessionWith());
    stream().session(sessionWith());
    await clock.advance(600_000);
    expect(server.reads).toBe(0);
  });
});

describe('the reads of a watch', () => {
  test('find the payment of a QR code if the stream stops delivering', async () => {
    const first = sessionWith(CODE);
    const { stream, server, clock, shown } = openWatch(first);
    stream().session(first);
    server.answer = { ...first, revision: 2, qr: { ...CODE.qr, accepted: 4 } };
    await clock.advance(30_000);
    await expect.poll(() => shown).toEqual(['Pending 2']);
  });

  test('start after six seconds without an event, and become less frequent', async () => {
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
  test('stop when the stream delivers again', async () => {
    const { stream, server, clock } = openWatch(sessionWith());
    await clock.advance(10_000);
    stream().session(sessionWith());
    const before = server.reads;
    await clock.advance(60_000);
    expect(server.reads).toBe(before);
  });
  test('start within three seconds if the stream is refused, and the watch requests the stream again', async () => {
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
  test('start although a stream keeps reconnecting', async () => {
    const { stream, server, clock } = openWatch();
    stream().session(processing(1));
    for (let second = 0; second < 7; second++) {
      stream().lost(false);
      await clock.advance(1_000);
    }
    expect(server.reads).toBe(1);
  });
  test('replace a stream without events while money may be moving', async () => {
    const { stream, streams, server, clock, shown } = openWatch();
    stream().session(processing(1));
    server.answer = processing(2);
    await clock.advance(30_000);
    expect(shown).toEqual(['Processing 2']);
    expect(streams).toHaveLength(2);
    expect(streams[0]?.isClosed).toBe(true);
  });
  test('show the page a missing network, but not a busy server', async () => {
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

describe('a read without a response', () => {
  test('is followed by another one after four seconds', async () => {
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
  test('is not repeated after stop', async () => {
    const { watch, server, clock } = openWatch();
    server.hanging = 1;
    void watch.wake();
    watch.stop();
    await clock.advance(60_000);
    expect(server.reads).toBe(1);
  });
  test('is not followed by a further read if it fails within four seconds', async () => {
    const { watch, server, clock, isReachable } = openWatch(sessionWith({ status: 'Expired' }));
    server.answer = new TypeError('no network');
    await watch.wake();
    await clock.advance(60_000);
    expect([server.reads, isReachable()]).toEqual([1, false]);
  });
});

describe('the watch of a reference', () => {
  const first = sessionWith(REFERENCE);
  test('reads every five minutes in addition to its stream, and finds the payment', async () => {
    const { stream, server, clock, shown } = openWatch(first);
    stream().session(first);
    await clock.advance(3_600_000);
    expect(server.reads).toBe(12);
    server.answer = { ...first, status: 'Paid', isFinal: true, revision: 2 };
    await clock.advance(300_000);
    expect(shown).toEqual(['Paid 2']);
  });
  test('slows down to one read a minute without a stream', async () => {
    const { server, clock } = openWatch(first);
    await clock.advance(600_000);
    const before = server.reads;
    await clock.advance(600_000);
    expect(server.reads - before).toBe(10);
  });
  test('reads more often until the reference is registered', async () => {
    const fresh = sessionWith(referenceWith({ isRegistered: false }));
    const { stream, server, clock } = openWatch(fresh);
    stream().session(fresh);
    await clock.advance(30_000);
    expect(server.reads).toBe(1);
  });
  test('continues after a payment until the reference is closed', async () => {
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

describe('wake() of a watch', () => {
  test('reads immediately and reopens the stream', async () => {
    const { watch, stream, streams, server, shown } = openWatch();
    stream().session(processing(1));
    server.answer = paid(2);
    await watch.wake();
    expect(shown).toEqual(['Paid 2']);
    expect(streams).toHaveLength(2);
    expect(streams.every(({ isClosed }) => isClosed)).toBe(true);
  });
  test('finds money that arrived after the expiry', async () => {
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

describe('rest() of a watch', () => {
  test('closes the stream, and the next wake() reads the session and opens another stream', async () => {
    const { watch, stream, streams, server, shown } = openWatch();
    stream().session(processing(1));
    watch.rest();
    expect([streams.length, stream().isClosed]).toEqual([1, true]);
    server.answer = processing(2);
    await watch.wake();
    expect([server.reads, shown]).toEqual([1, ['Processing 2']]);
    expect([streams.length, stream().isClosed]).toEqual([2, false]);
  });
  test('ends with the next read if the page stays open', async () => {
    const { watch, stream, streams, clock } = openWatch();
    watch.rest();
    await clock.advance(6_000);
    expect([streams.length, stream().isClosed]).toEqual([2, false]);
  });
});

describe('a watch that its listener stops', () => {
  const stop = (watch: Watch) => watch.stop();
  test('opens no stream and reads no more', async () => {
    const { stream, streams, server, clock, shown } = openWatch(sessionWith(PUSH), stop);
    stream().lost(true);
    server.answer = processing(2);
    await clock.advance(3_000);
    await clock.advance(120_000);
    expect(shown).toEqual(['Processing 2']);
    expect([streams.length, stream().isClosed, server.reads]).toEqual([1, true, 1]);
  });
  test('closes the stream that delivered the event, and reads nothing', async () => {
    const { stream, server, clock } = openWatch(sessionWith(PUSH), stop);
    stream().session(processing(2));
    await clock.advance(120_000);
    expect([stream().isClosed, server.reads]).toEqual([true, 0]);
  });
});

test('accept() handles the response to a push request like an event of the stream', () => {
  const { watch, shown, stream } = openWatch(sessionWith());
  expect(watch.accept(processing(2))).toBe(true);
  stream().session(processing(2));
  expect(shown).toEqual(['Processing 2']);
});
