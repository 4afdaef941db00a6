import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { purchase, webframe } from '../../support/payments.ts';
import { faultsOf } from '../../support/ppr.ts';
import { askRail, qrcode } from '../../support/qrcodes.ts';
import { leavesNothing } from '../../support/rows.ts';

const PHONE = '923000001';

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ token } = await app.addMerchant({ gpoMerchantIds: ['m-1', 'm-2'], gpoPosIds: ['pos-1', 'pos-2'] }));
});

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
  test('takes the named GPO ids and refuses those of another merchant', async () => {
    await expectStored(write({ gpo_merchant_id: 'm-2', gpo_pos_id: 'pos-2' }), 'm-2', 'pos-2');
    const reply = await leavesNothing(app, () => post(write({ gpo_merchant_id: 'demo-merchant', gpo_pos_id: 'x' })));
    expect(faultsOf(reply)).toEqual([
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
])('a creation with %j uses the first assigned ids for the rest', async (ids, merchant, pos) => {
  await expectStored(webframe({ metadata: ids }), merchant, pos);
});

test.each([
  [{ gpo_merchant_id: 'demo-merchant' }, ['gpo_merchant_id']],
  [{ gpo_pos_id: 'demo-pos' }, ['gpo_pos_id']],
  [{ gpo_merchant_id: 'M-1', gpo_pos_id: 'POS-1' }, ['gpo_merchant_id', 'gpo_pos_id']],
])('a creation with %j returns 400 for ids that are not assigned', async (ids, wrong) => {
  const reply = await leavesNothing(app, () => post(webframe({ metadata: ids })));
  expect(faultsOf(reply)).toEqual(wrong.map((field) => `/metadata/${field} gpo_id_not_assigned`));
});

test.each([
  [[], ['gpo_merchant_id', 'gpo_pos_id']],
  [['m-9'], ['gpo_pos_id']],
])('a creation of a merchant with the GPO ids %j names the missing ones', async (gpoMerchantIds, missing) => {
  const bare = await app.addMerchant({ gpoMerchantIds, gpoPosIds: [] });
  const reply = await leavesNothing(app, () => post(webframe(), bare.token));
  expect(faultsOf(reply)).toEqual(missing.map((field) => `/metadata/${field} gpo_id_required`));
});

test('the rail receives the chosen GPO ids', async () => {
  const chosen = { gpo_merchant_id: 'm-2', gpo_pos_id: 'pos-2' };
  const push = METHODS.onetimepurchase(chosen);
  await post(push);
  const read = async () => (await askRail(app, `/books?reference=${push['reference']}`)).json.data[0];
  expect(await until(read, 'the push reaching the rail')).toMatchObject({ merchantId: 'm-2', terminalId: 'pos-2' });
  const headers = { prefer: 'return=representation' };
  const code = await app.call('/api/payments', { body: METHODS.qrcode(chosen), token, headers });
  const { content } = code.json.qrCode;
  expect((await askRail(app, '/codes/read', { content })).json.merchantId).toBe('m-2');
  expect((await askRail(app, '/scans', { content, phone: '923000009' })).json.terminalId).toBe('pos-2');
});
