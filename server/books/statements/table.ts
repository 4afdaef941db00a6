// Reads the rows of a CSV file or workbook as movements of accounts.
import { readAmount, readStoredNumber } from '../../../shared/money.ts';
import { findColumns, fitsMapping, mapColumns, mayHaveHeadings, namesOf, type Columns } from './columns.ts';
import { readDate } from './dates.ts';
import { bankMapping, type BankMapping } from './mapping.ts';
import type { Cell, Row } from './rows.ts';
import type { Collector, SkipReason } from './statement.ts';

/** Facts that a file may lack. `mapping` overrides its headings. `stored` is the mapping of the last file. */
export type Hints = { currency: string; mapping?: BankMapping | undefined; stored?: BankMapping | undefined };

type Account = { number: string | null; currency: string };

/** Rows that look like headings are examined up to this number. A file has one for each of its accounts. */
const MAX_HEADS = 200;

/**
 * Adds the movements of all rows. Other rows are set aside, and refuse nothing.
 * Returns true if the rows are a statement: they have known headings, or a row with an amount.
 */
export function readTable(rows: Row[], hints: Hints, collector: Collector): boolean {
  const { columns: fixed, first, decimal, hasHeadings } = chooseMapping(rows, hints);
  let columns = fixed;
  let heads = MAX_HEADS;
  let account: Account = { number: null, currency: hints.currency };
  let hasLines = false;
  let isStatement = hasHeadings;
  const skip = (row: Row, reason: SkipReason) => collector.skip(row.line, textOf(row), reason);
  for (const [nth, row] of rows.entries()) {
    if (row.cells.every((cell) => cell === '')) continue;
    if (row.isTooWide) {
      skip(row, 'unreadable');
      continue;
    }
    const head = !fixed && mayHaveHeadings(row) && heads-- > 0 ? findColumns(row) : null;
    if (head) columns = head;
    const read = nth < first || head || !columns ? 'not_a_line' : readRow(row, columns, { decimal, account });
    if (read !== 'not_a_line') isStatement = true;
    if (typeof read === 'string') {
      const told = head ? null : readAccount(row);
      // The first account after movements begins another part of the file.
      if (told) account = { ...(hasLines ? { number: null, currency: hints.currency } : account), ...told };
      if (told) hasLines = false;
      skip(row, read);
      continue;
    }
    hasLines = true;
    collector.add(read.account, { line: row.line, ...read.found });
  }
  return isStatement;
}

/** Returns the fixed columns of the file. Null: its headings name the columns. */
function chooseMapping(rows: Row[], { mapping, stored }: Hints) {
  const given = mapping ?? (stored && fitsMapping(rows, stored) ? stored : undefined);
  if (given) return { ...mapColumns(rows, given), decimal: given.decimal, hasHeadings: namesOf(given).length > 0 };
  let heads = MAX_HEADS;
  const hasHead = rows.some((row) => mayHaveHeadings(row) && heads-- > 0 && findColumns(row));
  if (hasHead) return { columns: null, first: 0, decimal: undefined, hasHeadings: true };
  const numbered = stored && [stored.date, stored.amount, stored.description].every((each) => typeof each === 'number');
  const used = numbered ? stored : bankMapping.parse({});
  return { ...mapColumns(rows, used), decimal: used.decimal, hasHeadings: false };
}

type RowOptions = { decimal: BankMapping['decimal']; account: Account };

/** Reads a row as a movement, or returns the reason to set it aside. */
function readRow({ cells }: Row, columns: Columns, { decimal, account }: RowOptions) {
  const cellAt = (at: number | undefined): Cell => (at === undefined ? '' : (cells[at] ?? ''));
  const date = readDate(cellAt(columns.date));
  const currency = readCurrency(String(cellAt(columns.currency))) ?? account.currency;
  const amount = readAmounts(columns, cellAt, { currency, decimal });
  if (amount === 'empty') return 'not_a_line';
  if (date === null) return isTotal(cells) || amount === null ? 'not_a_line' : 'unreadable';
  if (amount === null) return 'unreadable';
  const number = String(cellAt(columns.account)).trim();
  return {
    account: { number: number || account.number, currency },
    found: {
      date,
      decimal: amount,
      description: columns.descriptions
        .map((at) => String(cellAt(at)))
        .filter(Boolean)
        .join(' · '),
      reference: String(cellAt(columns.reference)) || null,
    },
  };
}

type AmountOptions = { currency: string; decimal: BankMapping['decimal'] };

/** Reads the signed amount of a row: exact decimal text, null if unreadable, or `empty`. */
function readAmounts(
  columns: Columns,
  cellAt: (at: number | undefined) => Cell,
  options: AmountOptions,
): string | null {
  const { amount, debit, credit, side } = columns;
  if (amount !== undefined) {
    const cell = cellAt(amount);
    if (cell === '') return 'empty';
    const sign = side && readSide(String(cellAt(side.at)));
    if (side && sign === null && !side.mayBeOther) return null;
    const read = readCell(cell, options);
    return sign === '-' ? asDebit(read) : read;
  }
  const [taken, given] = [cellAt(debit), cellAt(credit)].map((cell) => readFilled(cell, options));
  if (taken === 'empty') return given!;
  return given === 'empty' ? asDebit(taken!) : null;
}

/** Reads a cell of debits or credits. A zero is the same as an empty cell. */
function readFilled(cell: Cell, options: AmountOptions): string | null {
  const read = cell === '' ? 'empty' : readCell(cell, options);
  return read !== null && /^-?[0.]+$/.test(read) ? 'empty' : read;
}

/** A debit is negative, whether its column has a sign or not. */
const asDebit = (decimal: string | null) => (decimal === null || decimal.startsWith('-') ? decimal : `-${decimal}`);

/** An amount with its sign, its currency and a mark of its side has at most this number of characters. */
const MAX_AMOUNT = 40;

function readCell(cell: Cell, { currency, decimal }: AmountOptions): string | null {
  if (typeof cell === 'number') return readStoredNumber(cell);
  if (cell.length > MAX_AMOUNT) return null;
  const [, text = cell, mark = ''] = /^(.*\d.*?) ?(D[BR]?|CR?)$/i.exec(cell.trim()) ?? [];
  const read = readAmount(text, { currency, decimal, isSigned: true });
  return mark.toUpperCase().startsWith('D') ? asDebit(read) : read;
}

const SIDES: Record<string, '-' | '+'> = { '-': '-', '+': '+' };
for (const mark of ['d', 'db', 'dr', 'deb', 'debito', 'débito', 'debit']) SIDES[mark] = '-';
for (const mark of ['c', 'cr', 'cred', 'credito', 'crédito', 'credit']) SIDES[mark] = '+';

const readSide = (text: string) => SIDES[text.toLowerCase().trim().replace(/\.$/, '')] ?? null;

/** Words at the beginning of a total or a balance. */
const TOTALS = /^\W*(?:sub ?)?(?:tota|saldo|balance|opening|closing|transporte|a transportar|solde)/i;
const isTotal = (cells: Cell[]) => TOTALS.test(String(cells.find((cell) => cell !== '') ?? ''));

const readCurrency = (text: string): string | null => {
  const code = text.trim().toUpperCase();
  if (code === 'KZ' || code === 'AKZ') return 'AOA';
  return /^[A-Z]{3}$/.test(code) ? code : null;
};

/** Longer text around the movements does not name the account. */
const MAX_PREAMBLE = 300;
const IBAN = /\b([A-Z]{2}\d{2}(?:[ .]?[A-Z\d]{4}){2,7}(?:[ .]?[A-Z\d]{1,4})?)\b/;
const NUMBER = /(?:\bconta|\baccount|\bnib|\bcompte)\b[^\d]{0,30}(\d[\d./ -]{4,33}\d)/i;
const CURRENCY = /\b(?:moeda|currency|divisa|devise)\b\W*([a-z]{2,3})\b/i;

/** Reads the account and its currency from a row above the movements. Null if it names neither. */
function readAccount(row: Row): Partial<Account> | null {
  const text = textOf(row).slice(0, MAX_PREAMBLE);
  const number = (IBAN.exec(text) ?? NUMBER.exec(text))?.[1]?.replace(/[ .]/g, '');
  const currency = readCurrency(CURRENCY.exec(text)?.[1] ?? '');
  if (!number && !currency) return null;
  return { ...(number && { number }), ...(currency && { currency }) };
}

/** The text of a row, up to the length that a skipped line keeps. */
const textOf = ({ cells }: Row) => {
  let text = '';
  for (const cell of cells) {
    if (cell !== '') text += `${text && ' ; '}${String(cell).slice(0, MAX_PREAMBLE)}`;
    if (text.length > MAX_PREAMBLE) break;
  }
  return text;
};
