import { beforeAll, describe, expect, test } from 'vitest';
import type { Core } from '../../../server/core.ts';
import { createPayment } from '../../../server/payments/create.ts';
import { creationRequest, type GpoCreation } from '../../../server/payments/schemas.ts';
import { nodeRailKeys, createNodeRails } from '../../../server/rails/node-rails.ts';
import { openRailAccounts } from '../../../server/rails/rail-accounts.ts';
import { startTestApp, type TestApp, until } from '../../support/app.ts';
import { webframe, purchase } from '../../support/payments.ts';
import { readFieldFaults } from '../../support/ppr.ts';
import { qrcode } from '../../support/qrcodes.ts';
import { askRail } from '../../support/lone-rail.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
/** A token of a merchant that has two GPO merchant ids and two terminals. */
let token: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ token } = await app.addMerchant({ gpoMerchantIds: ['m-1', 'm-2'], gpoPosIds: ['pos-1', 'pos-2'] }));
});

/** Sends an invalid creation with an Idempotency-Key. The refusal stores neither rows nor the key. */
const refuse = (body: unknown, headers: Record<string, string> = {}) =>
  leavesNothing(app, () =>
    app.call('/api/payments', { body, headers: { 'idempotency-key': `k${Math.random()}`, ...headers } }),
  );

describe('POST /api/payments', () => {
  test.each([
    [{ returnUrl: 'https://evil.example/' }, '/metadata/returnUrl', 'origin_not_registered'],
    [{ cancelUrl: 'https://evil.example/' }, '/metadata/cancelUrl', 'origin_not_registered'],
  ])('returns 400 for the metadata %j, whose ids belong to another merchant', async (metadata, pointer, code) => {
    const reply = await refuse(webframe({ metadata }));
    expect(reply.status).toBe(400);
    expect(readFieldFaults(reply)).toEqual([`${pointer} ${code}`]);
    expect(reply.json).toMatchObject({ code, status: 400, type: `${app.node.core.publicUrl}/problems/${code}` });
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
  });

  test('returns all faults of the schema in one response', async () => {
    const metadata = { paymentMethod: 'onetimepurchase', expiresInMinutes: 1, custom: 'x' };
    const reply = await refuse({ amount: 0.001, currency: 'AOA', reference: '?', customMetadata: {}, metadata });
    expect(reply.json.code).toBe('validation_failed');
    expect(readFieldFaults(reply).toSorted()).toEqual([
      '/amount amount_precision',
      '/customMetadata custom_metadata_not_allowed',
      '/metadata/custom invalid_type',
      '/metadata/expiresInMinutes too_small',
      '/metadata/phoneNumber required',
      '/paymentType required',
      '/reference invalid_format',
    ]);
  });

  test("returns faults of the schema, the clock and the merchant's settings in one response", async () => {
    const metadata = {
      paymentMethod: 'qrcode',
      qrSize: 'huge',
      endDate: '2020-01-01',
      gpo_pos_id: 'of-another-merchant',
      returnUrl: 'https://evil.example/',
    };
    const reply = await refuse({ amount: -1, currency: 'x', paymentType: 'GPO', reference: 'R1', metadata });
    expect(readFieldFaults(reply).toSorted()).toEqual([
      '/amount amount_out_of_range',
      '/currency invalid_format',
      '/metadata/endDate date_in_past',
      '/metadata/gpo_pos_id gpo_id_not_assigned',
      '/metadata/qrSize invalid_value',
      '/metadata/returnUrl origin_not_registered',
    ]);
  });

  test('returns the same codes with Portuguese messages for Accept-Language: pt', async () => {
    const reply = await refuse(webframe({ amount: 0.001 }), { 'accept-language': 'pt-AO, en;q=0.5' });
    expect(reply.headers.get('content-language')).toBe('pt');
    expect(reply.json).toMatchObject({ title: 'Too many decimals', code: 'amount_precision' });
    const message = 'tem mais casas decimais do que a moeda AOA permite (2)';
    expect(reply.json.errors).toEqual([{ pointer: '/amount', code: 'amount_precision', message }]);
  });
});

describe('POST /api/payments in production', () => {
  /** A production node cannot reach the simulator, so the test changes the settings of a sandbox node. */
  async function createInProduction(currency: string) {
    const config = { ...app.node.core.config, isSandbox: false, GPO_URL: app.url };
    const base = { ...app.node.core, config };
    const rails = await openRailAccounts(base, createNodeRails(base, nodeRailKeys(base), ''));
    const core: Core = { ...base, rails };
    const { merchantId } = await app.addMerchant();
    const request = creationRequest.parse(webframe({ currency })) as GpoCreation;
    return createPayment(core, { merchantId, request, keyed: null, wantsRepresentation: false });
  }

  test('accepts AOA', async () => {
    expect((await createInProduction('AOA')).answer.status).toBe(201);
  });

  test.each(['USD', 'ZZZ'])('refuses %s and writes nothing', async (currency) => {
    const options = { faults: [{ pointer: '/currency', code: 'currency_not_supported' }] };
    await leavesNothing(app, () =>
      expect(createInProduction(currency)).rejects.toMatchObject({ code: 'currency_not_supported', options }),
    );
  });
});

const PHONE = '923000001';

const METHODS = {
  webframe: (ids: object) => webframe({ metadata: ids }),
  onetimepurchase: (ids: object) =>
    purchase(PHONE, { metadata: { paymentMethod: 'onetimepurchase', phoneNumber: PHONE, ...ids } }),
  authorization: (ids: object) =>
    webframe({ metadata: { paymentMethod: 'authorization', phoneNumber: PHONE, ...ids } }),
  qrcode: (ids: object) => qrcode({ ...ids }),
};

const post = (body: object, bearer = token) => app.call('/api/payments', { body, token: bearer });
async function expectStored(body: Record<string, unknown>, merchant: string, pos: string): Promise<void> {
  expect([200, 201]).toContain((await post(body)).status);
  const rows = await app.sql('select gpo_merchant_id, gpo_pos_id from payments where reference = $1', [
    body['reference'],
  ]);
  expect(rows).toEqual([{ gpo_merchant_id: merchant, gpo_pos_id: pos }]);
}

describe.each(Object.entries(METHODS))('%s', (_name, write) => {
  test('accepts the GPO ids of its request, and refuses ids of another merchant', async () => {
    await expectStored(write({ gpo_merchant_id: 'm-2', gpo_pos_id: 'pos-2' }), 'm-2', 'pos-2');
    const reply = await leavesNothing(app, () => post(write({ gpo_merchant_id: 'demo-merchant', gpo_pos_id: 'x' })));
    expect(readFieldFaults(reply)).toEqual([
      '/metadata/gpo_merchant_id gpo_id_not_assigned',
      '/metadata/gpo_pos_id gpo_id_not_assigned',
    ]);
  });
});

test.each([
  [{}, 'm-1', 'pos-1'],
  [{ gpo_merchant_id: 'm-2' }, 'm-2', 'pos-1'],
  [{ gpo_pos_id: 'pos-2' }, 'm-1', 'pos-2'],
  [{ gpo_merchant_id: '', gpo_pos_id: null }, 'm-1', 'pos-1'],
])('a creation with %j uses the first assigned ids for the absent ones', async (ids, merchant, pos) => {
  await expectStored(webframe({ metadata: ids }), merchant, pos);
});

test.each([
  [{ gpo_merchant_id: 'demo-merchant' }, ['gpo_merchant_id']],
  [{ gpo_pos_id: 'demo-pos' }, ['gpo_pos_id']],
  [{ gpo_merchant_id: 'M-1', gpo_pos_id: 'POS-1' }, ['gpo_merchant_id', 'gpo_pos_id']],
])('a creation with %j returns 400 for ids that are not assigned', async (ids, wrong) => {
  const reply = await leavesNothing(app, () => post(webframe({ metadata: ids })));
  expect(readFieldFaults(reply)).toEqual(wrong.map((field) => `/metadata/${field} gpo_id_not_assigned`));
});

test.each([
  [[], ['gpo_merchant_id', 'gpo_pos_id']],
  [['m-9'], ['gpo_pos_id']],
])(
  'a merchant that has only the GPO ids %j gets a 400 that names the missing ones',
  async (gpoMerchantIds, missing) => {
    const bare = await app.addMerchant({ gpoMerchantIds, gpoPosIds: [] });
    const reply = await leavesNothing(app, () => post(webframe(), bare.token));
    expect(readFieldFaults(reply)).toEqual(missing.map((field) => `/metadata/${field} gpo_id_required`));
  },
);

test('the rail receives the chosen GPO ids', async () => {
  const chosen = { gpo_merchant_id: 'm-2', gpo_pos_id: 'pos-2' };
  const push = METHODS.onetimepurchase(chosen);
  await post(push);
  const read = async () => (await askRail(app, `/books?reference=${push['reference']}`)).body.data[0];
  expect(await until(read, 'the push reaching the rail')).toMatchObject({ merchantId: 'm-2', terminalId: 'pos-2' });
  const headers = { prefer: 'return=representation' };
  const code = await app.call('/api/payments', { body: METHODS.qrcode(chosen), token, headers });
  const { content } = code.json.qrCode;
  expect((await askRail(app, '/codes/read', { content })).body.merchantId).toBe('m-2');
  expect((await askRail(app, '/scans', { content, phone: '923000009' })).body.terminalId).toBe('pos-2');
});
