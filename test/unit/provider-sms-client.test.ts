// The SMS client against a server that misbehaves: whatever happens on the way, an outcome is a value.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { verifySignature } from '../../server/http/signature.ts';
import type { SmsOrder, SmsOutcome, SmsRail } from '../../server/providers/provider.ts';
import { createSmsRail } from '../../server/providers/sms/client.ts';
import { writeMessage } from '../../server/providers/sms/message.ts';
import { testClock } from '../support/clock.ts';

const KEY = 'a key for the SMS rail';
const ID = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e08';
const ORDER: SmsOrder = { messageId: ID, sender: 'BALCAO', to: '+244923456789', text: 'Olá, Ana: 🇦🇴' };

const CALLS: [string, (rail: SmsRail) => Promise<SmsOutcome>][] = [
  ['send', (rail) => rail.send(ORDER)],
  ['query', (rail) => rail.query(ID)],
];

const unknown = (reason: string) => ({ result: 'unknown', reason, occurredAt: null });

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function connect(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const clock = testClock();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`;
  return { server, clock, rail: createSmsRail({ url, key: KEY, timeoutMs: 10_000, clock }) };
}

test('every call signs its path, and reads its answer', async () => {
  const seen: unknown[] = [];
  const { rail, clock } = await connect(async (req, res) => {
    const body = Buffer.concat(await req.toArray());
    const path = (req.url as string).replace('/base', '');
    const isSigned = verifySignature(KEY, { method: req.method as string, path, body }, req.headers, clock.now());
    seen.push([req.method, path, body.toString(), isSigned]);
    const status = req.method === 'POST' ? 'QUEUED' : 'SENT';
    res.writeHead(req.method === 'POST' ? 202 : 200).end(JSON.stringify({ id: ID, status }));
  });
  const accepted = { result: 'accepted', reason: null, occurredAt: null };
  expect(await rail.send(ORDER)).toEqual(accepted);
  expect(await rail.query(ID)).toEqual(accepted);
  expect(await rail.query('a/b?c')).toEqual(unknown('other_message'));
  expect(seen).toEqual([
    ['POST', '/v1/messages', writeMessage(ORDER), true],
    ['GET', `/v1/messages/${ID}`, '', true],
    ['GET', '/v1/messages/a%2Fb%3Fc', '', true],
  ]);
});

describe.each(CALLS)('%s', (_name, call) => {
  test.each([
    ['before a word of the answer', () => {}],
    ['in the middle of the answer', (res: Parameters<RequestListener>[1]) => res.writeHead(200).write('{"id":')],
  ])('gives up %s when the clock says so, and knows nothing', async (_when, begin) => {
    const arrived = Promise.withResolvers<void>();
    const { rail, clock } = await connect((_req, res) => {
      begin(res);
      arrived.resolve();
    });
    const outcome = call(rail);
    await arrived.promise;
    await clock.advance(9_999);
    expect(await Promise.race([outcome, 'still waiting'])).toBe('still waiting');
    await clock.advance(1);
    expect(await outcome).toEqual(unknown('timeout'));
  });

  test.each<[string, string, RequestListener]>([
    ['a reset before the answer', 'connection', (req) => req.socket.destroy()],
    [
      'a reset inside the answer',
      'connection',
      (_req, res) => res.writeHead(200, { 'Content-Length': '500' }).write('{', () => res.destroy()),
    ],
    ['a flood', 'too_large', (_req, res) => res.end('x'.repeat(64 * 1024 + 1))],
    ['an answer that is no HTTP', 'connection', (req) => req.socket.end('SMTP ready\r\n')],
    ['a redirect', 'rail_error', (_req, res) => res.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end()],
    ['503', 'rail_error', (_req, res) => res.writeHead(503).end()],
    ['garbage', 'unreadable', (_req, res) => res.end('<html>')],
  ])('%s is unknown: %s', async (_what, reason, listener) => {
    const { rail } = await connect(listener);
    expect(await call(rail)).toEqual(unknown(reason));
  });

  test('nobody at the address is unknown', async () => {
    const { rail, server } = await connect(() => {});
    server.close();
    await once(server, 'close');
    expect(await call(rail)).toEqual(unknown('unreachable'));
  });
});
