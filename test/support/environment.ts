// Checks the machine before a test run. Prints one sentence with the remedy, instead of a thousand failed tests.
import { once } from 'node:events';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseBrowser } from './browser.ts';

/** The required disk space: PostgreSQL needs a database for each test file, and the browser stores profiles. */
const LEAST_BYTES = 2 * 2 ** 30;

/** The checked properties of the machine. A test can replace them. */
export type Machine = { folder: string; freeBytes(folder: string): number; listen(): Promise<void> };

const THIS_MACHINE: Machine = {
  folder: tmpdir(),
  freeBytes(folder) {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  },
  async listen() {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  },
};

/** Returns the first missing requirement and its remedy; null if the tests can run. */
export async function findTrouble({ folder, freeBytes, listen }: Machine = THIS_MACHINE): Promise<string | null> {
  try {
    const own = mkdtempSync(join(folder, 'balcao-check-'));
    writeFileSync(join(own, 'file'), '');
    rmSync(own, { recursive: true });
  } catch (error) {
    return `The temporary folder ${folder} cannot be written (${codeOf(error)}): set TMPDIR to a folder that can.`;
  }
  const freeMiB = Math.floor(freeBytes(folder) / 2 ** 20);
  if (freeMiB < LEAST_BYTES / 2 ** 20)
    return (
      `The temporary folder ${folder} has ${freeMiB} MiB left and the tests need ${LEAST_BYTES / 2 ** 20}: ` +
      'make room, or set TMPDIR to another disk.'
    );
  try {
    await listen();
  } catch (error) {
    return (
      `No port of 127.0.0.1 can be opened (${codeOf(error)}): ` +
      'let programs listen there, or end those that hold all ports.'
    );
  }
  return null;
}

/** Returns the first missing requirement of tests in a browser; null if they can run. */
export async function findBrowserTrouble(): Promise<string | null> {
  return chooseBrowser().then(
    () => null,
    (error: Error) => error.message,
  );
}

/** Prints the missing requirement, if any, and ends the run. */
export function endOnTrouble(trouble: string | null): void {
  if (!trouble) return;
  process.stderr.write(`\n${trouble}\n`);
  process.exit(1);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
