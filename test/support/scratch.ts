// Where a run writes what it throws away: in memory where there is room. A database for each file is mostly writing, and on a disk each takes ten times as long.
import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Several times what a run takes there. */
const LEAST_BYTES = 4 * 2 ** 30;

/** A folder for folders, as the temporary one is. */
export const SCRATCH = hasRoomInMemory() ? MEMORY : tmpdir();

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    // A size that it may grow to is not yet memory that is free.
    return Math.min(bavail * bsize, process.availableMemory()) >= LEAST_BYTES;
  } catch {
    return false;
  }
}
