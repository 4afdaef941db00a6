// The problems about payment links: a part of the table in errors.ts.
import type { ProblemEntry } from './people-errors.ts';

/** By `code`, as in errors.ts. */
export const LINK_PROBLEMS = {
  link_changed: {
    status: 409,
    title: 'Link was changed meanwhile',
    detail:
      'Somebody changed this link after you read it; nothing was changed now. `current` is the link as it is: look at it, and send your change again with its `revision`.',
  },
  link_withdrawn: {
    status: 409,
    title: 'Link is withdrawn',
    detail: 'A withdrawn link stays as it is. Create a new one.',
  },
} as const satisfies Record<string, ProblemEntry>;
