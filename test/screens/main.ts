// npm run screenshots: every state of the checkout on a running node, as pictures in docs/screens; with a name, only those states.
import { startVitest } from 'vitest/node';

process.env['SCREENS'] = 'docs/screens';
const [state] = process.argv.slice(2);
const run = await startVitest('test', ['test/browser/checkout/states.test.ts'], {
  project: ['browser'],
  watch: false,
  ...(state && { testNamePattern: state }),
});
await run.close();
