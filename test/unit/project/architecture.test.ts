// The table of imports between folders, compared with the imports of every file.
import { dirname, relative } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { listFiles, packageOf, readSource, readText, type Import, type SourceFile } from '../../support/source.ts';

const FILES = listFiles('{server,sandbox,shared,checkout,console,widget}/**/*.{ts,tsx}', 'packages/*/src/**/*.ts')
  .filter((path) => !path.startsWith('sandbox/test/'))
  .map((path) => readSource(path));

const FEATURE = ['http', 'database', 'exports', 'audit', 'events', 'changes', 'jobs', 'lists', 'merchants'];

/**
 * The folders and root files of `server`, and the folders that each may import, besides `shared` and `OPEN_TO_ALL`.
 * `?` allows types only. No folder imports `billing` or `books`, and only `billing` imports `webhooks`.
 */
const MAY_IMPORT: Record<string, readonly string[] | 'everything'> = {
  clock: [],
  'database-url': [],
  environment: ['database-url'],
  config: ['environment'],
  metrics: ['database', 'jobs?'],
  stop: [],
  secrets: ['environment'],
  explain: [],
  rehearsal: [],
  sandbox: [],
  core: ['changes?', 'database?', 'jobs?', 'rails?'],
  database: ['database-url'],
  changes: ['database'],
  http: ['database', 'exports?', 'metrics?'],
  exports: ['http', 'database'],
  jobs: ['database'],
  lists: ['http', 'database', 'jobs?'],
  audit: ['http', 'database', 'lists', 'merchants', 'core?'],
  events: ['http', 'database', 'changes', 'core?'],
  mail: [...FEATURE, 'core?'],
  people: [...FEATURE, 'core?', 'mail'],
  oauth: [...FEATURE, 'core?', 'people', 'notifications'],
  access: [...FEATURE, 'core?', 'people', 'oauth', 'mail', 'notifications'],
  merchants: [...FEATURE, 'core?', 'people', 'oauth', 'mail'],
  providers: ['http'],
  rails: [...FEATURE, 'core?', 'changes', 'providers', 'notifications'],
  payments: [...FEATURE, 'core?', 'providers', 'rails', 'shifts', 'terminals'],
  terminals: [...FEATURE, 'core?', 'providers'],
  checkout: [...FEATURE, 'core?', 'payments', 'providers?', 'rails?'],
  sms: [...FEATURE, 'core?', 'providers', 'rails'],
  links: [...FEATURE, 'core?', 'payments', 'checkout', 'sms'],
  'reference-sms': [...FEATURE, 'core?', 'payments', 'sms'],
  receipts: [...FEATURE, 'core?', 'mail', 'payments', 'sms'],
  articles: [...FEATURE, 'core?', 'payments'],
  webhooks: [...FEATURE, 'core?'],
  notifications: [...FEATURE, 'core?', 'people', 'mail'],
  billing: [...FEATURE, 'core?', 'webhooks'],
  books: [...FEATURE, 'core?', 'payments'],
  shifts: [...FEATURE, 'core?'],
  privacy: [...FEATURE, 'core?', 'payments', 'sms', 'environment?'],
  docs: ['http', 'exports', 'core?'],
  // The console calls operations of the API by their names. Only the menu's count of unread notices is its own query.
  console: [...FEATURE, 'core?', 'people', 'oauth', 'notifications'],
  app: 'everything',
  start: 'everything',
  sealed: 'everything',
  main: 'everything',
  cli: 'everything',
  entities: 'everything',
};
const OPEN_TO_ALL = ['clock', 'config', 'secrets'];
/** The two files of metrics/ that count and trace. Every feature calls them, and they import no feature. */
const OPEN_FILES = ['server/metrics/counts.ts', 'server/metrics/span.ts'];

/**
 * The layers of `server/payments`: the core, each method's folder, the table of methods, and the API's files.
 * A file may import lower layers and its own folder, types included. So the methods are independent of each other.
 */
const PAYMENTS = 'server/payments/';
function layerOf(path: string): { layer: number; folder: string } {
  const [folder = '', file] = path.slice(PAYMENTS.length).split('/');
  if (file !== undefined) return { layer: folder === 'core' ? 0 : 1, folder };
  return { layer: folder === 'methods.ts' ? 2 : 3, folder: '' };
}

function isBelow(path: string, target: string): boolean {
  const [from, to] = [layerOf(path), layerOf(target)];
  return to.layer < from.layer || (to.layer === from.layer && to.folder === from.folder);
}

/** Files that may import a package although their tier may not. The sandbox decodes QR images like a payer's app. */
const EXTRA_PACKAGES: Record<string, readonly string[]> = { 'sandbox/pages/scan.client.ts': ['qr'] };

/** The only module that imports the sandbox. Production never loads it. */
const SANDBOX_MODULE = 'server/sandbox.ts';
/** The sandbox imports the platform only, never a feature. */
const SANDBOX_MAY_IMPORT = ['http', 'database', 'clock', 'config', 'secrets'];
const SANDBOX_MAY_NAME = [...SANDBOX_MAY_IMPORT, 'core'];

/** The connector of a provider uses plain values only. It imports no table, no database and no other connector. */
const TRANSLATOR_MAY_IMPORT = [
  'server/http/client/outgoing.ts',
  'server/providers/rail-call.ts',
  'server/providers/settings.ts',
  'server/providers/sms-answer.ts',
  'server/secrets.ts',
];
const TRANSLATOR_MAY_NAME = [
  ...TRANSLATOR_MAY_IMPORT,
  ...['connector', 'provider', 'statement', 'message'].map((name) => `server/providers/${name}.ts`),
  'server/clock.ts',
];

/** `types`: files outside the tier's folders that the tier may import as types only. */
type Tier = { files: string[]; packages: string[] | 'any'; types?: string[] };

/** The API's types, generated from the interface document. */
const CONTRACT = 'packages/client/src/contract.ts';

const TIERS: Record<string, Tier> = {
  server: { files: ['server', 'shared'], packages: 'any' },
  shared: { files: ['shared'], packages: ['zod'] },
  'shared/ui': { files: ['shared'], packages: ['preact', '@preact/signals'] },
  sandbox: { files: ['sandbox', 'server', 'shared'], packages: 'any' },
  'sandbox/pages': { files: ['sandbox/pages', 'checkout', 'shared'], packages: ['preact', 'preact-render-to-string'] },
  checkout: { files: ['checkout', 'shared'], packages: ['preact', 'preact-render-to-string'] },
  console: {
    files: ['console', 'checkout', 'shared'],
    packages: ['preact', '@preact/signals', 'd3-scale'],
    types: [CONTRACT],
  },
  widget: { files: ['widget', 'shared'], packages: ['preact'] },
  // Packages that merchants install import no code of this repository; the merchant provides React, Vue or Svelte.
  packages: { files: ['packages'], packages: ['react', 'vue', 'svelte'], types: ['widget/widget.d.ts'] },
};

/** Tiers that are a folder within another tier. */
const INNER_TIERS = ['sandbox/pages', 'shared/ui'];

/** Only tiers that may import preact may import components and signals. */
const UI = 'shared/ui/';

function tierOf(path: string) {
  return TIERS[INNER_TIERS.find((folder) => path.startsWith(`${folder}/`)) ?? path.split('/')[0] ?? ''];
}

function unitOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.tsx?$/, '');
}

/** Returns a line for each import of a file that the table does not allow. */
function findForbiddenImports(file: SourceFile): string[] {
  return file.imports.filter((entry) => !isAllowed(file.path, entry)).map((entry) => `${file.path} → ${entry.target}`);
}

function isAllowed(path: string, { target, isFile, isType }: Import): boolean {
  const tier = tierOf(path);
  if (!tier) return false;
  if (EXTRA_PACKAGES[path]?.includes(packageOf(target))) return true;
  if (path === SANDBOX_MODULE && target.startsWith('sandbox/')) return true;
  const isServed = tier.packages === 'any';
  if (!isFile) return target.startsWith('node:') ? isServed : isAllowedPackage(tier.packages, target);
  if (isType && tier.types?.includes(target)) return true;
  if (!tier.files.some((folder) => target.startsWith(`${folder}/`))) return false;
  if (target.startsWith(UI) && !isAllowedPackage(tier.packages, 'preact')) return false;
  if (path.startsWith('sandbox/') && target.startsWith('server/')) return isOpenToSandbox(path, unitOf(target), isType);
  if (!path.startsWith('server/') || target.startsWith('shared/')) return true;
  const rail = /^server\/providers\/\w+\//.exec(path)?.[0];
  if (rail) return target.startsWith(rail) || (isType ? TRANSLATOR_MAY_NAME : TRANSLATOR_MAY_IMPORT).includes(target);
  const [from, to] = [unitOf(path), unitOf(target)];
  if (from === 'payments' && to === 'payments') return isBelow(path, target);
  if (from === to || OPEN_TO_ALL.includes(to) || OPEN_FILES.includes(target)) return true;
  const allowed = MAY_IMPORT[from] ?? [];
  return allowed === 'everything' || allowed.includes(to) || (isType && allowed.includes(`${to}?`));
}

function isOpenToSandbox(path: string, unit: string, isType: boolean): boolean {
  // Provider fakes use the connectors' types.
  if (path.startsWith('sandbox/rails/') && unit === 'providers') return true;
  return (isType ? SANDBOX_MAY_NAME : SANDBOX_MAY_IMPORT).includes(unit);
}

function isAllowedPackage(packages: string[] | 'any', target: string): boolean {
  return packages === 'any' ? !/^(preact|@preact|vite$|vitest)/.test(target) : packages.includes(packageOf(target));
}

describe('the table of imports', () => {
  test('has an entry for every folder and root file of server', () => {
    const units = new Set(FILES.filter(({ path }) => path.startsWith('server/')).map(({ path }) => unitOf(path)));
    expect([...units].filter((unit) => !(unit in MAY_IMPORT))).toEqual([]);
  });

  test('allows every import of every file', () => {
    expect(FILES.length).toBeGreaterThan(100);
    expect(FILES.flatMap(findForbiddenImports)).toEqual([]);
  });

  test.each([
    ['server/http/route.ts', '../payments/create.ts'],
    ['server/http/route.ts', '../core.ts'],
    ['server/http/log.ts', '../metrics/registry.ts'],
    ['server/payments/create.ts', '../metrics/figures.ts'],
    ['server/audit/record.ts', '../payments/core/entities.ts'],
    ['server/database/orm.ts', '../http/problem.ts'],
    ['server/payments/create.ts', '../checkout/session.ts'],
    ['server/payments/create.ts', '../oauth/tokens.ts'],
    ['server/oauth/tokens.ts', '../payments/create.ts'],
    ['server/people/sign-in.ts', '../oauth/tokens.ts'],
    ['server/oauth/verify.ts', '../access/members.ts'],
    ['server/merchants/routes.ts', '../access/members.ts'],
    ['sandbox/simulator/rail.ts', '../../../server/payments/core/apply-outcome.ts'],
    ['sandbox/simulator/rail.ts', '../../../server/providers/gpo/client.ts'],
    ['sandbox/simulator/rail.ts', 'preact'],
    ['sandbox/seed.ts', '../server/core.ts'],
    ['sandbox/triggers/play.ts', '../../../server/cli/gateway.ts'],
    ['server/cli/trigger.ts', '../../../sandbox/triggers/play.ts'],
    ['sandbox/pages/phone.tsx', '../../../server/clock.ts'],
    ['sandbox/pages/phone.tsx', '../seed.ts'],
    ['sandbox/pages/phone.tsx', 'node:fs'],
    ['server/app.ts', '../sandbox/mount.ts'],
    ['checkout/main.tsx', '../sandbox/pages/phone.tsx'],
    ['server/rails/inbox.ts', '../payments/core/apply-outcome.ts'],
    ['server/providers/gpo/client.ts', '../registry.ts'],
    ['server/providers/gpo/client.ts', '../provider.ts'],
    ['server/providers/gpo/client.ts', '../../database/orm.ts'],
    ['server/providers/gpo/client.ts', '../ppr/client.ts'],
    ['server/payments/core/apply-outcome.ts', '../qr/apply-code.ts'],
    ['server/payments/core/polling.ts', '../methods.ts'],
    ['server/payments/core/submit.ts', '../create.ts'],
    ['server/payments/qr/scan.ts', '../reference/paid-twice.ts'],
    ['server/payments/hold/capture.ts', '../schemas.ts'],
    ['server/payments/methods.ts', './schemas.ts'],
    ['server/events/record.ts', '../payments/core/entities.ts'],
    ['server/changes/poll.ts', '../core.ts'],
    ['server/checkout/routes.ts', '../providers/provider.ts'],
    ['server/checkout/routes.ts', '../../../checkout/render.tsx'],
    ['server/checkout/routes.ts', 'preact'],
    ['server/console/routes.ts', '../payments/create.ts'],
    ['console/render.tsx', '../server/clock.ts'],
    ['console/screens/payment.tsx', '../../../packages/client/src/contract.ts'],
    ['console/screens/payment.tsx', '../../../packages/client/src/client.ts'],
    ['checkout/main.tsx', '../packages/client/src/contract.ts'],
    ['checkout/main.tsx', '../console/parts.tsx'],
    ['checkout/main.tsx', '../widget/main.ts'],
    ['checkout/main.tsx', '../server/clock.ts'],
    ['checkout/main.tsx', 'zod'],
    ['widget/main.ts', '../checkout/state.ts'],
    ['widget/main.ts', 'node:crypto'],
    ['shared/money.ts', '../server/clock.ts'],
    ['shared/money.ts', 'preact'],
    ['shared/money.ts', '@preact/signals'],
    ['shared/money.ts', './ui/scene.ts'],
    ['shared/ui/scene.ts', 'zod'],
    ['server/checkout/routes.ts', '../../../shared/ui/scene.ts'],
  ])('does not allow that %s imports %s', (path, from) => {
    expect(findForbiddenImports(readSource(path, `import { x } from '${from}';`))).toHaveLength(1);
    expect(findForbiddenImports(readSource(path, `export * from '${from}';`))).toHaveLength(1);
    expect(findForbiddenImports(readSource(path, `const x = await import('${from}');`))).toHaveLength(1);
  });

  test.each([
    ['console/screens/payment.tsx', 'packages/client/src/client.ts'],
    ['checkout/main.tsx', CONTRACT],
    ['widget/main.ts', CONTRACT],
  ])('does not allow that %s imports types of %s', (path, target) => {
    const from = relative(dirname(path), target);
    expect(findForbiddenImports(readSource(path, `import type { X } from '${from}';`))).toHaveLength(1);
  });

  test.each([
    ['console/screens/payment.tsx', "import type { Payment } from '../../packages/client/src/contract.ts';"],
    ['server/payments/create.ts', "import type { Core } from '../core.ts';"],
    ['server/providers/gpo/client.ts', "import type { GpoRail } from '../provider.ts';"],
    ['server/payments/qr/scan.ts', "import { applyNews } from '../core/apply-outcome.ts';"],
    ['server/payments/schemas.ts', "import './methods.ts';"],
    ['server/events/stream.ts', "let core: import('../core.ts').Core;"],
  ])('allows in %s the import %s', (path, text) => {
    expect(findForbiddenImports(readSource(path, text))).toEqual([]);
  });

  test('does not allow that types of rail accounts import connectors', () => {
    const { files } = reachFrom(['server/core.ts', 'server/rails/rail.ts'], { withTypes: true });
    expect(files).toContain('server/providers/connector.ts');
    expect([...files].filter((path) => /^server\/providers\/(registry\.ts|\w+\/)/.test(path))).toEqual([]);
  });

  test('allows entities.ts to import tables only', () => {
    const { imports } = readSource('server/entities.ts');
    expect(imports.filter(({ target }) => !target.endsWith('/entities.ts'))).toEqual([]);
  });
});

/** Returns the files that `entries` import, directly or not: without type imports, or with all imports. */
function reachFrom(entries: string[], { withTypes = false } = {}): { files: Set<string>; packages: Set<string> } {
  const byPath = new Map(FILES.map((file) => [file.path, file]));
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    for (const { target, isFile, isType } of byPath.get(path)?.imports ?? []) {
      if (isType && !withTypes) continue;
      if (isFile) visit(target);
      else packages.add(packageOf(target));
    }
  };
  for (const entry of entries) visit(entry);
  return { files, packages };
}

describe('code for browsers', () => {
  const scripts = ['checkout/main.tsx', 'widget/main.ts', ...listFiles('{checkout,sandbox/pages}/**/*.client.ts')];

  test.each(scripts)('imports no schema library, no server file and no Node.js module, starting at %s', (entry) => {
    const { files, packages } = reachFrom([entry]);
    // An entry without imported files imports a package.
    expect(files.size + packages.size).toBeGreaterThan(1);
    const allowed = EXTRA_PACKAGES[entry] ?? ['preact', '@preact/signals'];
    expect([...packages].filter((name) => !allowed.includes(name))).toEqual([]);
    expect([...files].filter((path) => path.startsWith('server/'))).toEqual([]);
  });

  test('has styles that import only their own tier and shared', () => {
    const styles = listFiles('{sandbox,shared,checkout,widget}/**/*.css');
    expect(styles.length).toBeGreaterThan(0);
    const strays = styles.flatMap((path) => {
      const tier = tierOf(path);
      const { imports } = readSource(
        `${path}.ts`,
        readText(path)
          .replace(/^(?!@import).*$/gm, '')
          .replace(/^@/gm, ''),
      );
      return imports
        .filter(({ target }) => !tier?.files.some((folder) => target.startsWith(`${folder}/`)))
        .map(() => path);
    });
    expect(strays).toEqual([]);
  });
});

describe('imports', () => {
  test('between files form no cycle', () => {
    const isCyclic = ({ path, imports }: SourceFile) =>
      imports.some(({ target, isFile, isType }) => isFile && !isType && reachFrom([target]).files.has(path));
    expect(FILES.filter(isCyclic).map(({ path }) => path)).toEqual([]);
  });
});

describe('packages', () => {
  const manifest = JSON.parse(readText('package.json'));
  const packagesOf = (files: SourceFile[]) => {
    const imports = files.flatMap((file) => file.imports).filter(({ isFile }) => !isFile);
    return [...new Set(imports.map(({ target }) => packageOf(target)))].filter((name) => !name.startsWith('node:'));
  };
  /** The build bundles the pages. The server's files also run without a build. */
  const isPage = ({ path }: SourceFile) => /^(checkout|console|widget|sandbox\/pages|shared\/ui)\//.test(path);
  const product = FILES.filter(({ path }) => !path.startsWith('packages/'));
  /** These packages are peers of other packages, or the code loads them by name. */
  const NOT_IMPORTED = ['helmet', 'dejavu-fonts-ttf'];

  test('in `dependencies` are exactly those that the server imports', () => {
    const known = Object.keys(manifest.dependencies).filter((name) => !NOT_IMPORTED.includes(name));
    expect(packagesOf(product.filter((file) => !isPage(file))).toSorted()).toEqual(known.toSorted());
  });

  test('in `dependencies` or `devDependencies` include those that the pages import', () => {
    const ofPages = packagesOf(product.filter(isPage));
    expect(ofPages).toContain('preact');
    const missing = ofPages.filter((name) => !manifest.dependencies[name] && !manifest.devDependencies[name]);
    expect(missing).toEqual([]);
  });
});
