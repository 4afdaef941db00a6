// The only module that imports the sandbox. Its functions import on demand, so that production loads no sandbox code.
import type { Pool } from 'pg';
import type { Sandbox, SandboxOptions } from '../sandbox/mount.ts';

export type { Sandbox, SandboxOptions };

/** Opens the simulated rails and the pages of a sandbox node. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  return (await import('../sandbox/mount.ts')).openSandbox(options);
}

/** Creates missing tables of the simulated rails and the demo shop. */
export async function prepareSandboxTables(pool: Pool): Promise<void> {
  await (await import('../sandbox/tables.ts')).prepareTables(pool);
}

/** Loads the situations of `balcao trigger`. */
export const loadTriggers = () => import('../sandbox/triggers/play.ts');
