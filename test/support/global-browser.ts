// One browser process for the run; each test file connects to it.
import { chromium } from 'playwright';
import type { TestProject } from 'vitest/node';
import { chooseBrowser } from './browser.ts';
import { endOnTrouble, findBrowserTrouble } from './environment.ts';

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  endOnTrouble(await findBrowserTrouble());
  const server = await chromium.launchServer(await chooseBrowser());
  project.provide('browserWs', server.wsEndpoint());
  return () => server.close();
}
