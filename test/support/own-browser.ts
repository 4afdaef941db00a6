// A browser for one test, without Playwright's overrides: its pages can be hidden, frozen and cached like a payer's.
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

/** Starts a browser without Playwright's flags, which mark pages as visible and disable the back/forward cache. */
export async function startOwnBrowser(): Promise<BrowserContext> {
  const { executablePath = '', args = [] } = await chooseBrowser();
  const folder = await mkdtemp(join(tmpdir(), 'balcao-browser-'));
  const own = ['--headless', '--window-size=390,844', '--remote-debugging-port=0', `--user-data-dir=${folder}`];
  const child = spawn(executablePath, [...own, ...args, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit').catch((error: unknown) => error);
  // The cleanup is registered first, so that a failure below leaves neither process nor folder.
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    // The browser's other processes end after it, and may still write into the folder.
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
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

/** Hides the page. The returned function shows it again. */
export async function hide(page: Page): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  const { windowId } = await devtools.send('Browser.getWindowForTarget');
  const show = (windowState: 'minimized' | 'normal') =>
    devtools.send('Browser.setWindowBounds', { windowId, bounds: { windowState } });
  await show('minimized');
  await expect.poll(() => page.evaluate(() => document.hidden)).toBe(true);
  return async () => void (await show('normal'));
}

/** Freezes a hidden page with its timers and streams. The returned function resumes it. */
export async function freeze(page: Page): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await page.evaluate(() => document.addEventListener('freeze', () => document.body.setAttribute('data-frozen', '')));
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
  await expect.poll(() => page.evaluate(() => document.body.hasAttribute('data-frozen'))).toBe(true);
  return async () => void (await devtools.send('Page.setWebLifecycleState', { state: 'active' }));
}
