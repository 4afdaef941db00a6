import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { AFTER_30_S_MS, AFTER_LEASE_MS, startGateway, type Gateway } from '../../support/gateway.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { purchase } from '../../support/payments.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await killChildren();
});

const readStatus = async (id: string) =>
  (await gateway.sql('select status, late from payments where id = $1', [id])).map(({ status, late }) => ({
    status,
    late,
  }))[0];

/** The merchant's notifications and the usage entries of the payment. */
const readRecords = async (id: string) => ({
  told: (await gateway.sql('select type from notifications where payment_id = $1', [id])).map(({ type }) => type),
  used: await gateway.sql(
    'select amount_minor::int as minor from usage_entries where transaction_id in (select id from transactions where payment_id = $1)',
    [id],
  ),
});

test.each(['events', 'notifications', 'usage_entries'])(
  'kill -9 at %s leaves a payment that is reported and counted once after the restart',
  async (table) => {
    const { rail, merchant } = gateway;
    rail.calls.holdAt('request');
    const { json } = await merchant.insist('/api/payments', { body: purchase('900000000') });
    await until(() => rail.calls.held() === 1, 'the call being under way');
    await gateway.child().kill();
    rail.calls.holdAt(null);
    await gateway.restart(AFTER_30_S_MS);
    await until(async () => (await readStatus(json.id))?.status === 'Failed', 'being given up');
    expect(await readRecords(json.id)).toEqual({ told: [], used: [] });

    // The order reaches the rail, and a lock blocks the recording of its outcome.
    const release = await holdLock(gateway.databaseUrl, `lock table ${table} in share mode`);
    rail.calls.release();
    await until(async () => (await rail.books(json.reference)).length === 1, 'its arrival');
    gateway.clock.jump(1_000);
    // The statement that changes the status also writes the event. A trigger writes the other rows.
    const isWaiting = async () => (await countWaiting(gateway.databaseUrl, 'with moved as')) > 0;
    await until(isWaiting, 'it being written').catch(async (error: unknown) => {
      await release();
      throw error;
    });
    await gateway.child().kill();
    await release();
    expect(await readRecords(json.id)).toEqual({ told: [], used: [] });

    const once = { told: ['payment.late'], used: [{ minor: 150_000 }] };
    await gateway.restart(AFTER_LEASE_MS);
    await until(async () => (await readStatus(json.id))?.status === 'Paid', 'the money');
    expect(await readRecords(json.id)).toEqual(once);
    expect(await readStatus(json.id)).toEqual({ status: 'Paid', late: true });
    expect((await merchant.insist(`/api/payments/${json.id}/sync`, { method: 'POST' })).status).toBe(200);
    const untold = 'select from inbox where applied_at is null';
    await until(async () => (await gateway.sql(untold)).length === 0, 'the rail’s news being applied');
    expect(await readRecords(json.id)).toEqual(once);
    await gateway.expectTruth();
  },
);
