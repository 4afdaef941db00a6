// `UPDATE_PERSONAL_DATA=1` writes docs/personal-data.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { expect, test } from 'vitest';
import { readConfig } from '../../../server/config.ts';
import { entities } from '../../../server/entities.ts';
import { environment } from '../../../server/environment.ts';
import { IMPERSONAL, PERSONAL, type Holding } from '../../../server/privacy/register.ts';
import { readText, ROOT } from '../../support/source.ts';

const PAGE = 'docs/personal-data.md';
const SECTION = /(<!-- register -->\n)([\s\S]*?)(<!-- \/register -->)/;
const HOW_TO =
  'add it to server/privacy/register.ts, then UPDATE_PERSONAL_DATA=1 npx vitest run --project unit test/unit/privacy/personal-data.test.ts && npm run format';

// The ORM reads the table definitions and opens no connection.
const orm = await MikroORM.init({ entities, clientUrl: 'postgresql://nobody@localhost/nothing' });
const tables = [...orm.getMetadata().getAll().values()];
type Meta = (typeof tables)[number];

function textsOf({ props }: Meta): string[] {
  return props.filter(({ columnTypes: [type] }) => /text|json|char/.test(type ?? '')).map(({ name }) => name);
}

const personal = PERSONAL as Record<string, Record<string, Holding>>;
const namesOf = (table: string) => [
  ...Object.keys(personal[table] ?? {}),
  ...((IMPERSONAL as Record<string, string>)[table]?.split(' ') ?? []),
];

test.each(tables.map((meta) => [meta.tableName, meta] as const))(
  'the register of personal data names every text column of %s once',
  (table, meta) => {
    expect(namesOf(table).toSorted(), HOW_TO).toEqual(textsOf(meta).toSorted());
  },
);

test('the register of personal data names only tables that exist', () => {
  const known = new Set(tables.map(({ tableName }) => tableName));
  expect([...Object.keys(PERSONAL), ...Object.keys(IMPERSONAL)].filter((table) => !known.has(table))).toEqual([]);
});

test('the check of the register finds a new text column', () => {
  expect(textsOf(tables.find(({ tableName }) => tableName === 'payments')!)).toEqual(
    expect.arrayContaining(['phone', 'customMetadata', 'searchTerms']),
  );
  expect(textsOf(tables.find(({ tableName }) => tableName === 'events')!)).toEqual(
    expect.arrayContaining(['details', 'state']),
  );
});

function draw(): string {
  const config = readConfig({});
  const days = (kept: string) => (kept.startsWith('RETENTION_') ? `\`${kept}\`` : kept);
  const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  // Columns of one table with the same description share a row.
  const rows = Object.entries(personal).flatMap(([table, columns]) =>
    [
      ...Map.groupBy(
        Object.entries(columns),
        ([, { whose, purpose, kept }]) => `| ${whose} | ${purpose} | ${days(kept)} |`,
      ),
    ].map(([text, group]) => `| \`${table}\`: ${group.map(([name]) => `\`${columnOf(name)}\``).join(', ')} ${text}`),
  );
  const settings = Object.entries(environment.shape)
    .filter(([name]) => name.startsWith('RETENTION_'))
    .map(([name, schema]) => `| \`${name}\` | ${config[name as keyof typeof config]} | ${schema.description} |`);
  return [
    '',
    '| column | whose | what for | how long |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    '| setting | default | meaning |',
    '| --- | --- | --- |',
    ...settings,
    '',
    '',
  ].join('\n');
}

/** Prettier fills tables with spaces and dashes. */
const bare = (text: string) => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---').trim();

test(`${PAGE} is generated from the register`, () => {
  const text = readText(PAGE);
  if (process.env['UPDATE_PERSONAL_DATA'])
    writeFileSync(
      join(ROOT, PAGE),
      text.replace(SECTION, (_all, open: string, _old, close: string) => open + draw() + close),
    );
  expect(bare(SECTION.exec(readText(PAGE))?.[2] ?? ''), HOW_TO).toBe(bare(draw()));
});
