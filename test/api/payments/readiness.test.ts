import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMember } from '../../support/members.ts';
import { create, purchase, travelToStatus } from '../../support/payments.ts';
import { reference } from '../../support/ppr.ts';
import { qrcode } from '../../support/qrcodes.ts';
import { addRail, openOpg } from '../../support/rail-accounts.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

type Bare = Parameters<TestApp['addMerchant']>[0];

async function openShop(fields: Bare = {}) {
  const { merchantId, token } = await app.addMerchant(fields);
  const call: TestApp['call'] = (path, options = {}) => app.call(path, { token, ...options });
  return { merchantId, token, app: { ...app, call }, read: () => call(`/api/merchants/${merchantId}/payment-methods`) };
}

const BODIES: Record<string, [path: string, body: object]> = {
  push: ['/api/payments', purchase('900000000')],
  qrcode: ['/api/payments', qrcode()],
  reference: ['/api/references/ppr', reference()],
};

describe('GET /api/merchants/{merchantId}/payment-methods', () => {
  test.each<[string, Bare]>([
    ['with GPO ids and an entity', {}],
    ['without GPO ids', { gpoMerchantIds: [], gpoPosIds: [] }],
    ['without an entity', { entity: null }],
    ['without both', { gpoMerchantIds: [], gpoPosIds: [], entity: null }],
  ])('returns, for a merchant %s, the code that refuses a payment by each method', async (_name, fields) => {
    const shop = await openShop(fields);
    const { status, json } = await shop.read();
    expect(status).toBe(200);
    for (const { method, canCharge, obstacles } of json.methods) {
      const [path, body] = BODIES[method]!;
      const made = await shop.app.call(path, { body });
      expect([method, canCharge]).toEqual([method, made.status < 300]);
      expect(obstacles).toEqual(made.status < 300 ? [] : [made.json.code]);
    }
    expect(json.methods.map(({ method }: { method: string }) => method)).toEqual(['push', 'qrcode', 'reference']);
  });

  test('follows the rail accounts of the merchant and its `checkoutMethods`', async () => {
    const shop = await openShop({ gpoMerchantIds: [], gpoPosIds: [], entity: null });
    await app.sql(`update merchants set checkout_methods = '{push,reference}' where id = $1`, [shop.merchantId]);
    const owner = { merchantId: shop.merchantId, token: shop.token };
    const account = await addRail(app, owner, (await openOpg(app.clock)).body);
    expect(account.kind).toBe('gpo');
    const { json } = await shop.read();
    const push = json.methods.find(({ method }: { method: string }) => method === 'push');
    expect(push).toEqual({ method: 'push', canCharge: true, obstacles: [], isOffered: true });
    expect(json.methods.map(({ isOffered }: { isOffered: boolean }) => isOffered)).toEqual([true, false, true]);
  });

  test('reports received money from the first payment on', async () => {
    const shop = await openShop();
    expect((await shop.read()).json.hasReceivedMoney).toBe(false);
    const payment = await create(shop.app, purchase('900000000'));
    await travelToStatus(shop.app, payment.internalId, 'Paid');
    expect((await shop.read()).json.hasReceivedMoney).toBe(true);
  });

  test('returns 404 for another merchant, and 403 for a token without `merchant:read`', async () => {
    const [mine, other] = [await openShop(), await openShop()];
    expect((await mine.app.call(`/api/merchants/${other.merchantId}/payment-methods`)).status).toBe(404);
    const member = await addMember(app, { merchantId: mine.merchantId, role: 'Owner' });
    const token = await member.token({ scope: 'payments:read' });
    expect((await mine.app.call(`/api/merchants/${mine.merchantId}/payment-methods`, { token })).status).toBe(403);
  });
});
