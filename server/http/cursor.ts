// Pages by cursor: a list in the order (time, id), newest first, in which every page is as fast as the first.
import { z } from 'zod';
import { fault } from './validate.ts';
import { moment, UUID, viewPage, wholeNumber, type PageQuery } from './fields.ts';

/** A cursor: the last row of a page. The next page begins after this row. */
export type Cursor = { at: Date; id: string };

/** A cursor of a list in the order of sequence numbers. */
export type SeqCursor = { seq: number };

function readCursor(text: string): Cursor | null {
  const [, ms, id] = /^(-?\d{1,15})\.(.+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const at = moment.safeParse(new Date(Number(ms)).toJSON());
  return id && UUID.test(id) && at.success ? { at: at.data, id } : null;
}

function readSeq(text: string): SeqCursor | null {
  const [, seq] = /^seq\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return seq ? { seq: Number(seq) } : null;
}

function writeCursor(position: Cursor | SeqCursor): string {
  const text = 'seq' in position ? `seq.${position.seq}` : `${position.at.getTime()}.${position.id}`;
  return Buffer.from(text).toString('base64url');
}

const after = <Place>(read: (text: string) => Place | null) =>
  z
    .string()
    .max(100)
    .refine((text) => read(text) !== null, fault('page_cursor_invalid'))
    .transform((text) => read(text) as Place)
    .optional();

export const cursorQuery = (max: number, initial: number, about: string) => ({
  after: after(readCursor).describe('`next` of the previous page. Absent: the newest rows'),
  limit: wholeNumber(max, initial, about),
});

const AFTER =
  '`next` of a page: returns the rows after that page, even if rows were added since. ' +
  '`page` then counts from there';

export const afterQuery = { after: after(readCursor).describe(AFTER) };
export const afterSeqQuery = { after: after(readSeq).describe(AFTER) };

export type CutPage<T> = { rows: T[]; next: string | null };

/**
 * Returns a page and the cursor of the next page.
 * @param rows sorted rows; more rows than `limit` mean that a next page exists
 */
export function cutPage<T>(rows: T[], limit: number, cursorOf: (row: T) => Cursor | SeqCursor): CutPage<T> {
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return { rows, next: null };
  return { rows: rows.slice(0, limit), next: writeCursor(cursorOf(last)) };
}

export function viewPageWithNext<T>(page: CutPage<T>, query: PageQuery, totalItems: number) {
  return { ...viewPage(page.rows, query, totalItems), next: page.next };
}

viewPageWithNext.schema = (item: z.ZodType) => viewPage.schema(item).extend({ next: nextPage });

export const nextPage = z
  .string()
  .nullable()
  .describe('The cursor of the next page, for `after`. null: this is the last page');
