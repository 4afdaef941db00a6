import { describe, expect, test } from 'vitest';
import { bankMapping } from '../../../server/books/statements/mapping.ts';
import { hashLines, readStatement } from '../../../server/books/statements/read.ts';
import type { Problem } from '../../../server/http/problem.ts';
import { writeCamt, writeWorkbook } from '../../support/bank-statements.ts';

type File = string | Buffer;

const read = (file: File, mapping?: object) =>
  readStatement(Buffer.from(file as string), {
    currency: 'AOA',
    ...(mapping && { mapping: bankMapping.parse(mapping) }),
  });

/** Each movement as `line date amount description`, below its account if the file names it. */
const show = (file: File, mapping?: object) =>
  read(file, mapping).accounts.flatMap(({ number, currency, lines }) => [
    ...(number ? [`${number} ${currency}`] : []),
    ...lines.map(({ line, date, amountMinor, description }) => `${line} ${date} ${amountMinor} ${description}`),
  ]);

const showAside = (file: File, mapping?: object) =>
  read(file, mapping).aside.map(({ line, reason }) => `${line} ${reason}`);

const faultOf = (file: File, mapping?: object) => {
  try {
    return read(file, mapping).format;
  } catch (error) {
    const [fault] = (error as Problem).options.faults ?? [];
    return `${fault?.pointer} ${fault?.code}`;
  }
};

const latin = (text: string) => Buffer.from(text, 'latin1');

/** One statement in the layout of each bank. The data is invented. */
const BANKS: { bank: string; file: File; format: string; lines: string[]; aside: string[] }[] = [
  {
    bank: 'BAI (windows-1252, two amount columns, preamble and totals)',
    format: 'csv',
    file: latin(
      'BAI Directo;;;;;\r\nConta:;0040 0000 1234567 101 23;;;;\r\nMoeda:;AOA;;;;\r\n;;;;;\r\n' +
        'Data Mov.;Data Valor;Descrição do Movimento;Débito;Crédito;Saldo\r\n' +
        '11-02-2026;11-02-2026;CRÉD. TPA MULTICAIXA 156;;1.490,00;11.490,00\r\n' +
        '11-02-2026;11-02-2026;COMISSÃO MANUTENÇÃO;150,00;;11.340,00\r\n' +
        '12-02-2026;12-02-2026;TRF RECEBIDA;0,00;5.000,00;16.340,00\r\n' +
        'Total;;;150,00;6.490,00;\r\n',
    ),
    lines: [
      '00400000123456710123 AOA',
      '6 2026-02-11 149000 CRÉD. TPA MULTICAIXA 156',
      '7 2026-02-11 -15000 COMISSÃO MANUTENÇÃO',
      '8 2026-02-12 500000 TRF RECEBIDA',
    ],
    aside: ['1 not_a_line', '2 not_a_line', '3 not_a_line', '5 not_a_line', '9 not_a_line'],
  },
  {
    bank: 'BFA (tabs from Excel, one amount column with a sign)',
    format: 'csv',
    file:
      'Data\tData Valor\tDescrição\tMontante (AOA)\tSaldo\n' +
      '11/02/2026\t11/02/2026\tTRF EMIS 156\t1 490,00\t2 000,00\n11/02/2026\t11/02/2026\tPAGAMENTO\t-20,50\t1 979,50\n',
    lines: ['2 2026-02-11 149000 TRF EMIS 156', '3 2026-02-11 -2050 PAGAMENTO'],
    aside: ['1 not_a_line'],
  },
  {
    bank: 'BIC (a column D/C, commas, quoted cells)',
    format: 'csv',
    file:
      'Data Movimento,Descritivo,Valor,D/C,Saldo\n"11/02/2026","TRF, EMIS","1.490,00","C","2.000,00"\n' +
      '"12/02/2026","IMPOSTO ""SELO""","10,00","D","1.990,00"\n"13/02/2026","?","10,00","X","1.990,00"\n',
    lines: ['2 2026-02-11 149000 TRF, EMIS', '3 2026-02-12 -1000 IMPOSTO "SELO"'],
    aside: ['1 not_a_line', '4 unreadable'],
  },
  {
    bank: 'Atlântico (English headings, UTF-16 from Excel)',
    format: 'csv',
    file: Buffer.from(
      '\ufeffBooking Date\tValue Date\tDetails\tDebit\tCredit\tBalance\r\n11-Feb-2026\t11-Feb-2026\tEMIS 156\t\t1,490.00\t2,000.00\r\n',
      'utf16le',
    ),
    lines: ['2 2026-02-11 149000 EMIS 156'],
    aside: ['1 not_a_line'],
  },
  {
    bank: 'Millennium (workbook with days as numbers, text above the headings)',
    format: 'xlsx',
    file: writeWorkbook([
      ['Extracto de conta'],
      ['IBAN', { inline: 'AO06 0055 0000 1234 5678 1016 0' }],
      [],
      ['Data Lançamento', 'Data Valor', 'Descrição', null, 'Débito', 'Crédito', 'Saldo'],
      [{ serial: 46_064 }, { serial: 46_064 }, 'TRF EMIS & CO <156>', null, null, 1490, 2000],
      [{ serial: 46_065 }, { serial: 46_065 }, 'COMISSÃO', null, 0.1 + 0.2, null, 1999.7],
      ['Saldo final', null, null, null, null, 1999.7],
    ]),
    lines: ['AO06005500001234567810160 AOA', '5 2026-02-11 149000 TRF EMIS & CO <156>', '6 2026-02-12 -30 COMISSÃO'],
    aside: ['1 not_a_line', '2 not_a_line', '4 not_a_line', '7 not_a_line'],
  },
  {
    bank: 'Standard Bank (camt.053.001.02, a batch, a reversal, an announced entry)',
    format: 'camt053',
    file: writeCamt(
      '<Ntry><NtryRef>N1</NtryRef><Amt Ccy="AOA">1490.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>' +
        '<BookgDt><Dt>2026-02-11</Dt></BookgDt><AcctSvcrRef>B77</AcctSvcrRef><NtryDtls><TxDtls><RmtInf>' +
        '<Ustrd>EMIS 156 &amp;</Ustrd><Ustrd>linha 2</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>' +
        '<Ntry><Amt Ccy="AOA">30.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-02-12</Dt></BookgDt>' +
        '<NtryDtls><TxDtls><Amt Ccy="AOA">10.00</Amt><RmtInf><Ustrd>A</Ustrd></RmtInf></TxDtls>' +
        '<TxDtls><Amt Ccy="AOA">20.00</Amt><RmtInf><Ustrd>B</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>' +
        '<Ntry><Amt Ccy="AOA">5</Amt><CdtDbtInd>DBIT</CdtDbtInd><RvslInd>true</RvslInd><Sts>BOOK</Sts>' +
        '<BookgDt><Dt>2026-02-12</Dt></BookgDt><AddtlNtryInf>ESTORNO</AddtlNtryInf></Ntry>' +
        '<Ntry><Amt Ccy="AOA">9</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>PDNG</Sts><ValDt><Dt>2026-02-13</Dt></ValDt></Ntry>',
    ),
    lines: [
      'AO06004000001234567890123 AOA',
      '1 2026-02-11 149000 EMIS 156 & · linha 2',
      '2 2026-02-12 1000 A',
      '3 2026-02-12 2000 B',
      '4 2026-02-12 -500 ESTORNO',
    ],
    aside: ['5 not_booked'],
  },
  {
    bank: 'BPC (camt.053.001.08 in ISO-8859-1 with a prefix)',
    format: 'camt053',
    file: latin(
      "<?xml version='1.0' encoding='ISO-8859-1'?><ns:Document xmlns:ns='x'><ns:BkToCstmrStmt><ns:Stmt><ns:Acct><ns:Id>" +
        '<ns:Othr><ns:Id>0010-77</ns:Id></ns:Othr></ns:Id></ns:Acct><!-- > --><ns:Ntry><ns:Amt Ccy = "AOA">12.5</ns:Amt>' +
        '<ns:CdtDbtInd>CRDT</ns:CdtDbtInd><ns:Sts><ns:Cd>BOOK</ns:Cd></ns:Sts><ns:BookgDt><ns:DtTm>2026-02-11T10:00:00' +
        '</ns:DtTm></ns:BookgDt><ns:AddtlNtryInf><![CDATA[Crédito <1>]]></ns:AddtlNtryInf></ns:Ntry></ns:Stmt>' +
        '</ns:BkToCstmrStmt></ns:Document>',
    ),
    lines: ['0010-77 AOA', '1 2026-02-11 1250 Crédito <1>'],
    aside: [],
  },
  {
    bank: 'SOL (MT940, two statements in one file)',
    format: 'mt940',
    file:
      '{1:F01X}{4:\r\n:20:EXT1\r\n:25:AO06004400001\r\n:28C:1/1\r\n:60F:C260210AOA0,\r\n' +
      ':61:2602110211C1490,00NTRFNONREF//B77\r\nsuplemento\r\n:86:TRF EMIS 156\r\n LINHA 2\r\n' +
      ':61:2512310102RC10,NCHG//B78\r\n:86:?00?20ESTORNO?21X\r\n:61:260212D5,50NCHGX\r\n:62F:C260212AOA1474,50\r\n-}\r\n' +
      ':20:EXT2\n:25:AO06004400002\n:60F:C260210USD0,\n:61:2602120212C7,5NTRFR1\n:61:260231C1,NTRFX\n:62F:C260212USD7,5\n-\n',
    lines: [
      'AO06004400001 AOA',
      '6 2026-02-11 149000 TRF EMIS 156 LINHA 2',
      '10 2026-01-02 -1000 ESTORNO X',
      '12 2026-02-12 -550 ',
      'AO06004400002 USD',
      '18 2026-02-12 750 ',
    ],
    aside: ['19 unreadable'],
  },
  {
    bank: 'Keve (two accounts below each other, each with its own headings)',
    format: 'csv',
    file:
      'Conta;0047000001\nData;Descrição;Crédito;Débito\n11/02/2026;A;10,00;\n;Saldo final;;\n' +
      'Conta;0047000002\nMoeda;USD\nDescrição;Débito;Crédito;Data\nB;;20,00;12/02/2026\n',
    lines: ['0047000001 AOA', '3 2026-02-11 1000 A', '0047000002 USD', '8 2026-02-12 2000 B'],
    aside: ['1 not_a_line', '2 not_a_line', '4 not_a_line', '5 not_a_line', '6 not_a_line', '7 not_a_line'],
  },
  {
    bank: 'Caixa Angola (pipes, a column of accounts, amounts with a side and a currency)',
    format: 'csv',
    file: 'Conta|Data|Historico|Montante|Moeda\n000111222|11.02.26|A|1.490,00 C|KZ\n000333444|11.02.26|B|20,00 D|USD\n',
    lines: ['000111222 AOA', '2 2026-02-11 149000 A', '000333444 USD', '3 2026-02-11 -2000 B'],
    aside: ['1 not_a_line'],
  },
];

describe('a statement in the layout of', () => {
  test.each(BANKS)('$bank has its movements by account, and the rest aside', ({ file, format, lines, aside }) => {
    expect(read(file).format).toBe(format);
    expect([show(file), showAside(file)]).toEqual([lines, aside]);
  });
});

/** An entry of camt.053 with a day, and with the amount, the currency and the side of each transaction. */
const writeEntry = (amount: string, parts: [amount: string, currency: string, side: string, text: string][]) =>
  `<Ntry><Amt Ccy="AOA">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><BookgDt><Dt>2026-02-11</Dt></BookgDt><NtryDtls>${parts
    .map(
      ([part, currency, side, text]) =>
        `<TxDtls><Amt Ccy="${currency}">${part}</Amt>${side && `<CdtDbtInd>${side}</CdtDbtInd>`}` +
        `<RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`,
    )
    .join('')}</NtryDtls></Ntry>`;

describe('an entry of camt.053', () => {
  test('has the movements of its transactions if they add up to its amount', () => {
    const entry = writeEntry('1000.00', [
      ['600', 'AOA', '', 'A'],
      ['550.00', 'AOA', 'CRDT', 'B'],
      ['150', 'AOA', 'DBIT', 'C'],
    ]);
    expect(show(writeCamt(entry)).slice(1)).toEqual([
      '1 2026-02-11 60000 A',
      '2 2026-02-11 55000 B',
      '3 2026-02-11 -15000 C',
    ]);
  });

  test.each([
    ['2026-02-11T23:30:00Z', '2026-02-12'],
    ['2026-02-11T22:59:59.999Z', '2026-02-11'],
    ['2026-02-11T23:30:00+01:00', '2026-02-11'],
    ['2026-02-11T20:30-05:00', '2026-02-12'],
    ['2026-02-11T23:30:00', '2026-02-11'],
  ])('with the time %s has the date %s in Luanda', (time, date) => {
    const day = '<Dt>2026-02-11</Dt>';
    const entry = writeEntry('5', []).replace(day, `<DtTm>${time}</DtTm>`);
    expect(show(writeCamt(entry))[1]).toBe(`1 ${date} 500 `);
  });

  test.each<[string, [string, string, string, string][]]>([
    [
      'before charges',
      [
        ['600', 'AOA', '', 'A'],
        ['500', 'AOA', '', 'B'],
      ],
    ],
    [
      'in another currency',
      [
        ['600', 'USD', '', 'A'],
        ['400', 'USD', '', 'B'],
      ],
    ],
    [
      'without a valid currency',
      [
        ['600', 'AOA', '', 'A'],
        ['400', 'Kz', '', 'B'],
      ],
    ],
  ])('is one movement if the amounts of its transactions are %s', (_name, parts) => {
    const file = writeCamt(writeEntry('1000.00', parts));
    expect(show(file).slice(1)).toEqual(['1 2026-02-11 100000 A · B']);
    expect(showAside(file)).toEqual([]);
  });
});

describe('a line of text without headings', () => {
  test.each([
    ['24/11/2026;1.290,05;TRF EMIS', '1 2026-11-24 129005 TRF EMIS'],
    ['4-1-2026; 1 290,5 ;x', '1 2026-01-04 129050 x'],
    ['2026-11-24T08:00:00;+7;x', '1 2026-11-24 700 x'],
    ['20261124;7;x', '1 2026-11-24 700 x'],
    ['46350;7;x', '1 2026-11-24 700 x'],
    ['24 de Novembro de 2026;7;x', '1 2026-11-24 700 x'],
    ['24-Dez-26;7;x', '1 2026-12-24 700 x'],
    ['24.11.2026;-15,00;Comissão', '1 2026-11-24 -1500 Comissão'],
    ['24.11.2026;15,00-;x', '1 2026-11-24 -1500 x'],
    ['24.11.2026;(1 234,56 Kz);x', '1 2026-11-24 -123456 x'],
    ['24.11.2026;1.234,56 DB;x', '1 2026-11-24 -123456 x'],
    ['24/11/2026;10;"a; ""b""\nc"', '1 2026-11-24 1000 a; "b" c'],
    ['24/11/2026;10;o "TPA" 7', '1 2026-11-24 1000 o "TPA" 7'],
    ['24/11/2026;10;"TPA" 7', '1 2026-11-24 1000 "TPA" 7'],
    ['24/11/2026;10;"aberto', '1 2026-11-24 1000 "aberto'],
    ['\ufeff24/11/2026;10;x\r\n', '1 2026-11-24 1000 x'],
    ['24/11/2026\t1.290,05\tTRF EMIS', '1 2026-11-24 129005 TRF EMIS'],
    ['24/11/2026,"1.290,05",TRF EMIS', '1 2026-11-24 129005 TRF EMIS'],
    ['24/11/2026;1290,05;a, b, c', '1 2026-11-24 129005 a, b, c'],
    ['sep=;\n24/11/2026;1,5;a', '2 2026-11-24 150 a'],
    ['24/11/2026;10', '1 2026-11-24 1000 '],
  ])('is read from %j', (text, line) => {
    expect(show(text)).toEqual([line]);
  });

  test.each([
    ['24/11/2026;-15,00-;x'],
    ['11/24/2026;10;x'],
    ['31/02/2026;10;x'],
    ['24/11/2026;ten;x'],
    ['24/11/2026;0;x'],
    ['24/11/2026;1000,001;x'],
    ['24/11/2026;1500,500;x'],
    ['24/11/2026;10,00 USD;x'],
    [`24/11/2026;${'1 '.repeat(30)};x`],
    [`24/11/2026;10;x${';'.repeat(100)}`],
  ])('that cannot be read is left aside: %j', (text) => {
    expect(show(`24/11/2026;7;y\n${text}`)).toEqual(['1 2026-11-24 700 y']);
    expect(showAside(`24/11/2026;7;y\n${text}`)).toEqual(['2 unreadable']);
  });

  test('has the same hash in another file, and equal lines of one file have different hashes', () => {
    const [one, two] = hashLines(read('24/11/2026;10;x\n24/11/2026;10;x'));
    const again = hashLines(read('Data;Valor;Descrição\n2026-11-24;10,00;x\n25/11/2026;10;x'));
    expect(one!.hash).not.toBe(two!.hash);
    expect(again.map(({ hash }) => hash)).toContain(one!.hash);
    expect(again.map(({ hash }) => hash)).not.toContain(two!.hash);
  });
});

describe('headings', () => {
  test.each([['Valor Debitado;Valor Creditado'], ['Montante debitado (Kz);Montante creditado (Kz)']])(
    'name the columns of debits and credits: %s',
    (names) => {
      const text = `Data;Descrição;${names};Saldo\n11/02/2026;A;150,00;;0\n12/02/2026;B;;20,00;0\n`;
      expect(show(text)).toEqual(['2 2026-02-11 -15000 A', '3 2026-02-12 2000 B']);
    },
  );
});

describe('a mapping', () => {
  test('overrides the headings by names and by numbers', () => {
    const text = 'Conta,0001\n\nDescritivo,Data Mov.,Saldo,Montante\nEMIS 156,24/11/2026,9.00,"1,290.05"\n';
    const mapping = { separator: ',', decimal: '.', date: 'data mov.', amount: 'Saldo', description: 'Montante' };
    expect(show(text, mapping)).toEqual(['4 2026-11-24 900 1,290.05']);
    const numbers = { separator: ',', decimal: '.', date: 2, amount: 4, description: 1 };
    expect(show(text.split('\n').slice(3).join('\n'), numbers)).toEqual(['1 2026-11-24 129005 EMIS 156']);
    expect(faultOf(text, { ...mapping, amount: 'Valor' })).toBe('/mapping file_head');
  });

  test('may name a column of debits and a column of credits', () => {
    const text = '24/11/2026;A;;10,00\n25/11/2026;B;7,00;\n';
    const mapping = { date: 1, description: 2, debit: 3, credit: 4 };
    expect(show(text, mapping)).toEqual(['1 2026-11-24 1000 A', '2 2026-11-25 -700 B']);
  });

  test.each([
    [',', '101.50'],
    [',', '1,500'],
    [',', '1,234.50'],
    ['.', '101,50'],
    ['.', '1.500'],
  ])('with decimal sign %s leaves %s aside', (decimal, text) => {
    expect(showAside(`24/11/2026;10;x\n24/11/2026;${text};x`, { decimal })).toEqual(['2 unreadable']);
  });

  test('of the last file applies if the file has its names, or no headings', () => {
    const stored = bankMapping.parse({ date: 'Dia', amount: 'Total', description: 'Valor' });
    const readStored = (text: string, mapping = stored) =>
      readStatement(Buffer.from(text), { currency: 'AOA', stored: mapping }).accounts[0]!.lines[0];
    const line = { amountMinor: 1_000, description: 'x' };
    expect(readStored('Dia;Valor;Total\n24/11/2026;x;10\n')).toMatchObject(line);
    expect(readStored('Data;Valor;Descrição\n24/11/2026;10;x\n')).toMatchObject(line);
    const numbers = bankMapping.parse({ date: 1, amount: 3, description: 2 });
    expect(readStored('24/11/2026;x;10\n', numbers)).toMatchObject(line);
    expect(readStored('Data;Valor;Descrição\n24/11/2026;10;x\n', numbers)).toMatchObject(line);
  });
});

describe('a workbook', () => {
  test('has its sheets below each other, and amounts without the noise of stored numbers', () => {
    const head = ['Data', 'Valor', 'Descrição'];
    const day = { serial: 46_064.5 };
    const file = writeWorkbook(
      [head, [day, 1.5, 'A'], [day, '1.500', 'B']],
      [head, [46_065, 1.234, 'C'], [day, 1e3, 7]],
    );
    expect(show(file)).toEqual(['2 2026-02-11 150 A', '3 2026-02-11 150000 B', '6 2026-02-11 100000 7']);
    expect(showAside(file)).toEqual(['1 not_a_line', '4 not_a_line', '5 unreadable']);
  });
});

describe('a file', () => {
  const opened = '24/11/2026;10;x';
  test.each<[string, File, string]>([
    ['UTF-16 without a mark', Buffer.from(opened, 'utf16le'), '/file file_format'],
    ['no content', '', '/file file_empty'],
    ['text alone', 'Bom dia\n\nSegue o extracto;em anexo', '/file file_empty'],
    ['an XML document without a statement', '<Document><BkToCstmrStmt/></Document>', '/file file_empty'],
    ['too many lines', `${opened}\n`.repeat(5_001), '/file too_big'],
    ['too many empty lines', `${'\n'.repeat(10_000)}${opened}`, '/file too_big'],
    ['the format PDF', '%PDF-1.4', '/file file_format'],
    ['the format of Excel 97', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1]), '/file file_format'],
    ['the format HTML', '<html><body><table></table></body></html>', '/file file_format'],
    ['another XML document', '<Document><FIToFICstmrCdtTrf></FIToFICstmrCdtTrf></Document>', '/file file_format'],
    ['an open element', '<Document><BkToCstmrStmt>', '/file file_format'],
    ['a wrong end', '<Document></Documents>', '/file file_format'],
    ['an XML encoding that is not allowed', '<?xml version="1.0" encoding="UTF-7"?><Document/>', '/file file_encoding'],
    ['wrong bytes for its XML encoding', latin('<Document>é</Document>'), '/file file_encoding'],
    ['a document type', '<!DOCTYPE a><Document/>', '/file file_format'],
    ['an unknown entity', '<Document>&b;</Document>', '/file file_format'],
    ['a zip without sheets', Buffer.from('PK\u0003\u0004'), '/file file_format'],
  ])('with %s is refused', (_name, file, fault) => {
    expect(faultOf(file)).toBe(fault);
  });

  test.each<[string, File, string[]]>([
    ['camt.053', writeCamt(''), []],
    ['MT940', ':20:EXT1\n:25:AO06\n:60F:C260210AOA5,\n:62F:C260210AOA5,\n-\n', []],
    ['CSV with headings alone', 'Data;Valor;Descrição\nSaldo;5,00;', ['1 not_a_line', '2 not_a_line']],
    ['CSV with invalid dates', '99/99/2026;10,00;x\n99/99/2026;10,00;y', ['1 unreadable', '2 unreadable']],
    ['a workbook with headings alone', writeWorkbook([['Data', 'Valor', 'Descrição']]), ['1 not_a_line']],
  ])('in the form of %s without movements has no accounts, and its lines aside', (_name, file, aside) => {
    expect([read(file).accounts, showAside(file)]).toEqual([[], aside]);
  });

  test.each<[string, string | Buffer]>([
    [
      'camt.053',
      writeCamt(
        '<Ntry><Amt Ccy="AOA">5.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><BookgDt><Dt>2026-02-11</Dt></BookgDt>' +
          '<NtryRef>A&#0;B&#13;C</NtryRef></Ntry>',
        { account: 'AO06&#0;' },
      ),
    ],
    [
      'a workbook',
      writeWorkbook([
        ['Data', 'Descrição', 'Valor', 'Referência', 'Conta'],
        ['11/02/2026', 'x', '5,00', { inline: 'A\0B\nC' }, { inline: 'AO06\0' }],
      ]),
    ],
  ])('in the form of %s has no control characters in its references and account numbers', (_name, file) => {
    const [account] = read(file).accounts;
    expect(account).toMatchObject({ number: 'AO06', lines: [{ reference: 'A B C' }] });
  });
});
