// A browser of a test's own, without what Playwright changes in one: its pages are hidden, frozen and left as a payer's are.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type BrowserContext, type Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { chooseBrowser } from './browser.ts';
import { expect } from './expect.ts';

/** Playwright would tell every page that it is in front, and switch the back/forward cache off. It ends with the test. */
export async function startOwnBrowser(): Promise<BrowserContext> {
  const { executablePath = '', args = [] } = await chooseBrowser();
  const folder = await mkdtemp(join(tmpdir(), 'balcao-browser-'));
  const own = ['--headless', '--window-size=390,844', '--remote-debugging-port=0', `--user-data-dir=${folder}`];
  const child = spawn(executablePath, [...own, ...args, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit').catch((error: unknown) => error);
  // From here on, or whatever fails or hangs below would leave both behind.
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for await (const line of createInterface(child.stderr)) {
    const [address] = /ws:\/\/\S+/.exec(line) ?? [];
    if (!address) continue;
    child.stderr.resume();
    const browser = await chromium.connectOverCDP(address, { noDefaults: true });
    return browser.contexts()[0]!;
  }
  throw new Error('the browser ended before it could be reached', { cause: await ended });
}

/** The payer looks at something else; the returned function brings the page back in sight. */
export async function hide(page: Page): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  const { windowId } = await devtools.send('Browser.getWindowForTarget');
  const show = (windowState: 'minimized' | 'normal') =>
    devtools.send('Browser.setWindowBounds', { windowId, bounds: { windowState } });
  await show('minimized');
  await expect.poll(() => page.evaluate(() => document.hidden)).toBe(true);
  return async () => void (await show('normal'));
}

/** The phone stops a page that is out of sight, timers, news and all; the returned function lets it go on. */
export async function freeze(page: Page): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await page.evaluate(() => document.addEventListener('freeze', () => document.body.setAttribute('data-frozen', '')));
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
  await expect.poll(() => page.evaluate(() => document.body.hasAttribute('data-frozen'))).toBe(true);
  return async () => void (await devtools.send('Page.setWebLifecycleState', { state: 'active' }));
}
