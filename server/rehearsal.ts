// A rehearsed restore: a data folder with a copy of a running gateway's data, on which no node may call rails and merchants.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotStart } from './config.ts';

const markOf = (dataDir: string) => join(dataDir, 'rehearsal');

export function markRehearsal(dataDir: string): void {
  writeFileSync(markOf(dataDir), 'A rehearsed restore. Delete this folder.\n', { mode: 0o600, flush: true });
}

export const isRehearsal = (dataDir: string): boolean => existsSync(markOf(dataDir));

/** @throws CannotStart */
export function refuseRehearsal(dataDir: string): void {
  if (isRehearsal(dataDir))
    throw new CannotStart(
      `DATA_DIR: ${dataDir} is a rehearsed restore, from which rails and merchants would be called; delete it, or choose another folder.`,
    );
}
