// The gateway as it ships, for the processes that tests start and kill: built before a run, and again before a rerun, where it is stale.
import { spawnSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { ROOT } from './source.ts';

export default function setUp(project: TestProject): void {
  build();
  project.onTestsRerun(async () => build());
}

function build(): void {
  const { status } = spawnSync(process.execPath, ['server/build.ts'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error(`the gateway could not be built: ${status}`);
}
