// Problems about shifts: a part of the table in errors.ts.
import type { ProblemEntry } from './people-errors.ts';

/** The problems about shifts, by their `code`. */
export const SHIFT_PROBLEMS = {
  shift_closed: {
    status: 409,
    title: 'Shift is closed',
    detail: 'This shift was closed before, perhaps on another device. A closed shift never changes. Open a new shift.',
  },
  cash_not_taken: {
    status: 409,
    title: 'Shop takes no cash',
    detail:
      'The merchant’s setting `takesCash` was off when this shift opened, so the shift has no cash. ' +
      'Switch the setting on, and open a new shift.',
  },
} as const satisfies Record<string, ProblemEntry>;
