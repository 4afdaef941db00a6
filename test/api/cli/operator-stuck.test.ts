import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { expectRefusal, operate, operateAlone, operateJson, readAudit, stopClis } from '../../support/cli.ts';
import { jumpClock, type JumpClock } from '../../support/jump-clock.ts';
import { create, orderFault, purchase, webframe } from '../../support/payments.ts';
import { createReference } from '../../support/ppr.ts';
import { createRefund } from '../../support/refunds.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

let app: TestApp;
let clock: JumpClock;
beforeAll(async () => {
  clock = jumpClock();
  app = await startTestApp({ clock });
});
afterEach(stopClis);

const heal = () => app.sql('delete from simulator.faults');
const list = (...args: string[]): Promise<any[]> => operateJson(app, 'stuck', 'list', ...args);

async function untilSent(id: string): Promise<void> {
  const sent = `select from attempts where payment_id = $1 and status = 'Sent'`;
  await until(async () => (await app.sql(sent, [id])).length, 'the push being sent');
}

const untilPaid = (id: string) =>
  until(async () => (await app.call(`/api/payments/${id}`)).json.status === 'Paid', 'being paid');

/** Creates a push that has no outcome and that nodes no longer query. */
async function makeStuck(): Promise<any> {
  await orderFault(app, { on: 'query', kind: 'unavailable', times: 1_000 });
  await orderFault(app, { on: 'notification', kind: 'drop', times: 10 });
  const payment = await create(app, purchase('900000000'));
  await untilSent(payment.id);
  clock.jump(73 * HOUR_MS);
  const isLeft = async () =>
    (await app.sql(`select from attempts where payment_id = $1 and due_at is null`, [payment.id])).length;
  await until(isLeft, 'the end of the polls');
  return payment;
}

describe('a stuck payment', () => {
  test('is listed with its order, times and last result, until `requery` finds its outcome', async () => {
    expect((await operate(app, ['stuck', 'list'])).stdout).toBe('No entries.\n');
    const payment = await makeStuck();
    const [found, ...others] = await list();
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      about: 'payment',
      id: payment.id,
      merchantId: DEMO.merchantId,
      merchant: 'Loja da Ilha',
      name: payment.reference,
      amount: '1500.00 AOA',
      status: 'Processing',
      asked: 'purchase',
      orderId: (await app.sql('select id from attempts where payment_id = $1', [payment.id]))[0].id,
      since: payment.createdAt,
      nextAt: null,
      reason: 'the rail has it and gives no outcome',
    });
    expect(found.times).toBeGreaterThan(0);
    const { stdout } = await operate(app, ['stuck', 'list']);
    expect(stdout).toMatch(
      new RegExp(`${payment.id} +Loja da Ilha +\\S+ +1500.00 AOA +Processing +purchase .* - +the rail has it`),
    );

    await heal();
    // The command must end without a signal.
    const { code, stdout: printed } = await operateAlone(app, ['stuck', 'requery', payment.id]);
    expect([code, printed]).toEqual([0, `asked       1\npaymentIds  ${payment.id}\n`]);
    await untilPaid(payment.id);
    expect(await list()).toEqual([]);
    expect(await readAudit(app, 'payment.requeried', DEMO.merchantId)).toMatchObject([{ target: payment.id }]);
    await expectRefusal(app, ['stuck', 'requery', payment.id], 1, 'No order of this payment is open');
  });

  test('is queried again by `requery all`', async () => {
    const payment = await makeStuck();
    await heal();
    expect(await operateJson(app, 'stuck', 'requery', 'all')).toEqual({ asked: 1, paymentIds: [payment.id] });
    await untilPaid(payment.id);
    expect(await operateJson(app, 'stuck', 'requery', 'all')).toEqual({ asked: 0, paymentIds: [] });
  });

  test('stays stuck while the rail returns no outcome', async () => {
    const payment = await makeStuck();
    await operateJson(app, 'stuck', 'requery', payment.id);
    await until(async () => (await list())[0]?.nextAt === null, 'the query being over');
    expect((await app.call(`/api/payments/${payment.id}`)).json.status).toBe('Processing');
    await heal();
    await operateJson(app, 'stuck', 'requery', 'all');
    await untilPaid(payment.id);
    expect(await list()).toEqual([]);
  });
});

describe('`stuck`', () => {
  test('lists orders that are older than --older-than, and no younger ones', async () => {
    const payment = await create(app, purchase('923000001'));
    await untilSent(payment.id);
    // The due date in a year keeps nodes from querying the rail during this test.
    await app.sql(`update attempts set due_at = now() + interval '1 year' where payment_id = $1`, [payment.id]);
    expect(await list('--older-than', '0')).toEqual([]);
    await app.sql(`update attempts set created_at = now() - interval '2 minutes' where payment_id = $1`, [payment.id]);
    expect(await list('--older-than', '3')).toEqual([]);
    expect(await list('--older-than', '1')).toMatchObject([{ id: payment.id, asked: 'purchase' }]);
    await app.sql('delete from attempts where payment_id = $1', [payment.id]);
  });

  test('lists a refund with its amount', async () => {
    const payment = await create(app, purchase('900000000'));
    await until(async () => (await app.call(`/api/payments/${payment.id}`)).json.status === 'Paid', 'being paid');
    await orderFault(app, { on: 'refund', kind: 'unavailable' });
    const { id } = await createRefund(app, payment.id, { amount: 100 });
    await app.sql(
      `update attempts set due_at = now() + interval '1 year', created_at = now() - interval '2 minutes' where id = $1`,
      [id],
    );
    const [found, ...others] = await list('--older-than', '1');
    expect(found).toMatchObject({ id: payment.id, orderId: id, asked: 'refund', amount: '100.00 AOA' });
    expect(others).toEqual([]);
    await app.sql('delete from attempts where id = $1', [id]);
    await heal();
  });

  test('lists a payment that received less than the requested amount', async () => {
    const { id } = await create(app, purchase('923000001'));
    await app.sql(
      `update attempts set status = 'Approved', resolved_at = created_at, due_at = null where payment_id = $1`,
      [id],
    );
    await app.sql(`update payments set amount_paid_minor = 100, flags = '{amount_mismatch}' where id = $1`, [id]);
    const [found] = await list();
    expect(found).toMatchObject({ id, nextAt: null });
    expect(found.reason).toContain('it brought 1.00 AOA, not the requested amount');
    await app.sql(`update payments set flags = '{}' where id = $1`, [id]);
  });

  test('lists a terminal that is between open and closed, and no other terminal', async () => {
    await app.sql(`update terminals set status = 'Opening', due_at = null where pos_id = 'demo-pos'`);
    const [found] = await list();
    expect(found).toMatchObject({
      about: 'terminal',
      name: 'demo-pos',
      status: 'Opening',
      asked: 'open',
      amount: null,
    });
    expect(found.reason).toBe('the rail does not say how it went');
    await operateJson(app, 'stuck', 'requery', 'all');
    const isOpen = async () =>
      (await app.sql(`select from terminals where pos_id = 'demo-pos' and status = 'Open'`)).length;
    await until(isOpen, 'the terminal being open');
    expect(await readAudit(app, 'terminal.requeried', DEMO.merchantId)).toHaveLength(1);
  });

  test('lists a reference that the rail refuses, with the reason', async () => {
    await orderFault(app, { on: 'reference_register', kind: 'unavailable', times: 1_000 });
    const { internalId, reference } = await createReference(app);
    const isRefused = async () =>
      (await app.sql('select from payment_references where payment_id = $1 and rail_fault is not null', [internalId]))
        .length;
    await until(isRefused, 'the rail being away');
    await app.sql(
      `update payment_references set created_at = now() - interval '2 hours', due_at = now() + interval '1 hour'
       where payment_id = $1`,
      [internalId],
    );
    const [found] = await list();
    expect(found).toMatchObject({ about: 'reference', id: internalId, name: reference, asked: 'register' });
    expect(found.reason).toMatch(/^the rail says .+; no payer can pay it yet$/);
    await heal();
    await operateJson(app, 'stuck', 'requery', internalId);
    const isRegistered = async () =>
      (
        await app.sql('select from payment_references where payment_id = $1 and registered_at is not null', [
          internalId,
        ])
      ).length;
    await until(isRegistered, 'the rail having it');
    expect(await list()).toEqual([]);
  });
});

test('a payment that waits for its payer needs no requery', async () => {
  const { id } = await create(app, webframe());
  await expectRefusal(app, ['stuck', 'requery', id], 1, 'No order of this payment is open');
});
