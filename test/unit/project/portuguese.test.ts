// The Portuguese pages. Each has the structure and the code of its English page, so that both change together.
import { describe, expect, test } from 'vitest';
import { listFiles, readText } from '../../support/source.ts';

/** The English page of a Portuguese one. */
const englishOf = (page: string) => (page === 'README.pt.md' ? 'README.md' : page.replace('docs/pt/', 'docs/'));

type Page = { headings: number[]; code: string[]; rows: number[]; steps: number };

/** Returns the parts of a page that no translation changes. */
function readPage(text: string): Page {
  const prose: string[] = [];
  const code: string[] = [];
  let fence: string[] | null = null;
  for (const line of text.split('\n')) {
    const isFence = /^\s*```/.test(line);
    if (fence) {
      fence.push(line);
      if (isFence) code.push(fence.join('\n'));
      if (isFence) fence = null;
    } else if (isFence) fence = [line];
    else prose.push(line);
  }
  const tables = prose.join('\n').match(/(?:^\|.*\n?)+/gm) ?? [];
  return {
    headings: prose.flatMap((line) => /^(#+) /.exec(line)?.[1]?.length ?? []),
    code,
    rows: tables.map((table) => table.trimEnd().split('\n').length),
    steps: prose.filter((line) => /^(?:\d+\.|-) /.test(line)).length,
  };
}

describe('a Portuguese page', () => {
  test.each(listFiles('README.pt.md', 'docs/pt/**/*.md'))(
    '%s has the headings, code, tables and steps of its English page',
    (page) => {
      expect(readPage(readText(page))).toEqual(readPage(readText(englishOf(page))));
    },
  );

  test('with another heading, command, row or step differs from its English page', () => {
    const english = '# A\n\n1. one\n\n```sh\nnpm start\n```\n\n| a |\n| - |\n| b |\n';
    const changes = ['\n## B\n', '\n```sh\nnpm test\n```\n', '\n| c |\n', '\n2. two\n'];
    for (const change of changes) expect(readPage(english + change)).not.toEqual(readPage(english));
    expect(readPage(english.replace('one', 'um').replace('# A', '# Á'))).toEqual(readPage(english));
  });
});
