// The only module that imports the sandbox. Each function imports its part when called, so production never loads any.
import type { Pool } from 'pg';
import type { Sandbox, SandboxOptions } from '../sandbox/mount.ts';

export type { Sandbox, SandboxOptions };

/** The simulated rails and the pages of a sandbox node. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  return (await import('../sandbox/mount.ts')).openSandbox(options);
}

/** Creates the tables of the simulated rails and the demo shop that are missing. */
export async function prepareSandboxTables(pool: Pool): Promise<void> {
  await (await import('../sandbox/tables.ts')).prepareTables(pool);
}

/** Situations of `balcao trigger`. */
export const loadTriggers = () => import('../sandbox/triggers/play.ts');
