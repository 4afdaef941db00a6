// POST /api/payments, what it refuses: all that is wrong in one answer, what is not the merchant's, and nothing written.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { SOMEBODY } from '../../support/notify.ts';
import { purchase, webframe } from '../../support/payments.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const withMetadata = (metadata: unknown) => webframe({ metadata });
const valid = { currency: 'AOA', paymentType: 'GPO', reference: 'R1' };

const faultsOf = (reply: Reply) => reply.json.errors.map((fault: any) => `${fault.pointer} ${fault.code}`);

/** Sends a creation with a key: a refusal must leave neither rows nor the key. */
const refuse = (body: unknown, headers: Record<string, string> = {}) =>
  leavesNothing(app, () =>
    app.call('/api/payments', { body, headers: { 'idempotency-key': `k${Math.random()}`, ...headers } }),
  );

describe('what is not the merchant’s', () => {
  test.each<[string, unknown, string, string]>([
    [
      'a foreign GPO merchant',
      withMetadata({ gpo_merchant_id: 'x' }),
      '/metadata/gpo_merchant_id gpo_id_not_assigned',
      'gpo_id_not_assigned',
    ],
    [
      'a foreign GPO terminal',
      withMetadata({ gpo_pos_id: 'x' }),
      '/metadata/gpo_pos_id gpo_id_not_assigned',
      'gpo_id_not_assigned',
    ],
    [
      'a return address elsewhere',
      withMetadata({ returnUrl: 'https://evil.example/' }),
      '/metadata/returnUrl origin_not_registered',
      'origin_not_registered',
    ],
    [
      'a cancel address elsewhere',
      withMetadata({ cancelUrl: 'https://evil.example/' }),
      '/metadata/cancelUrl origin_not_registered',
      'origin_not_registered',
    ],
  ])('%s', async (_name, body, fault, code) => {
    const reply = await refuse(body);
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual([fault]);
    expect(reply.json).toMatchObject({ code, status: 400, type: `${app.node.core.publicUrl}/problems/${code}` });
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
  });
});

describe('several', () => {
  test('all faults are named in one answer', async () => {
    const metadata = { paymentMethod: 'onetimepurchase', expiresInMinutes: 1, custom: 'x' };
    const reply = await refuse({ amount: 0.001, currency: 'AOA', reference: '?', customMetadata: {}, metadata });
    expect(reply.json.code).toBe('validation_failed');
    expect(faultsOf(reply).toSorted()).toEqual([
      '/amount amount_precision',
      '/customMetadata custom_metadata_not_allowed',
      '/metadata/custom invalid_type',
      '/metadata/expiresInMinutes too_small',
      '/metadata/phoneNumber required',
      '/paymentType required',
      '/reference invalid_format',
    ]);
  });

  test('what only the clock and the merchant’s settings tell is named beside what the fields tell', async () => {
    const metadata = {
      paymentMethod: 'qrcode',
      qrSize: 'huge',
      endDate: '2020-01-01',
      gpo_pos_id: 'of-somebody-else',
      returnUrl: 'https://evil.example/',
    };
    const reply = await refuse({ amount: -1, currency: 'x', paymentType: 'GPO', reference: 'R1', metadata });
    expect(faultsOf(reply).toSorted()).toEqual([
      '/amount amount_out_of_range',
      '/currency invalid_format',
      '/metadata/endDate date_in_past',
      '/metadata/gpo_pos_id gpo_id_not_assigned',
      '/metadata/qrSize invalid_value',
      '/metadata/returnUrl origin_not_registered',
    ]);
  });

  test('a merchant without GPO ids is told both that are missing', async () => {
    const bare = await app.addMerchant({ gpoMerchantIds: [], gpoPosIds: [] });
    const reply = await leavesNothing(app, () => app.call('/api/payments', { body: webframe(), token: bare.token }));
    expect(reply.json.code).toBe('gpo_id_required');
    expect(faultsOf(reply)).toEqual([
      '/metadata/gpo_merchant_id gpo_id_required',
      '/metadata/gpo_pos_id gpo_id_required',
    ]);
  });

  test('messages come in Portuguese for those who ask, codes stay', async () => {
    const reply = await refuse({ ...valid, amount: 0.001 }, { 'accept-language': 'pt-AO, en;q=0.5' });
    expect(reply.headers.get('content-language')).toBe('pt');
    expect(reply.json).toMatchObject({ title: 'Too many decimals', code: 'amount_precision' });
    expect(reply.json.errors).toEqual([
      {
        pointer: '/amount',
        code: 'amount_precision',
        message: 'tem mais casas decimais do que a moeda AOA permite (2)',
      },
    ]);
  });

  test('a push is refused like any other creation', async () => {
    const reply = await refuse(purchase(SOMEBODY, { amount: -1 }));
    expect(faultsOf(reply)).toEqual(['/amount amount_out_of_range']);
  });
});
