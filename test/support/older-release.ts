// The last release as it was, out of git, with the packages that are installed here: to run beside this one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './source.ts';

export type OlderRelease = { version: string; commit: string };

/** The newest release that the changelog names with its commit. */
export function findLastRelease(): OlderRelease {
  const text = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const [, version, commit] = /^## (\d+\.\d+\.\d+) .*\n\nCommit ([0-9a-f]{7,40})\.$/m.exec(text) ?? [];
  if (!version || !commit) throw new Error('CHANGELOG.md: no release names its commit');
  return { version, commit };
}

/** Why the release cannot be had here; null: it can. */
export function findMissing({ commit }: OlderRelease): string | null {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
    return null;
  } catch {
    return `git has no commit ${commit} here (a shallow clone, or none)`;
  }
}

/** Its folder, built; to be removed after. Not in node_modules, where Node reads no TypeScript. */
export function openRelease({ commit }: OlderRelease): string {
  const folder = mkdtempSync(join(tmpdir(), 'balcao-release-'));
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 29 });
  execFileSync('tar', ['x'], { cwd: folder, input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  execFileSync(process.execPath, [vite, 'build', '--app', '--logLevel', 'error'], { cwd: folder, stdio: 'pipe' });
  return folder;
}
