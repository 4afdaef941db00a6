// Reads forms with files (multipart/form-data, RFC 7578): every text field, and each file up to a size limit.
import type { Context } from 'koa';
import { findBadText } from '../http/json.ts';
import { MAX_FORM_NAMES } from '../http/body.ts';
import { Problem } from '../http/problem.ts';

/** A file of a form. `type`: the sender's media type. `isCut`: the file is larger than the kept bytes. */
export type SentFile = { type: string; bytes: Buffer; isCut: boolean };
export type SentForm = { texts: Record<string, string>; files: Record<string, SentFile> };

/** Maximum size of a whole form with files. A photo has some megabytes, so no genuine form is larger. */
const MAX_DROPPED = 32 * 1_048_576;

/**
 * Reads a form's texts and its chosen files, by field name.
 * Bytes after `maxBytes` are read and dropped, because browsers show no response before they have sent the whole form.
 * Our forms place file fields last, so the typed texts are inside the first `maxBytes`.
 * @throws Problem body_too_large if a text is cut or the form is larger than `MAX_DROPPED`
 * @throws Problem validation_failed for a malformed form, invalid_text for unusable characters
 */
export async function readMultipart(ctx: Context, maxBytes: number): Promise<SentForm> {
  const type = ctx.get('content-type');
  const { bytes, isCut } = await readBegin(ctx, maxBytes);
  const [, boundary = ''] = /boundary="?([^";]+)/i.exec(type) ?? [];
  refuseManyParts(bytes, boundary);
  const body = isCut ? Buffer.concat([bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]) : bytes;
  // The parser receives the same boundary that the part count used.
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  const parts = await new Response(body, { headers }).formData().then(
    (form) => [...form],
    () => {
      throw new Problem(isCut ? 'body_too_large' : 'validation_failed');
    },
  );
  if (isCut && typeof parts.at(-1)?.[1] !== 'object') throw new Problem('body_too_large');
  // A form field that was sent twice is ambiguous, so it is refused, as in URL-encoded forms.
  if (new Set(parts.map(([name]) => name)).size !== parts.length) throw new Problem('validation_failed');
  const texts = Object.fromEntries(parts.flatMap(([name, part]) => (typeof part === 'string' ? [[name, part]] : [])));
  const faults = findBadText(texts);
  if (faults.length > 0) throw new Problem('invalid_text', { faults });
  const files: SentForm['files'] = {};
  for (const [nth, [name, part]] of parts.entries()) {
    // A file field without a chosen file arrives as an empty file without a name.
    if (typeof part === 'string' || (part.name === '' && part.size === 0)) continue;
    const isLast = nth === parts.length - 1;
    files[name] = { type: part.type, bytes: Buffer.from(await part.arrayBuffer()), isCut: isCut && isLast };
  }
  return { texts, files };
}

/** Maximum size of a form part's head: a field name, a file name of 255 bytes, and a media type. */
const MAX_PART_HEAD = 512;

/** @throws Problem validation_failed for many parts or long headers of a part, because the parser is slow for them */
function refuseManyParts(bytes: Buffer, boundary: string): void {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let at = 0;
  // The form ends with one delimiter after its last part, so the loop allows one delimiter more than parts.
  for (let parts = 0; parts <= MAX_FORM_NAMES; parts++) {
    const next = bytes.indexOf(delimiter, at);
    const end = next < 0 ? bytes.length : next;
    if (end - at > MAX_PART_HEAD && !bytes.subarray(at, at + MAX_PART_HEAD).includes('\r\n\r\n')) break;
    if (next < 0) return;
    at = next + delimiter.length;
  }
  throw new Problem('validation_failed');
}

/** Reads the whole request body and keeps its first `maxBytes`. */
async function readBegin(ctx: Context, maxBytes: number): Promise<{ bytes: Buffer<ArrayBuffer>; isCut: boolean }> {
  const kept: Buffer[] = [];
  let size = 0;
  const refuseBeyond = (bytes: number): void => {
    if (bytes <= MAX_DROPPED) return;
    ctx.set('Connection', 'close');
    throw new Problem('body_too_large');
  };
  refuseBeyond(Number(ctx.get('content-length')));
  // An early refusal leaves bytes unread. The connection must stay open, so that the client gets the response.
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (size < maxBytes) kept.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    refuseBeyond(size);
  }
  return { bytes: Buffer.concat(kept), isCut: size > maxBytes };
}
