// The fields that SMS requests are made of, and the pages of their lists.
import { z } from 'zod';
import { normalizePhone } from '../../shared/phone.ts';
import type { Core } from '../core.ts';
import { fault } from '../http/validate.ts';
import { singleLine, documentedAs, UUID, viewPage, wholeNumber } from '../http/fields.ts';
import { readPage, type Listing } from '../lists/page.ts';
import type { Span } from '../lists/spans.ts';

const about = { tag: 'SMS' } as const;

export const reads = {
  ...about,
  method: 'GET',
  access: { kind: 'bearer', scope: 'sms:read' },
  bucket: 'read',
} as const;

/** Idempotency-Key is honoured by all of them: run them in `runKeyed`. */
export const writes = {
  ...about,
  access: { kind: 'bearer', scope: 'sms:write' },
  bucket: 'write',
  idempotent: true,
} as const;

/** The page of a list, as this group says it (decisions §1). */
export const smsPage = {
  pageNumber: wholeNumber(1_000_000, 1, 'Page, from 1'),
  pageSize: wholeNumber(100, 20, 'Items a page, at most 100'),
};

export type SmsPage = { pageNumber: number; pageSize: number };

/** The envelope of every list (decisions §1). */
export function showPage<T>(data: T[], { pageNumber, pageSize }: SmsPage, totalItems: number) {
  return viewPage(data, { page: pageNumber, pageSize }, totalItems);
}

showPage.schema = viewPage.schema;

/** An id in the path: what is none is nothing of ours. */
export const idText = z.string().regex(UUID);

export const nameText = singleLine(100);

/** Includes the separators around the digits. */
const MAX_PHONE_LENGTH = 64;

/** Any usual way to write an Angolan mobile number; comes out as E.164. */
export const phoneText = z
  .string()
  .refine((text) => text.length <= MAX_PHONE_LENGTH && normalizePhone(text) !== null, fault('invalid_phone'))
  .transform((text) => normalizePhone(text) as string)
  .meta(documentedAs({ type: 'string', minLength: 9, maxLength: MAX_PHONE_LENGTH }))
  .describe('Angolan mobile number: 9 digits starting with 9. +244, 00244 or 244 may stand before, and signs between');

/** As many characters as the longest message has. */
export const MAX_CHARACTERS = 1_530;

/** Letters of any alphabet and line breaks; of the control characters only those that a phone knows. */
export const WRITTEN = /^(?:[\t\n\f\r]|\P{Cc})*$/u;

/** More accents on a letter than any language has (UAX #15): putting them in order takes the square of their number. */
const PILE = /\p{M}{31}/u;

export function hasPile(text: string): boolean {
  return PILE.test(text);
}

/** One way to write each letter (NFC), which is also the cheapest to send. */
export function joinLetters(text: string): string {
  return hasPile(text) ? text : text.normalize('NFC');
}

/** Something that a phone shows. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{M}]/u;

/** A message that shows nothing costs as much as any other. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** A message's text, or a template's. */
export const contentText = z
  .string()
  .transform(joinLetters)
  .pipe(
    z
      .string()
      .min(1)
      .max(MAX_CHARACTERS)
      .regex(WRITTEN)
      .refine((text) => !hasPile(text))
      .refine((text) => text === '' || !isBlank(text), fault('required')),
  )
  .meta(documentedAs({ type: 'string', minLength: 1, maxLength: MAX_CHARACTERS }))
  .describe(`Something that can be seen; ${MAX_CHARACTERS} characters and 10 parts at most`);

/** What changes without showing anything new answers with. */
export const confirmation = z.object({ success: z.boolean(), message: z.string() }).meta({ id: 'SmsConfirmation' });

export function confirm(message: string): { status: number; body: z.infer<typeof confirmation> } {
  return { status: 200, body: { success: true, message } };
}

/** A page of one of this group's lists, which name their page `pageNumber`. */
export async function findPage<Row>(
  core: Core,
  { pageNumber, pageSize }: SmsPage,
  { span, ...listing }: Omit<Listing, 'query'> & { span?: Span | undefined },
): Promise<{ rows: Row[]; total: number }> {
  const { page, total } = await readPage<Row>(core, { ...listing, query: { page: pageNumber, pageSize, ...span } });
  return { rows: page.rows, total };
}
