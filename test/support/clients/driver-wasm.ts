// Runs driver.php in PHP as WebAssembly. Arguments: the version, such as 7.4. PHP_WASM is the folder of the packages.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const version = process.argv[2];
const packages = createRequire(join(process.env['PHP_WASM'] ?? '', 'package.json'));
const load = (name: string): Promise<any> => import(pathToFileURL(packages.resolve(name)).href);
const [{ loadNodeRuntime, createNodeFsMountHandler }, { PHP }] = await Promise.all([
  load('@php-wasm/node'),
  load('@php-wasm/universal'),
]);

const root = join(import.meta.dirname, '../../..');
const php = new PHP(await loadNodeRuntime(version, { emscriptenOptions: { processId: process.pid } }));
await php.mount(root, createNodeFsMountHandler(root));

let created = '';
let serial = 0;

/** Each run of PHP begins without state, so it repeats the question that created the client. */
for await (const line of createInterface({ input: process.stdin })) {
  const isNew = JSON.parse(line).do === 'new';
  if (isNew) [created, serial] = [`${line}\n`, serial + 1];
  const run = await php.runStream({
    code: `<?php require '${root}/test/support/clients/driver.php';`,
    env: {
      QUESTIONS: Buffer.from(isNew ? created : created + line).toString('base64'),
      TOKENS: `/tmp/tokens-${serial}`,
    },
  });
  const text: string = await run.stdoutText;
  process.stderr.write(await run.stderrText);
  process.stdout.write(`${text.trim().split('\n').at(-1)}\n`);
}
