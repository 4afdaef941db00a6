// Builds bank statements for tests. All data is invented.
import { strToU8, zipSync } from 'fflate';

/** A cell of a sheet: text, a number, or a day that Excel stores as a number with the format of a date. */
type SheetCell = string | number | { serial: number } | { inline: string } | null;

const STYLES =
  '<styleSheet><numFmts><numFmt numFmtId="165" formatCode="dd\\-mm\\-yyyy"/></numFmts><cellStyleXfs><xf numFmtId="0"/>' +
  '</cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="165"/></cellXfs></styleSheet>';

/** Writes a workbook as Excel does, with shared texts and sparse cells. */
export function writeWorkbook(...sheets: SheetCell[][][]): Buffer {
  const texts: string[] = [];
  const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const writeCell = (cell: SheetCell, name: string) => {
    if (cell === null) return '';
    if (typeof cell === 'number') return `<c r="${name}"><v>${cell}</v></c>`;
    if (typeof cell === 'string') return `<c r="${name}" t="s"><v>${texts.push(cell) - 1}</v></c>`;
    if ('serial' in cell) return `<c r="${name}" s="1"><v>${cell.serial}</v></c>`;
    return `<c r="${name}" t="inlineStr"><is><t>${escape(cell.inline)}</t></is></c>`;
  };
  const writeRow = (cells: SheetCell[], row: number) =>
    `<row r="${row}">${cells.map((cell, at) => writeCell(cell, `${String.fromCharCode(65 + at)}${row}`)).join('')}</row>`;
  const files = sheets.map((rows, nth): [string, string] => [
    `xl/worksheets/sheet${nth + 1}.xml`,
    `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="x"><sheetData>${rows
      .map((cells, at) => writeRow(cells, at + 1))
      .join('')}</sheetData></worksheet>`,
  ]);
  const shared = `<sst>${texts.map((text) => `<si><t xml:space="preserve">${escape(text)}</t></si>`).join('')}</sst>`;
  return pack({ ...Object.fromEntries(files), 'xl/sharedStrings.xml': shared, 'xl/styles.xml': STYLES });
}

/** Packs files as a workbook. */
export const pack = (files: Record<string, string>): Buffer =>
  Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), { level: 1 }),
  );

/** Writes entries of one account as camt.053. */
export const writeCamt = (entries: string, { version = '02', account = 'AO06004000001234567890123' } = {}): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}">` +
  `<BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>1</Id><Acct><Id><IBAN>${account}</IBAN></Id><Ccy>AOA</Ccy>` +
  `</Acct><Bal><Amt Ccy="AOA">1</Amt></Bal>${entries}</Stmt></BkToCstmrStmt></Document>`;
