// The state diagrams of the README and docs/references.md: drawn from the tables, and the same there. `UPDATE_README=1` writes it there.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawReferenceStates, drawStates } from '../support/diagram.ts';
import { REFERENCE_TRANSITIONS } from '../../server/payments/references/states.ts';
import { FIRST_STATUS, TRANSITIONS } from '../../server/payments/states.ts';
import { PAYMENT_STATUSES } from '../../shared/status.ts';
import { readText, ROOT } from '../support/source.ts';

const SECTION = /(<!-- states -->\n)([\s\S]*?)(<!-- \/states -->)/;
const HOW_TO = 'run UPDATE_README=1 npx vitest run --project unit test/unit/readme.test.ts';

/** With the empty lines that prettier wants. */
const section = (diagram: string) => `\n\`\`\`mermaid\n${diagram}\n\`\`\`\n\n`;

describe('the diagram', () => {
  const lines = drawStates()
    .split('\n')
    .map((line) => line.trim());
  const moves = lines.flatMap((line) => {
    const [, from, to, event] = /^(\w+) --> (\w+): (\w+) \(/.exec(line) ?? [];
    return from ? [`${from} ${event} ${to}`] : [];
  });

  test('is mermaid, and begins where payments begin', () => {
    expect(lines[0]).toBe('stateDiagram-v2');
    const starts = lines.flatMap((line) => /^\[\*\] --> (\w+): \S/.exec(line)?.[1] ?? []);
    expect(starts.sort()).toEqual([...new Set(Object.values(FIRST_STATUS))].sort());
  });

  test('has every transition out of a status that can be reached, once, and no other', () => {
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

  test('no label holds what mermaid would read as its end', () => {
    expect(lines.filter((line) => /[;#{}]|--.*--|:.*:/.test(line.replace(/^.* --> /, '')))).toEqual([]);
  });

  test('ends where nothing leads on', () => {
    const ends = lines.flatMap((line) => /^(\w+) --> \[\*\]$/.exec(line)?.[1] ?? []);
    expect(ends).toEqual(['Captured', 'Paid']);
    expect(PAYMENT_STATUSES).toEqual(expect.arrayContaining(ends));
  });
});

test.each([
  ['README.md', drawStates],
  ['docs/references.md', drawReferenceStates],
])('%s shows its own', (file, draw) => {
  expect(existsSync(join(ROOT, file)), `${file} is missing`).toBe(true);
  const text = readText(file);
  const wanted = section(draw());
  const shown = SECTION.exec(text)?.[2];
  expect(shown, `${file} needs the lines <!-- states --> and <!-- /states --> around the diagram`).toBeDefined();
  if (process.env['UPDATE_README'] && shown !== wanted) {
    writeFileSync(
      join(ROOT, file),
      text.replace(SECTION, (_all, open, _old, close) => open + wanted + close),
    );
    return;
  }
  expect(shown, `the diagram is not that of the table: ${HOW_TO}`).toBe(wanted);
});

test('a reference’s diagram has every transition of its table', () => {
  const moves = drawReferenceStates().match(/^ {2}\w+ --> \w+: \w+/gm) ?? [];
  const table = Object.entries(REFERENCE_TRANSITIONS).flatMap(([event, { from, to }]) =>
    from.map((status) => `  ${status} --> ${to}: ${event}`),
  );
  expect(moves.sort()).toEqual(table.sort());
});
