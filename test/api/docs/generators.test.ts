// Runs three program generators over the OpenAPI document. They are large, so `.ci/run` installs them elsewhere.
// Debian has no generator of PHP or Python clients, and those of npm download programs.
// Therefore quicktype makes Python models of all schemas, without the operations.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { writeDocument } from '../../../server/docs/document.ts';
import { describeWebhooks } from '../../../server/webhooks/document.ts';
import { declaredRoutes } from '../../support/declared.ts';
import { ROOT } from '../../support/source.ts';

/** The folder in which `.ci/run` has installed the generators. */
const GENERATORS = process.env['GENERATORS'];

const OPTIONS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: [],
  },
};

describe.skipIf(!GENERATORS)('the OpenAPI document', () => {
  let folder: string;
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(program, args, { cwd: folder }).catch(({ message, stdout, stderr }) => {
      throw new Error(`${message}\n${stdout}\n${stderr}`.slice(0, 3_000));
    });
  const generate = (name: string, ...args: string[]) => run(join(GENERATORS!, 'node_modules/.bin', name), ...args);
  const compile = () => run(join(ROOT, 'node_modules/.bin/tsc'), '-p', folder);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'balcao-generators-'));
    const text = JSON.stringify(writeDocument(declaredRoutes, 'https://pay.example', describeWebhooks()));
    writeFileSync(join(folder, 'openapi.json'), text);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...OPTIONS, include: ['**/*.ts'] }));
    const { schemas } = JSON.parse(text).components;
    const definitions = JSON.parse(JSON.stringify(schemas).replaceAll('#/components/schemas/', '#/definitions/'));
    const properties = Object.fromEntries(
      Object.keys(definitions).map((name) => [name, { $ref: `#/definitions/${name}` }]),
    );
    writeFileSync(join(folder, 'schemas.json'), JSON.stringify({ type: 'object', properties, definitions }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('becomes types that compile, by openapi-typescript', async () => {
    await generate('openapi-typescript', 'openapi.json', '-o', 'types/api.ts');
    writeFileSync(
      join(folder, 'types/use.ts'),
      `import type { components, operations } from './api.ts';
type Schemas = components['schemas'];
export const status = (payment: Schemas['Payment']): 'Paid' | string => payment.status;
export const paid = (event: Schemas['PaymentEvent']): string => event.data.internalId;
export type Body = operations['createPayment']['requestBody']['content']['application/json'];
`,
    );
    await compile();
  });

  test('becomes a client that compiles, by @hey-api/openapi-ts', async () => {
    await generate('openapi-ts', '-i', 'openapi.json', '-o', 'client');
    writeFileSync(
      join(folder, 'client/use.ts'),
      `import { createRefund, readPayment } from './sdk.gen';
import type { CreateRefund, PaymentEvent } from './types.gen';
export const refund = async (body: CreateRefund): Promise<string | undefined> =>
  (await createRefund({ body, path: { internalPaymentId: '' } })).data?.status;
export const read = (event: PaymentEvent) => readPayment({ path: { paymentId: event.data.internalId } });
`,
    );
    await compile();
  });

  test('becomes Python models that parse, by quicktype', async () => {
    const options = ['--lang', 'python', '--python-version', '3.7', '-o', 'models.py'];
    await generate('quicktype', '-s', 'schema', 'schemas.json', '-t', 'Schemas', ...options);
    // A machine without Python does not check the file.
    if (spawnSync('python3', ['--version']).status === 0) await run('python3', '-m', 'py_compile', 'models.py');
  });
});
