import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, sell, type CallbackFixture } from '../../support/callbacks.ts';
import { approved, declined, notify, NOTIFY_ENV, PENDING_PHONE, untilSent } from '../../support/notify.ts';
import { creepUntil, purchase, travelUntil, webframe } from '../../support/payments.ts';
import { readFieldFaults } from '../../support/ppr.ts';

let app: TestApp;
let shop: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
  shop = await openCallbackFixture(app);
});

const read = async (query = '') => (await shop.call(`/api/summary${query}`)).json;
const push = async (phone: string, status: string) => {
  const { json } = await shop.call('/api/payments', { body: purchase(phone) });
  await travelUntil(
    app,
    async () => (await shop.call(`/api/payments/${json.id}`)).json.status === status,
    `being ${status}`,
  );
};

describe('the summary of a day', () => {
  test('without payments has 24 hours and no success rate', async () => {
    const empty = await read();
    expect(empty).toMatchObject({
      day: '2026-03-02',
      currency: 'AOA',
      taken: { amount: 0, count: 0 },
      returned: { amount: 0 },
      payments: { created: 0, succeeded: 0, open: 0, successRate: null },
      failures: [],
      week: { from: '2026-03-02', taken: { amount: 0, count: 0 } },
      lastWeek: { from: '2026-02-23', taken: { amount: 0, count: 0 }, soFar: { amount: 0, count: 0 } },
      attention: [],
    });
    expect(empty.hours.map(({ hour }: { hour: number }) => hour)).toEqual(Array.from({ length: 24 }, (_, nth) => nth));
  });

  test('shows income by the hour in Luanda, payers, failures and open payments', async () => {
    const hour = Number(app.clock.now().toISOString().slice(11, 13)) + 1;
    await sell(app, shop);
    await push('900000000', 'Paid');
    await push('900000001', 'Failed');
    await shop.call('/api/payments', { body: { amount: 5, currency: 'AOA', paymentType: 'GPO', reference: 'open' } });
    const daySummary = await read();
    expect(daySummary).toMatchObject({
      taken: { amount: 3000, count: 2 },
      payments: { created: 4, succeeded: 2, open: 1, successRate: 2 / 3 },
      failures: [{ failureCode: expect.any(String), count: 1 }],
      week: { taken: { amount: 3000, count: 2 } },
      lastWeek: { taken: { amount: 0 } },
    });
    expect(daySummary.hours[hour]).toEqual({ hour, amount: 3000, count: 2 });
    expect(daySummary.hours.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(2);
  });

  test('compares with the same weekday a week earlier, for the whole day and up to the current time', async () => {
    app.clock.leap(6 * 86_400_000);
    expect(await read('?day=2026-03-08')).toMatchObject({
      day: '2026-03-08',
      week: { from: '2026-03-02', taken: { amount: 3000 } },
    });
    app.clock.leap(86_400_000 - 6 * 3_600_000);
    expect(await read()).toMatchObject({
      day: '2026-03-09',
      taken: { amount: 0 },
      lastWeek: { from: '2026-03-02', taken: { amount: 3000, count: 2 }, soFar: { amount: 0, count: 0 } },
    });
    app.clock.leap(7 * 3_600_000);
    expect((await read()).lastWeek.soFar).toEqual({ amount: 3000, count: 2 });
    expect(await read('?day=2026-03-02')).toMatchObject({ taken: { amount: 3000 }, payments: { created: 4 } });
  });

  test('gives each unpaid final payment one reason, so that the reasons agree with the success rate', async () => {
    const body = webframe({ metadata: { expiresInMinutes: 5 } });
    const expiring = await shop.call('/api/payments', { body });
    const canceled = (await shop.call('/api/payments', { body: webframe() })).json;
    await shop.call(`/api/payments/${canceled.id}/cancel`, { method: 'POST', body: {} });
    await push('900000001', 'Failed');
    const isExpired = async () => (await shop.call(`/api/payments/${expiring.json.id}`)).json.status === 'Expired';
    await travelUntil(app, isExpired, 'being Expired');
    const { failures, payments } = await read();
    const reasons = failures.map(({ failureCode }: { failureCode: string }) => failureCode);
    expect(reasons).toEqual(expect.arrayContaining(['expired', 'canceled', 'customer_refused']));
    const sum = failures.reduce((n: number, { count }: { count: number }) => n + count, 0);
    expect(sum).toBe(payments.created - payments.open - payments.succeeded);
  });

  test('shows another currency only on request', async () => {
    expect(await read('?day=2026-03-02&currency=USD')).toMatchObject({
      currency: 'USD',
      taken: { amount: 0, count: 0 },
    });
  });
});

describe('the list of tasks', () => {
  const kinds = async () =>
    Object.fromEntries(
      (await read()).attention.map(({ kind, count }: { kind: string; count: number }) => [kind, count]),
    );

  test('has money of a canceled payment until a person resolves it', async () => {
    const { id, clientToken } = (await shop.call('/api/payments', { body: webframe() })).json;
    await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
    const attempt = await untilSent(app, id);
    await notify(app, attempt.id, declined('CUSTOMER_REFUSED'));
    await shop.call(`/api/payments/${id}/cancel`, { method: 'POST', body: {} });
    await notify(app, attempt.id, approved());
    app.clock.leap(8 * 86_400_000);
    expect(await kinds()).toEqual({ canceled_with_money: 1 });
    expect((await shop.call(`/api/payments/${id}`)).json.standing).toBe('canceled_with_money');
    await shop.call(`/api/payments/${id}/resolve`, { body: { note: 'Entregue na loja.' } });
    expect(await kinds()).toEqual({});
  });

  test.each([
    [
      'late_money',
      `update payments set late = true where id =
        (select id from payments where merchant_id = $1 and status = 'Paid' and not late limit 1)`,
    ],
    [
      'settlement_differs',
      `update settlements set status = 'differs'
       where id = (select id from settlements where merchant_id = $1 limit 1)`,
    ],
    ['endpoint_failing', 'update endpoints set failing_since = now(), probe_at = $2 where merchant_id = $1'],
    [
      'payment_stuck',
      `update attempts set status = 'Sent', due_at = null
       where payment_id = (select id from payments where merchant_id = $1 and status = 'Failed' limit 1)`,
    ],
    [
      'amount_mismatch',
      `update payments set status = 'Processing', flags = '{amount_mismatch}' where id =
        (select id from payments where merchant_id = $1 and status = 'Failed' limit 1)`,
    ],
    [
      'overpaid',
      `update payments set flags = '{overpaid}', amount_paid_minor = 2 * amount_minor where id =
        (select id from payments where merchant_id = $1 and status = 'Paid' limit 1)`,
    ],
  ])('has the task %s', async (kind, done) => {
    await shop.setEndpoint('https://loja.example/c');
    // The close of a period writes its status, which the test changes.
    const open = 'select from settlements where merchant_id = $1 and due_at is not null';
    const areClosed = async () => (await app.sql(open, [shop.merchantId])).length === 0;
    await creepUntil(app, areClosed, 'every period being closed');
    const before = (await kinds())[kind] ?? 0;
    await app.sql(done, done.includes('$2') ? [shop.merchantId, '2099-01-01'] : [shop.merchantId]);
    expect((await kinds())[kind]).toBe(before + 1);
  });
});

describe('GET /api/summary', () => {
  test.each([
    ['?day=2026-02-30', '/query/day invalid_day'],
    ['?currency=aoa', '/query/currency invalid_format'],
  ])('returns 400 for %s', async (query, wrong) => {
    const reply = await shop.call(`/api/summary${query}`);
    expect(reply.status).toBe(400);
    expect(readFieldFaults(reply)).toEqual([wrong]);
  });

  test('counts payments of no other merchant', async () => {
    const other = await openCallbackFixture(app);
    expect((await other.call('/api/summary?day=2026-03-02')).json).toMatchObject({
      taken: { amount: 0, count: 0 },
      payments: { created: 0 },
      attention: [],
    });
  });
});
