import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { addMember } from '../../../support/members.ts';
import { byHand, createPaid, refund } from '../../../support/refunds.ts';
import { DEMO } from '../../../../sandbox/seed.ts';

const { merchantId } = DEMO;

let app: TestApp;
let paid: any;
beforeAll(async () => {
  app = await startTestApp();
  paid = await createPaid(app, { amount: 100_000 });
});

const setLimit = async (cashierRefundLimit: unknown) =>
  app.call(`/api/merchants/${merchantId}`, { method: 'PUT', body: { cashierRefundLimit } });

describe('a cashier', () => {
  test('may not refund if the merchant has set no limit', async () => {
    const token = await (await addMember(app, { merchantId, role: 'Cashier' })).token();
    const reply = await refund(app, paid.id, byHand({ amount: 1 }), { token });
    expect(reply.json).toMatchObject({ status: 403, code: 'cashier_limit', limit: '0.00', given: '0.00' });
  });

  test('may refund up to the limit per day, which does not count failed refunds', async () => {
    expect((await setLimit(5_000.5)).json.cashierRefundLimit).toBe(5_000.5);
    const cashier = await addMember(app, { merchantId, role: 'Cashier' });
    const token = await cashier.token();
    expect((await refund(app, paid.id, byHand({ amount: 3_000 }), { token })).status).toBe(201);
    const over = await refund(app, paid.id, byHand({ amount: 2_000.51 }), { token });
    expect(over.json).toMatchObject({ status: 403, limit: '5000.50', given: '3000.00', currency: 'AOA' });
    expect((await refund(app, paid.id, byHand({ amount: 2_000.5 }), { token })).status).toBe(201);
    await app.sql(`update refunds set status = 'Failed' where requested_by_id = $1 and amount_minor = 200050`, [
      cashier.userId,
    ]);
    expect((await refund(app, paid.id, byHand({ amount: 1 }), { token })).status).toBe(201);
  });

  test('may not exceed the limit by concurrent refunds, and may refund again on the next day', async () => {
    await setLimit(100);
    const cashier = await addMember(app, { merchantId, role: 'Cashier' });
    const give = async () => refund(app, paid.id, byHand({ amount: 60 }), { token: await cashier.token() });
    const statuses = (await Promise.all([give(), give(), give()])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 403, 403]);
    app.clock.leap(24 * 3_600_000);
    expect((await give()).status).toBe(201);
  });
});

test.each(['Administrator', 'Owner'] as const)('a person with the role %s may refund without a limit', async (role) => {
  await setLimit(null);
  const token = await (await addMember(app, { merchantId, role })).token();
  expect((await refund(app, paid.id, byHand({ amount: 10_000 }), { token })).status).toBe(201);
});

test.each([
  [-1, 'amount_out_of_range'],
  [0.001, 'amount_precision'],
  ['5', 'invalid_type'],
])('a cashierRefundLimit of %s returns 400', async (limit, code) => {
  const { status, json } = await setLimit(limit);
  expect([status, json.errors]).toEqual([400, [expect.objectContaining({ pointer: '/cashierRefundLimit', code })]]);
});
