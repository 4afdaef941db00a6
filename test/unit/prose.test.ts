// Plain technical English (CONTRIBUTING.md). Each file has an allowed number of sentences that break the rules, mostly zero.
// The numbers only shrink: a better file fails too, until `UPDATE_PROSE=1` writes its lower number.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { listFiles, readText } from '../support/source.ts';
import allowed from './prose-allowed.json' with { type: 'json' };

/** A sentence with such an opening names its subject late or never. */
const OPENING = new RegExp(
  `^(?:${[
    'what|which|who|whom|whose|whoever|wherever|however (?:many|much|long|often)',
    'of (?:it|them|what|a|an|one|these|those|nothing)|as (?:it|they|the|a|an|of|in|long|often|good)|that|those|such',
    'so (?:many|much|long|few|that)|one that|apart|else|likewise|meanwhile|too late|beyond|behind|beside',
    'none|nobody|somebody|anybody|neither|nor|never|asked|told|heard|given|taken|kept',
  ].join('|')})\\b`,
  'i',
);

/** Words that name no actor, or that the field does not use. */
const VAGUE = new RegExp(
  `\\b(?:${[
    'whoever|whatever|wherever|whichever|nobody|somebody|anybody|none|anew|likewise|meanwhile|thereby|forerunner|stranger',
    'hears?|heard|told|tells? (?:it|them|of|nobody|who)|lets? go|goes on|is over|comes? to (?:it|them|nothing)|stands? as',
    'what (?:is|was|are|were|it|they|has|have|had|comes|came|waits|belongs|can|may|must|no)',
    'who (?:is|was|asks?|has|may|comes?)|as it (?:is|was|came)|(?:by )(?:itself|then)|there is (?:none|nothing|nobody)',
  ].join('|')})\\b`,
  'i',
);

const CODE = '{bench,checkout,console,docs,packages,sandbox,scripts,server,shared,test,widget}/**/*.{ts,tsx,mjs,js}';
const DOCS = ['*.md', '{docs,deploy,packages,sandbox}/**/*.md'];
/** Generated from descriptions that are checked where they are written. */
const GENERATED = ['packages/client/src/contract.ts'];

const MOST_COLUMNS = 120;

/** Comments and titles of tests, a line at a time. */
function readCodeLines(text: string, isTest: boolean): string[] {
  return text.split('\n').flatMap((line) => {
    const title = isTest && /^\s*(?:it|test|describe)(?:\.\w+)*(?:\([^)]*\))?\(\s*(['"`])(.*?)\1/.exec(line)?.[2];
    const comment = /^\s*(?:\/\/|\/\*\*?|\*)\s?(.*?)(?:\*\/)?\s*$/.exec(line)?.[1]?.trim();
    return [title, comment].filter((sentence) => typeof sentence === 'string' && sentence.length > 8) as string[];
  });
}

/** Sentences of a page, without code, tables and headings. */
function readSentences(text: string): string[] {
  const lines = text.replaceAll(/^\s*```.*?^\s*```/gms, '').split('\n');
  const paragraphs = [''];
  for (const line of lines) {
    const item = /^\s*(?:[-*]|\d+\.)\s+/.exec(line)?.[0];
    if (line.trim() === '' || /^\s*[|#<]/.test(line)) paragraphs.push('');
    else if (item) paragraphs.push(line.slice(item.length));
    else paragraphs.push(`${paragraphs.pop() ?? ''} ${line.trim()}`.trim());
  }
  return paragraphs
    .flatMap((paragraph) => paragraph.split(/(?<=[.:;])\s+/))
    .filter((sentence) => sentence.length >= 12);
}

/** Code in backticks is left out, because a value may have the name of a vague word. */
const breaksRules = (sentence: string) => OPENING.test(sentence) || VAGUE.test(sentence.replaceAll(/`[^`]*`/g, '`'));

function findBroken(path: string): string[] {
  const text = readText(path);
  const isTest = /(^|\/)test\//.test(path);
  return (path.endsWith('.md') ? readSentences(text) : readCodeLines(text, isTest)).filter(breaksRules);
}

const listWritten = () => listFiles(CODE, ...DOCS).filter((path) => !GENERATED.includes(path));

describe('a sentence', () => {
  test('breaks the rules by its opening or by a vague word', () => {
    expect(['What is due is claimed.', 'The rail is told of it.', 'Nobody waits.'].filter(breaksRules)).toHaveLength(3);
    expect(['The engine claims due rows.', 'Returns null after the last attempt.'].filter(breaksRules)).toEqual([]);
  });
});

describe('the repository', () => {
  test('has as few broken sentences in each file as its table allows', () => {
    const before: Record<string, number> = allowed;
    const found = new Map(listWritten().map((path) => [path, findBroken(path)]));
    expect(found.size).toBeGreaterThan(800);
    const now = Object.fromEntries(
      [...found].map(([path, broken]) => [path, broken.length]).filter(([, count]) => count),
    );
    if (process.env['UPDATE_PROSE']) {
      const least = Object.entries(now).map(([path, count]) => [path, Math.min(Number(count), before[path] ?? 0)]);
      const kept = Object.fromEntries(least.filter(([, count]) => count));
      writeFileSync(TABLE, `${JSON.stringify(kept, null, 2)}\n`);
    }
    const worse = [...found].filter(([path, broken]) => broken.length > (before[path] ?? 0));
    expect(worse, 'rewrite these sentences by the rules of CONTRIBUTING.md').toEqual([]);
    expect(now, 'run again with UPDATE_PROSE=1 to lower the table').toEqual(before);
  });

  test(`has no line over ${MOST_COLUMNS} columns in code and pages`, () => {
    const isTable = (path: string, line: string) => path.endsWith('.md') && line.startsWith('|');
    const long = [...listWritten(), ...listFiles('{checkout,console,server,shared,widget}/**/*.{css,sql,html}')]
      .filter((path) => !/(^|\/)test\//.test(path))
      .flatMap((path) =>
        readText(path)
          .split('\n')
          .flatMap((line, n) => (line.length > MOST_COLUMNS && !isTable(path, line) ? [`${path}:${n + 1}`] : [])),
      );
    expect(long).toEqual([]);
  });

  test('uses one text for one event of the log', () => {
    const LOGGED = /\blog\.(?:debug|info|warn|error|fatal)\(\s*(?:\{(?:[^{}]|\{[^}]*\})*\}\s*,\s*)?(['"`])(.*?)\1/gs;
    const texts = listFiles('{server,sandbox}/**/*.ts')
      .filter((path) => !/(^|\/)test\//.test(path))
      .flatMap((path) => [...readText(path).matchAll(LOGGED)].map(([, , text]) => text));
    expect(texts.length).toBeGreaterThan(30);
    expect(texts.filter((text, nth) => texts.indexOf(text) !== nth)).toEqual([]);
  });

  test('takes minutes, hours and days from shared/durations.ts', () => {
    const own = listFiles(CODE).filter((path) =>
      /^\s*(?:export )?const (?:MINUTE|HOUR|DAY)_MS =/m.test(readText(path)),
    );
    expect(own).toEqual(['shared/durations.ts']);
  });
});

const TABLE = fileURLToPath(new URL('./prose-allowed.json', import.meta.url));
