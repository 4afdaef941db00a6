// How files look: their names, sizes, opening sentence, exports, and what must not stay behind in them.
import { basename, dirname } from 'node:path';
import { Visitor, type ESTree } from 'vite';
import { describe, expect, test } from 'vitest';
import { listFiles, readSource, readText, type SourceFile } from '../../support/source.ts';

const isTest = (path: string) => path.startsWith('sandbox/test/');
/** Written out of the interface document. */
const CONTRACT = 'packages/client/src/contract.ts';
const EVERY = listFiles('{server,sandbox,shared,checkout,console,widget}/**/*.{ts,tsx}', 'packages/*/{,src/}*.ts');
const PRODUCT = EVERY.filter((path) => !isTest(path) && path !== CONTRACT);
const ALL = [...EVERY, ...listFiles('{bench,scripts,test}/**/*.{ts,tsx}', '*.config.ts')];
const isMigration = (path: string) => path.includes('/migrations/');
const isTextTable = (path: string) => /^(checkout|console)\/text\//.test(path);

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 70;
const MAX_FOLDER_FILES = 25;

const countLines = (text: string) => text.trimEnd().split('\n').length;

type Functions = { name: string; line: number; lines: number }[];

/** Every function with all its lines: those of functions inside it count too. */
function measureFunctions({ program, lineAt }: SourceFile): Functions {
  const found: Functions = [];
  const add = (node: ESTree.Function | ESTree.ArrowFunctionExpression) => {
    const name = 'id' in node && node.id ? node.id.name : '(unnamed)';
    const line = lineAt(node.start);
    found.push({ name, line, lines: lineAt(node.end) - line + 1 });
  };
  new Visitor({ FunctionDeclaration: add, FunctionExpression: add, ArrowFunctionExpression: add }).visit(program);
  return found;
}

/** What the rules below ask of each file; parsed once for all of them. */
const FUNCTIONS = PRODUCT.map((path) => {
  const source = readSource(path);
  return { path, measured: measureFunctions(source), names: namesOf(source) };
});

describe('sizes', () => {
  test(`no file has more than ${MAX_FILE_LINES} lines`, () => {
    const long = PRODUCT.filter((path) => !isMigration(path) && !isTextTable(path))
      .map((path) => `${path}: ${countLines(readText(path))}`)
      .filter((entry) => Number(entry.split(': ')[1]) > MAX_FILE_LINES);
    expect(long).toEqual([]);
  });

  test(`no folder of the server has more than ${MAX_FOLDER_FILES} files beside each other`, () => {
    const counted = Map.groupBy(listFiles('server/**/*.ts'), dirname);
    // A chain that only grows: which came first its names say.
    counted.delete('server/database/migrations');
    const full = [...counted].filter(([, { length }]) => length > MAX_FOLDER_FILES).map(([folder]) => folder);
    expect(counted.size).toBeGreaterThan(10);
    expect(full).toEqual([]);
  });

  test(`no function has more than ${MAX_FUNCTION_LINES} lines`, () => {
    const measured = FUNCTIONS.filter(({ path }) => !isMigration(path)).flatMap(({ path, measured }) =>
      measured.map((entry) => ({ path, ...entry })),
    );
    expect(measured.length).toBeGreaterThan(300);
    expect(measured.filter(({ lines }) => lines > MAX_FUNCTION_LINES)).toEqual([]);
  });

  test('the measure counts what is declared inside in', () => {
    const lines = (count: number) => 'x();\n'.repeat(count);
    const text = `function outer() {\n${lines(3)}  call(() => {\n${lines(4)}});\n  function inner() {\n${lines(5)}}\n}`;
    expect(measureFunctions(readSource('a.ts', text))).toEqual([
      { name: 'outer', line: 1, lines: 18 },
      { name: '(unnamed)', line: 5, lines: 6 },
      { name: 'inner', line: 11, lines: 7 },
    ]);
  });
});

describe('names', () => {
  const FORBIDDEN = /(^|[-.])(services?|helpers?|utils?|common|managers?|types|index)([-.]|$)/i;

  test.each(['service.ts', 'payment-service.ts', 'helpers.ts', 'utils.tsx', 'types.ts', 'index.ts', 'x.util.ts'])(
    'the rule refuses %s',
    (name) => {
      expect(name).toMatch(FORBIDDEN);
    },
  );

  test('no file is a service, helper, util, common, manager, types or index', () => {
    expect(PRODUCT.filter((path) => FORBIDDEN.test(basename(path)))).toEqual([]);
  });

  test('files are lower-case; components may be named like their component', () => {
    const isFine = (name: string) =>
      /^[a-z0-9][a-z0-9.-]*\.tsx?$/.test(name) || /^[A-Z][A-Za-z]*\.tsx$/.test(name) || /^\d{8}_\w+\.ts$/.test(name);
    expect(ALL.filter((path) => !isFine(basename(path)))).toEqual([]);
  });

  test('no function is called handle…, process… or do…', () => {
    const vague = FUNCTIONS.flatMap(({ path, names }) => names.map((name) => ({ path, name })));
    expect(vague.length).toBeGreaterThan(300);
    expect(vague.filter(({ name }) => /^(handle|process|do)([A-Z]|$)/.test(name))).toEqual([]);
  });
});

/** Names of declared functions and of constants and members that hold one. */
function namesOf({ program }: SourceFile): string[] {
  const names: string[] = [];
  const isFunction = (node: { type: string } | null) => /^(Arrow)?FunctionExpression$/.test(node?.type ?? '');
  const add = (node: { type: string } | null) => {
    if (node?.type === 'Identifier') names.push((node as ESTree.IdentifierName).name);
  };
  new Visitor({
    FunctionDeclaration: (node) => add(node.id),
    VariableDeclarator: (node) => isFunction(node.init) && add(node.id),
    Property: (node) => isFunction(node.value) && add(node.key),
    MethodDefinition: (node) => add(node.key),
  }).visit(program);
  return names;
}

describe('content', () => {
  /** `// A sentence.` at the very top, or after the line that names the interpreter. */
  const OPENING = /^(#!.*\n)?\/\/ \S[^\n]{15,}/;

  test('every file opens with a sentence that says what lives there', () => {
    expect(OPENING.test("import { x } from './x.ts';\n")).toBe(false);
    expect(ALL.filter((path) => !OPENING.test(readText(path)))).toEqual([]);
  });

  test('the opening sentence ends', () => {
    const openingOf = (path: string) => /^(#!.*\n)?((?:\/\/.*\n)+)/.exec(readText(path))?.[2]?.trim() ?? '';
    expect(ALL.filter((path) => !/[.!?)]$/.test(openingOf(path)))).toEqual([]);
  });

  test('styles open with a sentence too', () => {
    expect(
      listFiles('{sandbox,shared,checkout,widget}/**/*.css').filter((path) => !/^\/\* \S.{15,}/.test(readText(path))),
    ).toEqual([]);
  });

  test('nothing is exported by default, but what a tool asks for', () => {
    const ASKED_FOR = /^((test\/mutate\/)?\w+\.config\.ts|test\/support\/(global-\w+|closing-line)\.ts)$/;
    // Most do not have the word at all, and need not be parsed.
    const exportsDefault = (path: string, text: string) =>
      /\bdefault\b/.test(text) && readSource(path, text).hasDefaultExport;
    for (const text of [
      'export default 1;',
      'const a = 1;\nexport { a as default };',
      "export { default } from './b.ts';",
    ])
      expect(exportsDefault('a.ts', text)).toBe(true);
    expect(exportsDefault('a.ts', "import a from './b.ts';\nexport const b = { default: a };")).toBe(false);
    expect(ALL.filter((path) => !ASKED_FOR.test(path) && exportsDefault(path, readText(path)))).toEqual([]);
  });

  test('no work notes stay behind', () => {
    // Spelled so that this file does not find itself.
    const NOTE = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`);
    const texts = listFiles(
      '{bench,checkout,docs,packages,sandbox,server,shared,test,widget,.ci}/**/*.{ts,tsx,css,md,html,sh,json}',
      '*.{md,ts,json}',
      '.ci/*',
    );
    expect(texts.length).toBeGreaterThan(150);
    expect(texts.filter((path) => NOTE.test(readText(path)))).toEqual([]);
  });

  test('no test is skipped or run alone', () => {
    const ALONE = /\b(test|it|describe)\.(only|skip|fails|todo)\b/;
    expect(listFiles('{sandbox,test}/**/*.test.{ts,tsx}').filter((path) => ALONE.test(readText(path)))).toEqual([]);
  });
});

describe('packages are pinned', () => {
  const manifest = JSON.parse(readText('package.json'));
  const lock = JSON.parse(readText('package-lock.json'));

  test.each(['dependencies', 'devDependencies', 'optionalDependencies'])('%s name exact versions', (kind) => {
    const loose = Object.entries<string>(manifest[kind]).filter(
      ([, wanted]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(wanted),
    );
    expect(loose).toEqual([]);
  });

  test('the lock file says the same as package.json', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    expect(lock.packages['']).toMatchObject({ dependencies, devDependencies, optionalDependencies });
  });

  test('the lock file names no registry, so that any mirror serves it, and a digest for every package', () => {
    const packages = Object.entries<{ resolved?: string; integrity?: string; link?: boolean }>(lock.packages).slice(1);
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([name]) => name)).toEqual([]);
    expect(packages.filter(([, { integrity }]) => !integrity).map(([name]) => name)).toEqual([]);
  });
});
