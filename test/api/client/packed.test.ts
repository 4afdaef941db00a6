import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { makeProject } from '../../support/project.ts';
import { ROOT } from '../../support/source.ts';

const run = promisify(execFile);
const PACKAGE = join(ROOT, 'packages/client');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/**
 * The size limit of the client in bytes. A Worker loads the client at each cold start.
 * Each operation of the API adds about 15 bytes.
 */
const MAX_BYTES = 16_000;

/** A shop's program with all payment types. The compiler checks its request and response types. */
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
for await (const { status, amount } of balcao.payments.list({ reference: sale.reference }))
  statuses.push(status + amount.toFixed(2));
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
export const POST = fetchHandler({
  accessKey: 'k',
  onCallback: ({ type, body }) => (type === 'PPR' ? body.Id : body.id),
});
export const verify = (request: Request) => verifyWebhook(request, ['a', 'b']);
console.log(JSON.stringify([push.status, code.status, entity, /^\\d{9}$/.test(reference), statuses.length, refusal]));
`;

/** Declarations of names that the README's examples use. */
const GIVEN = `
declare const clientId: string, clientSecret: string, cursor: string;
import { createServer } from 'node:http';
declare function keep(event: unknown): Promise<void>;
declare function ship(id: string, payment: { status: string }): Promise<string>;
declare const app: { post(path: string, answer: unknown): void; register(plugin: unknown): Promise<void> };
`;

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
  cpSync(join(ROOT, 'widget/widget.d.ts'), join(project, '../balcao/widget/widget.d.ts'));
  symlinkSync(join(ROOT, 'node_modules'), join(project, '../balcao/node_modules'));
  for (const name of ['react', '@types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  await Promise.all(['react', 'widget'].map(install));
});

async function install(name: string): Promise<void> {
  const folder = join(project, '../balcao/packages', name);
  cpSync(join(ROOT, 'packages', name), folder, { recursive: true, filter: (path) => !path.endsWith('/dist') });
  const env = { ...process.env, PATH: [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter) };
  const { stdout } = await run('npm', ['pack', '--silent'], { cwd: folder, env });
  const target = join(project, 'node_modules/@balcao', name);
  mkdirSync(target);
  await run('tar', ['-xzf', join(folder, stdout.trim().split('\n').at(-1)!), '--strip-components=1', '-C', target]);
}

/** The Node executables on the PATH, and the one that runs the tests. */
const NODES = [
  ...new Set([process.execPath, ...process.env['PATH']!.split(delimiter).map((folder) => join(folder, 'node'))]),
].filter((path) => existsSync(path));

/** A shop's program, compiled for each module system. */
const IMPORTS = `
import { Balcao, isBalcaoError, type WebhookEvent } from '@balcao/client';
import { expressHandler } from '@balcao/client/handlers';
import { BalcaoCheckout, BalcaoPayment } from '@balcao/react';
import { listen, loadWidget } from '@balcao/widget/react';

const balcao = new Balcao({ url: 'https://pay.example', clientId: 'demo', clientSecret: 'demo-secret' });
export async function orderOf(id: string): Promise<unknown> {
  const payment = await balcao.payments.get(id);
  // @ts-expect-error a merchant's own fields have no type
  payment.customMetadata?.order.length;
  return payment.customMetadata?.order;
}
export const ofEvent = ({ data, details }: WebhookEvent): unknown[] => [data?.internalId, details.replaces];
export const handler = expressHandler({ onEvent: ofEvent });
export const shop = (
  <>
    <BalcaoPayment gateway="https://pay.example" token={null} onPaid={({ status }) => status.length}>
      <a href="/pay">Pagar</a>
    </BalcaoPayment>
    <BalcaoCheckout gateway="https://pay.example" token="t" open={false} onClose={() => {}} />
    <balcao-payment token="t" ref={listen({ paid: ({ status }) => status.length })} />
  </>
);
console.log(typeof balcao.payments.list, typeof handler, typeof BalcaoPayment, isBalcaoError(new Error()));
loadWidget('https://pay.example').then((isLoaded) => console.log(isLoaded));
`;

type Options = Record<string, string | boolean | string[]>;

/** The last row ignores `exports` and uses `main`, `types` and `typesVersions`, like `node10` before TypeScript 7. */
const SYSTEMS: [type: 'module' | 'commonjs', options: Options][] = [
  ['module', { module: 'node16' }],
  ['commonjs', { module: 'node16' }],
  ['module', { module: 'esnext', moduleResolution: 'bundler' }],
  ['commonjs', { module: 'commonjs', moduleResolution: 'bundler' }],
  ['commonjs', { module: 'commonjs', moduleResolution: 'bundler', resolvePackageJsonExports: false }],
];

test.each(SYSTEMS)('a project of the type %s with %j passes the strict type check and runs', async (type, options) => {
  const folder = mkdtempSync(join(project, 'system-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
  writeFileSync(join(folder, 'main.tsx'), IMPORTS);
  const strict = { strict: true, skipLibCheck: false, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] };
  const compilerOptions = { ...strict, types: [], jsx: 'react-jsx', ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.tsx'] }));
  const checked = await run(process.execPath, [TSC, '--pretty', 'false'], { cwd: folder }).catch((error) => error);
  expect(checked.stdout).toBe('');
  const { stdout } = await run(process.execPath, ['main.js'], { cwd: folder });
  expect(stdout.trim()).toBe('function function function false\nfalse');
});

test.each(NODES)('%s loads the package and its package.json with `require`', async (node) => {
  const names = [
    '@balcao/client',
    '@balcao/client/handlers',
    '@balcao/client/package.json',
    '@balcao/react/package.json',
    '@balcao/widget',
    '@balcao/widget/vue',
    '@balcao/widget/package.json',
  ];
  const program = `console.log(${JSON.stringify(names)}.map((name) => typeof require(name)).join())`;
  const { stdout } = await run(node, ['--input-type=commonjs', '-e', program], { cwd: project });
  expect(stdout.trim()).toBe(names.map(() => 'object').join());
});

test('the imported copy recognizes an error of the required copy', async () => {
  const program = `
    import { createRequire } from 'node:module';
    import { isBalcaoError } from '@balcao/client';
    const { BalcaoError } = createRequire(import.meta.url)('@balcao/client');
    console.log(isBalcaoError(new BalcaoError('not_found', 'x')), isBalcaoError({ name: 'BalcaoError' }));`;
  writeFileSync(join(project, 'copies.mjs'), program);
  const { stdout } = await run(process.execPath, ['copies.mjs'], { cwd: project });
  expect(stdout.trim()).toBe('true false');
});

test('the package and the examples of its README pass the strict type check and run', async () => {
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

test(`the minified client has at most ${MAX_BYTES} bytes and imports no Node or browser module`, async () => {
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
