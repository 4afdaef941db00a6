// Every text has a place that shows it. A key that code composes, such as `status.${status}`, counts if the code
// has a template with the same beginning and the rest of the key as a name.
import type { ESTree } from 'vite';
import { describe, expect, test } from 'vitest';
import { listFiles, readSource } from '../../support/source.ts';
import { walkNodes } from './texts.ts';

const TABLES = '{console,checkout}/text/*.ts';
const CODE = '{checkout,console,sandbox,server,shared,widget}/**/*.{ts,tsx}';

/** Strings and names of the code, and the templates that can compose a key. */
type Uses = { names: Set<string>; members: Set<string>; templates: Set<string> };

function readUses(uses: Uses, path: string, code?: string): Uses {
  walkNodes(readSource(path, code).program as unknown as ESTree.Node, (node) => {
    if (node.type === 'Literal') uses.names.add(String(node.value));
    if (node.type === 'Property' && node.key.type === 'Identifier') uses.names.add(node.key.name);
    if (node.type === 'MemberExpression' && node.property.type === 'Identifier') uses.members.add(node.property.name);
    if (node.type !== 'TemplateLiteral') return;
    const template = node.quasis.map(({ value }) => value.cooked ?? '').join('*');
    if (/^(?:[\w.]+\*[\w.]*|\*[\w.]+)$/.test(template)) uses.templates.add(template);
  });
  return uses;
}

/** The keys of the Portuguese texts of a file. The other languages have the same by their types. */
function readKeys(path: string, code?: string): string[] {
  const keys: string[] = [];
  walkNodes(readSource(path, code).program as unknown as ESTree.Node, (node) => {
    const isTable = node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.id.name === 'pt';
    const isEntry = node.type === 'Property' && node.key.type === 'Identifier' && node.key.name === 'pt';
    const table = isTable ? node.init : isEntry ? node.value : null;
    if (table?.type !== 'ObjectExpression') return;
    for (const entry of table.properties)
      if (entry.type === 'Property')
        keys.push(entry.key.type === 'Identifier' ? entry.key.name : String((entry.key as ESTree.StringLiteral).value));
  });
  return keys;
}

/** Keys that shared/screen.ts composes of a method and a screen. */
const COMPOSED = ['authorization.wait', 'capture.failed'];

function isUsed(key: string, uses: Uses): boolean {
  if (uses.names.has(key) || uses.members.has(key) || COMPOSED.includes(key)) return true;
  return [...uses.templates].some((template) => {
    const [start = '', end = ''] = template.split('*');
    if (!key.startsWith(start) || !key.endsWith(end)) return false;
    const middle = key.slice(start.length, key.length - end.length);
    return isUsed(middle, uses) || middle.split('.').every((part) => uses.names.has(part));
  });
}

describe('the search for unused texts', () => {
  const uses = readUses(
    { names: new Set(), members: new Set(), templates: new Set() },
    'console/x.tsx',
    'const x = { shown: t["a.b"], other: t[`state.${"Paid"}`], last: t[`${part}.title`], part: "why" };',
  );
  test('finds keys that are written or composed', () => {
    expect(['a.b', 'state.Paid', 'why.title'].filter((key) => !isUsed(key, uses))).toEqual([]);
    expect(['a.c', 'state.Lost', 'why.line'].filter((key) => isUsed(key, uses))).toEqual([]);
  });

  test('reads the keys of a table', () => {
    expect(readKeys('console/text/x.ts', `const pt = { 'a.b': 'A', c: 'C' }; const en = { d: 'D' };`)).toEqual([
      'a.b',
      'c',
    ]);
  });
});

test('every text is used by the code', () => {
  const tables = listFiles(TABLES);
  const code = listFiles(CODE).filter((path) => !tables.includes(path) && !/(^|\/)test\//.test(path));
  const uses: Uses = { names: new Set(), members: new Set(), templates: new Set() };
  for (const path of code) readUses(uses, path);
  const keys = tables.flatMap((path) => readKeys(path).map((key) => ({ path, key })));
  expect(keys.length).toBeGreaterThan(900);
  expect(keys.filter(({ key }) => !isUsed(key, uses)).map(({ path, key }) => `${path}: ${key}`)).toEqual([]);
});
