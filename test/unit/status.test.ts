// Statuses, methods and failures: that the small tables say the same of one another.
import { describe, expect, test } from 'vitest';
import { GPO_METHODS, gpoMethodOf } from '../../shared/methods.ts';
import { FAILURE_CODES, isFinal, PAYMENT_STATUSES } from '../../shared/status.ts';
import { findMethod, methodOf } from '../../server/payments/methods/registry.ts';
import { eventTypeOf, FIRST_STATUS, TRANSITIONS } from '../../server/payments/states.ts';
import { viewPayment } from '../../server/payments/view.ts';
import type { Payment } from '../../server/payments/entities.ts';
import { createKeyring } from '../../server/secrets.ts';

describe('statuses', () => {
  test.each([
    ['Pending', false],
    ['Processing', false],
    ['Authorized', false],
    ['Captured', true],
    ['Paid', true],
    ['Failed', true],
    ['Canceled', true],
    ['Expired', true],
  ] as const)('%s is final: %s', (status, final) => {
    expect(isFinal(status)).toBe(final);
  });

  test('the table above names every status', () => {
    expect(PAYMENT_STATUSES).toHaveLength(8);
    expect(new Set(PAYMENT_STATUSES).size).toBe(8);
  });

  test('only money that came late leads out of a final status', () => {
    const leading = Object.entries(TRANSITIONS).filter(([, { from }]) => from.some(isFinal));
    expect(leading.map(([event, { to }]) => [event, to])).toEqual([['approve', 'Paid']]);
  });

  test('nothing leads out of Paid, and nothing leads to where it began', () => {
    for (const { from, to } of Object.values(TRANSITIONS)) {
      expect(from).not.toContain('Paid');
      expect(from).not.toContain(to);
    }
  });

  test('a payment expires only while it waits for its payer: never while money may be moving', () => {
    expect(TRANSITIONS.expire.from).toEqual(['Pending']);
  });

  test('each status has its event type', () => {
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

describe('methods', () => {
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
  ])('%j means %s', (name, method) => {
    expect(gpoMethodOf(name)).toBe(method);
  });

  const served = GPO_METHODS.filter((name) => findMethod(name));

  test('webframe and onetimepurchase are served; what is not is never served as another', () => {
    expect(served).toEqual(['webframe', 'onetimepurchase']);
    for (const name of served) expect(methodOf({ paymentMethod: name }).name).toBe(name);
    for (const name of ['authorization', 'capture', 'qrcode', 'reference'] as const) {
      expect(findMethod(name)).toBeUndefined();
      expect(() => methodOf({ paymentMethod: name })).toThrow(name);
    }
  });

  test.each(served)('%s begins, and fails, where the table of transitions goes on', (name) => {
    const { start, failedPush } = methodOf({ paymentMethod: name });
    const first = FIRST_STATUS[start];
    if (start === 'checkout') expect(TRANSITIONS.submit.from).toContain(first);
    else expect(first).toBe(TRANSITIONS.submit.to);
    expect(TRANSITIONS[failedPush].from).toEqual([TRANSITIONS.submit.to]);
  });

  test('a webframe expires after its minutes, 30 unless said; a onetimepurchase never by itself', () => {
    const at = new Date('2026-03-02T09:00:00.000Z');
    const webframe = methodOf({ paymentMethod: 'webframe' });
    expect(webframe.expiresAt(at, undefined)).toEqual(new Date('2026-03-02T09:30:00.000Z'));
    expect(webframe.expiresAt(at, null)).toEqual(new Date('2026-03-02T09:30:00.000Z'));
    expect(webframe.expiresAt(at, 5)).toEqual(new Date('2026-03-02T09:05:00.000Z'));
    expect(webframe.expiresAt(at, 1440)).toEqual(new Date('2026-03-03T09:00:00.000Z'));
    expect(methodOf({ paymentMethod: 'onetimepurchase' }).expiresAt(at, 30)).toBeNull();
  });
});

describe('failures', () => {
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

  test.each(FAILURE_CODES)('%s is explained in a sentence', (failureCode) => {
    const { failure } = viewPayment(core, { ...payment, failureCode }, []);
    expect(failure?.code).toBe(failureCode);
    expect(failure?.message).toMatch(/^[A-Z].+\.$/);
  });

  test('without a failure there is none', () => {
    expect(viewPayment(core, { ...payment, failureCode: null }, []).failure).toBeNull();
  });
});
