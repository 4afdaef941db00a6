// Reads and writes refunds in our own rail protocol.
import { describe, expect, test } from 'vitest';
import { readRefundNotification, writeRefund } from '../../../server/providers/balcao-refund.ts';
import { readNotification, readOrderAnswer } from '../../../server/providers/gpo/client.ts';
import type { RefundOrder } from '../../../server/providers/provider.ts';

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

test('writeRefund contains the refunded transaction, and its GPO merchant if it has one', () => {
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

describe('a refund in a rail response', () => {
  test('is approved with its amount and its transaction number', () => {
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
  ])('is unknown if it is approved without %s', (missing, reason) => {
    expect(read({ ...APPROVED, [missing]: null })).toMatchObject({ result: 'unknown', details: { reason } });
  });

  test.each([
    ['TRANSACTION_UNKNOWN', 'issuer_refused'],
    ['AMOUNT_TOO_HIGH', 'limit_exceeded'],
    ['INSUFFICIENT_FUNDS', 'insufficient_funds'],
    ['ISSUER_REFUSED', 'issuer_refused'],
  ])('is declined for %s as %s', (reason, failureCode) => {
    expect(read({ ...APPROVED, status: 'DECLINED', reason })).toMatchObject({ result: 'declined', failureCode });
  });

  test.each([
    ['PENDING', null],
    ['DECLINED', 'CUSTOMER_REFUSED'],
    ['DECLINED', null],
    ['REVERSED', null],
    ['APPROVED', 'ISSUER_REFUSED'],
  ])('is pending for %s with the reason %s', (status, reason) => {
    expect(read({ ...APPROVED, status, reason })).toMatchObject({ result: 'pending', failureCode: null });
  });

  test('is not_found only if a query returns the code UNKNOWN_REFUND', () => {
    const code = 'UNKNOWN_REFUND';
    expect(read({ code }, { status: 404 }).result).toBe('not_found');
    expect(read({ code }, { status: 404, method: 'POST' }).result).toBe('unknown');
    expect(read({ code: 'UNKNOWN_PURCHASE' }, { status: 404 }).result).toBe('unknown');
    expect(read({ code: 'REFUND_CHANGED' }, { status: 409, method: 'POST' })).toMatchObject({ result: 'unknown' });
    expect(read({ ...APPROVED, id: 'another' })).toMatchObject({ details: { reason: 'other_purchase' } });
  });
});

test('both rails can send a refund notification, and a PPR rail cannot report other orders', () => {
  const tell = (type: string, thing: object) => JSON.stringify({ id: 'N-1', type, [type]: thing });
  const news = { notificationId: 'N-1', about: 'order', kind: 'refund', attemptId: ID, outcome: read(APPROVED) };
  expect(readNotification(tell('refund', APPROVED))).toEqual(news);
  expect(readRefundNotification(tell('refund', APPROVED))).toEqual(news);
  expect(readRefundNotification(tell('purchase', APPROVED))).toBeNull();
  expect(readRefundNotification(tell('refund', { ...APPROVED, id: 'x' }))).toBeNull();
  expect(readRefundNotification('<html>')).toBeNull();
});
