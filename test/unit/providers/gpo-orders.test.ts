// The GPO client: authorizations, captures and voids.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readNotification, readOrder, readOrderAnswer, writeOrder } from '../../../server/providers/gpo/client.ts';
import { writeQrCode } from '../../../server/providers/gpo/qrcode.ts';
import type { CaptureOrder, OrderKind, RailOrder } from '../../../server/providers/provider.ts';

const ATTEMPT = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01';
const PARENT = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e02';
const KINDS = ['purchase', 'authorization', 'capture', 'void'] as const;
const WITH_MONEY = ['purchase', 'authorization', 'capture'] as const;

const APPROVED = {
  id: ATTEMPT,
  status: 'APPROVED',
  reason: null,
  transactionId: '177244920100000001',
  transactionNumber: '7',
  clearingPeriod: '20514',
  terminalId: 'POS-1',
  amount: '1500.00',
  currency: 'AOA',
  decidedAt: '2026-03-02T09:00:01.000Z',
};
const VOIDED = {
  id: ATTEMPT,
  status: 'APPROVED',
  reason: null,
  target: 'authorization',
  targetId: PARENT,
  createdAt: '2026-03-02T09:00:00.000Z',
  decidedAt: '2026-03-02T09:00:01.000Z',
};

const COMMON = { VOIDED: 'issuer_refused', TERMINAL_CLOSED: 'terminal_closed', TIMED_OUT: 'timed_out' };
const STEPS_ONLY = [
  'AUTHORIZATION_BUSY',
  'AUTHORIZATION_CLOSED',
  'AUTHORIZATION_NOT_APPROVED',
  'UNKNOWN_AUTHORIZATION',
  'AMOUNT_TOO_HIGH',
  'ALREADY_CAPTURED',
];

describe('readOrder', () => {
  test.each(WITH_MONEY)('returns the amount and the transaction of an approved %s', (kind) => {
    expect(readOrder(APPROVED, kind, ATTEMPT)).toEqual({
      result: 'approved',
      failureCode: null,
      railOrderId: null,
      providerRef: '177244920100000001',
      amountMinor: 150_000,
      currency: 'AOA',
      occurredAt: new Date('2026-03-02T09:00:01.000Z'),
      details: { transactionNumber: '7', clearingPeriod: '20514', terminalId: 'POS-1' },
    });
  });

  test.each(WITH_MONEY)('returns unknown for an approved %s without a readable amount or transaction', (kind) => {
    for (const [missing, reason] of [
      ['amount', 'amount_unreadable'],
      ['currency', 'amount_unreadable'],
      ['transactionId', 'transaction_unreadable'],
    ] as const) {
      const outcome = readOrder({ ...APPROVED, [missing]: null }, kind, ATTEMPT);
      expect(outcome).toMatchObject({ result: 'unknown', amountMinor: null, details: { reason } });
    }
  });

  test('returns no amount for an approved void', () => {
    const nothing = {
      failureCode: null,
      railOrderId: null,
      providerRef: null,
      amountMinor: null,
      currency: null,
      details: {},
    };
    const occurredAt = new Date(VOIDED.decidedAt);
    expect(readOrder(VOIDED, 'void', ATTEMPT)).toEqual({ result: 'approved', ...nothing, occurredAt });
    const withMoney = readOrder({ ...VOIDED, amount: '1.00', currency: 'AOA', transactionId: '1' }, 'void', ATTEMPT);
    expect(withMoney).toMatchObject({ providerRef: null, amountMinor: null, currency: null });
  });

  test.each(KINDS)('maps every refusal of a %s to a failure code', (kind) => {
    const decline = (reason: string) => readOrder({ ...APPROVED, status: 'DECLINED', reason }, kind, ATTEMPT);
    for (const [reason, failureCode] of Object.entries(COMMON)) {
      expect(decline(reason)).toMatchObject({ result: 'declined', failureCode, providerRef: null, amountMinor: null });
    }
    for (const reason of STEPS_ONLY) {
      const isStep = kind === 'capture' || kind === 'void';
      const expected = isStep ? { result: 'declined', failureCode: 'issuer_refused' } : { result: 'pending' };
      expect(decline(reason)).toMatchObject({ ...expected, details: { railReason: reason } });
    }
  });

  test('keeps the rail’s reason only if several reasons map to one failure code', () => {
    const decline = (reason: string) =>
      readOrder({ ...APPROVED, status: 'DECLINED', reason }, 'capture', ATTEMPT).details;
    const words = Object.entries(COMMON).filter(([, failureCode]) => failureCode !== 'issuer_refused');
    expect(words.length).toBeGreaterThan(0);
    for (const [reason] of words) expect(decline(reason)).not.toHaveProperty('railReason');
  });

  test.each([
    [{ amount: '1500.001' }, { reason: 'amount_unreadable', railAmount: '1500.001', railCurrency: 'AOA' }],
    [
      { amount: '1500.00', currency: 'kz' },
      { railAmount: '1500.00', railCurrency: 'kz' },
    ],
  ])('returns unknown with the rail’s own text for the unreadable amount %j', (change, details) => {
    const outcome = readOrder({ ...APPROVED, ...change }, 'purchase', ATTEMPT);
    expect(outcome).toMatchObject({ result: 'unknown', amountMinor: null, details });
  });

  test('returns unknown without an amount if the transaction is unreadable', () => {
    const { result, details } = readOrder({ ...APPROVED, transactionId: null }, 'purchase', ATTEMPT);
    expect(result).toBe('unknown');
    expect(details).toMatchObject({ reason: 'transaction_unreadable' });
    expect(details).not.toHaveProperty('railAmount');
  });

  test.each(KINDS)('returns unknown if the response has the id of another %s', (kind) => {
    const outcome = readOrder({ ...APPROVED, id: PARENT }, kind, ATTEMPT);
    expect(outcome).toMatchObject({ result: 'unknown', details: { reason: 'other_purchase' } });
  });

  test('does not throw for any input, and approves only complete transactions', () => {
    const word = fc.oneof(
      fc.constantFrom('APPROVED', 'DECLINED', 'PENDING', null, '', ATTEMPT, '12.50', 'AOA'),
      fc.jsonValue(),
    );
    const order = fc.record({
      id: fc.oneof(fc.constant(ATTEMPT), word),
      status: word,
      reason: word,
      amount: word,
      currency: word,
      transactionId: word,
    });
    fc.assert(
      fc.property(order, fc.constantFrom(...KINDS), (value, kind) => {
        const outcome = readOrder(value, kind, ATTEMPT);
        const isWhole = outcome.providerRef !== null && outcome.amountMinor !== null && outcome.currency !== null;
        expect(isWhole).toBe(outcome.result === 'approved' && kind !== 'void');
        expect(outcome.failureCode !== null).toBe(outcome.result === 'declined');
        expect(outcome.result).not.toBe('not_found');
        if (outcome.result === 'approved') expect(value).toMatchObject({ id: ATTEMPT, status: 'APPROVED' });
      }),
      { numRuns: 500 },
    );
  });
});

describe('readOrderAnswer', () => {
  const CODES: Record<OrderKind, string> = {
    purchase: 'UNKNOWN_PURCHASE',
    authorization: 'UNKNOWN_AUTHORIZATION',
    capture: 'UNKNOWN_CAPTURE',
    void: 'UNKNOWN_VOID',
  };

  test.each(KINDS)('returns not_found for a %s only if a query returns the code of that kind', (kind) => {
    for (const [owner, code] of Object.entries(CODES)) {
      const answer = { status: 404, body: JSON.stringify({ code }) };
      const isNotFound = owner === kind;
      expect(readOrderAnswer(answer, kind, ATTEMPT, 'GET').result).toBe(isNotFound ? 'not_found' : 'unknown');
      expect(readOrderAnswer(answer, kind, ATTEMPT, 'POST').result).toBe('unknown');
    }
  });

  test.each([400, 401, 403, 409, 429, 500, 503])('returns unknown for status %i of every kind of order', (status) => {
    const answer = { status, body: JSON.stringify({ ...APPROVED, code: 'X' }) };
    const reason = status < 500 ? 'rail_refused' : 'rail_error';
    for (const kind of KINDS) {
      expect(readOrderAnswer(answer, kind, ATTEMPT, 'POST')).toMatchObject({ result: 'unknown', details: { reason } });
    }
  });
});

describe('writeOrder', () => {
  const capture: CaptureOrder = {
    kind: 'capture',
    attemptId: ATTEMPT,
    gpoMerchantId: 'M-1',
    gpoPosId: 'POS-1',
    authorizationId: PARENT,
    reference: 'PED-1',
    amountMinor: 100_05,
    currency: 'AOA',
    description: null,
  };

  test('writes a capture with the id of its authorization and without a phone number', () => {
    expect(JSON.parse(writeOrder(capture))).toEqual({
      id: ATTEMPT,
      merchantId: 'M-1',
      terminalId: 'POS-1',
      reference: 'PED-1',
      authorizationId: PARENT,
      amount: '100.05',
      currency: 'AOA',
      description: null,
    });
  });

  test.each([
    ['FT/2026/12', 'FT-2026-12'],
    ['ref_1', 'ref-1'],
    ['A.12 b', 'A-12-b'],
  ])('writes the reference %s as %s', (reference, there) => {
    expect(JSON.parse(writeOrder({ ...capture, reference }))).toMatchObject({ reference: there });
    const { kind: _capture, authorizationId: _parent, ...order } = capture;
    const limits = {
      type: 'STATIC',
      maxTransactions: 1,
      endDate: new Date(0),
      notifyUrl: '',
      description: '',
    } as const;
    expect(JSON.parse(writeQrCode({ ...order, ...limits, reference }))).toMatchObject({ reference: there });
  });

  test.each(['authorization', 'qrcode'] as const)('writes a void with its target of type %s', (target) => {
    const order: RailOrder = { kind: 'void', attemptId: ATTEMPT, gpoMerchantId: 'M-1', target, targetId: PARENT };
    expect(JSON.parse(writeOrder(order))).toEqual({ id: ATTEMPT, merchantId: 'M-1', target, targetId: PARENT });
    expect(writeOrder(order)).toBe(writeOrder({ ...order }));
  });
});

describe('readNotification', () => {
  test('returns null for an unknown type', () => {
    expect(readNotification('{"id":"n-1","type":"unknown"}')).toBeNull();
  });

  test.each(KINDS)('reads the order of type %s from the field of that name', (kind) => {
    const message = { id: 'n-1', type: kind, createdAt: APPROVED.decidedAt, [kind]: APPROVED };
    expect(readNotification(JSON.stringify(message))).toEqual({
      notificationId: 'n-1',
      about: 'order',
      kind,
      attemptId: ATTEMPT,
      outcome: readOrder(APPROVED, kind, ATTEMPT),
    });
    const elsewhere = { ...message, [kind]: undefined, thing: APPROVED };
    expect(readNotification(JSON.stringify(elsewhere))).toBeNull();
  });
});
