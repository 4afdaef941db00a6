// The PPR client against a server that misbehaves: whatever happens on the way, an outcome is a value.
import { describe, expect, test } from 'vitest';
import { createPprRail, writeReference } from '../../../server/providers/ppr/client.ts';
import type { RailOptions } from '../../../server/providers/ask.ts';
import type { ReferenceOrder } from '../../../server/providers/provider.ts';
import { badAnswers, BEGINNINGS, connectRail, outwait, readSigned } from '../../support/rail-server.ts';
import { pprById } from '../../support/rail-by-id.ts';

const createPpr = (options: RailOptions) => pprById(createPprRail(options));

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
const CALLS: [string, (rail: ReturnType<typeof pprById>) => Promise<unknown>, object][] = [
  ['register', (rail) => rail.register(ORDER), { result: 'unknown' }],
  ['withdraw', (rail) => rail.withdraw(ID), { result: 'unknown' }],
  ['query', (rail) => rail.query(ID), { result: 'unknown', payments: [] }],
  ['listPayments', (rail) => rail.listPayments('7'), { result: 'unknown', payments: [], unreadable: [], next: null }],
];

test('every call signs its path with the query, and reads its answer', async () => {
  const seen: unknown[] = [];
  const { rail, clock } = await connectRail(createPpr, async (req, res) => {
    const { method, path, body, isSigned } = await readSigned(req, clock.now());
    seen.push([method, path, body, isSigned]);
    const status = method === 'PUT' ? 'ACTIVE' : 'WITHDRAWN';
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

  test.each(BEGINNINGS)('gives up %s when the clock says so, and knows nothing', async (_when, begin) => {
    expect(await outwait(createPpr, begin, call)).toMatchObject(expected('timeout'));
  });

  test.each(badAnswers(8 * 1024 * 1024))('%s is unknown: %s', async (_what, reason, listener) => {
    const { rail } = await connectRail(createPpr, listener);
    expect(await call(rail)).toMatchObject(expected(reason));
  });

  test('nobody at the address is unknown', async () => {
    const { rail, stop } = await connectRail(createPpr, () => {});
    await stop();
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
  const { rail } = await connectRail(createPpr, (_req, res) =>
    res.end(JSON.stringify({ id: ID, status: 'ACTIVE', payments })),
  );
  const { result, payments: read } = await rail.query(ID);
  expect(result).toBe('told');
  expect(new Set(read.map(({ providerRef }) => providerRef)).size).toBe(10_000);
});
