// Sets up a merchant's project by the guide's commands, and installs @balcao/client without a network.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, chmodSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from './source.ts';
import { stopLater } from './stop-later.ts';

const run = promisify(execFile);

const GUIDE = readFileSync(join(ROOT, 'docs/integrate.md'), 'utf8');

/** The shell commands and programs in the guide, in their order. */
export const GUIDE_BLOCKS = {
  sh: [...GUIDE.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = '']) => text),
  js: [...GUIDE.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, text = '']) => text),
};

/** Creates the folder of a project with the client. The folder is deleted after the test file. */
export async function makeProject(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'balcao-project-'));
  stopLater({ stop: async () => rmSync(home, { recursive: true }) });
  const balcao = join(home, 'balcao');
  // The test packs a copy of the package, because concurrent tests build the package when they pack it.
  mkdirSync(join(balcao, 'packages'), { recursive: true });
  cpSync(join(ROOT, 'packages/client'), join(balcao, 'packages/client'), {
    recursive: true,
    filter: (path) => !path.endsWith('/dist'),
  });
  cpSync(join(ROOT, 'docs/shop'), join(balcao, 'docs/shop'), { recursive: true });
  const [setUp = ''] = GUIDE_BLOCKS.sh;
  const commands = setUp.split('\n').filter((line) => line !== '' && !line.startsWith('node '));
  const env = {
    ...shellEnv(),
    PATH: [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };
  await run('bash', ['-euc', commands.join('\n')], { cwd: home, env });
  return join(home, 'first-payment');
}

let folder: string | null = null;

/** The environment of a shell. Our substitute for curl runs only on machines without curl. */
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
