// Problems about settlements and bank credits: a part of the table in errors.ts.
import type { ProblemEntry } from './people-errors.ts';

/** The problems about settlements and bank credits, by their `code`. */
export const BOOKS_PROBLEMS = {
  period_open: {
    status: 409,
    title: 'Period still open',
    detail: 'This period closes one hour after its day ends: payments may still arrive. Nothing was recorded.',
  },
  bank_file_known: {
    status: 409,
    title: 'Bank file already imported',
    detail: 'This file, or each selected line of it, was already imported. Nothing was recorded again.',
  },
  bank_line_unclear: {
    status: 409,
    title: 'No line matches',
    detail:
      'No line of the file names the period or has the missing amount. Nothing was recorded. ' +
      'Choose from the `lines` in this problem and send their numbers as `lines`.',
  },
  credit_not_reversible: {
    status: 409,
    title: 'Entry cannot be reversed',
    detail:
      'This entry was reversed before, or it is itself a reversal. Nothing was recorded. ' +
      'To undo a reversal, enter the credit or the fee again.',
  },
  no_difference: {
    status: 409,
    title: 'No difference to explain',
    detail: 'The settlement does not differ from its credit, or its difference has an explanation. Nothing changed.',
  },
  difference_changed: {
    status: 409,
    title: 'Difference changed',
    detail: 'The settlement’s difference is now another one than `difference` of this request. Nothing changed.',
  },
} satisfies Record<string, ProblemEntry>;
