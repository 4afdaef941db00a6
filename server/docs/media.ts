// Examples of answers that are not JSON: event streams, the header line of a CSV file, and SVG images.
import { csvWriter } from '../exports/csv.ts';
import type { Route } from '../http/route.ts';
import { writeEvent } from '../http/sse.ts';
import type { Examples } from './examples.ts';

/** A PNG image of a QR code with one digit. */
const PICTURE =
  'data:image/png;base64,' +
  'iVBORw0KGgoAAAANSUhEUgAAAB0AAAAdAQMAAABsXfVMAAAABlBMVEX///8bGhd2T+DzAAAAdklEQVR4nG3NwQmCYBzG4Z9S8uUf+laIhA4R' +
  'ruAADuAOTfEO4QARCHboawQH0U4dAsm7p2oBnwUeWOCnQrjTRdgjF3YNwm5BuMNO+LETrIDNrxRpNYj4XosomWH9/gq2L+GnBNxxLyychbUz' +
  'WPMULquF//RLNX/iLR+yLQ92HwAAAABJRU5ErkJggg==';

/** An SVG image that contains the image of a rail, as the gateway sends it. */
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">' +
  `<image href="${PICTURE}" width="100" height="100"/></svg>`;

/** Returns the example of a media type. HTML pages, PDF files and PNG images have no example. */
export function exampleOfMedia(type: string, { operationId, csv }: Route, known: Examples): object {
  if (type === 'text/csv' && csv) return { example: csvWriter(csv.columns, 'rfc4180', 'en').head };
  if (type === 'text/event-stream') return { example: STREAMS[operationId]?.(known) };
  if (type === 'image/svg+xml') return { example: SVG };
  return {};
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
