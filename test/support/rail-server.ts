// A rail server that fails in the way that a test chooses, and a client of this server.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { verifySignature } from '../../server/http/signature.ts';
import type { RailOptions } from '../../server/providers/rail-call.ts';
import { testClock } from './clock.ts';
import { listen } from './listen.ts';

const KEY = 'a key of this rail only';

const TIMEOUT_MS = 10_000;

/** Starts the server with a base path and a client. The server closes when the test ends. */
export async function connectRail<Rail>(
  create: (options: RailOptions) => Rail,
  listener: RequestListener,
  timeoutMs = TIMEOUT_MS,
) {
  const server = createServer(listener);
  const origin = await listen(server);
  const stop = async () => {
    if (!server.listening) return;
    server.close().closeAllConnections();
    await once(server, 'close');
  };
  onTestFinished(stop);
  const clock = testClock();
  return { rail: create({ url: `${origin}/base/`, key: KEY, timeoutMs, clock }), clock, stop };
}

/** A received request. `isSigned`: the client's key signed the path below the base URL. */
export async function readSigned(req: IncomingMessage, now: Date) {
  const bytes = Buffer.concat(await req.toArray());
  const message = { method: req.method as string, path: (req.url as string).replace('/base', ''), body: bytes };
  return { ...message, body: bytes.toString(), isSigned: verifySignature(KEY, message, req.headers, now) };
}

/** The beginnings of responses that never end. */
export const BEGINNINGS: [string, (res: ServerResponse) => void][] = [
  ['before the answer', () => {}],
  ['in the middle of the answer', (res) => void res.writeHead(200).write('{"id":')],
];

/** Makes a call whose response never ends. Returns the outcome at the timeout, and fails if it comes earlier. */
export async function outwait<Rail, Outcome>(
  create: (options: RailOptions) => Rail,
  begin: (res: ServerResponse) => void,
  call: (rail: Rail) => Promise<Outcome>,
): Promise<Outcome> {
  const arrived = Promise.withResolvers<void>();
  const { rail, clock } = await connectRail(create, (_req, res) => {
    begin(res);
    arrived.resolve();
  });
  const outcome = call(rail);
  await arrived.promise;
  await clock.advance(TIMEOUT_MS - 1);
  expect(await Promise.race([outcome, 'still waiting'])).toBe('still waiting');
  await clock.advance(1);
  return outcome;
}

/** Bad responses, and the reasons that a client returns. @param maxBytes the longest response that it reads */
export function badAnswers(maxBytes = 64 * 1024): [string, string, RequestListener][] {
  return [
    ['a reset before the answer', 'connection', (req) => req.socket.destroy()],
    [
      'a reset inside the answer',
      'connection',
      (_req, res) => res.writeHead(200, { 'Content-Length': '500' }).write('{', () => res.destroy()),
    ],
    ['an oversized answer', 'too_large', (_req, res) => res.end('x'.repeat(maxBytes + 1))],
    ['an answer in another protocol', 'connection', (req) => req.socket.end('SMTP ready\r\n')],
    ['a redirect', 'rail_error', (_req, res) => res.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end()],
    ['503', 'rail_error', (_req, res) => res.writeHead(503).end()],
    ['HTML', 'unreadable', (_req, res) => res.end('<html>')],
  ];
}
