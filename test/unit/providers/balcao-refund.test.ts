// Refunds of our own protocol: what is written, which words mean what, and the client against a server that misbehaves.
import { describe, expect, test } from 'vitest';
import { createRefundRail, readRefundNotification, writeRefund } from '../../../server/providers/balcao-refund.ts';
import { readNotification, readOrderAnswer } from '../../../server/providers/gpo/client.ts';
import type { RefundOrder, RefundQuery, RefundRail } from '../../../server/providers/provider.ts';
import { badAnswers, BEGINNINGS, connectRail, outwait, readSigned } from '../../support/rail-server.ts';

const ID = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e09';

const ORDER: RefundOrder = {
  attemptId: ID,
  gpoMerchantId: 'M-1',
  charge: {
    kind: 'purchase',
    id: '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01',
    railOrderId: null,
    providerRef: '177244920100000001',
    amountMinor: 150_000,
  },
  amountMinor: 40_000,
  currency: 'AOA',
  description: 'Devolução',
  notifyUrl: '',
};
const QUERY: RefundQuery = { ...ORDER, railOrderId: null, sentAt: new Date(0) };

const APPROVED = {
  id: ID,
  status: 'APPROVED',
  reason: null,
  transactionId: '177244926100000007',
  transactionNumber: '8',
  clearingPeriod: '20514',
  terminalId: 'POS-1',
  amount: '400.00',
  currency: 'AOA',
  refundedTransactionId: '177244920100000001',
  createdAt: '2026-03-02T09:01:00.000Z',
  decidedAt: '2026-03-02T09:01:01.000Z',
};

const read = (refund: unknown, { status = 200, method = 'GET' as 'GET' | 'POST' } = {}) =>
  readOrderAnswer({ status, body: JSON.stringify(refund) }, 'refund', ID, method);

test('is written with the id of the money; where nobody is asked whose it is, with nobody', () => {
  expect(JSON.parse(writeRefund(ORDER))).toEqual({
    id: ID,
    merchantId: 'M-1',
    transactionId: '177244920100000001',
    amount: '400.00',
    currency: 'AOA',
    description: 'Devolução',
  });
  expect(JSON.parse(writeRefund({ ...ORDER, gpoMerchantId: '' })).merchantId).toBeNull();
});

describe('a refund read', () => {
  test('approved: what was given back, by its own number', () => {
    const outcome = {
      result: 'approved',
      failureCode: null,
      railOrderId: null,
      providerRef: '177244926100000007',
      amountMinor: 40_000,
      currency: 'AOA',
      occurredAt: new Date('2026-03-02T09:01:01.000Z'),
      details: { transactionNumber: '8', clearingPeriod: '20514', terminalId: 'POS-1' },
    };
    expect(read(APPROVED)).toEqual(outcome);
    const { terminalId: _, ...details } = outcome.details;
    expect(read({ ...APPROVED, terminalId: null })).toEqual({ ...outcome, details });
  });

  test.each([
    ['amount', 'amount_unreadable'],
    ['currency', 'amount_unreadable'],
    ['transactionId', 'transaction_unreadable'],
  ])('approved without %s is unknown', (missing, reason) => {
    expect(read({ ...APPROVED, [missing]: null })).toMatchObject({ result: 'unknown', details: { reason } });
  });

  test.each([
    ['TRANSACTION_UNKNOWN', 'issuer_refused'],
    ['AMOUNT_TOO_HIGH', 'limit_exceeded'],
    ['INSUFFICIENT_FUNDS', 'insufficient_funds'],
    ['ISSUER_REFUSED', 'issuer_refused'],
  ])('declined %s is %s', (reason, failureCode) => {
    expect(read({ ...APPROVED, status: 'DECLINED', reason })).toMatchObject({ result: 'declined', failureCode });
  });

  test.each([
    ['PENDING', null],
    ['DECLINED', 'CUSTOMER_REFUSED'],
    ['DECLINED', null],
    ['REVERSED', null],
    ['APPROVED', 'ISSUER_REFUSED'],
  ])('%s %s says nothing sure: pending', (status, reason) => {
    expect(read({ ...APPROVED, status, reason })).toMatchObject({ result: 'pending', failureCode: null });
  });

  test('only its own word, said to a query, means that the rail never saw it', () => {
    const code = 'UNKNOWN_REFUND';
    expect(read({ code }, { status: 404 }).result).toBe('not_found');
    expect(read({ code }, { status: 404, method: 'POST' }).result).toBe('unknown');
    expect(read({ code: 'UNKNOWN_PURCHASE' }, { status: 404 }).result).toBe('unknown');
    expect(read({ code: 'REFUND_CHANGED' }, { status: 409, method: 'POST' })).toMatchObject({ result: 'unknown' });
    expect(read({ ...APPROVED, id: 'another' })).toMatchObject({ details: { reason: 'other_purchase' } });
  });
});

test('is told by either rail; of a PPR rail nothing else of the kind is heard', () => {
  const tell = (type: string, thing: object) => JSON.stringify({ id: 'N-1', type, [type]: thing });
  const news = { notificationId: 'N-1', about: 'order', kind: 'refund', attemptId: ID, outcome: read(APPROVED) };
  expect(readNotification(tell('refund', APPROVED))).toEqual(news);
  expect(readRefundNotification(tell('refund', APPROVED))).toEqual(news);
  expect(readRefundNotification(tell('purchase', APPROVED))).toBeNull();
  expect(readRefundNotification(tell('refund', { ...APPROVED, id: 'x' }))).toBeNull();
  expect(readRefundNotification('<html>')).toBeNull();
});

test('is asked for and asked about, signed', async () => {
  const seen: unknown[] = [];
  const { rail, clock } = await connectRail(createRefundRail, async (req, res) => {
    const { method, path, body, isSigned } = await readSigned(req, clock.now());
    seen.push([method, path, body, isSigned]);
    res.writeHead(method === 'POST' ? 202 : 200).end(JSON.stringify(APPROVED));
  });
  expect(await rail.refund(ORDER)).toEqual(read(APPROVED));
  expect(await rail.queryRefund(QUERY)).toEqual(read(APPROVED));
  expect(seen).toEqual([
    ['POST', '/v1/refunds', writeRefund(ORDER), true],
    ['GET', `/v1/refunds/${ID}`, '', true],
  ]);
});

describe.each<[string, (rail: RefundRail) => Promise<unknown>]>([
  ['refund', (rail) => rail.refund(ORDER)],
  ['queryRefund', (rail) => rail.queryRefund(QUERY)],
])('%s', (_name, call) => {
  const unknown = (reason: string) => ({ result: 'unknown', details: { reason } });

  test.each(BEGINNINGS)('gives up %s when the clock says so, and knows nothing', async (_when, begin) => {
    expect(await outwait(createRefundRail, begin, call)).toMatchObject(unknown('timeout'));
  });

  test.each(badAnswers())('%s is unknown: %s', async (_what, reason, listener) => {
    const { rail } = await connectRail(createRefundRail, listener);
    expect(await call(rail)).toMatchObject(unknown(reason));
  });
});
