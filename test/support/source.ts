// The files of the repository, their imports and their syntax.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor, type ESTree } from 'vite';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type Import = {
  /** A path from the root of the repository, or the name of a package. */
  target: string;
  isFile: boolean;
  /** True if stripping the types removes it. */
  isType: boolean;
};

export type SourceFile = {
  path: string;
  text: string;
  program: ESTree.Program;
  imports: Import[];
  hasDefaultExport: boolean;
  lineAt(offset: number): number;
};

/** Returns the paths from the root that match, with `/` on every platform. */
export function listFiles(...patterns: string[]): string[] {
  const found = globSync(patterns, { cwd: ROOT, exclude: (name) => name === 'node_modules' || name === 'dist' });
  return found.map((path) => path.replaceAll('\\', '/')).sort();
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Parses one file. `text` replaces its content, so that a test can check that a rule refuses the text. */
export function readSource(path: string, text = readText(path)): SourceFile {
  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const hasDefaultExport = module.staticExports.some(({ entries }) =>
    entries.some(({ exportName: { kind, name } }) => kind === 'Default' || name === 'default'),
  );
  return {
    path,
    text,
    program,
    hasDefaultExport,
    imports: importsOf(path, program),
    lineAt: countLinesTo(text),
  };
}

/** Converts offsets in a text to line numbers, from 1. */
function countLinesTo(text: string): (offset: number) => number {
  const starts = [0, ...text.matchAll(/\n/g).map(({ index }) => index + 1)];
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}

function importsOf(path: string, program: ESTree.Program): Import[] {
  const imports: Import[] = [];
  const add = (from: unknown, isType: boolean) => {
    if (typeof from !== 'string') return;
    const isFile = from.startsWith('.');
    const target = isFile ? posix.normalize(`${dirname(path)}/${from}`).replace(/\?\w+$/, '') : from;
    imports.push({ target, isFile, isType });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, node.importKind === 'type'),
    ExportNamedDeclaration: (node) => add(node.source?.value, node.exportKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === 'type'),
    ImportExpression: (node) => add((node.source as { value?: unknown }).value, false),
    TSImportType: (node) => add(node.source.value, true),
  }).visit(program);
  return imports;
}

/** Returns the package of an import, such as `preact` for `preact/hooks`. Node.js modules keep the prefix `node:`. */
export function packageOf(target: string): string {
  return target.startsWith('node:') ? target : target.split('/', target.startsWith('@') ? 2 : 1).join('/');
}
