// The payments API: happy, refuse, access.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { create, purchase, travelToStatus, webframe } from '../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe('POST /api/payments', () => {
  test('creates a webframe payment that waits for its payer', async () => {
    const payment = await create(app, webframe({ description: 'Café' }));
    expect(payment).toMatchObject({ status: 'Pending', paymentMethod: 'webframe', amount: 1500, description: 'Café' });
  });

  test('pushes a onetimepurchase and learns that it was paid', async () => {
    const payment = await create(app, purchase('900000000'));
    expect(payment.status).toBe('Processing');
    const paid = await travelToStatus(app, payment.id, 'Paid');
    expect(paid.transactions).toHaveLength(1);
  });
});
