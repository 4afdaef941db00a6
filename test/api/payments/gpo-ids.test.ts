// GPO merchant and terminal ids: from the metadata or from the merchant's configuration, never somebody else's, never none.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { purchase, webframe } from '../../support/payments.ts';
import { askRail, qrcode } from '../../support/qrcodes.ts';
import { leavesNothing } from '../../support/rows.ts';

const PHONE = '923000001';
const ASSIGNED = { gpoMerchantIds: ['m-1', 'm-2'], gpoPosIds: ['pos-1', 'pos-2'] };

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp();
  shop = await app.addMerchant(ASSIGNED);
});

const METHODS = {
  webframe: (ids: object) => webframe({ metadata: ids }),
  onetimepurchase: (ids: object) =>
    purchase(PHONE, { metadata: { paymentMethod: 'onetimepurchase', phoneNumber: PHONE, ...ids } }),
  authorization: (ids: object) =>
    webframe({ metadata: { paymentMethod: 'authorization', phoneNumber: PHONE, ...ids } }),
  qrcode: (ids: object) => qrcode({ ...ids }),
};
const names = Object.keys(METHODS) as (keyof typeof METHODS)[];

const post = (body: object, token = shop.token) => app.call('/api/payments', { body, token });
const storedIds = async (reference: unknown) => {
  const [row] = await app.sql('select gpo_merchant_id, gpo_pos_id from payments where reference = $1', [reference]);
  return row;
};

describe.each(names)('%s', (name) => {
  test.each([
    ['nothing', {}, { gpo_merchant_id: 'm-1', gpo_pos_id: 'pos-1' }],
    ['a merchant', { gpo_merchant_id: 'm-2' }, { gpo_merchant_id: 'm-2', gpo_pos_id: 'pos-1' }],
    ['a terminal', { gpo_pos_id: 'pos-2' }, { gpo_merchant_id: 'm-1', gpo_pos_id: 'pos-2' }],
    ['both', { gpo_merchant_id: 'm-2', gpo_pos_id: 'pos-2' }, { gpo_merchant_id: 'm-2', gpo_pos_id: 'pos-2' }],
    ['empty ones', { gpo_merchant_id: '', gpo_pos_id: null }, { gpo_merchant_id: 'm-1', gpo_pos_id: 'pos-1' }],
  ])('naming %s takes the first assigned for the rest', async (_name, given, expected) => {
    const body = METHODS[name](given);
    expect([200, 201]).toContain((await post(body)).status);
    expect(await storedIds(body['reference'])).toEqual(expected);
  });

  test.each([
    ['another’s merchant', { gpo_merchant_id: 'demo-merchant' }, ['gpo_merchant_id']],
    ['another’s terminal', { gpo_pos_id: 'demo-pos' }, ['gpo_pos_id']],
    ['neither of its own', { gpo_merchant_id: 'x', gpo_pos_id: 'y' }, ['gpo_merchant_id', 'gpo_pos_id']],
    ['ids in other letters', { gpo_merchant_id: 'M-1', gpo_pos_id: 'POS-1' }, ['gpo_merchant_id', 'gpo_pos_id']],
  ])('naming %s is refused', async (_name, given, wrong) => {
    const reply = await leavesNothing(app, () => post(METHODS[name](given)));
    expect(reply.status).toBe(400);
    expect(reply.json.errors.map(({ pointer, code }: any) => [pointer, code])).toEqual(
      wrong.map((field) => [`/metadata/${field}`, 'gpo_id_not_assigned']),
    );
  });

  test('of a merchant with none needs both, and says so of each', async () => {
    const { token } = await app.addMerchant({ gpoMerchantIds: [], gpoPosIds: [] });
    const reply = await leavesNothing(app, () => post(METHODS[name]({}), token));
    expect(reply.status).toBe(400);
    expect(reply.json.errors.map(({ pointer, code }: any) => [pointer, code])).toEqual([
      ['/metadata/gpo_merchant_id', 'gpo_id_required'],
      ['/metadata/gpo_pos_id', 'gpo_id_required'],
    ]);
    const invented = await leavesNothing(app, () =>
      post(METHODS[name]({ gpo_merchant_id: 'm-1', gpo_pos_id: 'pos-1' }), token),
    );
    expect(invented.json.errors.map(({ code }: any) => code)).toEqual(Array(2).fill('gpo_id_not_assigned'));
  });

  test('of a merchant with one of the two is told which is missing', async () => {
    const { token } = await app.addMerchant({ gpoMerchantIds: ['m-9'], gpoPosIds: [] });
    const reply = await leavesNothing(app, () => post(METHODS[name]({}), token));
    expect(reply.json.errors.map(({ pointer }: any) => pointer)).toEqual(['/metadata/gpo_pos_id']);
  });
});

test('reach the rail as they were chosen', async () => {
  const chosen = { gpo_merchant_id: 'm-2', gpo_pos_id: 'pos-2' };
  const push = METHODS.onetimepurchase(chosen);
  await post(push);
  const read = async () => (await askRail(app, `/books?reference=${push['reference']}`)).json.data[0];
  expect(await until(read, 'the push reaching the rail')).toMatchObject({ merchantId: 'm-2', terminalId: 'pos-2' });
  const code = await app.call('/api/payments', {
    body: METHODS.qrcode(chosen),
    token: shop.token,
    headers: { prefer: 'return=representation' },
  });
  const shown = await askRail(app, '/codes/read', { content: code.json.qrCode.content });
  expect(shown.json.merchantId).toBe('m-2');
  const paid = await askRail(app, '/scans', { content: code.json.qrCode.content, phone: '923000009' });
  expect(paid.json.terminalId).toBe('pos-2');
});
