// Builds stale files, then checks types, lint and format in parallel. Each step prints its output at its end.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const PRETTIER = 'node_modules/prettier/bin/prettier.cjs --check --log-level warn .';
const CACHED = '--cache --cache-strategy content --cache-location node_modules/.cache/formatted';

/** The steps of the check, as arguments of Node. */
const STEPS = {
  build: 'scripts/build.ts',
  types: 'node_modules/typescript/bin/tsc --noEmit',
  lint: 'node_modules/oxlint/bin/oxlint --deny-warnings',
  format: `${PRETTIER} ${CACHED}`,
};

/** Runs one step of the check. Resolves to true if the step succeeded. */
async function runStep([name, command]: [string, string]): Promise<boolean> {
  const child = spawn(process.execPath, command.split(' '), { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  process.stdout.write(output);
  process.stderr.write(errors);
  if (code !== 0) process.stderr.write(`${name} failed.\n`);
  return code === 0;
}

const succeeded = await Promise.all(Object.entries(STEPS).map(runStep));
if (succeeded.includes(false)) process.exitCode = 1;
