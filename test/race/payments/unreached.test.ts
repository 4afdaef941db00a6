import { beforeAll, beforeEach, expect, test } from 'vitest';
import { em } from '../../../server/database/db.ts';
import { claimSend, submitAttempt } from '../../../server/payments/core/submit.ts';
import { Attempt } from '../../../server/payments/core/entities.ts';
import { UNKNOWN_OUTCOME } from '../../../server/providers/rail-call.ts';
import { applyOutcome } from '../../../server/payments/core/apply-outcome.ts';
import { startAppBehind, until, type TestApp } from '../../support/app.ts';
import { raceForPayment } from '../../support/locks.ts';
import { create, purchase, travelToStatus } from '../../support/payments.ts';
import { startRail, type Rail } from '../../support/rail.ts';

const UNREACHABLE = { ...UNKNOWN_OUTCOME, details: { reason: 'unreachable' } };

let app: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startRail));
});
beforeEach(() => rail.calls.stop());

/** Creates a push whose only call never reached the rail, before or at its timeout. No due work reads the push. */
async function pushUnreached(ageMs: number) {
  const payment = await create(app, purchase('923000001'));
  const read = async () => em(app.node.core).findOneOrFail(Attempt, { paymentId: payment.id });
  await until(async () => (await read())?.status === 'Unreached', 'the call failing');
  await app.sql('update attempts set due_at = null where payment_id = $1', [payment.id]);
  await app.clock.pass(ageMs);
  await rail.calls.start();
  const attempt = await read();
  const giveUp = (core = app.node.core) => applyOutcome(core, attempt.id, UNKNOWN_OUTCOME, 'poll', attempt);
  const claim = () => claimSend(app.node.core, attempt.id, attempt.sentAt);
  const statusOf = async () => (await app.sql('select status from payments where id = $1', [payment.id]))[0].status;
  return { payment, attempt, read, giveUp, claim, statusOf };
}

test('a push that never reached the rail is sent again if the claim locks it first', async () => {
  const { payment, claim, giveUp, statusOf } = await pushUnreached(29_999);
  // The clock of the other node is ahead. With equal clocks, claim and timeout never happen together.
  const clock = { ...app.clock, now: () => new Date(app.clock.now().getTime() + 1_000) };
  const [order] = await raceForPayment(app, payment.id, claim, () => giveUp({ ...app.node.core, clock }));
  expect(await statusOf()).toBe('Processing');
  await submitAttempt(app.node.core, order!);
  expect(await rail.books(payment.reference)).toMatchObject([{ calls: 1 }]);
});

test('a push that never reached the rail is closed if the timeout locks it first', async () => {
  const { payment, claim, giveUp, statusOf } = await pushUnreached(30_000);
  const [settled, order] = await raceForPayment(app, payment.id, giveUp, claim);
  expect([settled, order]).toEqual(['changed', null]);
  expect(await statusOf()).toBe('Failed');
});

test('an outdated timeout does not close a push that another node has sent again', async () => {
  const { payment, claim, giveUp, read, statusOf } = await pushUnreached(10_000);
  await submitAttempt(app.node.core, (await claim())!);
  expect((await read()).status).toBe('Sent');
  await app.clock.pass(45_000);
  expect(await giveUp()).toBe('unchanged');
  expect(await statusOf()).toBe('Processing');
  expect(await rail.books(payment.reference)).toMatchObject([{ calls: 1 }]);
});

test('a push whose two calls never reach the rail is closed at its timeout', async () => {
  const { payment, claim, read, statusOf } = await pushUnreached(10_000);
  await rail.calls.stop();
  await submitAttempt(app.node.core, (await claim())!);
  expect((await read()).status).toBe('Unreached');
  await travelToStatus(app, payment.id, 'Failed', 30_000);
  expect(await statusOf()).toBe('Failed');
});

test('the late end of a first call changes nothing while the second call is in flight', async () => {
  const { attempt, claim, read } = await pushUnreached(10_000);
  await claim();
  const asSent = { ...attempt, status: 'Unsent' } as const;
  await applyOutcome(app.node.core, attempt.id, UNREACHABLE, 'answer', asSent);
  expect((await read()).status).toBe('Unsent');
});
