// Slots for streams. Over HTTP/1.1 a browser opens six connections to a host, which all its tabs share.
// If streams held all of them, a form would wait until a tab is closed.
const SLOTS = 3;

type Stream = { close(): void };

/** Opens a stream if the page is visible and a slot is free. Otherwise it later calls `refuse`, and the page polls. */
export function openInSlot(open: () => Stream, refuse: () => void): Stream {
  const { locks } = navigator as Partial<Navigator>;
  let stream: Stream | undefined;
  let isClosed = false;
  let release = () => {};

  const hold = () => {
    if (isClosed) return;
    stream = open();
    return new Promise<void>((resolve) => (release = resolve));
  };
  const take = (slot: number): unknown => {
    if (isClosed) return;
    if (!slot || document.hidden) return refuse();
    // Old browsers, and pages without HTTPS, have no Web Locks.
    if (!locks) return void hold();
    return locks.request(`balcao-${slot}`, { ifAvailable: true }, (lock) => (lock ? hold() : void take(slot - 1)));
  };
  // A page in a sandboxed frame may not use Web Locks.
  void Promise.resolve(SLOTS).then(take).catch(hold);

  return {
    close() {
      isClosed = true;
      stream?.close();
      release();
    },
  };
}
