// Compares the Python client's operations and models with /openapi.json. `npm run client` (UPDATE_CLIENT=1) writes them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writePython } from '../../../packages/python/generate.ts';
import { startTestApp } from '../../support/app.ts';
import { ROOT } from '../../support/source.ts';

const SOURCE = join(ROOT, 'packages/python/src/balcao');

test('the operations and models of packages/python match /openapi.json', async () => {
  const app = await startTestApp();
  const { json } = await app.call('/openapi.json', { token: null });
  const files = Object.entries(writePython(json));
  if (process.env['UPDATE_CLIENT']) for (const [file, text] of files) writeFileSync(join(SOURCE, file), text);
  const changed = files.filter(([file, text]) => readFileSync(join(SOURCE, file), 'utf8') !== text);
  expect(changed.map(([file]) => file)).toEqual([]);
});
