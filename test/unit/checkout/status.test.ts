// The tables of statuses, methods and failures agree with each other.
import { describe, expect, test } from 'vitest';
import { GPO_METHODS, gpoMethodOf } from '../../../shared/methods.ts';
import { FAILURE_CODES, isFinal, PAYMENT_STATUSES } from '../../../shared/status.ts';
import { methodOf, type RequestMetadata } from '../../../server/payments/core/method.ts';
import '../../../server/payments/methods.ts';
import { eventTypeOf, FIRST_STATUS, TRANSITIONS } from '../../../server/payments/core/states.ts';
import { viewPayment } from '../../../server/payments/core/view.ts';
import type { Payment } from '../../../server/payments/core/entities.ts';
import { createKeyring } from '../../../server/secrets.ts';

describe('payment statuses', () => {
  test.each([
    ['Pending', false],
    ['Processing', false],
    ['Authorized', false],
    ['Captured', true],
    ['Paid', true],
    ['Failed', true],
    ['Canceled', true],
    ['Expired', true],
  ] as const)('mark %s as final: %s', (status, final) => {
    expect(isFinal(status)).toBe(final);
  });

  test('are eight', () => {
    expect(PAYMENT_STATUSES).toHaveLength(8);
    expect(new Set(PAYMENT_STATUSES).size).toBe(8);
  });

  test('change from a final status only for late money', () => {
    const leading = Object.entries(TRANSITIONS).filter(([, { from }]) => from.some(isFinal));
    expect(leading.map(([event, { to }]) => [event, to])).toEqual([
      ['approve', 'Paid'],
      ['reserve', 'Authorized'],
      ['capture', 'Captured'],
    ]);
  });

  test('do not change from Paid or Captured, and never change to themselves', () => {
    for (const { from, to } of Object.values(TRANSITIONS)) {
      expect(from).not.toContain('Paid');
      expect(from).not.toContain('Captured');
      expect(from).not.toContain(to);
    }
  });

  test('change to Expired or Canceled only from Pending and Authorized', () => {
    expect(TRANSITIONS.expire.from).toEqual(['Pending', 'Authorized']);
    expect(TRANSITIONS.cancel.from).toEqual(['Pending', 'Authorized']);
  });

  test('have one event type each', () => {
    expect(PAYMENT_STATUSES.map(eventTypeOf)).toEqual([
      'payment.pending',
      'payment.processing',
      'payment.authorized',
      'payment.captured',
      'payment.paid',
      'payment.failed',
      'payment.canceled',
      'payment.expired',
    ]);
  });
});

describe('payment methods', () => {
  test.each([
    ['webframe', 'webframe'],
    ['onetimepurchase', 'onetimepurchase'],
    ['OneTimePurchase', 'onetimepurchase'],
    [' QRCODE ', 'qrcode'],
    ['authorization', 'authorization'],
    ['CAPTURE', 'capture'],
    [undefined, 'webframe'],
    [null, 'webframe'],
    ['', 'webframe'],
    ['card', 'webframe'],
    ['reference', 'webframe'],
    ['__proto__', 'webframe'],
    ['constructor', 'webframe'],
    [7, 'webframe'],
    [['qrcode'], 'webframe'],
    [{ toString: () => 'qrcode' }, 'webframe'],
  ])('are read from the name %j as %s', (name, method) => {
    expect(gpoMethodOf(name)).toBe(method);
  });

  test.each([...GPO_METHODS, 'reference' as const])('include %s under its own name', (name) => {
    expect(methodOf({ paymentMethod: name }).name).toBe(name);
  });

  test.each([
    ['reference', 'Pending', null],
    ['webframe', 'Pending', 'purchase'],
    ['onetimepurchase', 'Processing', 'purchase'],
    ['authorization', 'Processing', 'authorization'],
    ['capture', 'Processing', 'capture'],
    ['qrcode', 'Pending', 'qrcode'],
  ] as const)('include %s: the payment begins as %s and requests a %s from the rail', (name, first, asks) => {
    const method = methodOf({ paymentMethod: name });
    expect({ first: FIRST_STATUS[method.start], asks: method.orderKind }).toEqual({ first, asks });
  });

  test.each(GPO_METHODS)('begin and fail in statuses with transitions (%s)', (name) => {
    const { start, failedPush } = methodOf({ paymentMethod: name });
    const first: string = FIRST_STATUS[start];
    // A pending payment can be canceled and can expire. A running one can fail.
    if (first === 'Pending')
      for (const event of ['cancel', 'expire'] as const) expect(TRANSITIONS[event].from).toContain(first);
    else expect(TRANSITIONS[failedPush].from).toContain(first);
    expect(TRANSITIONS[failedPush].from).toEqual([TRANSITIONS.submit.to]);
  });

  const AT = new Date('2026-03-02T09:00:00.000Z');
  const END = '2026-12-24T18:00:00.000Z';
  test.each([
    ['webframe', {}, '2026-03-02T09:30:00.000Z'],
    ['webframe', { expiresInMinutes: null }, '2026-03-02T09:30:00.000Z'],
    ['webframe', { expiresInMinutes: 5 }, '2026-03-02T09:05:00.000Z'],
    ['webframe', { expiresInMinutes: 1440, endDate: END }, '2026-03-03T09:00:00.000Z'],
    ['qrcode', { expiresInMinutes: 5 }, '2026-03-03T09:00:00.000Z'],
    ['qrcode', { endDate: null }, '2026-03-03T09:00:00.000Z'],
    ['qrcode', { endDate: END }, END],
    ['onetimepurchase', { expiresInMinutes: 30, endDate: END }, null],
    // An authorization expires a week after its approval, not after its creation.
    ['authorization', { expiresInMinutes: 30, endDate: END }, null],
    ['capture', { expiresInMinutes: 30, endDate: END }, null],
  ] as const)('end %s with %j at %s', (name, asked, end) => {
    const { columns } = methodOf({ paymentMethod: name }).read(asked as RequestMetadata, AT);
    expect(columns.expiresAt?.toISOString() ?? null).toBe(end);
  });
});

describe('failure codes', () => {
  const core = {
    keyring: createKeyring(`a:${Buffer.alloc(32, 1).toString('base64')}`),
    publicUrl: 'https://pay.example',
  };
  const payment = {
    id: '0198a1b2-0000-7000-8000-000000000001',
    amountMinor: 150_000,
    amountPaidMinor: 0,
    currency: 'AOA',
    flags: [],
    customMetadata: null,
  } as unknown as Payment;

  test.each(FAILURE_CODES)('have a sentence that explains %s', (failureCode) => {
    const { failure } = viewPayment(core, { ...payment, failureCode }, []);
    expect(failure?.code).toBe(failureCode);
    expect(failure?.message).toMatch(/^[A-Z].+\.$/);
  });

  test('give a null explanation if there is no failure code', () => {
    expect(viewPayment(core, { ...payment, failureCode: null }, []).failure).toBeNull();
  });
});
