// CSV: both dialects read back what was written, numbers and times as each wants them, and no text is a formula.
import { assert, constantFrom, integer, maxSafeInteger, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvWriter, type Cell, type CsvBatch, type CsvColumn, type Dialect } from '../../server/http/csv.ts';
import { LANGUAGES } from '../../shared/language.ts';
import { toDecimal } from '../../shared/money.ts';
import { parseCsv } from '../support/csv.ts';

const names = { pt: 'Coluna', en: 'Column', fr: 'Colonne' };
const columns: CsvColumn<'value' | 'currency'>[] = [
  { kind: 'text', from: 'value', ...names },
  { kind: 'code', from: 'currency', ...names },
];

/** The lines of a batch. A chunk is over when the next is asked for. */
const write = (of: readonly CsvColumn<any>[], batch: CsvBatch<any>, dialect: Dialect, language = 'pt') =>
  Array.from(csvWriter(of, dialect, language as 'pt').write(batch), String).join('');

/** One value in a column of its kind. */
const cellOf = (kind: Exclude<CsvColumn<string>['kind'], 'money'>, value: Cell, dialect: Dialect, language = 'pt') =>
  write([{ kind, from: 'value', ...names }], [{ value }], dialect, language).slice(0, -2);

const MONEY: CsvColumn<'value' | 'currency'> = { kind: 'money', from: 'value', currency: 'currency', ...names };
const moneyOf = (value: Cell, currency: string, dialect: Dialect) => write([MONEY], [{ value, currency }], dialect);

/** Text that no spreadsheet runs. */
const defuse = (text: string) => (/^[\t\r\n]|^\s*[=+\-@]/.test(text) ? `'${text}` : text);

describe('the dialects', () => {
  test('Excel’s begins with a byte order mark, programs’ with the names', () => {
    expect(csvWriter(columns, 'excel', 'pt').head).toBe('\uFEFFColuna;Coluna\r\n');
    expect(csvWriter(columns, 'rfc4180', 'en').head).toBe('Column,Column\r\n');
    expect(csvWriter(columns, 'rfc4180', 'fr').head).toBe('Colonne,Colonne\r\n');
  });

  test.each<[Cell, string, string, string]>([
    [1_525_050, 'AOA', '15250,50', '15250.50'],
    ['1525050', 'AOA', '15250,50', '15250.50'],
    [5, 'AOA', '0,05', '0.05'],
    [0, 'AOA', '0,00', '0.00'],
    [-1_050, 'AOA', '-10,50', '-10.50'],
    [900, 'JPY', '900', '900'],
    ['9007199254740991', 'AOA', '90071992547409,91', '90071992547409.91'],
    ['9223372036854775807', 'AOA', '92233720368547758,07', '92233720368547758.07'],
    [null, 'AOA', '', ''],
  ])('%s of %s', (minor, currency, excel, rfc4180) => {
    expect(moneyOf(minor, currency, 'excel')).toBe(`${excel}\r\n`);
    expect(moneyOf(minor, currency, 'rfc4180')).toBe(`${rfc4180}\r\n`);
  });

  test('any amount is written as everywhere', () => {
    const amounts = oneof(maxSafeInteger(), integer({ min: -2_000, max: 2_000 }));
    assert(
      property(amounts, constantFrom('AOA', 'JPY', 'KWD'), (minor, currency) => {
        expect(moneyOf(minor, currency, 'rfc4180')).toBe(`${toDecimal(minor, currency)}\r\n`);
      }),
    );
  });

  test.each<[Cell, string, string]>([
    [new Date('2026-11-30T23:05:09.120Z'), '01/12/2026 00:05:09', '2026-11-30T23:05:09.120Z'],
    ['2026-11-30 23:05:09.12+00', '01/12/2026 00:05:09', '2026-11-30T23:05:09.120Z'],
    ['2026-12-01 00:05:09+01', '01/12/2026 00:05:09', '2026-11-30T23:05:09.000Z'],
    ['2026-12-01 05:35:09.001+05:30', '01/12/2026 01:05:09', '2026-12-01T00:05:09.001Z'],
    ['2026-11-30 19:05:09-04', '01/12/2026 00:05:09', '2026-11-30T23:05:09.000Z'],
    [null, '', ''],
  ])('the moment %s', (value, excel, rfc4180) => {
    expect(cellOf('time', value, 'excel')).toBe(excel);
    expect(cellOf('time', value, 'rfc4180')).toBe(rfc4180);
  });

  test.each<[Cell, string, string]>([
    [12.5, '12,5', '12.5'],
    [-3, '-3', '-3'],
    ['7', '7', '7'],
    [null, '', ''],
  ])('the number %s', (value, excel, rfc4180) => {
    expect(cellOf('number', value, 'excel')).toBe(excel);
    expect(cellOf('number', value, 'rfc4180')).toBe(rfc4180);
  });

  test('a flag is a word of the language, for programs true or false', () => {
    const said = LANGUAGES.map((language) => [true, false].map((value) => cellOf('flag', value, 'excel', language)));
    expect(said).toEqual([
      ['sim', 'não'],
      ['yes', 'no'],
      ['oui', 'non'],
    ]);
    expect(['t', 'f', null].map((value) => cellOf('flag', value, 'rfc4180'))).toEqual(['true', 'false', '']);
  });

  test('a code is shown by its word, and a phone keeps its digits', () => {
    const words = { Sent: 'Enviado' };
    const rows = ['Sent', 'Other', '+244923000001', null].map((value) => ({ value }));
    const written = write([{ kind: 'code', from: 'value', words, ...names }], rows, 'excel');
    expect(written).toBe(`Enviado\r\nOther\r\n"'+244923000001"\r\n\r\n`);
    expect(cellOf('code', '+244923000001', 'rfc4180')).toBe('+244923000001');
  });
});

test('what the database copied: in another order, with more than is shown, and quoted where it must be', () => {
  const shown: CsvColumn<string>[] = [
    MONEY,
    { kind: 'time', from: 'at', ...names },
    { kind: 'text', from: 'text', ...names },
  ];
  const rows = [
    'AOA,x,2026-12-01 00:05:09.1+00,-5,"say ""=1"", then"',
    'JPY,"a,""b""\n",,900,""',
    'KWD,,2026-12-01 00:05:10+00,,a;b',
    'AOA,"",2026-12-01 01:00:00.001+00,12,"=a,b"',
    'AOA,x,,100,=a;b',
  ];
  const table = { names: ['currency', 'other', 'at', 'value', 'text'], bytes: Buffer.from(`${rows.join('\n')}\n`) };
  expect(write(shown, table, 'rfc4180').split('\r\n')).toEqual([
    '-0.05,2026-12-01T00:05:09.100Z,"say ""=1"", then"',
    '900,,',
    ',2026-12-01T00:05:10.000Z,"a;b"',
    `0.12,2026-12-01T01:00:00.001Z,"'=a,b"`,
    `1.00,,"'=a;b"`,
    '',
  ]);
  expect(() => write(shown, { ...table, names: ['currency', 'other', 'when', 'value', 'text'] }, 'excel')).toThrow(
    'no column at',
  );
});

test('rows of any length, and more than go out together', () => {
  const rows = Array.from({ length: 3_000 }, (_, nth) => ({ value: 'é'.repeat(nth % 300), currency: `C${nth}` }));
  const long = [{ value: 'x'.repeat(500_000), currency: 'long' }, ...rows];
  const expected = long.map(({ value, currency }) => `${value};${currency}\r\n`).join('');
  expect(write(columns, long, 'excel')).toBe(expected);
});

test('rows of another hour, day and offset, one after another', () => {
  const moments = [
    '2026-11-30 22:59:59+00',
    '2026-11-30 23:00:00.5+00',
    '2026-12-01 00:00:01+01',
    '2026-12-01 05:30:02+05:30',
    new Date('2026-12-01T00:00:02Z'),
  ];
  const rows = moments.map((value) => ({ value }));
  expect(write([{ kind: 'time', from: 'value', ...names }], rows, 'excel').split('\r\n')).toEqual([
    '30/11/2026 23:59:59',
    '01/12/2026 00:00:00',
    '01/12/2026 00:00:01',
    '01/12/2026 01:00:02',
    '01/12/2026 01:00:02',
    '',
  ]);
});

describe('text', () => {
  const FORMULAS = [
    '=1+1',
    '-1+1',
    '+1+1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '\r\n =1',
    ' =1',
    '\u00a0\u200b=1',
    '\ufeff=1',
    `${' '.repeat(300)}=1`,
    '\uff1d1+1',
    '\uff0b1+1',
    '\uff0d1+1',
    '\uff20SUM(A1)',
    '\ufe661',
    '=HYPERLINK("http://x";"y")',
  ];
  test.each([
    ...FORMULAS.flatMap((formula) => [['text', formula] as const, ['code', formula] as const]),
    ['text', '+1'] as const,
    ['text', '-1'] as const,
  ])('in a column of kind %s is no formula: %j', (kind, text) => {
    for (const dialect of ['excel', 'rfc4180'] as const) {
      const separator = dialect === 'excel' ? ';' : ',';
      expect(parseCsv(`${cellOf(kind, text, dialect)}\r\n`, separator)).toEqual([[`'${text}`]]);
    }
  });

  test.each(['000123456', '123456789012', '974610647012345678', '1E3', '1.5e10'])(
    'keeps the digits of %s in a spreadsheet, and is untouched for programs',
    (digits) => {
      for (const kind of ['text', 'code'] as const) {
        expect(cellOf(kind, digits, 'excel')).toBe(`"'${digits}"`);
        expect(cellOf(kind, digits, 'rfc4180')).toBe(digits);
      }
    },
  );

  test.each(['1=1', "'=1", 'a-b', '', '974610647', '0', '019cad00-0000-7000-8000-000000000000', 'Café da Gabela'])(
    'stays as it is: %j',
    (text) => {
      expect([cellOf('text', text, 'excel'), cellOf('code', text, 'excel')]).toEqual([text, text]);
    },
  );

  const texts = string({
    unit: constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', "'", ';', ',', 'a', 'ã', '😀', ' '),
  });
  test.each([
    ['excel', ';'],
    ['rfc4180', ','],
  ] as const)('whatever it is, %s reads it back or its defused form', (dialect, separator) => {
    assert(
      property(texts, texts, (value, currency) => {
        const read = parseCsv(write(columns, [{ value, currency }], dialect), separator);
        expect(read).toEqual([[defuse(value), defuse(currency)]]);
        expect(read[0]?.[0]).not.toMatch(/^\s*[=+\-@]/);
        expect([value, `'${value}`]).toContain(read[0]?.[0]);
      }),
    );
  });
});
