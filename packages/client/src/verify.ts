// Verifies in constant time that the gateway sent a callback or a webhook. Needs only Web Crypto.
import type { QrCallback, ReferenceCallback, WebhookEvent } from './contract.ts';
import { BalcaoError } from './error.ts';

/** An incoming request: a `Request`, or the headers and the unparsed body from any server. */
export type Incoming =
  Request | { headers: Headers | Record<string, string | string[] | undefined>; body: string | Uint8Array };

/** One secret, or several while you rotate secrets. Each of them is accepted. */
export type Secrets = string | readonly string[];

type CallbackFields = {
  /** The permanent id of this transaction. Ship once for each id. */
  id: string;
  /** The `reference` of the payment in the callback. */
  reference: string;
  amount: number;
  /** True for a test callback from `POST /api/callbacks/test`, which means no money. */
  isTest: boolean;
};

export type Callback = CallbackFields & ({ type: 'PPR'; body: ReferenceCallback } | { type: 'QR'; body: QrCallback });

export type { WebhookEvent };

const TOLERANCE_S = 300;

/** Verifies a callback's access key, returns the callback. @throws BalcaoError verification_failed, unreadable_body */
export async function verifyCallback(request: Incoming, accessKey: Secrets): Promise<Callback> {
  const given = await digest(headerOf(request, 'access-key'));
  const wanted = await Promise.all(listOf(accessKey).map(digest));
  if (!isAmong(given, wanted)) throw refused('the access key is wrong');
  const body = parse(await textOf(request));
  const isTest = headerOf(request, 'balcao-test') === 'true';
  if ('refPagamento' in body)
    return { type: 'PPR', id: body.Id, reference: body.refPagamento, amount: body.montantePago, isTest, body };
  if ('merchantReferenceNumber' in body)
    return { type: 'QR', id: body.id, reference: body.merchantReferenceNumber, amount: body.amount, isTest, body };
  throw refused('the body is not a callback');
}

/**
 * Verifies a webhook's signature (Standard Webhooks) and returns its event.
 * The webhook's timestamp may differ from the current time by at most five minutes.
 * @throws BalcaoError verification_failed, unreadable_body
 */
export async function verifyWebhook(request: Incoming, secret: Secrets): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(request, name),
  ) as [string, string, string];
  if (!id || !/^\d{1,12}$/.test(timestamp)) throw refused('the signature headers are missing');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) throw refused('the timestamp is too far from now');
  const text = await textOf(request);
  const own = await Promise.all(listOf(secret).map((each) => sign(each, `${id}.${timestamp}.${text}`)));
  const given = signatures.split(' ').map((each) => (each.startsWith('v1,') ? bytesOf(each.slice(3)) : null));
  if (!given.some((each) => each && isAmong(each, own))) throw refused('the signature is wrong');
  return parse(text);
}

const refused = (why: string) => new BalcaoError('verification_failed', why);

/** Removes empty secrets, because an empty secret would accept any request. @throws TypeError if no secret remains */
function listOf(secrets: Secrets): string[] {
  const known = [secrets].flat().filter(Boolean);
  if (known.length === 0) throw new TypeError('the access key or secret is missing');
  return known;
}

/** Reads a header. @param name in lower case; some platforms keep capital letters in header names */
export function headerOf({ headers }: Incoming, name: string): string {
  if (typeof headers.get === 'function') return headers.get(name) ?? '';
  const named = Object.entries(headers).filter(([each]) => each.toLowerCase() === name);
  return named.flatMap(([, value]) => value ?? []).join(', ');
}

/** Maximum length of a body in bytes. Unauthenticated requests reach this code, so the limit bounds the memory. */
export const MAX_BYTES = 1_048_576;

/** Reads a body. @throws BalcaoError unreadable_body if it is longer than `MAX_BYTES` or was parsed by other code */
async function textOf({ body, bodyUsed }: { body: unknown; bodyUsed?: boolean }): Promise<string> {
  if (typeof body === 'string' || body instanceof Uint8Array) {
    if (body.length > MAX_BYTES) throw tooLong();
    return typeof body === 'string' ? body : new TextDecoder().decode(body);
  }
  if (body === null) return '';
  const stream = body as ReadableStream<Uint8Array> | undefined;
  if (bodyUsed || typeof stream?.getReader !== 'function') throw parsedBefore();
  return readChunks(stream.getReader());
}

/** Reads the body without closing its iterator. Otherwise Node would close the connection before the response. */
export async function readChunks(chunks: {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
}): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (;;) {
    const { done, value } = await chunks.read();
    if (done || !value) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MAX_BYTES) throw tooLong();
    text += decoder.decode(value, { stream: true });
  }
}

const tooLong = () => new BalcaoError('unreadable_body', 'the body is longer than 1 MiB', { status: 413 });

export const parsedBefore = () =>
  new BalcaoError(
    'unreadable_body',
    'other code has read the body: put this handler before express.json() and other body parsers',
    { status: 500 },
  );

function parse(text: string): any {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw refused('the body is not valid JSON');
  }
}

const encode = (text: string) => new TextEncoder().encode(text);

const digest = async (text: string) => new Uint8Array(await crypto.subtle.digest('SHA-256', encode(text)));

async function sign(secret: string, text: string): Promise<Uint8Array> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('the secret must be whsec_ and Base64');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, encode(text)));
}

/** Decodes Base64. Null if the text is not valid. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Compares all bytes of all values, so that the time does not show where a value differs. */
function isAmong(given: Uint8Array, wanted: Uint8Array[]): boolean {
  let found = 0;
  for (const each of wanted) {
    let differs = given.length ^ each.length;
    for (let at = 0; at < each.length; at++) differs |= each[at]! ^ (given[at] ?? 0);
    found |= Number(differs === 0);
  }
  return found === 1;
}
