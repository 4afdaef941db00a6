import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { jumpClock, type JumpClock } from '../../support/jump-clock.ts';
import { expectRefusal, operateJson } from '../../support/cli.ts';
import { create, purchase } from '../../support/payments.ts';
import { startRail, type Rail } from '../../support/rail.ts';

const LEASE_MS = 11_000;

let app: TestApp;
let twin: TestApp;
let rail: Rail;
let clock: JumpClock;
beforeAll(async () => {
  clock = jumpClock();
  rail = await startRail({ clock, gatewayUrl: () => app.url });
  const env = { ...rail.env, GPO_TIMEOUT_S: '5' };
  app = await startTestApp({ clock, env });
  twin = await app.startTwin();
});

/** Queries the rail by requery and sync at the same time. A requery without an open order fails. */
const askAll = (id: string) =>
  Promise.all([
    ...[1, 2].map(() => operateJson(app, 'stuck', 'requery', id).catch((error: Error) => error.name)),
    operateJson(app, 'stuck', 'requery', 'all', '--older-than', '0'),
    ...[app, twin].map((node) => node.call(`/api/payments/${id}/sync`, { method: 'POST' })),
  ]);

test('concurrent requeries and syncs of an order in flight leave one order and one transaction', async () => {
  rail.calls.holdAt('request');
  const payment = await create(app, purchase('900000000'));
  await until(() => rail.calls.held() === 1, 'the order being on its way');
  rail.calls.holdAt(null);
  await expectRefusal(app, ['stuck', 'requery', payment.id], 1, 'queries the rail right now');
  expect(await operateJson(app, 'stuck', 'requery', 'all', '--older-than', '0')).toEqual({ asked: 0, paymentIds: [] });

  // The gateway's call times out and the gateway queries the rail. Then the call arrives at the rail.
  clock.jump(LEASE_MS);
  await askAll(payment.id);
  rail.calls.release();
  await until(async () => (await rail.books(payment.reference)).length === 1, 'its arrival');
  clock.jump(1_000);
  await askAll(payment.id);
  await until(async () => (await app.call(`/api/payments/${payment.id}`)).json.status === 'Paid', 'being paid');
  await askAll(payment.id);
  expect(await rail.books(payment.reference)).toMatchObject([{ status: 'APPROVED', amount: '1500.00' }]);
  const money = await app.sql('select id, amount_minor from transactions where payment_id = $1', [payment.id]);
  expect(money).toMatchObject([{ amount_minor: '150000' }]);
  expect(await app.sql('select transaction_id as id, amount_minor from usage_entries')).toEqual(money);
  expect(await app.sql('select from attempts where payment_id = $1', [payment.id])).toHaveLength(1);
});
