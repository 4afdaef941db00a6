// What a migration must not do to a table on which older nodes work (docs/architecture.md, “A migration”).

type Rule = { name: string; isBroken(text: string): boolean };

/** Tables that the same migration makes are empty, and nobody's yet. */
function listMade(text: string): Set<string> {
  return new Set([...text.matchAll(/create table (?:if not exists )?"?(\w+)"?/gi)].map(([, name]) => name as string));
}

const isOfOld = (text: string, table: string | undefined) => table !== undefined && !listMade(text).has(table);

const some = (pattern: RegExp, isWrong: (text: string, table: string) => boolean) => (text: string) =>
  [...text.matchAll(pattern)].some(([, table]) => isOfOld(text, table) && isWrong(text, table as string));
const always = () => true;

export const RULES: Rule[] = [
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
export function findBroken(text: string): string[] {
  return RULES.filter(({ isBroken }) => isBroken(text)).map(({ name }) => name);
}
