// Marks the data folder of a rehearsed restore. It has a copy of live data, so no node may run there and call rails.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotStart } from './config.ts';

const markOf = (dataDir: string) => join(dataDir, 'rehearsal');

export function markRehearsal(dataDir: string): void {
  writeFileSync(markOf(dataDir), 'A rehearsed restore. Delete this folder.\n', { mode: 0o600, flush: true });
}

export const isRehearsal = (dataDir: string): boolean => existsSync(markOf(dataDir));

/** Refuses to start on the data folder of a rehearsed restore. @throws CannotStart */
export function refuseRehearsal(dataDir: string): void {
  if (isRehearsal(dataDir))
    throw new CannotStart(
      `DATA_DIR: ${dataDir} is a rehearsed restore, from which a node would call rails and merchants; ` +
        'delete it, or choose another folder.',
    );
}
