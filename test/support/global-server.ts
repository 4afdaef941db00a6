// Builds the gateway, if the build is stale, before a run and a rerun. Tests start and kill the built gateway.
import { spawnSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { ROOT } from './source.ts';

export default function setUp(project: TestProject): void {
  build();
  keepCompiled(project.config.env);
  project.onTestsRerun(async () => build());
}

function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error(`the gateway could not be built: ${status}`);
}

/** Loads the gateway once. Node keeps compiled code only at a regular exit, and tests kill their gateways. */
function keepCompiled(env: Record<string, unknown>): void {
  const refused = { ...process.env, ...env, PORT: 'refused' } as NodeJS.ProcessEnv;
  spawnSync(process.execPath, ['dist/server/main.js'], { cwd: ROOT, env: refused });
}
