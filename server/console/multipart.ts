// Forms with files (multipart/form-data, RFC 7578): what is typed in full, and of files as much as may be kept.
import type { Context } from 'koa';
import { findBadText } from '../http/json.ts';
import { MAX_FORM_NAMES } from '../http/bounds/pairs.ts';
import { Problem } from '../http/problem.ts';

/** As its sender calls it. `isCut`: the file is larger than what is kept of it. */
export type SentFile = { type: string; bytes: Buffer; isCut: boolean };
export type SentForm = { texts: Record<string, string>; files: Record<string, SentFile> };

/** A photograph is some megabytes; nobody means to send more by a form. */
const MAX_DROPPED = 32 * 1_048_576;

/**
 * A form's texts, and its files that were chosen, by their names. What comes after `maxBytes` is read and dropped, since browsers
 * show no answer before all is sent: a form has its files last, so that whatever was typed comes before them.
 * @throws Problem body_too_large where a text is cut, or far too much is sent; validation_failed for what is no such form;
 * invalid_text
 */
export async function readMultipart(ctx: Context, maxBytes: number): Promise<SentForm> {
  const type = ctx.get('content-type');
  const { bytes, isCut } = await readBegin(ctx, maxBytes);
  const [, boundary = ''] = /boundary="?([^";]+)/i.exec(type) ?? [];
  refuseManyParts(bytes, boundary);
  const body = isCut ? Buffer.concat([bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]) : bytes;
  // The parser receives the boundary by which the parts were counted.
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  const parts = await new Response(body, { headers }).formData().then(
    (form) => [...form],
    () => {
      throw new Problem(isCut ? 'body_too_large' : 'validation_failed');
    },
  );
  if (isCut && typeof parts.at(-1)?.[1] !== 'object') throw new Problem('body_too_large');
  // As of every form: a field sent twice has no meaning.
  if (new Set(parts.map(([name]) => name)).size !== parts.length) throw new Problem('validation_failed');
  const texts = Object.fromEntries(parts.flatMap(([name, part]) => (typeof part === 'string' ? [[name, part]] : [])));
  const faults = findBadText(texts);
  if (faults.length > 0) throw new Problem('invalid_text', { faults });
  const files: SentForm['files'] = {};
  for (const [nth, [name, part]] of parts.entries()) {
    // Where none was chosen an empty one without a name is sent.
    if (typeof part === 'string' || (part.name === '' && part.size === 0)) continue;
    const isLast = nth === parts.length - 1;
    files[name] = { type: part.type, bytes: Buffer.from(await part.arrayBuffer()), isCut: isCut && isLast };
  }
  return { texts, files };
}

/** A name, a file's name of 255 bytes, and a type. */
const MAX_PART_HEAD = 512;

/** @throws Problem validation_failed: the parser is slow for many parts, and for long headers of a part */
function refuseManyParts(bytes: Buffer, boundary: string): void {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let at = 0;
  // The last delimiter ends the form.
  for (let parts = 0; parts <= MAX_FORM_NAMES; parts++) {
    const next = bytes.indexOf(delimiter, at);
    const end = next < 0 ? bytes.length : next;
    if (end - at > MAX_PART_HEAD && !bytes.subarray(at, at + MAX_PART_HEAD).includes('\r\n\r\n')) break;
    if (next < 0) return;
    at = next + delimiter.length;
  }
  throw new Problem('validation_failed');
}

/** The first `maxBytes`, once all has come. */
async function readBegin(ctx: Context, maxBytes: number): Promise<{ bytes: Buffer<ArrayBuffer>; isCut: boolean }> {
  const kept: Buffer[] = [];
  let size = 0;
  const refuseBeyond = (bytes: number): void => {
    if (bytes <= MAX_DROPPED) return;
    ctx.set('Connection', 'close');
    throw new Problem('body_too_large');
  };
  refuseBeyond(Number(ctx.get('content-length')));
  // What is left unread by a refusal must not take the connection with it.
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (size < maxBytes) kept.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    refuseBeyond(size);
  }
  return { bytes: Buffer.concat(kept), isCut: size > maxBytes };
}
