import { describe, expect, test } from 'vitest';
import { bankMapping, readBankFile } from '../../../server/books/bank-file.ts';
import type { Problem } from '../../../server/http/problem.ts';

const read = (text: string | Buffer, mapping: object = {}) =>
  readBankFile(Buffer.from(text).toString('base64'), bankMapping.parse(mapping), 'AOA');

const linesOf = (text: string, mapping: object = {}) =>
  read(text, mapping).lines.map(({ line, date, amountMinor, description }) => [line, date, amountMinor, description]);

const faultsOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    const { faults = [] } = (error as Problem).options;
    return faults.map(({ pointer, code, params }) => `${pointer} ${code} ${params?.['line'] ?? ''}`.trim());
  }
  return [];
};

describe('a line of a bank file', () => {
  test.each([
    ['24/11/2026;1.290,05;TRF EMIS', [1, '2026-11-24', 129_005, 'TRF EMIS']],
    ['4-1-2026; 1 290,5 ;x', [1, '2026-01-04', 129_050, 'x']],
    ['2026-11-24T08:00:00;+7;x', [1, '2026-11-24', 700, 'x']],
    ['24.11.2026;-15,00;Comissão', [1, '2026-11-24', -1_500, 'Comissão']],
    ['24/11/2026;10;"a; ""b""\nc"', [1, '2026-11-24', 1_000, 'a; "b"\nc']],
    ['"Nota\r\nlonga"\n24/11/2026; "10" ;" a "', [3, '2026-11-24', 1_000, 'a']],
    ['24/11/2026;10;o "TPA" 7', [1, '2026-11-24', 1_000, 'o "TPA" 7']],
    ['\ufeff24/11/2026;10;x\r\n', [1, '2026-11-24', 1_000, 'x']],
    ['24/11/2026\t1.290,05\tTRF EMIS', [1, '2026-11-24', 129_005, 'TRF EMIS']],
    ['24/11/2026,"1.290,05",TRF EMIS', [1, '2026-11-24', 129_005, 'TRF EMIS']],
    ['24/11/2026;1290,05;a, b, c', [1, '2026-11-24', 129_005, 'a, b, c']],
    ['Data;Valor;Descrição\n24/11/2026;10;x', [2, '2026-11-24', 1_000, 'x']],
    ['24/11/2026;10', [1, '2026-11-24', 1_000, '']],
  ])('is read from %j', (text, line) => {
    expect(linesOf(text)).toEqual([line]);
  });

  test('follows the mapping of columns by number or name', () => {
    const text = 'Conta,0001\n\nDescritivo,Data Mov.,Saldo,Montante\nEMIS 156,24/11/2026,9.00,"1,290.05"\n';
    const mapping = { separator: ',', decimal: '.', date: 'data mov.', amount: 'Montante', description: 'Descritivo' };
    expect(linesOf(text, mapping)).toEqual([[4, '2026-11-24', 129_005, 'EMIS 156']]);
    const numbers = { separator: ',', decimal: '.', date: 2, amount: 4, description: 1 };
    expect(linesOf(text.split('\n').slice(3).join('\n'), numbers)).toEqual([[1, '2026-11-24', 129_005, 'EMIS 156']]);
    expect(faultsOf(() => read(text, { ...mapping, amount: 'Valor' }))).toEqual(['/mapping file_head']);
  });

  test('has the same hash in another file, and equal lines of one file have different hashes', () => {
    const [one, two] = read('24/11/2026;10;x\n24/11/2026;10;x').lines;
    const again = read('Data;Valor;Descrição\n2026-11-24;10,00;x\n25/11/2026;10;x').lines;
    expect(one!.hash).not.toBe(two!.hash);
    expect(again.map(({ hash }) => hash)).toContain(one!.hash);
    expect(again.map(({ hash }) => hash)).not.toContain(two!.hash);
  });
});

describe('an amount in a bank file', () => {
  test.each([
    ['1.290,05', 129_005],
    ['1,290.05', 129_005],
    ['101.50', 10_150],
    ['1.500', 150_000],
    ['-15,00', -1_500],
  ])('without a decimal sign in the mapping is read from %s', (text, minor) => {
    expect(linesOf(`24/11/2026;${text};x`)).toEqual([[1, '2026-11-24', minor, 'x']]);
  });

  test.each([
    [',', '1.500', 150_000],
    [',', '1.234.567,8', 123_456_780],
    [',', '1 290,05 Kz', 129_005],
    [',', '\u2212 15,00', -1_500],
    ['.', '1,234.50', 123_450],
    ['.', "1'234.50", 123_450],
  ])('with decimal sign %s is read from %s', (decimal, text, minor) => {
    expect(linesOf(`24/11/2026;${text};x`, { decimal })).toEqual([[1, '2026-11-24', minor, 'x']]);
  });

  test.each([
    [',', '101.50'],
    [',', '1.50'],
    [',', '1.5'],
    [',', '1,500'],
    [',', '1,234.50'],
    [',', '12.34.567,00'],
    [',', '1290.500,00'],
    [',', '1 23,45'],
    [',', '1.500 000,00'],
    [',', '1.234.56'],
    ['.', '101,50'],
    ['.', '1.500'],
    ['.', '1.234,50'],
    [',', '10,00 USD'],
  ])('with decimal sign %s is refused as %s', (decimal, text) => {
    expect(faultsOf(() => read(`24/11/2026;10;x\n24/11/2026;${text};x`, { decimal }))).toEqual(['/file file_line 2']);
  });
});

describe('a bank file', () => {
  test.each<[string, string | Buffer, string[]]>([
    ['windows-1252', Buffer.from('24/11/2026;10;Cr\xe9dito', 'latin1'), ['/file file_encoding']],
    ['UTF-16', Buffer.from('\ufeff24/11/2026;10;x', 'utf16le'), ['/file file_encoding']],
    ['UTF-16 without a mark', Buffer.from('24/11/2026;10;x', 'utf16le'), ['/file file_encoding']],
    ['no line', '', ['/file file_line 1']],
    ['a header alone', 'Data;Valor;Descrição', ['/file file_line 1']],
    [
      'several invalid lines',
      '24/11/2026;10;x\n31/02/2026;10;x\n24/11/2026;ten;x',
      ['/file file_line 2', '/file file_line 3'],
    ],
    ['an invalid first line', '31/02/2026;10;x\n24/11/2026;10;x', ['/file file_line 1']],
    ['an amount with two readings', '24/11/2026;1500,500;x', ['/file file_line 1']],
    ['an amount with three decimals', '24/11/2026;1000,001;x', ['/file file_line 1']],
    ['an amount of zero', '24/11/2026;0;x', ['/file file_line 1']],
    ['too many lines', '24/11/2026;10;x\n'.repeat(5_001), ['/file too_big']],
    ['too many empty lines', `${'\n'.repeat(10_000)}24/11/2026;10;x`, ['/file too_big']],
    ['too many columns', `\n24/11/2026;10;x${';'.repeat(98)}`, ['/file file_line 2']],
    ['an open quotation mark', '24/11/2026;10;x\n24/11/2026;10;"y\nz', ['/file file_line 2']],
    ['text after a quotation mark', '24/11/2026;10;x\n24/11/2026;10;"y"z', ['/file file_line 2']],
    ['a row of 64 KiB', `24/11/2026;10;x\n24/11/2026;10;${'y'.repeat(65_536)}`, ['/file file_line 2']],
  ])('is refused if it has %s', (_name, text, faults) => {
    expect(faultsOf(() => read(text))).toEqual(faults);
  });
});
