// Commands of our guides as a reader's shell runs them, on machines without curl too.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let folder: string | null = null;

/** The environment for a shell: a curl that the machine has comes before ours. */
export function shellEnv(): NodeJS.ProcessEnv {
  folder ??= installCurl();
  return { ...process.env, PATH: `${process.env['PATH']}${delimiter}${folder}` };
}

function installCurl(): string {
  const made = mkdtempSync(join(tmpdir(), 'curl-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  const file = join(made, 'curl');
  writeFileSync(
    file,
    `#!/bin/sh\nexec '${process.execPath}' '${fileURLToPath(new URL('curl.ts', import.meta.url))}' "$@"\n`,
  );
  chmodSync(file, 0o755);
  return made;
}
