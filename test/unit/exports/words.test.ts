// Files for people show words of their language. Files for programs show the values of the API, in any language.
import { describe, expect, test } from 'vitest';
import { csvWriter, type CsvColumn, type CsvRow } from '../../../server/exports/csv.ts';
import { describeApi } from '../../../server/http/openapi.ts';
import { LANGUAGES } from '../../../shared/language.ts';
import { PAYMENT_METHODS } from '../../../shared/methods.ts';
import { PAYMENT_METHOD_WORDS } from '../../../shared/state-words.ts';
import { declaredRoutes } from '../../support/declared.ts';

const document: any = JSON.parse(JSON.stringify(describeApi(declaredRoutes, 'https://pay.example')));
const exported = declaredRoutes.flatMap(({ csv, path, operationId }) => (csv ? [{ csv, path, operationId }] : []));

/** The fields of the API whose columns have another name. */
const FIELDS: Record<string, string> = {
  'listReferences id': 'internalId',
  'listReferences type': 'referenceType',
  'listSentSms sender': 'remetente',
};

/** Columns that the rows of the API do not have, or have in a nested list. */
const NOT_IN_ROWS = ['phone', 'currency'];

function follow(node: any): any {
  if (!node?.$ref) return node;
  const path = node.$ref.slice(2).split('/');
  return follow(path.reduce((value: any, key: string) => value[key], document));
}

/** The API's schema of one row of a list. */
function rowOf(path: string): any {
  const answer = document.paths[path].get.responses['200'].content['application/json'].schema;
  const { data, movements } = follow(answer).properties;
  return follow(follow(data ?? follow(movements).properties.data).items);
}

/** The values of an enum, also if the field may be null. Empty for another field. */
function valuesOf(node: any): string[] {
  const { enum: values, anyOf = [] } = follow(node);
  return (values ?? anyOf.flatMap(valuesOf)).filter((value: unknown) => value !== null);
}

const NO_WORDS = { pt: '', en: '', fr: '' };

describe.each(exported)('the file of $operationId', ({ csv, path, operationId }) => {
  const codes = csv.columns.filter((column) => column.kind === 'code');
  test.each(codes.map((column) => ({ column, from: column.from })))(
    'has a word in each language for each value of $from',
    ({ column, from }) => {
      const field = rowOf(path).properties[FIELDS[`${operationId} ${from}`] ?? from];
      if (NOT_IN_ROWS.includes(from)) return;
      expect(field, `the API has no field ${from}: name it in FIELDS`).toBeDefined();
      const words = 'words' in column ? (column.words ?? {}) : {};
      for (const value of valuesOf(field))
        for (const language of LANGUAGES) expect((words[value] ?? NO_WORDS)[language], value).toMatch(/\p{L}/u);
    },
  );

  test('has its titles and its name in each language, and the titles of a file differ', () => {
    for (const language of LANGUAGES) {
      const titles = csv.columns.map((column) => column[language]);
      expect(new Set(titles).size, titles.join()).toBe(titles.length);
      expect(csv.name[language]).toMatch(/^[a-z-]+$/);
    }
  });
});

test('the files of payments and movements have a word for each payment method', () => {
  const columns = exported.flatMap(({ csv }) => csv.columns.filter(({ from }) => from === 'paymentMethod'));
  expect(columns.length).toBeGreaterThan(2);
  for (const column of columns) expect(column).toMatchObject({ words: PAYMENT_METHOD_WORDS });
  expect(Object.keys(PAYMENT_METHOD_WORDS).toSorted()).toEqual([...PAYMENT_METHODS].toSorted());
});

const rowsOf = (columns: readonly CsvColumn<string>[], row: CsvRow<string>, dialect: 'excel' | 'rfc4180') =>
  LANGUAGES.map((language) => {
    const { head, write } = csvWriter(columns, dialect, language);
    return head.replace('\uFEFF', '') + write([row]);
  });

test('a file for programs is the same in every language', () => {
  for (const { csv } of exported) {
    const row = Object.fromEntries(csv.columns.map(({ from }) => [from, null]));
    expect(new Set(rowsOf(csv.columns, row, 'rfc4180')).size).toBe(1);
    expect(new Set(rowsOf(csv.columns, row, 'excel')).size).toBe(3);
  }
});
