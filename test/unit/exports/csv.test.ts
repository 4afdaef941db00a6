// Cells of exported CSV lists in both dialects. A spreadsheet must not change a text or run it as a formula.
import { assert, constantFrom, integer, maxSafeInteger, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvWriter, type CsvColumn, type CsvRow, type Dialect } from '../../../server/exports/csv.ts';
import { LANGUAGES } from '../../../shared/language.ts';
import { toDecimal } from '../../../shared/money.ts';
import { parseCsv } from '../../support/csv.ts';

const names = { pt: 'Coluna', en: 'Column', fr: 'Colonne' };
const columns: CsvColumn<'value' | 'currency'>[] = [
  { kind: 'text', from: 'value', ...names },
  { kind: 'code', from: 'currency', ...names },
];

type Cell = CsvRow<string>[string];

const write = (of: readonly CsvColumn<any>[], rows: readonly CsvRow<any>[], dialect: Dialect, language = 'pt') =>
  csvWriter(of, dialect, language as 'pt').write(rows);

/** The cell of one value. */
const cellOf = (kind: Exclude<CsvColumn<string>['kind'], 'money'>, value: Cell, dialect: Dialect, language = 'pt') =>
  write([{ kind, from: 'value', ...names }], [{ value }], dialect, language).slice(0, -2);

const MONEY: CsvColumn<'value' | 'currency'> = { kind: 'money', from: 'value', currency: 'currency', ...names };
const moneyOf = (value: Cell, currency: string, dialect: Dialect) => write([MONEY], [{ value, currency }], dialect);

/** The cell's text without quotes. */
const defuse = (text: string) => (/^[\t\r\n]|^\s*[=+\-@]/.test(text) ? `'${text}` : text);

describe('an exported CSV file', () => {
  test('begins with a byte order mark in the Excel dialect, and with column names in the RFC 4180 dialect', () => {
    expect(csvWriter(columns, 'excel', 'pt').head).toBe('\uFEFFColuna;Coluna\r\n');
    expect(csvWriter(columns, 'rfc4180', 'en').head).toBe('Column,Column\r\n');
    expect(csvWriter(columns, 'rfc4180', 'fr').head).toBe('Column,Column\r\n');
  });

  test.each<[Cell, string, string, string]>([
    [1_525_050, 'AOA', '15250,50', '15250.50'],
    [5, 'AOA', '0,05', '0.05'],
    [0, 'AOA', '0,00', '0.00'],
    [-1_050, 'AOA', '-10,50', '-10.50'],
    [900, 'JPY', '900', '900'],
    [Number.MAX_SAFE_INTEGER, 'AOA', '90071992547409,91', '90071992547409.91'],
    [null, 'AOA', '', ''],
  ])('writes %s minor units of %s', (minor, currency, excel, rfc4180) => {
    expect(moneyOf(minor, currency, 'excel')).toBe(`${excel}\r\n`);
    expect(moneyOf(minor, currency, 'rfc4180')).toBe(`${rfc4180}\r\n`);
  });

  test('writes any amount as an exact decimal', () => {
    const amounts = oneof(maxSafeInteger(), integer({ min: -2_000, max: 2_000 }));
    assert(
      property(amounts, constantFrom('AOA', 'JPY', 'KWD'), (minor, currency) => {
        expect(moneyOf(minor, currency, 'rfc4180')).toBe(`${toDecimal(minor, currency)}\r\n`);
      }),
    );
  });

  test.each<[Cell, string, string]>([
    [new Date('2026-11-30T23:05:09.120Z'), '01/12/2026 00:05', '2026-11-30T23:05:09.120Z'],
    [new Date('2026-12-01T00:05:09.001Z'), '01/12/2026 01:05', '2026-12-01T00:05:09.001Z'],
    [null, '', ''],
  ])('writes the time %s', (value, excel, rfc4180) => {
    expect(cellOf('time', value, 'excel')).toBe(excel);
    expect(cellOf('time', value, 'rfc4180')).toBe(rfc4180);
  });

  test.each<[Cell, string, string]>([
    [12.5, '12,5', '12.5'],
    [-3, '-3', '-3'],
    ['7', '7', '7'],
    [null, '', ''],
  ])('writes the number %s', (value, excel, rfc4180) => {
    expect(cellOf('number', value, 'excel')).toBe(excel);
    expect(cellOf('number', value, 'rfc4180')).toBe(rfc4180);
  });

  test('writes a boolean as a word of the language for Excel, and as true or false for programs', () => {
    const words = LANGUAGES.map((language) => [true, false].map((value) => cellOf('flag', value, 'excel', language)));
    expect(words).toEqual([
      ['sim', 'não'],
      ['yes', 'no'],
      ['oui', 'non'],
    ]);
    expect([true, false, null].map((value) => cellOf('flag', value, 'rfc4180'))).toEqual(['true', 'false', '']);
  });

  test('writes a status as a word for people and as the value for programs, and keeps the digits of a phone', () => {
    const words = { Sent: { pt: 'na rede', en: 'on the network', fr: 'sur le réseau' } };
    const rows = ['Sent', 'Other', 'valueOf', '+244923000001', null].map((value) => ({ value }));
    const of = [{ kind: 'code', from: 'value', words, ...names }] as const;
    expect(write(of, rows, 'excel')).toBe(`Na rede\r\nOther\r\nvalueOf\r\n"'+244923000001"\r\n\r\n`);
    expect(write(of, rows, 'excel', 'fr').startsWith('Sur le réseau\r\n')).toBe(true);
    expect(write(of, rows, 'rfc4180')).toBe('Sent\r\nOther\r\nvalueOf\r\n+244923000001\r\n\r\n');
    expect(cellOf('code', '+12125550123', 'excel')).toBe('+12125550123');
  });

  test.each([
    ['2026-11-30', '30/11/2026', '2026-11-30'],
    ['156', '156', '156'],
    ['0156', `"'0156"`, '0156'],
    ['=1', `"'=1"`, `"'=1"`],
    [null, '', ''],
  ])('writes the day or the period %s', (value, excel, rfc4180) => {
    expect([cellOf('day', value, 'excel'), cellOf('day', value, 'rfc4180')]).toEqual([excel, rfc4180]);
  });

  test('writes the end of a reference without an end in words', () => {
    const end = new Date('2099-12-31T23:59:59Z');
    const cells = LANGUAGES.map((language) => cellOf('time', end, 'excel', language));
    expect(cells).toEqual(['Sem prazo', 'No end date', 'Sans date de fin']);
    expect(cellOf('time', end, 'rfc4180')).toBe('2099-12-31T23:59:59.000Z');
  });
});

test('a CSV row follows the order of the columns, and quotes cells with either separator', () => {
  const shown: CsvColumn<string>[] = [
    MONEY,
    { kind: 'time', from: 'at', ...names },
    { kind: 'text', from: 'text', ...names },
  ];
  const at = new Date('2026-12-01T00:05:09.100Z');
  const rows = [
    { currency: 'AOA', other: 'x', at, value: -5, text: 'say "=1", then' },
    { currency: 'JPY', other: 'a,"b"\n', at: null, value: 900, text: '' },
    { currency: 'KWD', other: null, at, value: null, text: 'a;b' },
    { currency: 'KWD', at: undefined, value: 12, text: '=a,b' },
    { currency: 'AOA', at: null, value: 100, text: '=a;b' },
  ];
  expect(write(shown, rows, 'rfc4180').split('\r\n')).toEqual([
    '-0.05,2026-12-01T00:05:09.100Z,"say ""=1"", then"',
    '900,,',
    ',2026-12-01T00:05:09.100Z,"a;b"',
    `0.012,,"'=a,b"`,
    `1.00,,"'=a;b"`,
    '',
  ]);
});

describe('text in a CSV cell', () => {
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
  ])('in a column of kind %s is not run as a formula: %j', (kind, text) => {
    for (const dialect of ['excel', 'rfc4180'] as const) {
      const separator = dialect === 'excel' ? ';' : ',';
      expect(parseCsv(`${cellOf(kind, text, dialect)}\r\n`, separator)).toEqual([[`'${text}`]]);
    }
  });

  test.each(['000123456', '123456789012', '974610647012345678', '1E3', '1.5e10'])(
    'keeps the digits of %s in a spreadsheet and stays unchanged for programs',
    (digits) => {
      for (const kind of ['text', 'code'] as const) {
        expect(cellOf(kind, digits, 'excel')).toBe(`"'${digits}"`);
        expect(cellOf(kind, digits, 'rfc4180')).toBe(digits);
      }
    },
  );

  test.each([
    ['5,50', '"5,50"', '"5,50"'],
    ['a,b', '"a,b"', '"a,b"'],
    ['a;b', '"a;b"', '"a;b"'],
    ['a\rb', '"a\rb"', '"a\rb"'],
  ])('quotes %j in both dialects', (text, excel, rfc4180) => {
    expect([cellOf('text', text, 'excel'), cellOf('text', text, 'rfc4180')]).toEqual([excel, rfc4180]);
  });

  test.each(['1=1', "'=1", 'a-b', '', '974610647', '0', '019cad00-0000-7000-8000-000000000000', 'Café da Gabela'])(
    'stays unchanged: %j',
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
  ] as const)('in any column is read back by %s, or its defused form is', (dialect, separator) => {
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
