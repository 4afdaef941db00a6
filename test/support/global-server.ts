// Builds the gateway, if the build is stale, before a run and a rerun. Tests start and kill the built gateway.
import { spawnSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { ROOT } from './source.ts';

export default function setUp(project: TestProject): void {
  build();
  project.onTestsRerun(async () => build());
}

function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error(`the gateway could not be built: ${status}`);
}
