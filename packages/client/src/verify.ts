// Whether a callback or a webhook was sent by the gateway: compared in constant time, with Web Crypto alone.
import type { FeedEvent, QrCallback, ReferenceCallback } from './contract.ts';
import { BalcaoError } from './error.ts';

/** A request as platforms have it: `Request`, or the headers and the unparsed body of any server. */
export type Incoming =
  Request | { headers: Headers | Record<string, string | string[] | undefined>; body: string | Uint8Array };

/** Several while you change it: each of them is believed. */
export type Secrets = string | readonly string[];

type Told = {
  /** Of this money, for ever: ship once for each. */
  id: string;
  /** The payment's `reference`. */
  reference: string;
  amount: number;
  /** Sent by `POST /api/callbacks/test`: no money. */
  isTest: boolean;
};

export type Callback = Told & ({ type: 'PPR'; body: ReferenceCallback } | { type: 'QR'; body: QrCallback });

/** An event as a webhook tells it. */
export type WebhookEvent = Omit<FeedEvent, 'cursor'>;

const TOLERANCE_S = 300;

/** The callback of a sender that knows the access key. @throws BalcaoError verification_failed, unreadable_body */
export async function verifyCallback(request: Incoming, accessKey: Secrets): Promise<Callback> {
  const given = await digest(headerOf(request, 'access-key'));
  const wanted = await Promise.all(listOf(accessKey).map(digest));
  if (!isAmong(given, wanted)) throw refused('the access key is another');
  const body = parse(await textOf(request));
  const isTest = headerOf(request, 'balcao-test') === 'true';
  if ('refPagamento' in body)
    return { type: 'PPR', id: body.Id, reference: body.refPagamento, amount: body.montantePago, isTest, body };
  if ('merchantReferenceNumber' in body)
    return { type: 'QR', id: body.id, reference: body.merchantReferenceNumber, amount: body.amount, isTest, body };
  throw refused('the body is no callback');
}

/**
 * The event of a webhook that was signed with one of the secrets (Standard Webhooks), within five minutes of now.
 * @throws BalcaoError verification_failed, unreadable_body
 */
export async function verifyWebhook(request: Incoming, secret: Secrets): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(request, name),
  ) as [string, string, string];
  if (!id || !/^\d{1,12}$/.test(timestamp)) throw refused('it is not signed');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) throw refused('it was signed at another time');
  const text = await textOf(request);
  const own = await Promise.all(listOf(secret).map((each) => sign(each, `${id}.${timestamp}.${text}`)));
  const given = signatures.split(' ').map((each) => (each.startsWith('v1,') ? bytesOf(each.slice(3)) : null));
  if (!given.some((each) => each && isAmong(each, own))) throw refused('the signature is another');
  return parse(text);
}

const refused = (why: string) => new BalcaoError('verification_failed', why);

/** Without an empty one, which everybody knows. @throws TypeError when none is left */
function listOf(secrets: Secrets): string[] {
  const known = [secrets].flat().filter(Boolean);
  if (known.length === 0) throw new TypeError('there is no secret to compare with');
  return known;
}

/** `name` is in lower case. Some platforms give header names as they were sent, with capitals. */
export function headerOf({ headers }: Incoming, name: string): string {
  if (typeof headers.get === 'function') return headers.get(name) ?? '';
  const named = Object.entries(headers).filter(([each]) => each.toLowerCase() === name);
  return named.flatMap(([, value]) => value ?? []).join(', ');
}

/** No callback or webhook is longer. Strangers reach this code before any proof. */
export const MAX_BYTES = 1_048_576;

/** @throws BalcaoError unreadable_body: longer than `MAX_BYTES`, or parsed by other code */
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

/** Does not close the iterator: Node would close the connection, and the caller would get no answer. */
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
    throw refused('the body is no JSON');
  }
}

const encode = (text: string) => new TextEncoder().encode(text);

const digest = async (text: string) => new Uint8Array(await crypto.subtle.digest('SHA-256', encode(text)));

async function sign(secret: string, text: string): Promise<Uint8Array> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('a webhook’s secret is whsec_ and Base64');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, encode(text)));
}

/** Null: no Base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Looks at every byte of every one, so that the time tells nothing. */
function isAmong(given: Uint8Array, wanted: Uint8Array[]): boolean {
  let found = 0;
  for (const each of wanted) {
    let differs = given.length ^ each.length;
    for (let at = 0; at < each.length; at++) differs |= each[at]! ^ (given[at] ?? 0);
    found |= Number(differs === 0);
  }
  return found === 1;
}
