import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BASELINE, listMigrations } from '../../../server/database/migrations.ts';
import { listFiles, readText } from '../../support/source.ts';

const all = listFiles('server/database/migrations/*.ts');
const nameOf = (path: string) => basename(path, '.ts');

test('the list of migrations contains every file in order of time', () => {
  expect(listMigrations()).toEqual(all.map(nameOf).toSorted());
  expect(listMigrations()[0]).toBe(BASELINE);
});

test('every migration after the baseline follows the rules of expand, move and contract', () => {
  const later = [...all, 'test/support/later-release.ts'].filter((path) => nameOf(path) !== BASELINE);
  expect(later.flatMap((path) => findBroken(readText(path)).map((rule) => `${path}: ${rule}`))).toEqual([]);
});

const old = `alter table "payments"`;

describe('findBroken', () => {
  test.each<[string, number]>([
    ['create index "a" on "payments" ("b");', 0],
    ['create unique index "a" on "payments" ("b");', 0],
    [`${old} add constraint "a" unique ("b");`, 1],
    [`${old} add constraint "a" check (b > 0);`, 2],
    [`${old} add constraint "a" foreign key ("b") references "c" ("id");`, 2],
    [`${old} alter "b" set not null;`, 3],
    [`${old} add "b" text not null;`, 4],
    [`${old} add "a" text null, add "b" int not null;`, 4],
    [`${old} drop column "b";`, 5],
    [`${old} rename column "b" to "c";`, 5],
    ['drop table "payments";', 5],
    ['// contract: nobody needs it since 0.3.0.\ndrop table "payments";', 5],
    ['set lock_timeout = 0;', 6],
  ])('names the rule that %s breaks', (text, nth) => {
    expect(findBroken(text)).toEqual([RULES[nth]?.name]);
  });

  test.each([
    'create table "new" ("id" uuid); create index "a" on "new" ("id"); alter table "new" alter "id" set not null;',
    'create index concurrently "a" on "payments" ("b");',
    `${old} add "b" text null, add "c" int not null default 0;`,
    `${old} add constraint "a" unique using index "b";`,
    `${old} add constraint "a" check (b > 0) not valid;`,
    `-- validated: b_there\n${old} alter "b" set not null;`,
    `// contract: nobody needs it since 0.3.0.\ndrop table "payments"; update "schema_floor" set migration = 'x';`,
    'drop index concurrently if exists "a";',
  ])('accepts %s', (text) => {
    expect(findBroken(text)).toEqual([]);
  });
});

// Older nodes still use the tables, so a migration may not do these things (docs/architecture.md, “A migration”).
type Rule = { name: string; isBroken(text: string): boolean };

/** The tables that the same migration creates. They are empty, and older nodes do not use them. */
function listMade(text: string): Set<string> {
  return new Set([...text.matchAll(/create table (?:if not exists )?"?(\w+)"?/gi)].map(([, name]) => name as string));
}

const isOfOld = (text: string, table: string | undefined) => table !== undefined && !listMade(text).has(table);

const some = (pattern: RegExp, isWrong: (text: string, table: string) => boolean) => (text: string) =>
  [...text.matchAll(pattern)].some(([, table]) => isOfOld(text, table) && isWrong(text, table as string));
const always = () => true;

const RULES: Rule[] = [
  {
    name: 'an index of a table that is in use is built concurrently (ConcurrentMigration.addIndex)',
    isBroken: some(/create (?:unique )?index (?!concurrently)"?\w+"? on "?(\w+)"?/gi, always),
  },
  {
    name: 'a unique or primary key of a table that is in use takes an index that was built concurrently (using index)',
    isBroken: some(
      /alter table "?(\w+)"?[^;`]*add constraint "?\w+"? (?:unique|primary key)(?! using index)/gi,
      always,
    ),
  },
  {
    name: 'a check or foreign key of a table that is in use is added as not valid, and validated in a later migration',
    isBroken: some(
      /alter table "?(\w+)"?[^;`]*add constraint "?\w+"? (?:check|foreign key)(?![^;`]*not valid)/gi,
      always,
    ),
  },
  {
    name: 'not null is set where a check is validated first: `-- validated: <constraint>` names it',
    isBroken: some(/alter table "?(\w+)"?[^;`]*set not null/gi, (text) => !/-- validated: \w+/.test(text)),
  },
  {
    name: 'a new column has a default, or may be null',
    isBroken: some(/alter table "?(\w+)"?[^;`]*add (?:column )?"?\w+"?[^;`,]*not null(?![^;`,]*default)/gi, (text) =>
      /add (?:column )?"?\w+"? (?:(?!default)[^;`,])*not null(?![^;`,]*default)/i.test(text),
    ),
  },
  {
    name: 'what is renamed, dropped or of another type is a contract: it raises schema_floor, and says `contract:` and since which release nobody needs it',
    isBroken: (text) =>
      /\b(?:drop (?:table|column)|rename (?:to|column)|(?:set data )?type \w+ using|alter column "?\w+"? type)\b/i.test(
        text,
      ) && !(/^\/\/.*\bcontract:/m.test(text) && /update "?schema_floor"?/i.test(text)),
  },
  {
    name: 'a lock is waited for no longer than the migrator does',
    isBroken: (text) => /lock_timeout/i.test(text),
  },
];

/** The names of the rules that a migration's source breaks. */
function findBroken(text: string): string[] {
  return RULES.filter(({ isBroken }) => isBroken(text)).map(({ name }) => name);
}
