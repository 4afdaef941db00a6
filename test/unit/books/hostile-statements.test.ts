// The time of a hostile bank statement, in CPU time of the same run.
import { deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { matchLines } from '../../../server/books/match-lines.ts';
import { readStatement } from '../../../server/books/statements/read.ts';
import type { Problem } from '../../../server/http/problem.ts';
import { pack, writeCamt } from '../../support/bank-statements.ts';

/** The size of a file whose base64 text fits in a request. */
const SIZE = 740_000;
const MIB = 1_048_576;
const fillTo = (size: number, unit: string) => unit.repeat(Math.floor(size / unit.length));

/** The CPU time of `work` in this thread, in milliseconds. */
function measureCpu(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const row = JSON.stringify({ id: 1, name: 'Loja', amount: 1.5, isOpen: true, tags: ['a', 'b'], note: 'x'.repeat(40) });
/** A JSON document of the size to which a workbook may unpack. */
const DOCUMENT = `[${fillTo(8 * MIB, `${row},`)}1]`;
const measureBound = () => 5 * measureCpu(() => JSON.parse(DOCUMENT) as unknown);
let bound: number;
beforeAll(() => {
  bound = Math.max(...Array.from({ length: 3 }, measureBound));
});

/** The most tries. One slow try may have another cause on the machine. */
const TRIES = 10;

const read = (file: Buffer) => {
  try {
    return readStatement(file, { currency: 'AOA' }).format;
  } catch (error) {
    const [fault] = (error as Problem).options.faults ?? [];
    return `${fault?.pointer} ${fault?.code}`;
  }
};

const heads = 'Data;Descrição;Débito;Crédito;Saldo\n';
const sheet = (xml: string) => ({ 'xl/worksheets/sheet1.xml': xml });
const cells = '<c r="A1" t="n" s="1"><v>1</v></c>';
const mt940 = ':20:A\n:25:AO06\n:60F:C260210AOA0,\n:61:2602110211C1490,00NTRFNONREF\n:86:';

/** An entry that claims to unpack to one byte. */
function lieAboutSize(): Buffer {
  const file = pack(sheet(fillTo(20 * MIB, ' ')));
  const end = file.lastIndexOf(Buffer.from('PK\u0001\u0002'));
  file.writeUInt32LE(1, end + 24);
  file.writeUInt32LE(1, 22);
  return file;
}

/** Each file by its name, for a size in bytes. */
const HOSTILE: Record<string, (size: number) => string | Buffer> = {
  'separators in one line': (size) => fillTo(size, ';'),
  'quotation marks': (size) => fillTo(size, '"'),
  'quoted separators': (size) => fillTo(size, '";'),
  'an open quotation mark in each line': (size) => fillTo(size, '"a;b\n'),
  'pairs of quotation marks': (size) => `"a\n${fillTo(size, '""a')}`,
  'one line': (size) => fillTo(size, 'a'),
  'one number': (size) => `24/11/2026;${fillTo(size, '1')};x`,
  'line breaks': (size) => fillTo(size, '\n'),
  'headings in each line': (size) => fillTo(size, 'data a;valor b;dia c;dt d\n'),
  'brackets in amounts': (size) => heads + fillTo(size, `11/02/2026;x;${'('.repeat(40)};\n`),
  'account numbers': (size) => heads + fillTo(size, `conta ${'1 '.repeat(40)}\n`),
  'open elements': (size) => fillTo(size, '<a>'),
  'elements beside each other': (size) => writeCamt(fillTo(size, '<a/>')),
  'elements in an entry': (size) => writeCamt(`<Ntry>${fillTo(size, '<a/>')}</Ntry>`),
  'transactions in an entry': (size) => writeCamt(`<Ntry><NtryDtls>${fillTo(size, '<TxDtls/>')}</NtryDtls></Ntry>`),
  attributes: (size) => `<Document ${fillTo(size, 'a="b" ')}/>`,
  'open attributes': (size) => `<Document ${fillTo(size, 'a="')}`,
  'open comments': (size) => `<a>${fillTo(size, '<!--')}`,
  entities: (size) => `<a>${fillTo(size, '&amp;')}</a>`,
  ampersands: (size) => `<a>${fillTo(size, '&')}</a>`,
  'lines of one movement': (size) => mt940 + fillTo(Math.min(size, 18_000), 'a\n'),
  'a long movement': (size) => mt940 + fillTo(size, '?20'),
  'spaces in a workbook': (size) => pack(sheet(fillTo(size * 10, ' '))),
  'cells in a workbook': (size) => pack(sheet(`<worksheet><row>${fillTo(size * 10, cells)}</row></worksheet>`)),
  'rows in a workbook': (size) => pack(sheet(`<worksheet>${fillTo(size * 10, '<row/>')}</worksheet>`)),
  'texts in a workbook': (size) =>
    pack({ ...sheet('<worksheet/>'), 'xl/sharedStrings.xml': `<sst>${fillTo(size * 10, '<si><t>a</t></si>')}</sst>` }),
  'entities in a workbook': (size) => pack(sheet(`<worksheet>${fillTo(size * 10, '&lt;')}</worksheet>`)),
  'transactions beside other elements': (size) =>
    writeCamt(
      `<Ntry>${fillTo(size / 3, '<a/>')}<NtryDtls>${fillTo(size / 2, '<TxDtls><Amt/></TxDtls>')}</NtryDtls></Ntry>`,
    ),
  'a long text of many transactions': (size) =>
    writeCamt(
      `<Ntry><NtryDtls>${fillTo(size / 2, '<TxDtls><Amt/><AddtlTxInf>a</AddtlTxInf></TxDtls>')}</NtryDtls>` +
        `<AddtlNtryInf>${fillTo(size / 3, 'a')}</AddtlNtryInf></Ntry>`,
    ),
  'a long text in many cells': (size) => {
    const texts = '<row><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>';
    const shared = ['descricao', 'data', 'valor', fillTo(2 * MIB, 'a')].map((text) => `<si><t>${text}</t></si>`);
    const movement = '<row><c><v>46064</v></c><c><v>5</v></c><c t="s"><v>3</v></c><c t="s"><v>3</v></c></row>';
    return pack({
      ...sheet(`<worksheet>${texts}${movement.repeat(size / 1_000)}</worksheet>`),
      'xl/sharedStrings.xml': `<sst>${shared.join('')}</sst>`,
    });
  },
  'sheets of a workbook': (size) =>
    pack(
      Object.fromEntries(
        Array.from({ length: 20 }, (_, nth) => [`xl/worksheets/sheet${nth}.xml`, `<a>${fillTo(size / 2, '<c/>')}</a>`]),
      ),
    ),
  'settings of a workbook': (size) =>
    pack({ ...sheet('<worksheet/>'), 'xl/workbook.xml': fillTo(size * 10, '<workbookPr') }),
  'brackets in formats': (size) =>
    pack({
      ...sheet('<worksheet/>'),
      'xl/styles.xml': `<a>${fillTo(size * 10, `<numFmt formatCode="${'['.repeat(200)}"/>`)}</a>`,
    }),
  'entities in formats': (size) =>
    pack({
      ...sheet('<worksheet/>'),
      'xl/styles.xml': `<a>${fillTo(size * 10, `<numFmt formatCode="${'&lt;'.repeat(2_000)}"/>`)}</a>`,
    }),
};

describe('the CPU time of a hostile statement', () => {
  test.each(Object.entries(HOSTILE))('with %s is at most five times JSON.parse, and grows linearly', (_name, make) => {
    const whole = Buffer.from(make(SIZE) as string);
    let least = Infinity;
    for (let nth = 0; nth < TRIES && least > bound; nth++)
      least = Math.min(
        least,
        measureCpu(() => read(whole)),
      );
    expect(least).toBeLessThanOrEqual(bound);
    // A time near the clock's own error has no meaningful ratio.
    if (least < bound / 10) return;
    const half = Buffer.from(make(SIZE / 2) as string);
    let ratio = Infinity;
    for (let nth = 0; nth < TRIES && ratio > 2.5; nth++)
      ratio = Math.min(ratio, measureCpu(() => read(whole)) / measureCpu(() => read(half)));
    expect(ratio).toBeLessThanOrEqual(2.5);
  });

  test.each<[string, () => Buffer]>([
    ['unpacks to 20 MiB', () => pack(sheet(fillTo(20 * MIB, ' ')))],
    ['names a false size', lieAboutSize],
    ['contains a workbook', () => pack(sheet(pack(sheet('<worksheet/>')).toString('latin1')))],
    ['has 51 entries', () => pack(Object.fromEntries(Array.from({ length: 51 }, (_, nth) => [`${nth}`, ''])))],
    ['is cut off', () => pack(sheet('<worksheet/>')).subarray(0, 60)],
    [
      'is a stream without a directory',
      () => Buffer.concat([Buffer.from('PK\u0003\u0004'), deflateRawSync(Buffer.alloc(1_000))]),
    ],
    [
      'expands entities',
      () => Buffer.from('<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><Document>&c;</Document>'),
    ],
  ])('is small for a file that %s, and the file is refused', (_name, make) => {
    const file = make();
    let least = Infinity;
    for (let nth = 0; nth < TRIES && least > bound; nth++)
      least = Math.min(
        least,
        measureCpu(() => read(file)),
      );
    expect(least).toBeLessThanOrEqual(bound);
    expect(read(file)).toMatch(/^\/file file_(?:format|encoding)$/);
  });
});

describe('the match of 5,000 lines with 5,000 settlements', () => {
  const [date, currency] = ['2026-02-11', 'AOA'];
  const about = { account: null, reference: null, date, currency };
  const each = <T>(make: (nth: number) => T) => Array.from({ length: 5_000 }, (_, nth) => make(nth));

  test.each<[string, string, (nth: number) => number]>([
    ['one period that all lines name', 'P12345', () => 1],
    ['equal amounts', 'x', () => 99_500],
    ['amounts that lack a little', 'x', (nth) => 99_499 - nth],
  ])('takes at most five times JSON.parse with %s', (_name, description, amountOf) => {
    const lines = each((nth) => ({ ...about, line: nth, hash: `${nth}`, description, amountMinor: amountOf(nth) }));
    const money = { currency, takenMinor: 100_000, missingMinor: 99_500 };
    const settlements = each((nth) => ({ ...money, id: `${nth}`, day: date, period: `P${12_345 + nth}` }));
    let least = Infinity;
    for (let nth = 0; nth < TRIES && least > bound; nth++)
      least = Math.min(
        least,
        measureCpu(() => matchLines(lines, settlements)),
      );
    expect(least).toBeLessThanOrEqual(bound);
  });
});
