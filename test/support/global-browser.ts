// Which browser the run has; unpacked, where it must be, before workers start theirs.
import type { TestProject } from 'vitest/node';
import { chooseBrowser } from './browser.ts';
import { endOnTrouble, findBrowserTrouble } from './environment.ts';

export default async function setUp(project: TestProject): Promise<void> {
  endOnTrouble(await findBrowserTrouble());
  project.provide('browser', await chooseBrowser());
}
