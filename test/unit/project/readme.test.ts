// The Markdown pages: length, links, settings and state diagrams. `UPDATE_DIAGRAMS=1` redraws the diagrams.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, listConfig, readConfig } from '../../../server/config.ts';
import { FIRST_STATUS, TRANSITIONS } from '../../../server/payments/core/states.ts';
import { REFERENCE_TRANSITIONS, FIRST_REFERENCE_STATUS } from '../../../server/payments/reference/states.ts';
import { REFERENCE_STATUSES } from '../../../shared/reference.ts';
import { PAYMENT_STATUSES, isFinal, type PaymentStatus } from '../../../shared/status.ts';
import { listFiles, readText, ROOT } from '../../support/source.ts';

const SECTION = /(<!-- states -->\n)([\s\S]*?)(<!-- \/states -->)/;
const HOW_TO = 'run UPDATE_DIAGRAMS=1 npx vitest run --project unit test/unit/project/readme.test.ts';

/** A code block with the empty lines that prettier requires. */
const section = (diagram: string) => `\n\`\`\`mermaid\n${diagram}\n\`\`\`\n\n`;

describe('the diagram of payments', () => {
  const lines = drawStates()
    .split('\n')
    .map((line) => line.trim());
  const moves = lines.flatMap((line) => {
    const [, from, to, event] = /^(\w+) --> (\w+): (\w+) \(/.exec(line) ?? [];
    return from ? [`${from} ${event} ${to}`] : [];
  });

  test('is mermaid and starts in the first statuses', () => {
    expect(lines[0]).toBe('stateDiagram-v2');
    const starts = lines.flatMap((line) => /^\[\*\] --> (\w+): \S/.exec(line)?.[1] ?? []);
    expect(starts.sort()).toEqual([...new Set(Object.values(FIRST_STATUS))].sort());
  });

  test('has every transition from a reachable status once', () => {
    const reached = new Set<string>(Object.values(FIRST_STATUS));
    for (let size = 0; size < reached.size;) {
      size = reached.size;
      for (const { from, to } of Object.values(TRANSITIONS))
        if (from.some((status) => reached.has(status))) reached.add(to);
    }
    const table = Object.entries(TRANSITIONS).flatMap(([event, { from, to }]) =>
      from.filter((status) => reached.has(status)).map((status) => `${status} ${event} ${to}`),
    );
    expect(moves.sort()).toEqual(table.sort());
    expect(moves.length).toBeGreaterThan(5);
  });

  test('has no label with characters that end a label in mermaid', () => {
    expect(lines.filter((line) => /[;#{}]|--.*--|:.*:/.test(line.replace(/^.* --> /, '')))).toEqual([]);
  });

  test('ends in statuses without transitions', () => {
    const ends = lines.flatMap((line) => /^(\w+) --> \[\*\]$/.exec(line)?.[1] ?? []);
    expect(ends).toEqual(['Captured', 'Paid']);
    expect(PAYMENT_STATUSES).toEqual(expect.arrayContaining(ends));
  });
});

test.each([
  ['docs/architecture.md', drawStates],
  ['docs/references.md', drawReferenceStates],
])('%s contains the state diagram of its table of transitions', (file, draw) => {
  expect(existsSync(join(ROOT, file)), `${file} is missing`).toBe(true);
  const text = readText(file);
  const wanted = section(draw());
  const shown = SECTION.exec(text)?.[2];
  expect(shown, `${file} needs the lines <!-- states --> and <!-- /states --> around the diagram`).toBeDefined();
  if (process.env['UPDATE_DIAGRAMS'] && shown !== wanted) {
    writeFileSync(
      join(ROOT, file),
      text.replace(SECTION, (_all, open, _old, close) => open + wanted + close),
    );
    return;
  }
  expect(shown, `the diagram is not that of the table: ${HOW_TO}`).toBe(wanted);
});

test('the diagram of references has every transition of its table', () => {
  const moves = drawReferenceStates().match(/^ {2}\w+ --> \w+: \w+/gm) ?? [];
  const table = Object.entries(REFERENCE_TRANSITIONS).flatMap(([event, { from, to }]) =>
    from.map((status) => `  ${status} --> ${to}: ${event}`),
  );
  expect(moves.sort()).toEqual(table.sort());
});

describe('README.md', () => {
  const text = readText('README.md').trimEnd();

  test('has at most 120 lines and 1,200 words', () => {
    expect(text.split('\n').length).toBeLessThanOrEqual(120);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(1_200);
  });

  test('links to every page, directly or through docs/operate.md', () => {
    const targets = [...listLinks(text), ...listLinks(readText('docs/operate.md')).map((link) => `docs/${link}`)];
    expect(listFiles('CONTRIBUTING.md', 'docs/*.md').filter((page) => !targets.includes(page))).toEqual([]);
  });
});

describe('links', () => {
  const pages = listFiles('README*.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/pt/*.md');

  test.each(pages)('in %s lead to existing files and headings', (page) => {
    expect(existsSync(join(ROOT, page)), `${page} is missing`).toBe(true);
    expect(listBroken(page)).toEqual([]);
  });

  test('to missing files and headings are reported', () => {
    const broken = (text: string) =>
      listBroken('docs/page.md', `# A page: of \`x_y\`\n\n## Twice\n\n## Twice\n\n${text}`);
    const good = ['(sms.md)', '(../LICENSE)', '(shop/)', '(sms.md#units)', '(#a-page-of-x_y)', '(#twice-1)'];
    expect(good.flatMap((target) => broken(`[it]${target} ![its picture]${target}`))).toEqual([]);
    expect(broken('[there](https://pay.example/nowhere#x) <http://localhost:8080/sandbox>')).toEqual([]);
    expect(broken('`[it](gone.md)`\n\n```md\n[it](gone.md)\n```')).toEqual([]);
    const bad = [
      'gone.md',
      'gone.png',
      '/docs/sms.md',
      '../../main',
      'sms.md#gone',
      '#twice-2',
      '../LICENSE#x',
      'sms.md#',
    ];
    expect(bad.flatMap((target) => broken(`[\`it\`\nagain](${target})`))).toEqual(bad);
    expect(broken('[it]: gone.md')).toEqual(['gone.md']);
  });
});

describe('the settings in docs/operate.md', () => {
  const page = readText('docs/operate.md');

  test('exist in the code with the documented defaults', () => {
    const documented = [...page.matchAll(/^\| `([A-Z_]+)` +\| +(?:`([^`]+)`|–) +\|/gm)].map(([, name, value = '']) => [
      name,
      value,
    ]);
    expect(documented.length).toBeGreaterThan(15);
    const known = new Map(listConfig(readConfig({})).map(({ name, value }) => [name, value]));
    expect(documented).toEqual(documented.map(([name = '']) => [name, known.get(name)]));
  });

  test('include every setting that production requires', () => {
    const section = /^## In production\n([^]*?)^## /m.exec(page)?.[1] ?? '';
    const demanded = faultsOf({ BALCAO_ENV: 'production' }).map((fault) => fault.split(':')[0] ?? '');
    expect(demanded.length).toBeGreaterThan(3);
    expect(demanded.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
  });
});

function faultsOf(source: Record<string, string>): string[] {
  try {
    readConfig(source);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

/** Finds links to a missing file of the repository or to a missing heading. */
function listBroken(page: string, text = readText(page)): string[] {
  return listLinks(text).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : posix.join(posix.dirname(page), path);
    if (path.startsWith('/') || target.startsWith('..')) return true;
    if (path !== '' && !existsSync(join(ROOT, target))) return true;
    if (anchor === undefined) return false;
    return !listAnchors(path === '' ? text : readHeaded(target)).includes(anchor);
  });
}

function readHeaded(path: string): string {
  return path.endsWith('.md') && statSync(join(ROOT, path)).isFile() ? readText(path) : '';
}

/** Returns the targets of links and images, without external URLs. */
function listLinks(text: string): string[] {
  const prose = withoutCode(text).replace(/(`+)[^`]+\1/g, '');
  const targets = [...prose.matchAll(/\]\(([^()\s]+)\)|^\[[^\]]+\]: +(\S+)/gm)].map(
    ([, inline, defined]) => inline ?? defined ?? '',
  );
  return targets.filter((target) => !/^[a-z][a-z\d+.-]*:/i.test(target));
}

/** Returns GitHub's anchors of the headings. A repeated heading gets a number. */
function listAnchors(text: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(text).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => {
    const words = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function withoutCode(text: string): string {
  return text.replace(/^ *(```+)[^]*?^ *\1 *$/gm, '');
}

// The state diagrams of docs/architecture.md and docs/references.md in Mermaid, drawn from the tables of transitions.
type Move = { from: string; to: string; event: string; about: string };

/** Draws the states of payments: a line for each first status, each transition and each final status. */
function drawStates(): string {
  const starts = {
    [FIRST_STATUS.checkout]: 'created, the payer comes first',
    [FIRST_STATUS.push]: 'created, the rail is asked',
  };
  return drawDiagram(starts, listMoves(), PAYMENT_STATUSES.filter(isFinal));
}

/** @param starts the first statuses and their reasons. @param finals ends if no transition leaves them */
function drawDiagram(starts: Record<string, string>, moves: Move[], finals: readonly string[]): string {
  const ends = finals.filter((status) => moves.some(({ to }) => to === status));
  const lines = [
    ...Object.entries(starts).map(([status, about]) => `[*] --> ${status}: ${about}`),
    // A semicolon would end the label.
    ...moves.map(({ from, to, event, about }) => `${from} --> ${to}: ${event} (${about.replaceAll(';', ',')})`),
    ...ends.filter((status) => !moves.some(({ from }) => from === status)).map((status) => `${status} --> [*]`),
  ];
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Returns the transitions that start from reachable statuses. */
function listMoves(): Move[] {
  const reached = new Set<PaymentStatus>(Object.values(FIRST_STATUS));
  for (const status of reached) {
    for (const { from, to } of Object.values(TRANSITIONS)) if (isOneOf(from, status)) reached.add(to);
  }
  return PAYMENT_STATUSES.filter((status) => reached.has(status)).flatMap((status) =>
    Object.entries(TRANSITIONS)
      .filter(([, { from }]) => isOneOf(from, status))
      .map(([event, { to, about }]) => ({ from: status, to, event, about })),
  );
}

function isOneOf(statuses: readonly PaymentStatus[], status: PaymentStatus): boolean {
  return statuses.includes(status);
}

/** Draws the states of references: a line for the first status, each transition and the final status. */
function drawReferenceStates(): string {
  const moves = Object.entries(REFERENCE_TRANSITIONS).flatMap(([event, { from, to, about }]) =>
    from.map((status): Move => ({ from: status, to, event, about })),
  );
  return drawDiagram({ [FIRST_REFERENCE_STATUS]: 'created, payable' }, moves, REFERENCE_STATUSES);
}
