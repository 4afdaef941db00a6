// Pages behind a cursor: lists of any length by (time, id), newest first, each page as fast as the first.
import { z } from 'zod';
import { fault } from './body.ts';
import { moment, UUID, viewPage, wholeNumber, type PageQuery } from './fields.ts';

/** The last row of a page, behind which the next one goes on. */
export type Cursor = { at: Date; id: string };

function readCursor(text: string): Cursor | null {
  const [, ms, id] = /^(-?\d{1,15})\.(.+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const at = moment.safeParse(new Date(Number(ms)).toJSON());
  return id && UUID.test(id) && at.success ? { at: at.data, id } : null;
}

const writeCursor = ({ at, id }: Cursor) => Buffer.from(`${at.getTime()}.${id}`).toString('base64url');

const after = z
  .string()
  .max(100)
  .refine((text) => readCursor(text) !== null, fault('page_cursor_invalid'))
  .transform((text) => readCursor(text) as Cursor)
  .optional();

/** The page of such a list. */
export const cursorQuery = (max: number, initial: number, about: string) => ({
  after: after.describe('`next` of the page before; absent: from the newest'),
  limit: wholeNumber(max, initial, about),
});

/** The same where pages have numbers too. */
export const afterQuery = {
  after: after.describe('`next` of a page: what comes behind it, however much is new; `page` counts from there'),
};

export type CutPage<T> = { rows: T[]; next: string | null };

/** A page and where to go on. @param rows in their order, up to one more than `limit`: then there is a next page */
export function cutPage<T>(rows: T[], limit: number, cursorOf: (row: T) => Cursor): CutPage<T> {
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return { rows, next: null };
  return { rows: rows.slice(0, limit), next: writeCursor(cursorOf(last)) };
}

/** A page that has a number, and the cursor of the next. */
export function viewPageWithNext<T>(page: CutPage<T>, query: PageQuery, totalItems: number) {
  return { ...viewPage(page.rows, query, totalItems), next: page.next };
}

viewPageWithNext.schema = (item: z.ZodType) => viewPage.schema(item).extend({ next: nextPage });

/** Of the document. */
export const nextPage = z.string().nullable().describe('Cursor of the next page, for `after`; null: this is the last');
