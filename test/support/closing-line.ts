// Prints the end of a run: its slowest files and, as the last line, `N passed, N failed`, which CI reads.
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST = 10;

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      // A test file that cannot be loaded counts as a failure, because it has no tests.
      if (module.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed' || state === 'skipped') count[state]++;
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    const closing = `${count.passed} passed, ${count.failed} failed${skipped}`;
    setImmediate(() => process.stdout.write(`\n${listSlowest(modules)}\n${closing}\n`));
  }
}

function listSlowest(modules: readonly TestModule[]): string {
  const timed = modules.map((module) => ({ file: relative('', module.moduleId), ms: timeOf(module) }));
  const slowest = timed.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  const lines = slowest.map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${file}\n`);
  return `The slowest of ${modules.length} files:\n${lines.join('')}`;
}

function timeOf(module: TestModule): number {
  const { prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
  return prepareDuration + collectDuration + setupDuration + duration;
}
