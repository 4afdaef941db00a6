// Chooses the browser of the run, and unpacks it before the workers start.
import type { TestProject } from 'vitest/node';
import { chooseBrowser } from './browser.ts';
import { endOnTrouble, findBrowserTrouble } from './environment.ts';

export default async function setUp(project: TestProject): Promise<void> {
  endOnTrouble(await findBrowserTrouble());
  project.provide('browser', await chooseBrowser());
}
