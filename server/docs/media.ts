// Examples of what is answered beside JSON: events as they stream, a file's line of names, a picture.
import { csvWriter } from '../exports/csv.ts';
import type { Route } from '../http/route.ts';
import { writeEvent } from '../http/sse.ts';
import type { Examples } from './examples.ts';

/** A QR code of one digit. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAB0AAAAdAQMAAABsXfVMAAAABlBMVEX///8bGhd2T+DzAAAAdklEQVR4nG3NwQmCYBzG4Z9S8uUf+laIhA4RruAADuAOTfEO4QARCHboawQH0U4dAsm7p2oBnwUeWOCnQrjTRdgjF3YNwm5BuMNO+LETrIDNrxRpNYj4XosomWH9/gq2L+GnBNxxLyychbUzWPMULquF//RLNX/iLR+yLQ92HwAAAABJRU5ErkJggg==';

/** As codes are shown whose rail draws them. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><image href="${PICTURE}" width="100" height="100"/></svg>`;

/** Beside a media type's schema; bytes that are no text stand as an address that holds them. Nothing of pages. */
export function exampleOfMedia(type: string, { operationId, csv }: Route, known: Examples): object {
  if (type === 'text/csv' && csv) return { example: csvWriter(csv.columns, 'rfc4180', 'en').head };
  if (type === 'text/event-stream') return { example: STREAMS[operationId]?.(known) };
  if (type === 'image/svg+xml') return { example: SVG };
  return type.startsWith('image/') ? { examples: { picture: { summary: 'A code', externalValue: PICTURE } } } : {};
}

type Answers = Record<string, any>;

const answerTo = ({ answers }: Examples, operationId: string): Answers => answers[operationId]?.['200'] as Answers;

const STREAMS: Record<string, (known: Examples) => string> = {
  streamEvents(known) {
    const [event] = answerTo(known, 'listEvents')['data'];
    return writeEvent('message', JSON.stringify(event), event.cursor);
  },
  streamCheckoutSession(known) {
    const session = answerTo(known, 'readCheckoutSession');
    return writeEvent('session', JSON.stringify(session), String(session['revision'])) + writeEvent('end', '{}');
  },
};
