// The problems about settlements and what the bank credited: a part of the table in errors.ts.
import type { ProblemEntry } from './people-errors.ts';

/** By `code`, as in errors.ts. */
export const BOOKS_PROBLEMS = {
  period_open: {
    status: 409,
    title: 'Period still open',
    detail: 'Money of this period may still come: it is closed an hour after its day has ended. Nothing was entered.',
  },
  bank_file_known: {
    status: 409,
    title: 'Bank file entered before',
    detail: 'This file, or each line of it that is meant, was entered before. Nothing was entered again.',
  },
  bank_line_unclear: {
    status: 409,
    title: 'No line fits by itself',
    detail:
      'No line of the file names the period or has the amount that is missing. Nothing was entered: name the lines that are meant (`lines`), which the problem lists.',
  },
} satisfies Record<string, ProblemEntry>;
