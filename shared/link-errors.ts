// Problems about payment links: a part of the table in errors.ts.
import type { ProblemEntry } from './people-errors.ts';

/** The problems about payment links, by their `code`. */
export const LINK_PROBLEMS = {
  link_changed: {
    status: 409,
    title: 'Link was changed concurrently',
    detail:
      'This link was changed after you read it. Nothing was changed now. ' +
      '`current` is the current link: send your change again with its `revision`.',
  },
  link_withdrawn: {
    status: 409,
    title: 'Link is withdrawn',
    detail: 'A withdrawn link cannot be changed. Create a new one.',
  },
  too_many_articles: {
    status: 409,
    title: 'Too many articles',
    detail: 'A merchant has at most 200 articles. Delete one first.',
  },
  article_name_taken: {
    status: 409,
    title: 'Name is taken',
    detail: 'Another active article has this name. Use another name, or hide that article.',
  },
} as const satisfies Record<string, ProblemEntry>;
