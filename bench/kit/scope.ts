// A scope stops all that was started in it, the last first.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type Child, type ChildOptions } from './child.ts';

export type Scope = {
  /** Starts a child process that ends with the scope. */
  start(file: string, options?: ChildOptions): Child;
  /** Creates a temporary folder that is deleted when the scope closes. */
  makeFolder(): string;
  /** Registers the function `end`, which runs when the scope closes. */
  defer(end: () => unknown): void;
  close(): Promise<void>;
};

const openScopes = new Set<Scope>();

export function openScope(): Scope {
  const ends: (() => unknown)[] = [];
  const scope: Scope = {
    start(file, options) {
      const child = startChild(file, options);
      ends.push(() => child.stop());
      return child;
    },
    makeFolder() {
      const folder = mkdtempSync(join(tmpdir(), 'balcao-bench-'));
      ends.push(() => rmSync(folder, { recursive: true, force: true }));
      return folder;
    },
    defer: (end) => void ends.push(end),
    async close() {
      openScopes.delete(scope);
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
  openScopes.add(scope);
  return scope;
}

/** Closes every open scope, the newest first. */
export async function closeScopes(): Promise<void> {
  for (const scope of [...openScopes].reverse()) await scope.close().catch(() => {});
}
