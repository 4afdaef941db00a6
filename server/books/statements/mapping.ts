// The columns of a bank's CSV file or workbook, as a merchant describes them.
import { z } from 'zod';
import { requiredInteger } from '../../http/fields.ts';
import { SEPARATORS } from './rows.ts';

const column = z.union([requiredInteger(1, 50), z.string().min(1).max(60)]);

/** The format of a bank's CSV file and the names of its columns. */
export const bankMapping = z
  .object({
    separator: z.enum(SEPARATORS).optional().describe('Default: the sign that separates most lines of the file'),
    decimal: z.enum([',', '.']).optional().describe('If set, amounts with another decimal sign are refused'),
    date: column.default(1).describe('Number of the column, from 1, or its heading'),
    amount: column.default(2).describe('Unused if `debit` or `credit` is set'),
    description: column.default(3),
    debit: column.optional().describe('Column of debits, if they have their own'),
    credit: column.optional(),
  })
  .meta({ id: 'BankMapping' });

export type BankMapping = z.output<typeof bankMapping>;
