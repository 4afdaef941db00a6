import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { captureElsewhere, createAuthorized, HOLD_MS } from '../../support/authorizations.ts';
import { jumpClock, type JumpClock } from '../../support/jump-clock.ts';
import { NOTIFY_ENV } from '../../support/notify.ts';
import { expectRefusal, operateJson } from '../../support/cli.ts';
import { create, orderFault, purchase, readBooks } from '../../support/payments.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

let app: TestApp;
let clock: JumpClock;
beforeAll(async () => {
  clock = jumpClock();
  app = await startTestApp({ clock, env: NOTIFY_ENV });
});
afterEach(() => app.sql('delete from simulator.faults'));

const countOf = async (table: 'events' | 'notifications', type: string) =>
  (await app.sql(`select from ${table} where type = $1`, [type])).length;

describe('a push that the rail does not answer', () => {
  test('raises one alert over repeated queries, and records a late outcome once', async () => {
    await orderFault(app, { on: 'query', kind: 'unavailable', times: 1_000 });
    await orderFault(app, { on: 'notification', kind: 'drop', times: 10 });
    const payment = await create(app, purchase('900000000'));
    const attempt = async () => (await app.sql('select * from attempts where payment_id = $1', [payment.id]))[0];
    await until(async () => (await attempt()).status === 'Sent', 'the push being sent');
    clock.jump(73 * HOUR_MS);
    await until(async () => (await attempt()).due_at === null, 'the end of the polls');
    for (let nth = 0; nth < 3; nth++) {
      const { due_count: calls } = await attempt();
      expect((await operateJson(app, 'stuck', 'requery', payment.id)).asked).toBe(1);
      await until(async () => (await attempt()).due_count > calls, 'a node querying the rail');
      await until(async () => (await attempt()).due_at === null, 'the end of the polls');
      expect(await attempt()).toMatchObject({ status: 'Sent' });
    }
    expect(await countOf('events', 'payment.stuck')).toBe(1);
    expect(await countOf('notifications', 'payment.stuck')).toBe(1);

    await app.sql('delete from simulator.faults');
    const [one, other, sync] = await Promise.all([
      operateJson(app, 'stuck', 'requery', payment.id).catch((error: Error) => error.message),
      operateJson(app, 'stuck', 'requery', 'all'),
      app.call(`/api/payments/${payment.id}/sync`, { method: 'POST' }),
    ]);
    expect([one.asked ?? one, other.asked, sync.status]).toEqual([
      expect.toBeOneOf([1, 'exit code 1: No order of this payment is open, or a node queries the rail right now.\n']),
      expect.toBeOneOf([0, 1]),
      200,
    ]);
    await until(async () => (await app.call(`/api/payments/${payment.id}`)).json.status === 'Paid', 'being paid');
    expect(await readBooks(app, payment.reference)).toMatchObject([{ status: 'APPROVED', calls: 1 }]);
    const money = await app.sql('select id from transactions where payment_id = $1', [payment.id]);
    expect(money).toHaveLength(1);
    expect(await app.sql('select transaction_id as id from usage_entries')).toEqual(money);
  });
});

test('a terminal between open and closed raises one alert over repeated queries', async () => {
  await orderFault(app, { on: 'query', kind: 'unavailable', times: 1_000 });
  const long = new Date(clock.now().getTime() - 80 * HOUR_MS);
  const [{ id }] = await app.sql(
    `update terminals set status = 'Opening', operation_id = gen_random_uuid(), changed_at = $1::timestamptz,
       sent_at = $1::timestamptz, due_at = $1::timestamptz where pos_id = 'demo-pos' returning id`,
    [long],
  );
  const isLeft = async () => (await app.sql('select from terminals where id = $1 and due_at is null', [id])).length;
  await until(isLeft, 'the end of the polls');
  for (let nth = 0; nth < 2; nth++) {
    expect((await operateJson(app, 'stuck', 'requery', 'all')).asked).toBe(1);
    await until(isLeft, 'being left to a person again');
  }
  expect(await countOf('notifications', 'terminal.stuck')).toBe(1);
  await app.sql('delete from simulator.faults');
  await operateJson(app, 'stuck', 'requery', 'all');
  const isAtRest = async () =>
    (await app.sql(`select from terminals where id = $1 and status in ('Open', 'Closed')`, [id])).length;
  await until(isAtRest, 'the terminal being open or closed');
  expect(await operateJson(app, 'stuck', 'list')).toEqual([]);
});

test('an authorization that the rail does not void is listed without the advice to requery', async () => {
  const held = await createAuthorized(app);
  await captureElsewhere(app, held.id);
  expect(await operateJson(app, 'stuck', 'list', '--older-than', '0')).toEqual([]);
  clock.jump(HOLD_MS);
  await until(async () => (await countOf('notifications', 'payment.stuck')) === 2, 'the second alert');
  const found = await operateJson(app, 'stuck', 'list');
  expect(found).toMatchObject([{ id: held.id, status: 'Authorized', asked: 'void', orderId: null, nextAt: null }]);
  expect(found[0].reason).toContain('the rail does not release it');
  const { json } = await app.call('/v1/notificacoes');
  expect(json.data[0]).toMatchObject({ tipo: 'payment.stuck', titulo: 'Reserva não libertada' });
  expect(json.data[0].mensagem).toContain(`da reserva ${held.reference}, de`);
  await expectRefusal(app, ['stuck', 'requery', held.id], 1, 'No order of this payment is open');
  expect(await operateJson(app, 'stuck', 'requery', 'all')).toEqual({ asked: 0, paymentIds: [] });
});
