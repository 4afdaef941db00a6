// A bank statement as every reader returns it, and the limits of a file.
import { invalidFields } from '../../http/problem.ts';
import { readSignedMinor } from '../amount.ts';

/** The formats that the readers know. */
export const STATEMENT_FORMATS = ['csv', 'xlsx', 'camt053', 'mt940'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/**
 * One booked movement of the bank. A debit has a negative amount.
 * `line` is the line of a text file or the row of a workbook. In a camt.053 file it is the number of the movement.
 */
export type StatementLine = {
  line: number;
  date: string;
  amountMinor: number;
  description: string;
  /** The bank's own reference of the movement. */
  reference: string | null;
};

/** The movements of one account of the bank in one currency. `number` is its IBAN or number, if the file has it. */
export type StatementAccount = { number: string | null; currency: string; lines: StatementLine[] };

/**
 * - `not_a_line`: a heading, a total, or other text around the movements.
 * - `unreadable`: it has no valid date and amount.
 * - `not_booked`: the bank has announced the movement, and has not booked it yet.
 */
export const SKIP_REASONS = ['not_a_line', 'unreadable', 'not_booked'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** A part of the file that is not a movement, with the beginning of its text. */
export type SkippedLine = { line: number; text: string; reason: SkipReason };

export type Statement = { format: StatementFormat; accounts: StatementAccount[]; aside: SkippedLine[] };

export const MAX_LINES = 5_000;
/** The most rows of a text file or workbook. Headings and empty rows count. */
export const MAX_ROWS = 2 * MAX_LINES;
/** Each account costs work, so a file of one account for each line is refused. */
const MAX_ACCOUNTS = 50;
/** Characters of a line's text, and of an account's number. */
const [MAX_TEXT, MAX_DESCRIPTION, MAX_REFERENCE, MAX_NUMBER] = [200, 500, 100, 40];

/** The faults of a file that is refused as a whole. */
const FILE_FAULTS = {
  format: { pointer: '/file', code: 'file_format' },
  encoding: { pointer: '/file', code: 'file_encoding' },
  empty: { pointer: '/file', code: 'file_empty' },
} as const;

export const wrongFile = (fault: keyof typeof FILE_FAULTS) => invalidFields([FILE_FAULTS[fault]]);

export const tooManyLines = () =>
  invalidFields([{ pointer: '/file', code: 'too_big', params: { maximum: MAX_LINES, isList: true } }]);

/** A movement as a reader finds it: its amount is still exact decimal text. */
export type FoundLine = Omit<StatementLine, 'amountMinor'> & { decimal: string | null };

export type Collector = {
  add(account: { number: string | null; currency: string }, found: FoundLine): void;
  skip(line: number, text: string, reason: SkipReason): void;
  /** @throws Problem validation_failed if the file has no movement, and nothing shows that it is a statement */
  finish(format: StatementFormat, isStatement: boolean): Statement;
};

/** True if the text may be the code of a currency. The conversion of amounts needs one. */
export const isCurrency = (text: string) => /^[A-Z]{3}$/.test(text);

/** Collects the movements of a file by account. @throws Problem validation_failed for too many of them */
export function collectLines(): Collector {
  const accounts = new Map<string, StatementAccount>();
  const aside: SkippedLine[] = [];
  let count = 0;
  const skip: Collector['skip'] = (line, text, reason) => {
    aside.push({ line, text: plainText(text, MAX_TEXT), reason });
  };
  return {
    skip,
    add(account, { decimal, ...found }) {
      if (++count > MAX_LINES) throw tooManyLines();
      const { currency } = account;
      const number = plainText(account.number ?? '', MAX_NUMBER) || null;
      const reference = plainText(found.reference ?? '', MAX_REFERENCE) || null;
      const description = plainText(found.description, MAX_DESCRIPTION);
      if (!isCurrency(currency)) return skip(found.line, description, 'unreadable');
      const key = `${currency} ${number ?? ''}`;
      const known = accounts.get(key) ?? { number, currency, lines: [] };
      if (accounts.set(key, known).size > MAX_ACCOUNTS) throw tooManyLines();
      const amountMinor = decimal === null ? null : readSignedMinor(decimal, currency);
      if (amountMinor === null) return skip(found.line, description, 'unreadable');
      known.lines.push({ ...found, amountMinor, description, reference });
    },
    finish(format, isStatement) {
      const found = [...accounts.values()].filter(({ lines }) => lines.length > 0);
      if (found.length === 0 && !isStatement) throw wrongFile('empty');
      return { format, accounts: found, aside };
    },
  };
}

/** Removes characters that the database and pages cannot show. */
function plainText(text: string, most: number): string {
  return text
    .slice(0, most * 2)
    .replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed();
}
