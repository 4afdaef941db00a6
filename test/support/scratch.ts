// The folder for temporary data, in memory if possible. A database takes ten times as long on a disk.
import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** The required free space is several times the data of a test run. */
const LEAST_BYTES = 4 * 2 ** 30;

/** The parent of temporary folders. */
export const SCRATCH = hasRoomInMemory() ? MEMORY : tmpdir();

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    // The file system in memory may report more free space than the machine has free memory.
    return Math.min(bavail * bsize, process.availableMemory()) >= LEAST_BYTES;
  } catch {
    return false;
  }
}
