// The time of day in fractions of a millisecond, as all processes of this machine and its database tell it alike.

/** Fits the process's fine clock to the time of day, which `Date` only knows in whole milliseconds. */
export function openWallClock(): () => number {
  let offset = -Infinity;
  for (let round = 0; round < 10; round++) {
    const before = Date.now();
    let now = before;
    while (now === before) now = Date.now();
    // A pause between the two readings only makes the difference smaller.
    offset = Math.max(offset, now - performance.now());
  }
  return () => performance.now() + offset;
}
