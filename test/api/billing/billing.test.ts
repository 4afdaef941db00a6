import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPlan, retirePlan } from '../../../server/billing/plans.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { addPlan, choose, endMonth, refund, SUBSCRIPTION, use } from '../../support/billing.ts';
import { openCallbackFixture, sell, type CallbackFixture } from '../../support/callbacks.ts';
import { create, purchase, travelToStatus } from '../../support/payments.ts';
import type { RailPayment } from '../../support/references.ts';
import { createPayable, pay, repeatPprNotification, untilReceived } from '../../support/ppr.ts';

const USAGE = '/api/billing/usage';

let app: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
});

const read = async () => (await fixture.call(SUBSCRIPTION)).json;
const audit = () =>
  app.sql(
    `select action, actor_kind, actor_id, target, changes from audit_entries where merchant_id = $1 order by seq`,
    [fixture.merchantId],
  );

describe('GET /api/billing/plans', () => {
  test('returns plans with amounts in major units, without retired plans', async () => {
    const [kept, retired] = [await addPlan(app, { name: 'À medida', paymentFee: '0.5' }), await addPlan(app)];
    expect(await retirePlan(app.node.core, retired)).toBe(true);
    expect(await retirePlan(app.node.core, retired)).toBe(false);
    expect(await retirePlan(app.node.core, 'no id')).toBe(false);
    const { status, json } = await fixture.call('/api/billing/plans');
    expect(status).toBe(200);
    const ids = json.data.map(({ id }: { id: string }) => id);
    expect(ids).not.toContain(retired);
    const terms = { name: 'À medida', currency: 'AOA', monthlyFee: 15_000, includedPayments: 2, paymentFee: 0.5 };
    expect(json.data[ids.indexOf(kept)]).toEqual({ id: kept, ...terms });
  });

  test('returns the sandbox’s three plans, one of which is the demo merchant’s', async () => {
    const { json } = await app.call('/api/billing/plans');
    const names = json.data.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['Banca', 'Loja', 'Mercado']));
    const { json: chosen } = await app.call(SUBSCRIPTION);
    expect(chosen).toMatchObject({ plan: { name: 'Loja', monthlyFee: 15_000 }, since: '2026-03', next: null });
    const [units] = await app.sql(`select a.balance, count(l) as entries, sum(l.quantity) as sum
      from sms_accounts a join sms_ledger l using (merchant_id) group by a.balance`);
    expect(units).toMatchObject({ balance: 1_000, entries: '1', sum: '1000' });
  });

  test.each([
    [{ name: ' ' }, '/name too_short'],
    [{ currency: 'kz' }, '/currency invalid_format'],
    [{ includedPayments: -1 }, '/includedPayments too_small'],
    [{ includedPayments: 1.5 }, '/includedPayments invalid_type'],
    [{ monthlyFee: '1.234' }, '/monthlyFee amount_precision'],
    [{ monthlyFee: '-1' }, '/monthlyFee amount_out_of_range'],
    [{ monthlyFee: '10000000.01' }, '/monthlyFee amount_out_of_range'],
    [{ paymentFee: 'nothing' }, '/paymentFee amount_out_of_range'],
    [{ paymentFee: '100000.01' }, '/paymentFee too_big'],
  ])('does not return a plan that was refused because of %j', async (changes, expected) => {
    const terms = { name: 'X', currency: 'AOA', monthlyFee: '1', includedPayments: 1, paymentFee: '1', ...changes };
    const before = await app.sql('select * from plans order by id');
    const error: any = await createPlan(app.node.core, terms).catch((thrown: unknown) => thrown);
    expect(error.options.faults.map(({ pointer, code }: any) => `${pointer} ${code}`)).toEqual([expected]);
    expect(await app.sql('select * from plans order by id')).toEqual(before);
  });
});

describe('PUT /api/billing/subscription', () => {
  test('subscribes the merchant from the current month', async () => {
    expect(await fixture.call(SUBSCRIPTION)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    const id = await addPlan(app);
    const reply = await choose(fixture, id.toUpperCase());
    expect(reply.status).toBe(200);
    const terms = { currency: 'AOA', monthlyFee: 15_000, includedPayments: 2, paymentFee: 50 };
    expect(reply.json).toEqual({ plan: { id, name: expect.any(String), ...terms }, since: '2026-03', next: null });
    expect(await read()).toEqual(reply.json);
  });

  test('changes the plan from next month, and a later request replaces or withdraws that change', async () => {
    const [first, second, third] = [await addPlan(app), await addPlan(app), await addPlan(app)];
    await choose(fixture, first);
    expect((await choose(fixture, second)).json).toMatchObject({
      plan: { id: first },
      since: '2026-03',
      next: { plan: { id: second }, from: '2026-04' },
    });
    expect((await choose(fixture, third)).json.next).toMatchObject({ plan: { id: third }, from: '2026-04' });
    expect((await choose(fixture, first)).json).toMatchObject({ plan: { id: first }, since: '2026-03', next: null });
    const at = { action: 'subscription.changed', actor_kind: 'client', actor_id: expect.any(String) };
    expect(await audit()).toEqual([
      { ...at, target: first, changes: { planId: { before: null, after: first }, from: '2026-03' } },
      { ...at, target: second, changes: { planId: { before: first, after: second }, from: '2026-04' } },
      { ...at, target: third, changes: { planId: { before: second, after: third }, from: '2026-04' } },
      { ...at, target: first, changes: { planId: { before: third, after: first }, from: '2026-04' } },
    ]);
  });

  test('writes no audit entry for a plan that is already current or planned', async () => {
    const [first, second] = [await addPlan(app), await addPlan(app)];
    const reply = await choose(fixture, first);
    expect((await choose(fixture, first)).json).toEqual(reply.json);
    const planned = await choose(fixture, second);
    expect((await choose(fixture, second)).json).toEqual(planned.json);
    expect(await audit()).toHaveLength(2);
  });

  test('accepts a retired plan only from its current subscribers', async () => {
    const [first, second] = [await addPlan(app), await addPlan(app)];
    await choose(fixture, first);
    await choose(fixture, second);
    for (const id of [first, second]) await retirePlan(app.node.core, id);
    expect((await choose(fixture, second)).json.next.plan.id).toBe(second);
    expect((await choose(fixture, first)).json).toMatchObject({ plan: { id: first }, next: null });
    for (const id of [second, randomUUID(), 'no id']) {
      const refused = await choose(fixture, id);
      expect(refused.status).toBe(400);
      expect(refused.json).toMatchObject({ errors: [{ pointer: '/planId', code: 'unknown_plan' }] });
    }
    expect((await read()).next).toBe(null);
    const refused = await choose(await openCallbackFixture(app), first);
    expect(refused.json.errors).toMatchObject([{ pointer: '/planId', code: 'unknown_plan' }]);
  });

  test.each([
    [{}, '/planId required'],
    [{ planId: null }, '/planId invalid_type'],
    [{ planId: 7 }, '/planId invalid_type'],
  ])('returns 400 for the body %j and stores nothing', async (body, expected) => {
    const reply = await fixture.call(SUBSCRIPTION, { method: 'PUT', body });
    expect(reply.status).toBe(400);
    expect(reply.json.errors.map(({ pointer, code }: any) => `${pointer} ${code}`)).toEqual([expected]);
    expect(await app.sql('select from billing_accounts where id = $1', [fixture.merchantId])).toEqual([]);
  });

  test('returns the first response to a repeated Idempotency-Key', async () => {
    const [first, second] = [await addPlan(app), await addPlan(app)];
    const key = { 'idempotency-key': randomUUID() };
    const reply = await choose(fixture, first, key);
    await choose(fixture, second);
    const repeated = await choose(fixture, first, key);
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect(repeated.text).toBe(reply.text);
    expect((await read()).next.plan.id).toBe(second);
    expect(await choose(fixture, second, key)).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
  });
});

describe('GET /api/billing/usage', () => {
  const NONE = { count: 0, amounts: [] };
  const readUsage = async (query = '') => (await fixture.call(USAGE + query)).json;

  test('returns zero for a month without payments', async () => {
    const totals = { payments: 0, gpo: 0, ppr: 0, amounts: [], refunds: NONE };
    expect(await readUsage()).toEqual({ from: '2026-03-01', to: '2026-03-02', data: [], totals });
  });

  test('counts a transaction once although its notification is repeated or late', async () => {
    // The simulator approves pushes to this phone and sends each notification three times.
    const { internalId } = await create(app, purchase('900000006'));
    await travelToStatus(app, internalId, 'Paid');
    const made = await createPayable(app);
    const [paid] = (await pay(app, made)) as [RailPayment];
    await untilReceived(app, made.reference, 1500);
    const again = [await repeatPprNotification(app, paid), await repeatPprNotification(app, paid, true)];
    const areApplied = async () =>
      (await app.sql('select from inbox where applied_at is null')).length === 0 &&
      (await app.sql('select from inbox, unnest($1::text[]) as sent(id) where strpos(body, sent.id) > 0', [again]))
        .length > 0;
    await until(areApplied, 'the repeated notifications being applied');
    expect((await app.call(`/api/payments/${internalId}/sync`, { method: 'POST' })).status).toBe(200);
    const { json } = await app.call(USAGE);
    const day = { payments: 2, gpo: 1, ppr: 1, amounts: [{ currency: 'AOA', amount: 3000 }] };
    expect(json).toMatchObject({ data: [{ day: '2026-03-02', ...day }], totals: day });
    expect((await readUsage()).data).toEqual([]);
  });

  test('separates days at midnight in Luanda, and includes both `from` and `to`', async () => {
    await use(app, fixture, '2028-02-28T22:59:59.999Z', { minor: 1 });
    await use(app, fixture, '2028-02-28T23:00:00.000Z', { minor: 20, type: 'PPR' });
    await use(app, fixture, '2028-02-29T22:59:59.999Z', { minor: 300, currency: 'USD' });
    await use(app, fixture, '2028-02-29T23:30:00.000Z', { minor: 4_000 });
    const { data, totals } = await readUsage('?from=2028-02-28&to=2028-02-29');
    expect(data).toEqual([
      { day: '2028-02-28', payments: 1, gpo: 1, ppr: 0, amounts: [{ currency: 'AOA', amount: 0.01 }], refunds: NONE },
      {
        day: '2028-02-29',
        payments: 2,
        gpo: 1,
        ppr: 1,
        amounts: [
          { currency: 'AOA', amount: 0.2 },
          { currency: 'USD', amount: 3 },
        ],
        refunds: NONE,
      },
    ]);
    expect(totals).toEqual({
      payments: 3,
      gpo: 2,
      ppr: 1,
      amounts: [
        { currency: 'AOA', amount: 0.21 },
        { currency: 'USD', amount: 3 },
      ],
      refunds: NONE,
    });
    expect((await readUsage('?to=2028-03-01')).data.map(({ day }: any) => day)).toEqual(['2028-03-01']);
  });

  test('counts succeeded refunds on the day of the refund, apart from payments', async () => {
    await sell(app, fixture);
    const before = (await readUsage()).totals;
    await refund(app, fixture, '2028-02-28T22:59:59.999Z', { minor: 1 });
    await refund(app, fixture, '2028-02-28T23:00:00.000Z', { count: 2, minor: 20, method: 'manual' });
    await refund(app, fixture, '2028-02-29T22:59:59.999Z', { minor: 300, currency: 'USD' });
    await refund(app, fixture, '2028-02-29T23:00:00.000Z', { minor: 4_000 });
    for (const status of ['Pending', 'Processing', 'Failed', 'Canceled'])
      await refund(app, fixture, '2028-02-29T12:00:00.000Z', { status });
    const nothing = { payments: 0, gpo: 0, ppr: 0, amounts: [] };
    const [first, second] = [
      { currency: 'AOA', amount: 0.01 },
      { currency: 'AOA', amount: 0.4 },
    ];
    const dollars = { currency: 'USD', amount: 3 };
    const { data, totals } = await readUsage('?from=2028-02-28&to=2028-02-29');
    expect(data).toEqual([
      { day: '2028-02-28', ...nothing, refunds: { count: 1, amounts: [first] } },
      { day: '2028-02-29', ...nothing, refunds: { count: 3, amounts: [second, dollars] } },
    ]);
    const all = { count: 4, amounts: [{ currency: 'AOA', amount: 0.41 }, dollars] };
    expect(totals).toEqual({ ...nothing, refunds: all });
    expect((await readUsage()).totals).toEqual(before);
    await refund(app, fixture, app.clock.now().toISOString());
    const refunds = { count: 1, amounts: [{ currency: 'AOA', amount: 500 }] };
    expect((await readUsage()).totals).toEqual({ ...before, refunds });
    expect((await app.call(USAGE)).json.totals.refunds).toEqual(NONE);
  });

  test.each([
    ['?from=2026-02-10', '2026-02-10', '2026-03-02'],
    ['?to=2026-02-10', '2026-02-01', '2026-02-10'],
    ['?from=2026-03-02', '2026-03-02', '2026-03-02'],
    ['?from=2027-01-05', '2027-01-05', '2027-01-05'],
    ['?from=2027-03-01&to=2028-02-29', '2027-03-01', '2028-02-29'],
  ])('reads the query %s as the range %s to %s', async (query, from, to) => {
    expect(await readUsage(query)).toMatchObject({ from, to });
  });

  test.each([
    ['?from=2026-02-30', ['/query/from invalid_day']],
    ['?from=yesterday&to=2026-3-1', ['/query/from invalid_day', '/query/to invalid_day']],
    ['?from=2026-03-02&to=2026-03-01', ['/query/to date_range']],
    ['?from=2026-03-01&to=2027-03-02', ['/query/to date_span']],
    ['?from=2024-01-01', ['/query/to date_span']],
  ])('returns 400 for %s', async (query, expected) => {
    const { status, json } = await fixture.call(USAGE + query);
    expect(status).toBe(400);
    expect(json.errors.map(({ pointer, code }: any) => `${pointer} ${code}`)).toEqual(expected);
  });

  test('starts a new day at midnight in Luanda', async () => {
    await sell(app, fixture);
    expect((await readUsage()).totals).toMatchObject({ payments: 1, ppr: 1 });
    endMonth(app, -1);
    expect(await readUsage()).toMatchObject({ to: '2026-03-31', totals: { payments: 1 } });
    app.clock.leap(1);
    expect(await readUsage()).toMatchObject({ from: '2026-04-01', to: '2026-04-01', totals: { payments: 0 } });
  });
});
