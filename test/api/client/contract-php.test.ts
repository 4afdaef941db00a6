// Compares the PHP client's operations and models with /openapi.json. `npm run client` (UPDATE_CLIENT=1) writes them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { writePhp } from '../../../packages/php/generate.ts';
import { startTestApp } from '../../support/app.ts';
import { ROOT } from '../../support/source.ts';

const SOURCE = join(ROOT, 'packages/php/src');

/** The generated files in the repository. The folders Api and Model contain no other files. */
const readGenerated = (): Record<string, string> =>
  Object.fromEntries(
    ['Operations.php', ...['Api', 'Model'].flatMap((folder) => listFolder(folder))]
      .sort()
      .map((file) => [file, readFileSync(join(SOURCE, file), 'utf8')]),
  );

const listFolder = (folder: string) => readdirSync(join(SOURCE, folder)).map((name) => `${folder}/${name}`);

test('the operations and models of packages/php match /openapi.json', async () => {
  const app = await startTestApp();
  const { json } = await app.call('/openapi.json', { token: null });
  const files = writePhp(json);
  if (process.env['UPDATE_CLIENT']) {
    for (const folder of ['Api', 'Model']) rmSync(join(SOURCE, folder), { recursive: true, force: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(SOURCE, file)), { recursive: true });
      writeFileSync(join(SOURCE, file), text);
    }
  }
  const changed = Object.entries(readGenerated()).filter(([file, text]) => files[file] !== text);
  expect(changed.map(([file]) => file)).toEqual([]);
  expect(Object.keys(readGenerated())).toEqual(Object.keys(files).sort());
});
