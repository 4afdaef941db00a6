// The PPR client against a server that misbehaves: whatever happens on the way, an outcome is a value.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { verifySignature } from '../../server/http/signature.ts';
import { createPprRail } from '../../server/providers/ppr/client.ts';
import { writeReference } from '../../server/providers/ppr/reference.ts';
import type { PprRail, ReferenceOrder } from '../../server/providers/provider.ts';
import { testClock } from '../support/clock.ts';

const KEY = 'a key for the PPR rail';
const ID = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e07';

const ORDER: ReferenceOrder = {
  referenceId: ID,
  entity: '00999',
  reference: '017756991',
  type: 'Charging',
  amountMinor: 0,
  currency: 'AOA',
  description: null,
  expiresAt: new Date('2099-12-31T23:59:59.000Z'),
};
const PAYMENT = {
  transactionId: '177244920100000003',
  entity: '00999',
  reference: '017756991',
  amount: '1500.00',
  currency: 'AOA',
  paidAt: '2026-03-02T09:00:01.000Z',
};

/** Every call, and what it answers when nothing is known. */
const CALLS: [string, (rail: PprRail) => Promise<unknown>, object][] = [
  ['register', (rail) => rail.register(ORDER), { result: 'unknown' }],
  ['withdraw', (rail) => rail.withdraw(ID), { result: 'unknown' }],
  ['query', (rail) => rail.query(ID), { result: 'unknown', payments: [] }],
  ['listPayments', (rail) => rail.listPayments('7'), { result: 'unknown', payments: [], unreadable: [], next: null }],
];

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
  return { server, clock, rail: createPprRail({ url, key: KEY, timeoutMs: 10_000, clock }) };
}

test('every call signs its path with the query, and reads its answer', async () => {
  const seen: unknown[] = [];
  const { rail, clock } = await connect(async (req, res) => {
    const body = Buffer.concat(await req.toArray());
    const path = (req.url as string).replace('/base', '');
    const isSigned = verifySignature(KEY, { method: req.method as string, path, body }, req.headers, clock.now());
    seen.push([req.method, path, body.toString(), isSigned]);
    const status = req.method === 'PUT' ? 'ACTIVE' : 'WITHDRAWN';
    res.writeHead(200).end(JSON.stringify({ id: ID, status, payments: [PAYMENT], next: '8' }));
  });
  expect(await rail.register(ORDER)).toEqual({ result: 'active', details: { railStatus: 'ACTIVE' } });
  expect(await rail.withdraw(ID)).toEqual({ result: 'ended', details: { railStatus: 'WITHDRAWN' } });
  expect(await rail.query(ID)).toMatchObject({ result: 'told', payments: [{ providerRef: PAYMENT.transactionId }] });
  expect(await rail.listPayments(null)).toMatchObject({
    result: 'told',
    payments: [{ amountMinor: 150_000 }],
    next: '8',
  });
  expect(await rail.listPayments('a&b=c')).toMatchObject({ result: 'told' });
  expect(seen).toEqual([
    ['PUT', `/v1/references/${ID}`, writeReference(ORDER), true],
    ['DELETE', `/v1/references/${ID}`, '', true],
    ['GET', `/v1/references/${ID}`, '', true],
    ['GET', '/v1/payments?limit=100', '', true],
    ['GET', '/v1/payments?after=a%26b%3Dc&limit=100', '', true],
  ]);
});

describe.each(CALLS)('%s', (name, call, unknown) => {
  const isAboutOne = name === 'register' || name === 'withdraw';
  const expected = (reason: string) => (isAboutOne ? { ...unknown, details: { reason } } : unknown);

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
    expect(await outcome).toMatchObject(expected('timeout'));
  });

  test.each<[string, string, RequestListener]>([
    ['a reset before the answer', 'connection', (req) => req.socket.destroy()],
    [
      'a reset inside the answer',
      'connection',
      (_req, res) => res.writeHead(200, { 'Content-Length': '500' }).write('{', () => res.destroy()),
    ],
    ['a flood', 'too_large', (_req, res) => res.end('x'.repeat(8 * 1024 * 1024 + 1))],
    ['an answer that is no HTTP', 'connection', (req) => req.socket.end('SMTP ready\r\n')],
    ['a redirect', 'rail_error', (_req, res) => res.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end()],
    ['503', 'rail_error', (_req, res) => res.writeHead(503).end()],
    ['garbage', 'unreadable', (_req, res) => res.end('<html>')],
  ])('%s is unknown: %s', async (_what, reason, listener) => {
    const { rail } = await connect(listener);
    expect(await call(rail)).toMatchObject(expected(reason));
  });

  test('nobody at the address is unknown', async () => {
    const { rail, server } = await connect(() => {});
    server.close();
    await once(server, 'close');
    expect(await call(rail)).toMatchObject(expected('unreachable'));
  });
});

test('a reference with ten thousand payments is read whole', async () => {
  const payments = Array.from({ length: 10_000 }, (_, index) => ({
    ...PAYMENT,
    transactionId: 177_244_920_000_000 + index,
    terminal: { type: 'ATM', id: '0000012345', location: 'Luanda Talatona' },
    nib: '004400006729503010102',
    bank: 'Banco de Poupança e Crédito de Angola',
  }));
  const { rail } = await connect((_req, res) => res.end(JSON.stringify({ id: ID, status: 'ACTIVE', payments })));
  const { result, payments: read } = await rail.query(ID);
  expect(result).toBe('told');
  expect(new Set(read.map(({ providerRef }) => providerRef)).size).toBe(10_000);
});
