// Between two mutants in one worker: modules load unmutated, and a worker in which a node is left running is spent.
import { afterAll } from 'vitest';

const stryker = (globalThis as { __stryker__?: { activeMutant?: string | undefined } }).__stryker__;
if (stryker) stryker.activeMutant = undefined;

afterAll(async () => {
  if (stryker) stryker.activeMutant = undefined;
  // A server that was just closed is counted until the loop has turned.
  await new Promise((resolve) => setImmediate(resolve));
  const left = process.getActiveResourcesInfo();
  if (left.includes('TCPServerWrap') || left.includes('ProcessWrap')) process.send?.({ spent: true });
});
