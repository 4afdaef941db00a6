// Runs scripts of package.json beside each other (`node test/support/side-by-side.ts build types lint`): each one's output comes whole when it ends, and one that fails fails all.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const NPM = process.env['npm_execpath'];

/** Answers whether it went well. */
async function runScript(name: string): Promise<boolean> {
  if (!NPM) throw new Error('npm runs this: `npm test`');
  const child = spawn(process.execPath, [NPM, 'run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  process.stdout.write(output);
  process.stderr.write(errors);
  if (code !== 0) process.stderr.write(`npm run ${name} failed.\n`);
  return code === 0;
}

const wentWell = await Promise.all(process.argv.slice(2).map(runScript));
if (wentWell.includes(false)) process.exitCode = 1;
