import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BASELINE, listMigrations } from '../../../server/database/migrations.ts';
import { findBroken, RULES } from '../../support/migrations.ts';
import { listFiles, readText } from '../../support/source.ts';

const all = listFiles('server/database/migrations/*.ts');
const nameOf = (path: string) => basename(path, '.ts');

test('the registry lists every migration in order of time', () => {
  expect(listMigrations()).toEqual(all.map(nameOf).toSorted());
  expect(listMigrations()[0]).toBe(BASELINE);
});

test('every migration after the baseline keeps the rules of expand, move and contract', () => {
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
