// canReplace decides whether a page offers a reference: null for never, false for not now, true for now.
import { describe, expect, test } from 'vitest';
import { makePayment } from '../../../server/payments/core/new-payment.ts';
import '../../../server/payments/methods.ts';
import type { Payment } from '../../../server/payments/core/entities.ts';
import { canReplace } from '../../../server/checkout/replace-by-reference.ts';
import type { Core } from '../../../server/core.ts';
import type { Config } from '../../../server/config.ts';
import { createNodeRails } from '../../../server/rails/node-rails.ts';
import { createKeyring } from '../../../server/secrets.ts';

const now = new Date('2026-03-02T09:00:00.000Z');
const later = new Date(now.getTime() + 60_000);

type Settings = { isSandbox?: boolean; PPR_URL?: string };

function coreWith(config: Settings) {
  const clock = { now: () => now, outside: () => now, wait: async () => {} };
  const settings = { isSandbox: true, PPR_TIMEOUT_S: 10, GPO_TIMEOUT_S: 10, SMS_TIMEOUT_S: 10, ...config } as Config;
  const keyring = createKeyring(`test:${Buffer.alloc(32, 7).toString('base64')}`);
  const own = createNodeRails(
    { config: settings, clock, keyring },
    { gpo: 'g', ppr: 'p', sms: 's' },
    'http://127.0.0.1',
  );
  const list = (_merchantId: string, kind: string) => own.filter((rail) => rail.kind === kind);
  return { rails: { list }, clock } as unknown as Pick<Core, 'rails' | 'clock'>;
}

/** A webframe payment whose push was refused, changed by `part`. */
function refused(part: Partial<Payment> = {}): Payment {
  return makePayment({
    merchantId: '0190f0a0-0000-7000-8000-000000000001',
    reference: 'R1',
    amountMinor: 150_000,
    currency: 'AOA',
    paymentType: 'GPO',
    paymentMethod: 'webframe',
    allowReferenceFallback: true,
    failureCode: 'timed_out',
    createdAt: now,
    expiresAt: later,
    ...part,
  });
}

const ASSIGNED = { entity: '00999', checkoutMethods: ['push' as const] };
const offer = (part: Partial<Payment>, settings: Settings = {}, merchant: { entity: string | null } = ASSIGNED) =>
  canReplace(coreWith(settings), { checkoutMethods: ['push'], ...merchant } as typeof ASSIGNED, refused(part));

test('canReplace returns true after a refusal', () => {
  expect(offer({})).toBe(true);
});

describe('canReplace returns null (no offer)', () => {
  test('unless the merchant allows the switch to a reference and has a PPR entity', () => {
    expect(offer({ allowReferenceFallback: false })).toBeNull();
    expect(offer({}, {}, { entity: null })).toBeNull();
  });
  test('if no rail accepts references in this currency', () => {
    const production = { isSandbox: false };
    expect(offer({}, production)).toBeNull();
    expect(offer({}, { ...production, PPR_URL: 'https://ppr.example' })).toBe(true);
    expect(offer({ currency: 'USD' }, { ...production, PPR_URL: 'https://ppr.example' })).toBeNull();
    expect(offer({ currency: 'USD' })).toBe(true);
  });
});

describe('canReplace returns false (no offer now)', () => {
  test.each(['Processing', 'Paid', 'Canceled', 'Expired', 'Failed'] as const)('for a payment that is %s', (status) => {
    expect(offer({ status })).toBe(false);
  });
  test('before a refusal', () => {
    expect(offer({ failureCode: null })).toBe(false);
  });
  test('after some money arrived', () => {
    expect(offer({ amountPaidMinor: 1_000, flags: ['amount_mismatch'] })).toBe(false);
  });
  test('from the expiry of the payment on', () => {
    expect(offer({ expiresAt: now })).toBe(false);
    expect(offer({ expiresAt: null })).toBe(true);
  });
});
