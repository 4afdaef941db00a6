import { beforeAll, describe, expect, test } from 'vitest';
import type { Core } from '../../../server/core.ts';
import { createPayment } from '../../../server/payments/create.ts';
import { creationRequest, type GpoCreation } from '../../../server/payments/schemas.ts';
import { ownKeys, ownRails } from '../../../server/rails/node-rails.ts';
import { openRailAccounts } from '../../../server/rails/rail-accounts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { webframe } from '../../support/payments.ts';
import { faultsOf } from '../../support/ppr.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** Sends an invalid creation with a key. The refusal leaves neither rows nor the key. */
const refuse = (body: unknown, headers: Record<string, string> = {}) =>
  leavesNothing(app, () =>
    app.call('/api/payments', { body, headers: { 'idempotency-key': `k${Math.random()}`, ...headers } }),
  );

describe('POST /api/payments', () => {
  test.each([
    [{ gpo_merchant_id: 'x' }, '/metadata/gpo_merchant_id', 'gpo_id_not_assigned'],
    [{ returnUrl: 'https://evil.example/' }, '/metadata/returnUrl', 'origin_not_registered'],
    [{ cancelUrl: 'https://evil.example/' }, '/metadata/cancelUrl', 'origin_not_registered'],
  ])('refuses the metadata %j, which is not the merchant’s', async (metadata, pointer, code) => {
    const reply = await refuse(webframe({ metadata }));
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual([`${pointer} ${code}`]);
    expect(reply.json).toMatchObject({ code, status: 400, type: `${app.node.core.publicUrl}/problems/${code}` });
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
  });

  test('names all faults of the schema in one answer', async () => {
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

  test('names faults of the schema, the clock and the settings in one answer', async () => {
    const metadata = {
      paymentMethod: 'qrcode',
      qrSize: 'huge',
      endDate: '2020-01-01',
      gpo_pos_id: 'of-another-merchant',
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

  test('returns its messages in Portuguese for Accept-Language pt, and the same codes', async () => {
    const reply = await refuse(webframe({ amount: 0.001 }), { 'accept-language': 'pt-AO, en;q=0.5' });
    expect(reply.headers.get('content-language')).toBe('pt');
    expect(reply.json).toMatchObject({ title: 'Too many decimals', code: 'amount_precision' });
    const message = 'tem mais casas decimais do que a moeda AOA permite (2)';
    expect(reply.json.errors).toEqual([{ pointer: '/amount', code: 'amount_precision', message }]);
  });
});

describe('production', () => {
  /** A production node cannot reach the simulator, so this changes the core of a sandbox node. */
  async function createInProduction(currency: string) {
    const config = { ...app.node.core.config, isSandbox: false, GPO_URL: app.url };
    const base = { ...app.node.core, config };
    const rails = await openRailAccounts(base, ownRails(base, ownKeys(base), ''));
    const core: Core = { ...base, rails };
    const { merchantId } = await app.addMerchant();
    const request = creationRequest.parse(webframe({ currency })) as GpoCreation;
    return createPayment(core, { merchantId, request, keyed: null, wantsRepresentation: false });
  }

  test('takes AOA', async () => {
    expect((await createInProduction('AOA')).answer.status).toBe(201);
  });

  test.each(['USD', 'ZZZ'])('refuses %s and writes nothing', async (currency) => {
    const options = { faults: [{ pointer: '/currency', code: 'currency_not_supported' }] };
    await leavesNothing(app, () =>
      expect(createInProduction(currency)).rejects.toMatchObject({ code: 'currency_not_supported', options }),
    );
  });
});
