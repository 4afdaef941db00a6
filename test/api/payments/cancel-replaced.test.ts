import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { createRefused, expectOnePayable, switchOver } from '../../support/fallback.ts';
import { approved, notify, NOTIFY_ENV, readAttempts } from '../../support/notify.ts';
import { travelUntil } from '../../support/payments.ts';
import { creepUntilRegistered, moneyFor, readAtMachine, notifyPprPayment, tryToPay } from '../../support/ppr.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
/** The API client has only the two scopes that the guide names. */
let merchant: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
  merchant = await app.addMerchant({ scopes: ['payments:read', 'payments:write'] });
});

const ownToken = () => app.token(merchant.clientId, merchant.secret);
const cancel = async (id: string, headers: Record<string, string> = {}): Promise<Reply> =>
  app.call(`/api/payments/${id}/cancel`, { method: 'POST', token: await ownToken(), headers });
const read = async (path: string) => (await app.call(`/api/payments/${path}`, { token: await ownToken() })).json;

/** Creates a replaced payment and its replacement, and waits until the rail knows the replacement. */
async function createReplaced() {
  const first = await createRefused(app, undefined, await ownToken());
  await switchOver(app, first);
  await creepUntilRegistered(app);
  const second = await read((await read(first.id)).replacedBy);
  return { first, second, secondId: second.internalId as string };
}

async function expectReplaced(id: string, secondId: string): Promise<void> {
  const reply = await leavesNothing(app, () => cancel(id));
  expect(reply).toMatchObject({ status: 409, json: { code: 'payment_replaced', replacedBy: secondId } });
  expect(reply.json.detail).toContain('`replacedBy`');
}

test('the cancel of a replaced payment returns 409 until its replacement is canceled', async () => {
  const { first, second, secondId } = await createReplaced();
  await expectReplaced(first.id, secondId);
  const reply = await cancel(secondId, { prefer: 'return=representation' });
  expect(reply).toMatchObject({ status: 200, json: { message: 'The payment is Canceled.', status: 'Canceled' } });
  expect(await read(secondId)).toMatchObject({ status: 'Canceled', referenceStatus: 'Canceled', amountPaid: 0 });
  const types = (await read(`${secondId}/events`)).data.map(({ type }: { type: string }) => type);
  expect(types).toEqual(expect.arrayContaining(['payment.canceled', 'reference.canceled']));
  await creepUntilRegistered(app);
  for (const id of [first.id, secondId]) {
    const again = await leavesNothing(app, () => cancel(id));
    expect(again).toMatchObject({ status: 200, json: { message: 'The payment is Canceled.' } });
  }
  expect(await readAtMachine(app, second)).toMatchObject({ status: 'WITHDRAWN' });
  expect(await tryToPay(app, second, { amount: '1500.00' })).toBe('REFERENCE_WITHDRAWN');
  await expectOnePayable(app);
});

test('the repeated cancel of a replacement with one Idempotency-Key returns the first response', async () => {
  const { secondId } = await createReplaced();
  const headers = { 'idempotency-key': randomUUID() };
  const reply = await cancel(secondId, headers);
  await creepUntilRegistered(app);
  const again = await leavesNothing(app, () => cancel(secondId, headers));
  expect([again.status, again.text]).toEqual([200, reply.text]);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

test('the Idempotency-Key of a refused cancel of a replaced payment is not stored', async () => {
  const { first, secondId } = await createReplaced();
  const headers = { 'idempotency-key': randomUUID() };
  expect((await cancel(first.id, headers)).status).toBe(409);
  await cancel(secondId);
  expect(await cancel(first.id, headers)).toMatchObject({ status: 200, json: { message: 'The payment is Canceled.' } });
});

test('the cancels of a replaced payment and of its paid replacement return 409', async () => {
  const { first, second, secondId } = await createReplaced();
  await notifyPprPayment(app, moneyFor(app, second));
  await creepUntilRegistered(app);
  await expectReplaced(first.id, secondId);
  const reply = await leavesNothing(app, () => cancel(secondId));
  expect(reply).toMatchObject({ status: 409, json: { code: 'payment_not_cancelable' } });
});

test('the cancel of a replaced payment returns 409 after a late approval of its push', async () => {
  const { first, secondId } = await createReplaced();
  const push = (await readAttempts(app, first.id)).at(-1);
  await notify(app, push.id, approved());
  expect(await cancel(first.id)).toMatchObject({ status: 409, json: { code: 'payment_not_cancelable' } });
  expect((await cancel(secondId)).status).toBe(200);
});

// This test is the last, because it moves the clock.
test('the cancel of a replaced payment returns 200 after its replacement expired', async () => {
  const { first, secondId } = await createReplaced();
  app.clock.leap(32 * 24 * 3_600_000);
  await travelUntil(app, async () => (await read(secondId)).status === 'Expired', 'its end');
  expect(await cancel(first.id)).toMatchObject({ status: 200, json: { message: 'The payment is Canceled.' } });
});
