// Pages behind a cursor: lists of any length by (time, id), newest first, each page as fast as the first.
import { z } from 'zod';
import { fault } from './validate.ts';
import { moment, UUID, viewPage, wholeNumber, type PageQuery } from './fields.ts';

/** The last row of a page. The next page begins behind it. */
export type Cursor = { at: Date; id: string };

/** The cursor of a list that is ordered by sequence numbers. */
export type Seq = { seq: number };

function readCursor(text: string): Cursor | null {
  const [, ms, id] = /^(-?\d{1,15})\.(.+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const at = moment.safeParse(new Date(Number(ms)).toJSON());
  return id && UUID.test(id) && at.success ? { at: at.data, id } : null;
}

function readSeq(text: string): Seq | null {
  const [, seq] = /^seq\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return seq ? { seq: Number(seq) } : null;
}

function writeCursor(place: Cursor | Seq): string {
  const text = 'seq' in place ? `seq.${place.seq}` : `${place.at.getTime()}.${place.id}`;
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
  after: after(readCursor).describe('`next` of the page before; absent: from the newest'),
  limit: wholeNumber(max, initial, about),
});

const BEHIND = '`next` of a page: what comes behind it, however much is new; the page’s number counts from there';

export const afterQuery = { after: after(readCursor).describe(BEHIND) };
export const afterSeqQuery = { after: after(readSeq).describe(BEHIND) };

export type CutPage<T> = { rows: T[]; next: string | null };

/** A page and the cursor of the next. @param rows sorted; one row more than `limit` shows that a next page exists */
export function cutPage<T>(rows: T[], limit: number, cursorOf: (row: T) => Cursor | Seq): CutPage<T> {
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return { rows, next: null };
  return { rows: rows.slice(0, limit), next: writeCursor(cursorOf(last)) };
}

export function viewPageWithNext<T>(page: CutPage<T>, query: PageQuery, totalItems: number) {
  return { ...viewPage(page.rows, query, totalItems), next: page.next };
}

viewPageWithNext.schema = (item: z.ZodType) => viewPage.schema(item).extend({ next: nextPage });

export const nextPage = z.string().nullable().describe('Cursor of the next page, for `after`; null: this is the last');
