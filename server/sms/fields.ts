// Fields and the page format that all SMS endpoints share.
import { z } from 'zod';
import { normalizePhone } from '../../shared/phone.ts';
import type { Core } from '../core.ts';
import { fault } from '../http/validate.ts';
import { singleLine, documentedAs, viewPage, wholeNumber, uuidText, ruleFault, withPattern } from '../http/fields.ts';
import { readPage, type Listing } from '../lists/page.ts';
import type { Span } from '../lists/spans.ts';

const about = { tag: 'SMS' } as const;

export const reads = {
  ...about,
  method: 'GET',
  access: { kind: 'bearer', scope: 'sms:read' },
  bucket: 'read',
} as const;

/** Options of all SMS writes. They accept an Idempotency-Key, so their handlers use `runKeyed`. */
export const writes = {
  ...about,
  access: { kind: 'bearer', scope: 'sms:write' },
  bucket: 'write',
  idempotent: true,
} as const;

/** Page parameters of SMS lists. The published SMS contract has the name `pageNumber` instead of `page`. */
export const smsPage = {
  pageNumber: wholeNumber(1_000_000, 1, 'Page, from 1'),
  pageSize: wholeNumber(100, 20, 'Items per page, at most 100'),
};

export type SmsPage = { pageNumber: number; pageSize: number };

/** Builds the response body of an SMS list endpoint. */
export function showPage<T>(data: T[], { pageNumber, pageSize }: SmsPage, totalItems: number) {
  return viewPage(data, { page: pageNumber, pageSize }, totalItems);
}

showPage.schema = viewPage.schema;

/** Schema of an id in the path. A malformed id returns 404, like an unknown id. */
export const idText = uuidText;

export const nameText = singleLine(100);

/** Maximum length of a phone number, including the separators around its digits. */
const MAX_PHONE_LENGTH = 64;

/** Schema of an Angolan mobile number in any usual format. The parsed value is in E.164. */
export const phoneText = z
  .string()
  .refine((text) => text.length <= MAX_PHONE_LENGTH && normalizePhone(text) !== null, fault('invalid_phone'))
  .transform((text) => normalizePhone(text) as string)
  .meta(documentedAs({ type: 'string', minLength: 9, maxLength: MAX_PHONE_LENGTH }))
  .describe('Angolan mobile number: 9 digits starting with 9. A prefix +244, 00244 or 244 and separators are allowed');

/** Maximum characters of an SMS text: 10 parts of 153 characters. */
export const MAX_CHARACTERS = 1_530;

/** Pattern of accepted SMS texts: letters of any alphabet, line breaks, and control characters that phones support. */
export const ALLOWED_TEXT = /^(?:[\t\n\f\r]|\P{Cc})*$/u;

/** Pattern of more combining marks than any language uses (UAX #15). Normalizing them takes quadratic time. */
const STACKED_MARKS = /\p{M}{31}/u;

export function hasStackedMarks(text: string): boolean {
  return STACKED_MARKS.test(text);
}

/** Converts a text to NFC, which needs the fewest SMS parts. A text with stacked marks stays unchanged. */
export function normalizeText(text: string): string {
  return hasStackedMarks(text) ? text : text.normalize('NFC');
}

/** Pattern of a character that a phone displays. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{M}]/u;

/** True if a phone would display nothing of the text. Such an SMS would still cost units. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** Schema of the text of an SMS or of a template. */
export const contentText = z
  .string()
  .transform(normalizeText)
  .pipe(
    withPattern(z.string().min(1).max(MAX_CHARACTERS), ALLOWED_TEXT, 'smsText')
      .refine((text) => !hasStackedMarks(text), ruleFault('smsText'))
      .refine((text) => text === '' || !isBlank(text), fault('required')),
  )
  .meta(documentedAs({ type: 'string', minLength: 1, maxLength: MAX_CHARACTERS }))
  .describe('Visible text of at most 10 parts');

/** Response of SMS writes that return no resource. */
export const confirmation = z.object({ success: z.boolean(), message: z.string() }).meta({ id: 'SmsConfirmation' });

export function confirm(message: string): { status: number; body: z.infer<typeof confirmation> } {
  return { status: 200, body: { success: true, message } };
}

/** Reads a page of a list with the page parameters of the SMS endpoints. */
export async function findPage<Row>(
  core: Core,
  { pageNumber, pageSize }: SmsPage,
  { span, ...listing }: Omit<Listing, 'query'> & { span?: Span | undefined },
): Promise<{ rows: Row[]; total: number }> {
  const { page, total } = await readPage<Row>(core, { ...listing, query: { page: pageNumber, pageSize, ...span } });
  return { rows: page.rows, total };
}
