// The GPO client: terminals, paths and limits.
import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createGpoRail, readNotification } from '../../../server/providers/gpo/client.ts';
import type { RailOptions } from '../../../server/providers/rail-call.ts';
import { readTerminalAnswer, writeTerminalMove } from '../../../server/providers/gpo/terminal.ts';
import type { TerminalOrder } from '../../../server/providers/provider.ts';
import { connectRail } from '../../support/rail-server.ts';
import { gpoById } from '../../support/lone-rail.ts';

const createGpo = (options: RailOptions) => gpoById(createGpoRail(options));

const OPERATION = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01';
const MOVE: TerminalOrder = { operationId: OPERATION, posId: 'POS 1', action: 'open', supervisorId: null };
const OPEN = { posId: 'POS 1', status: 'OPEN', period: '7', supervisorRequired: true };

const read = (value: unknown, status = 200) => readTerminalAnswer({ status, body: JSON.stringify(value) }, 'POS 1');

describe('readTerminalAnswer', () => {
  test.each([
    ['OPEN', 'Open'],
    ['OPENING', 'Opening'],
    ['CLOSED', 'Closed'],
    ['CLOSING', 'Closing'],
  ])('returns %s as %s', (word, status) => {
    const told = { result: 'told', status, period: '7', supervisorRequired: true, refusal: null, details: {} };
    expect(read({ ...OPEN, status: word })).toEqual(told);
    expect(read({ ...OPEN, status: word, period: 7 })).toEqual(told);
  });

  test.each([
    ['an unknown word', { status: 'open' }, 'unreadable'],
    ['no period', { period: null }, 'unreadable'],
    ['no supervisor flag', { supervisorRequired: 'yes' }, 'unreadable'],
    ['another terminal', { posId: 'POS 2' }, 'other_terminal'],
  ])('returns unknown for %s', (_what, change, reason) => {
    expect(read({ ...OPEN, ...change })).toMatchObject({ result: 'unknown', status: null, details: { reason } });
  });

  test.each([
    [400, 'SUPERVISOR_REQUIRED', { result: 'refused', refusal: 'supervisor_required' }],
    [403, 'WRONG_SUPERVISOR', { result: 'refused', refusal: 'wrong_supervisor' }],
    [404, 'UNKNOWN_TERMINAL', { result: 'not_found', refusal: null }],
    [403, 'SUPERVISOR_REQUIRED', { result: 'unknown', refusal: null }],
    [400, 'BAD_REQUEST', { result: 'unknown', refusal: null }],
    [401, 'BAD_SIGNATURE', { result: 'unknown', refusal: null }],
    [404, 'NOT_HERE', { result: 'unknown', refusal: null }],
    [409, 'MOVE_CHANGED', { result: 'unknown', refusal: null }],
    [500, 'SUPERVISOR_REQUIRED', { result: 'unknown', refusal: null }],
    [503, 'UNAVAILABLE', { result: 'unknown', refusal: null }],
  ])('maps %i %s to %j', (status, code, expected) => {
    expect(read({ ...OPEN, code }, status)).toMatchObject({ ...expected, status: null, details: { railCode: code } });
  });
});

describe('readNotification', () => {
  const message = { id: 'n-1', type: 'terminal', createdAt: '2026-03-02T09:00:00.000Z', terminal: OPEN };

  test('returns the terminal and its status', () => {
    const expected = { notificationId: 'n-1', about: 'terminal', posId: 'POS 1', outcome: read(OPEN) };
    expect(readNotification(JSON.stringify(message))).toEqual(expected);
  });

  test.each([{ status: 'BROKEN' }, { posId: null }, { period: null }])(
    'returns null for a terminal with %j',
    (change) => {
      expect(readNotification(JSON.stringify({ ...message, terminal: { ...OPEN, ...change } }))).toBeNull();
    },
  );
});

test('writeTerminalMove writes the supervisor, and equal bytes for equal moves', () => {
  expect(JSON.parse(writeTerminalMove(MOVE))).toEqual({ id: OPERATION, supervisorId: null });
  expect(writeTerminalMove({ ...MOVE, supervisorId: 'S-1' })).toBe(`{"id":"${OPERATION}","supervisorId":"S-1"}`);
});

describe('the GPO client', () => {
  test('sends each kind of request to its own path', async () => {
    const asked: string[] = [];
    const { rail } = await connectRail(createGpo, (req, res) => {
      asked.push(`${req.method} ${req.url}`);
      res.end('{}');
    });
    await rail.moveTerminal(MOVE);
    await rail.moveTerminal({ ...MOVE, action: 'close' });
    await rail.queryTerminal('POS 1');
    await rail.queryQrCode(OPERATION);
    for (const kind of ['purchase', 'authorization', 'capture', 'void'] as const) await rail.query(kind, OPERATION);
    await rail.send({ kind: 'void', attemptId: OPERATION, gpoMerchantId: 'M', target: 'qrcode', targetId: OPERATION });
    expect(asked).toEqual([
      'POST /base/v1/terminals/POS%201/open',
      'POST /base/v1/terminals/POS%201/close',
      'GET /base/v1/terminals/POS%201',
      `GET /base/v1/qrcodes/${OPERATION}`,
      `GET /base/v1/purchases/${OPERATION}`,
      `GET /base/v1/authorizations/${OPERATION}`,
      `GET /base/v1/captures/${OPERATION}`,
      `GET /base/v1/voids/${OPERATION}`,
      'POST /base/v1/voids',
    ]);
  });

  test('reads the response to each kind of request', async () => {
    const money = { transactionId: '177244920100000001', amount: '1500.00', currency: 'AOA' };
    const order = { id: OPERATION, status: 'APPROVED', reason: null, ...money };
    const { rail } = await connectRail(createGpo, (req, res) => {
      const told = req.url?.includes('terminals')
        ? OPEN
        : req.url?.includes('qrcodes')
          ? { id: OPERATION, status: 'ACTIVE', content: 'MCX', payments: [] }
          : order;
      res.end(JSON.stringify({ ...told, ...(told === OPEN && { posId: 'POS 1' }) }));
    });
    const whose = { attemptId: OPERATION, gpoMerchantId: 'M', gpoPosId: 'P', reference: 'R', description: 'd' };
    const limits = {
      type: 'STATIC' as const,
      maxTransactions: 1,
      endDate: new Date(0),
      amountMinor: 1,
      currency: 'AOA',
    };
    expect(await rail.createQrCode({ ...whose, notifyUrl: '', ...limits })).toMatchObject({
      result: 'made',
      content: 'MCX',
    });
    expect(await rail.queryQrCode(OPERATION)).toMatchObject({ result: 'made', content: 'MCX' });
    expect(await rail.moveTerminal(MOVE)).toMatchObject({ result: 'told', status: 'Open' });
    expect(await rail.queryTerminal('POS 1')).toMatchObject({ result: 'told', status: 'Open' });
    expect(await rail.query('purchase', OPERATION)).toMatchObject({ result: 'approved', amountMinor: 150_000 });
  });

  test('returns unreached if it could not connect, and unknown if the connection broke later', async () => {
    const { rail, stop } = await connectRail(createGpo, (req) => req.socket.destroy());
    expect(await rail.moveTerminal(MOVE)).toMatchObject({ result: 'unknown', details: { reason: 'connection' } });
    await stop();
    expect(await rail.moveTerminal(MOVE)).toMatchObject({ result: 'unreached', details: { reason: 'unreachable' } });
    expect(await rail.queryTerminal('POS 1')).toMatchObject({ result: 'unreached' });
    expect(await rail.queryQrCode(OPERATION)).toMatchObject({ result: 'unknown', details: { reason: 'unreachable' } });
  });

  test('waits up to ten seconds for a new QR code, and can read ten thousand scans', async () => {
    const arrived = Promise.withResolvers<void>();
    const scan = { qrCodeId: OPERATION, status: 'ACCEPTED', amount: '1.00', currency: 'AOA', phone: 'x'.repeat(400) };
    const payments = Array.from({ length: 10_000 }, (_, index) => ({ ...scan, transactionId: String(index) }));
    const listener: RequestListener = (req, res) => {
      if (req.method === 'POST') return arrived.resolve();
      res.end(JSON.stringify({ id: OPERATION, status: 'ACTIVE', content: 'x', payments }));
    };
    const { rail, clock } = await connectRail(createGpo, listener, 30_000);
    const whose = { attemptId: OPERATION, gpoMerchantId: 'M', gpoPosId: 'P', reference: 'R', description: 'd' };
    const limits = { type: 'STATIC' as const, maxTransactions: 10_000, endDate: new Date(0) };
    const made = rail.createQrCode({ ...whose, notifyUrl: '', ...limits, amountMinor: 1, currency: 'AOA' });
    await arrived.promise;
    await clock.advance(9_999);
    expect(await Promise.race([made, 'still waiting'])).toBe('still waiting');
    await clock.advance(1);
    expect(await made).toMatchObject({ result: 'unknown', details: { reason: 'timeout' } });
    expect((await rail.queryQrCode(OPERATION)).scans).toHaveLength(10_000);
  });
});
