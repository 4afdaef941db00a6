// @balcao/client as merchants get it: packed, installed in an empty project without a network, checked strictly, run on each Node there is.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { makeProject } from '../support/project.ts';
import { ROOT } from '../support/source.ts';

const run = promisify(execFile);
const PACKAGE = join(ROOT, 'packages/client');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** It carries the address of each operation, and grows by some 15 bytes with one more. */
const MAX_BYTES = 13_000;

/** The three ways to be paid, every answer typed; what does not fit is refused before it is sent. */
const PROGRAM = `
import { Balcao, isBalcaoError, verifyWebhook } from '@balcao/client';
import { fetchHandler } from '@balcao/client/handlers';

const balcao = new Balcao({ url: process.argv[2]!, clientId: 'demo', clientSecret: 'demo-secret' });
const sale = { amount: 1500, currency: 'AOA', reference: process.argv[3]! } as const;
const push = await balcao.payments.create({
  ...sale,
  paymentType: 'GPO',
  metadata: { paymentMethod: 'onetimepurchase', phoneNumber: '923456789' },
});
const code = await balcao.payments.create({ ...sale, paymentType: 'GPO', metadata: { paymentMethod: 'qrcode' } });
const { reference, entity }: { reference: string; entity: string } = await balcao.references.create({ amount: 1500 });
const statuses: string[] = [];
for await (const { status, amount } of balcao.payments.list({ reference: sale.reference })) statuses.push(status + amount.toFixed(2));
let refusal: string = '';
try {
  // @ts-expect-error an amount is a number
  await balcao.payments.create({ ...sale, paymentType: 'GPO', amount: 'much' });
} catch (error) {
  if (isBalcaoError(error) && error.code === 'reference_in_flight') refusal = error.problem.internalId;
  else if (isBalcaoError(error)) refusal = error.code;
}
// @ts-expect-error there is no such code
export const isWrong = (error: unknown) => isBalcaoError(error) && error.code === 'no_such_code';
export const POST = fetchHandler({ accessKey: 'k', onCallback: ({ type, body }) => (type === 'PPR' ? body.Id : body.id) });
export const verify = (request: Request) => verifyWebhook(request, ['a', 'b']);
console.log(JSON.stringify([push.status, code.status, entity, /^\\d{9}$/.test(reference), statuses.length, refusal]));
`;

/** What the examples of its page take for given. */
const GIVEN = `
declare const clientId: string, clientSecret: string, cursor: string;
import { createServer } from 'node:http';
declare function keep(event: unknown): Promise<void>;
declare function ship(id: string, payment: { status: string }): Promise<string>;
declare const app: { post(path: string, answer: unknown): void; register(plugin: unknown): Promise<void> };
`;

/** The examples of its page, as one program. */
const EXAMPLES = [...readFileSync(join(PACKAGE, 'README.md'), 'utf8').matchAll(/```ts\n([^]*?)```/g)].map(
  ([, text]) => text,
);

const CONFIG = {
  compilerOptions: {
    strict: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  },
  files: ['main.ts', 'readme.ts'],
};

let app: TestApp;
let project: string;
beforeAll(async () => {
  [app, project] = await Promise.all([startTestApp(), makeProject()]);
  writeFileSync(join(project, 'main.ts'), PROGRAM);
  writeFileSync(join(project, 'readme.ts'), [...EXAMPLES, GIVEN].join('\n'));
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(CONFIG));
});

/** Each Node of the path, the tests' own among them. */
const NODES = [
  ...new Set([process.execPath, ...process.env['PATH']!.split(delimiter).map((folder) => join(folder, 'node'))]),
].filter((path) => existsSync(path));

test('it and the examples of its page are checked strictly, with the types of its own packages, and runs', async () => {
  const checked = await run(process.execPath, [TSC, '--pretty', 'false'], { cwd: project }).catch((error) => error);
  expect(EXAMPLES).toHaveLength(2);
  expect(checked.stdout).toBe('');
  const versions = new Set<string>();
  for (const [nth, node] of NODES.entries()) {
    versions.add((await run(node, ['--version'])).stdout.split('.')[0]!);
    const { stdout } = await run(node, ['main.js', app.url, `PACKED-${nth}`], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(['Processing', 'Pending', '00999', true, 2, expect.stringMatching(/^\w+$/)]);
  }
  expect([...versions]).toContain(`v${process.versions.node.split('.')[0]}`);
});

test(`minified the client has at most ${MAX_BYTES} bytes, and nothing of any platform`, async () => {
  const result: any = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      rolldownOptions: { input: join(PACKAGE, 'src/balcao.ts'), preserveEntrySignatures: 'strict' },
    },
  });
  expect(result.output).toHaveLength(1);
  expect(result.output[0].code.length).toBeGreaterThan(5_000);
  expect(result.output[0].code.length).toBeLessThanOrEqual(MAX_BYTES);
  expect(result.output[0].code).not.toMatch(/\b(require\(|node:|process\.|Buffer\b)/);
});

test('@balcao/react is packed with its program and its types', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: join(ROOT, 'packages/react') });
  const paths = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(expect.arrayContaining(['dist/elements.js', 'dist/elements.d.ts']));
});
