// Reads a bank's statement in any format that banks send. The content decides the format, never a file's name.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { readCamt053 } from './camt053.ts';
import { decodeText, decodeXml, headOf } from './decode.ts';
import { isMt940, readMt940 } from './mt940.ts';
import { splitRows } from './rows.ts';
import { collectLines, wrongFile, type Statement, type StatementLine } from './statement.ts';
import { readTable, type Hints } from './table.ts';
import { readXlsx } from './xlsx.ts';

/** The longest file in base64 characters. The body of a request is at most 1 MiB. */
const MAX_FILE_CHARACTERS = 1_000_000;

/** A bank's file in a request. */
export const statementFile = z
  .base64()
  .max(MAX_FILE_CHARACTERS)
  .describe('A bank statement as base64: CSV, text with tabs, XLSX, camt.053 or MT940. The content decides the format');

/**
 * Reads a statement. Text around the movements, and lines that cannot be read, are in `aside`.
 * A statement of a day without movements has no accounts.
 * @throws Problem validation_failed: an unknown or broken format, no line of a statement, or too many movements
 */
export function readStatement(bytes: Buffer, hints: Hints): Statement {
  if (bytes.subarray(0, 4).equals(ZIP)) {
    const collector = collectLines();
    return collector.finish('xlsx', readTable(readXlsx(bytes), hints, collector));
  }
  if (REFUSED.some((sign) => bytes.subarray(0, sign.length).equals(sign))) throw wrongFile('format');
  const head = headOf(bytes);
  if (/^\s*</.test(head)) return readCamt053(decodeXml(bytes));
  const text = decodeText(bytes);
  if (isMt940(head)) return readMt940(text);
  const collector = collectLines();
  return collector.finish('csv', readTable(splitRows(text, hints.mapping?.separator), hints, collector));
}

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1');
/** PDF files, and workbooks of Excel 97. */
const REFUSED = [Buffer.from('%PDF'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])];

/** A line of a statement with its account. Equal lines in different files have the same `hash`. */
export type BankLine = StatementLine & { account: string | null; currency: string; hash: string };

/** Returns the lines of all accounts with their hashes. Equal lines within one file have different hashes. */
export function hashLines({ accounts }: Statement): BankLine[] {
  const seen = new Map<string, number>();
  return accounts.flatMap(({ number, currency, lines }) =>
    lines.map((each) => {
      const key = `${currency}|${each.date}|${each.amountMinor}|${each.description}`;
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      return { ...each, account: number, currency, hash: hash('sha256', `${key}|${nth}`, 'base64url') };
    }),
  );
}
