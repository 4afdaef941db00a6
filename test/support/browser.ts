// The browser of the tests: the first of CHROMIUM, Playwright's, the system's, and an npm package's (Linux x64).
import { existsSync } from 'node:fs';
import { chromium, type LaunchOptions } from 'playwright';

/** No updates, no background requests, no QUIC. Software rendering of a GPU would double the time. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  // Pages of one profile share a process, as on a phone. This saves a quarter of a visit's time.
  '--renderer-process-limit=1',
];

const SYSTEM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export async function chooseBrowser(): Promise<LaunchOptions> {
  const args = process.getuid?.() === 0 ? [...QUIET, '--no-sandbox'] : QUIET;
  const chosen = process.env['CHROMIUM'];
  if (chosen && !existsSync(chosen))
    throw new Error(`CHROMIUM names ${chosen}, which is not there: set it to a Chromium.`);
  const own = chosen ?? [chromium.executablePath(), ...SYSTEM].find((file) => existsSync(file));
  if (own) return { executablePath: own, args };
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { default: packed } = await import('@sparticuz/chromium');
    // The package's own arguments are not used, because they disable web security.
    const own = ['--no-sandbox', '--headless=shell'];
    return { executablePath: await packed.executablePath(), args: [...QUIET, ...own] };
  }
  throw new Error(
    'There is no Chromium: run `npx playwright install chromium-headless-shell`, or set CHROMIUM to one.',
  );
}
