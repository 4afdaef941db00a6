import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import {
  authorization,
  cancel,
  capture,
  createAuthorized,
  expectAgreement,
  HOLD_MS,
  readFullBooks,
  readHeld,
  readOrders,
  take,
  travelToRest,
} from '../../../support/authorizations.ts';
import { readEventTypes, readPayment, PENDING_PHONE } from '../../../support/notify.ts';
import { create, orderFault, travelToStatus, travelUntil, untilCalled } from '../../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterEach(async () => {
  await travelToRest(app);
  await expectAgreement(app.sql, await readFullBooks(app));
});

/** For this test number the rail approves each step after one second, without notifications. */
const SILENT = '900000007';

/** With these faults the rail executes the order and returns no readable response. */
const ACTED = ['hang', 'reset_after', 'garbage'];
/** With these faults the rail does not execute the order. The repeat under the same id takes effect. */
const RESENT = ['reset_before'];
const LATE_MS = 60_000;

const createSilent = async () => {
  const { id } = await create(app, authorization(SILENT));
  return travelToStatus(app, id, 'Authorized');
};

describe.each([...ACTED, 'delay', ...RESENT])('the rail fault %s', (kind) => {
  const fault = (on: string) => orderFault(app, { on, kind, phone: SILENT, delayMs: LATE_MS });

  test('in an authorization leaves one hold', async () => {
    await fault('authorization');
    const { id } = await create(app, authorization(SILENT));
    expect(await travelToStatus(app, id, 'Authorized')).toMatchObject({ amountAuthorized: 1500, late: false });
    expect(await readHeld(app, id)).toMatchObject({ calls: 1, held: '1500.00' });
  });

  test('in a capture leaves one capture and makes the authorization busy until its outcome', async () => {
    const held = await createSilent();
    await fault('capture');
    const { id } = await create(app, capture(held.id, { amount: 900 }));
    expect(await cancel(app, held.id)).toMatchObject({ status: 409, json: { code: 'authorization_busy' } });
    expect(await take(app, capture(held.id))).toMatchObject({ status: 409, json: { code: 'authorization_busy' } });
    const paid = await travelToStatus(app, id, 'Paid');
    expect(paid).toMatchObject({ amountPaid: 900, late: false, flags: [] });
    expect(await readPayment(app, held.id)).toMatchObject({ status: 'Captured', amountCaptured: 900, operation: null });
    expect(await readHeld(app, held.id)).toMatchObject({ captured: '900.00', captures: [{ calls: 1 }], voids: [] });
  });

  test('in a void makes the cancel return 200, and a poll finds Canceled', async () => {
    const { id } = await createSilent();
    await fault('void');
    let isAnswered = false;
    const asked = cancel(app, id, { prefer: 'return=representation' }).finally(() => (isAnswered = true));
    await travelUntil(app, () => isAnswered, 'an answer');
    const reply = await asked;
    expect(reply.status).toBe(200);
    expect(await travelToStatus(app, id, 'Canceled')).toMatchObject({ operation: null });
    expect(await readHeld(app, id)).toMatchObject({ voided: '1500.00', voids: [{ calls: 1 }], captures: [] });
    expect(await readOrders(app, id, 'void')).toHaveLength(1);
  });

  test('in the void of an expiry delays it, and a poll finds Expired', async () => {
    const { id } = await createSilent();
    await fault('void');
    app.clock.leap(HOLD_MS);
    await travelToStatus(app, id, 'Expired');
    expect(await readHeld(app, id)).toMatchObject({ voided: '1500.00', voids: [{ calls: 1 }] });
  });
});

describe('an unavailable rail', () => {
  const fault = (on: string, times = 1) => orderFault(app, { on, kind: 'unavailable', phone: SILENT, times });

  test('fails an authorization after 30 s', async () => {
    await fault('authorization');
    const { id, createdAt } = await create(app, authorization(SILENT));
    const failed = await travelToStatus(app, id, 'Failed');
    expect(failed.failure).toMatchObject({ code: 'rail_unavailable' });
    expect(Date.parse(failed.completedAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(30_000);
    expect(await readHeld(app, id)).toBeNull();
  });

  test('fails a capture after 30 s and leaves the authorization unchanged', async () => {
    const held = await createSilent();
    await fault('capture');
    const { id, createdAt } = await create(app, capture(held.id));
    // The leap must not interrupt the call, because the node would repeat it without the fault.
    await untilCalled(app, id);
    await app.clock.advance(20_000);
    expect(await cancel(app, held.id)).toMatchObject({ status: 409, json: { code: 'authorization_busy' } });
    const failed = await travelToStatus(app, id, 'Failed');
    expect(failed).toMatchObject({ failure: { code: 'rail_unavailable' }, transactions: [] });
    expect(Date.parse(failed.completedAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(30_000);
    expect(await readPayment(app, held.id)).toEqual(held);
    await travelToStatus(app, (await create(app, capture(held.id))).id, 'Paid');
  });

  test('delays the expiry of an authorization until its capture has failed', async () => {
    const held = await createSilent();
    app.clock.leap(Date.parse(held.expiresAt) - app.clock.now().getTime() - 10_000);
    await fault('capture');
    const { id } = await create(app, capture(held.id));
    await app.clock.advance(11_000);
    // The test sets the row as if the expiry had claimed it just before the capture.
    await app.sql('update payments set due_at = expires_at where id = $1', [held.id]);
    const isLookedAt = async () =>
      (await app.sql('select due_at from payments where id = $1', [held.id]))[0].due_at === null;
    await travelUntil(app, isLookedAt, 'expiry having looked at it');
    expect(await readPayment(app, held.id)).toMatchObject({ status: 'Authorized', operation: 'capturing' });
    expect(await readOrders(app, held.id, 'void')).toEqual([]);
    await travelToStatus(app, id, 'Failed');
    await travelToStatus(app, held.id, 'Expired');
    expect(await readHeld(app, held.id)).toMatchObject({ voided: '1500.00', captures: [] });
  });

  test('receives a void again under the same id until it accepts the void', async () => {
    const { id } = await createSilent();
    await fault('void', 5);
    expect((await cancel(app, id)).json.message).toContain('being canceled');
    await app.clock.pass(31_000);
    // The rail does not know the void, so the gateway still has to send it.
    await app.call(`/api/payments/${id}/sync`, { method: 'POST' });
    expect(await readPayment(app, id)).toMatchObject({ status: 'Authorized', operation: 'voiding' });
    await travelToStatus(app, id, 'Canceled');
    const [order, ...more] = await readOrders(app, id, 'void');
    expect(more).toEqual([]);
    expect(await readHeld(app, id)).toMatchObject({ voided: '1500.00', voids: [{ id: order.id, calls: 1 }] });
  });
});

test('a void that fails for three days raises payment.stuck, and a sync sends it again', async () => {
  const { id } = await createSilent();
  await orderFault(app, { on: 'void', kind: 'unavailable', phone: SILENT, times: 1_000 });
  await cancel(app, id);
  app.clock.leap(73 * 3_600_000);
  const isStuck = async () => (await readEventTypes(app, id)).includes('payment.stuck');
  await travelUntil(app, isStuck, 'a person being called');
  expect(await readPayment(app, id)).toMatchObject({ status: 'Authorized', operation: 'voiding' });
  await fetch(`${app.url}/sandbox/rail/faults`, { method: 'DELETE' });
  expect((await app.call(`/api/payments/${id}/sync`, { method: 'POST' })).status).toBe(200);
  await travelToStatus(app, id, 'Canceled');
  expect(await readHeld(app, id)).toMatchObject({ voided: '1500.00', voids: [{ calls: 1 }] });
});

test.each(['unavailable', 'hang', 'garbage', 'reset_before'])(
  'polls that fail with %s learn nothing; a later one does',
  async (kind) => {
    const held = await createSilent();
    const { id } = await create(app, capture(held.id));
    // The response must fail, because a later response would contain the outcome.
    await until(async () => (await readOrders(app, id, 'capture'))[0]?.status === 'Sent', 'the call’s answer');
    await orderFault(app, { on: 'query', kind, phone: SILENT, times: 2 });
    await app.clock.advance(3_000);
    expect(await readPayment(app, held.id)).toMatchObject({ status: 'Authorized', operation: 'capturing' });
    await travelToStatus(app, id, 'Paid');
    expect(await readPayment(app, held.id)).toMatchObject({ status: 'Captured' });
    expect(await readHeld(app, held.id)).toMatchObject({ captures: [{ calls: 1 }] });
  },
);

test('a cancel returns within the rail’s timeout without a response, and a poll finds the outcome', async () => {
  const { id } = await createAuthorized(app);
  await orderFault(app, { on: 'void', kind: 'hang', phone: PENDING_PHONE });
  await orderFault(app, { on: 'notification', kind: 'drop', phone: PENDING_PHONE });
  const limitMs = app.node.core.config.GPO_TIMEOUT_S * 1_000;
  const asked = cancel(app, id);
  await until(() => app.clock.waits().some(({ ms }) => ms === limitMs), 'the call');
  await app.clock.pass(limitMs);
  expect((await asked).status).toBe(200);
  await travelToStatus(app, id, 'Canceled');
});
