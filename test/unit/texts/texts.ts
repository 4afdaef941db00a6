// Finds the texts that people read in the code, with their language, and the words that they must not have.
import { type ESTree } from 'vite';
import { listFiles, readSource, readText } from '../../support/source.ts';
import { CAPITALS, EXCEPTIONS, ORTHOGRAPHY } from './orthography.ts';

export type TextLanguage = 'pt' | 'en' | 'fr';
export type Text = { path: string; line: number; text: string; language: TextLanguage | null };
export type Term = Record<TextLanguage, string> & { refused: Record<TextLanguage, string[]> };

const FILES = '{checkout,console,sandbox,server,shared,widget,packages}/**/*.{ts,tsx}';
const HEADING = '## Words on pages, mails and SMS';

const COMMON = {
  pt: words('não|de|da|do|das|dos|uma|um|em|na|ao|à|são|está|para|com|por|já|seu|sua|que|mais|se|é|os'),
  en: words('the|of|is|to|and|in|are|must|with|for|by|at|not|an|be|this|your|you|it|has|or|on|from'),
  fr: words('le|la|les|des|du|une|est|et|pour|vous|votre|pas|ce|sur|dans|au|par|il|en|à|sont|avec'),
};

function words(list: string): RegExp {
  return new RegExp(`(?<![\\p{L}])(?:${list})(?![\\p{L}])`, 'giu');
}

/** Recognizes Portuguese in a text that stands in no table of a language. A single capitalized word counts too. */
function guessLanguage(text: string): 'pt' | null {
  const count = (language: TextLanguage) => text.match(COMMON[language])?.length ?? 0;
  if (/^\S+[.@/]\S+$/.test(text)) return null;
  if (/[ãõ]/i.test(text.replaceAll('Balcão', '')) || /^\p{Lu}\p{Ll}+$/u.test(text)) return 'pt';
  return count('pt') > Math.max(count('en'), count('fr')) ? 'pt' : null;
}

const languageOf = (name: string): TextLanguage | null =>
  (/^(pt|en|fr)$/i.exec(name)?.[1]?.toLowerCase() as TextLanguage | undefined) ?? null;

/** Returns every string, template and JSX text of a file, without keys, imports and types. */
export function readTexts(path: string, code = readText(path)): Text[] {
  if (path.endsWith('.json')) return readJson(path, code);
  const { program, lineAt } = readSource(path, code);
  const found: Text[] = [];
  const ofFile = languageOf(/(?:^|[-/])(pt|en|fr)\.tsx?$/.exec(path)?.[1] ?? '');
  const add = (node: ESTree.Node, text: string, language: TextLanguage | null) => {
    const shown = text.replaceAll(/\s+/g, ' ').trim();
    if (!/\p{L}{2}/u.test(shown)) return;
    found.push({ path, line: lineAt(node.start), text: shown, language: language ?? guessLanguage(shown) });
  };
  const visit = (node: ESTree.Node, language: TextLanguage | null): void => {
    if (SKIPPED.has(node.type) || (node.type.startsWith('TS') && !WRAPPERS.has(node.type))) return;
    if (node.type === 'Literal' && typeof node.value === 'string') add(node, node.value, language);
    if (node.type === 'TemplateElement') add(node, node.value.cooked ?? '', language);
    if (node.type === 'JSXText') add(node, node.value, language);
    const named = node.type === 'VariableDeclarator' ? node.id : node.type === 'Property' ? node.key : null;
    const name = named?.type === 'Identifier' ? named.name : named?.type === 'Literal' ? String(named.value) : '';
    const inside = languageOf(name) ?? language;
    const children = node.type === 'Property' ? [node.value as ESTree.Node] : childrenOf(node);
    for (const child of children) visit(child, inside);
  };
  visit(program as unknown as ESTree.Node, ofFile);
  return found;
}

function childrenOf(node: ESTree.Node): ESTree.Node[] {
  return Object.values(node)
    .flat()
    .filter((child): child is ESTree.Node => typeof child === 'object' && child !== null && 'type' in child);
}

/** Calls `see` with the node and each node inside it. */
export function walkNodes(node: ESTree.Node, see: (node: ESTree.Node) => void): void {
  see(node);
  for (const child of childrenOf(node)) walkNodes(child, see);
}

const SKIPPED = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'ImportExpression']);
const WRAPPERS = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

function readJson(path: string, code: string): Text[] {
  const found: Text[] = [];
  JSON.parse(code, (_, value: unknown) => {
    if (typeof value === 'string') found.push({ path, line: 0, text: value, language: guessLanguage(value) });
    return value;
  });
  return found;
}

export const listTextFiles = () =>
  [...listFiles(FILES), 'server/docs/examples.json'].filter(
    (path) => !/(^|\/)test\//.test(path) && path !== 'packages/client/src/contract.ts',
  );

/** Reads the table of docs/glossary.md. */
export function readTerms(): Term[] {
  const section = readText('docs/glossary.md').split(`${HEADING}\n`)[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => {
    const [pt = '', notPt = '', en = '', notEn = '', fr = '', notFr = ''] = row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    const list = (cell: string) => (cell === '–' ? [] : cell.split(', '));
    return { pt, en, fr, refused: { pt: list(notPt), en: list(notEn), fr: list(notFr) } };
  });
}

type Rule = { language: TextLanguage; right: string; pattern: RegExp };

const anyEnding = (pattern: string) => pattern.replaceAll('*', '\\p{L}*');
const wholeWord = (pattern: string) => new RegExp(`(?<![\\p{L}-])(?:${pattern})(?![\\p{L}-])`, 'iu');

export function readRules(): Rule[] {
  const spelling = ORTHOGRAPHY.map(([wrong, right]) => ({
    language: 'pt' as const,
    right,
    pattern: wholeWord(anyEnding(wrong)),
  }));
  const terms = readTerms().flatMap((term) =>
    (['pt', 'en', 'fr'] as const).flatMap((language) =>
      term.refused[language].map((word) => ({
        language,
        right: term[language],
        pattern: wholeWord(word.endsWith('*') ? anyEnding(word) : `${word}(?:e?s)?`),
      })),
    ),
  );
  return [...spelling, { language: 'pt', right: 'capital letter', pattern: CAPITALS }, ...terms];
}

/** Returns each refused word of a text with the right one. */
export function findRefused({ text, language }: Pick<Text, 'text' | 'language'>, rules: Rule[]): string[] {
  const plain = text.replaceAll(/\{\w+\}/g, '·');
  const shown = EXCEPTIONS.reduce((rest, phrase) => rest.replaceAll(new RegExp(phrase, 'giu'), '·'), plain);
  return rules.flatMap((rule) => {
    const wrong = rule.language === language ? rule.pattern.exec(shown)?.[0] : undefined;
    return wrong ? [`${wrong} → ${rule.right}`] : [];
  });
}
