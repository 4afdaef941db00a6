// `npm run screenshots` takes screenshots of every state of the checkout and writes them to docs/screens.
// An argument selects states by name.
import { startVitest } from 'vitest/node';

process.env['SCREENS'] = 'docs/screens';
const [state] = process.argv.slice(2);
const run = await startVitest('test', ['test/browser/checkout/states.test.ts'], {
  project: ['browser'],
  watch: false,
  ...(state && { testNamePattern: state }),
});
await run.close();
