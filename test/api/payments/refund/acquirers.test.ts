import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { travelUntil, untilStatus } from '../../../support/payments.ts';
import { byHand } from '../../../support/refunds.ts';
import {
  countCalls,
  createPush,
  enterAppyPay,
  enterOpg,
  openMerchant,
  press,
  untilThere,
  type Merchant,
} from '../../../support/rail-accounts.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const ask = (shop: Merchant, paymentId: string, body: object = {}) =>
  shop.call(`/api/payments/${paymentId}/refunds`, { body });
const read = async (shop: Merchant, id: string) => (await shop.call(`/api/refunds/${id}`)).json;
const travelTo = (shop: Merchant, id: string, status: string) =>
  travelUntil(app, async () => (await read(shop, id)).status === status, `the refund being ${status}`);

async function payByOpg() {
  const shop = await openMerchant(app);
  const { fake } = await enterOpg(shop);
  const { id } = await createPush(shop);
  await press(fake, (await untilThere(() => [...fake.book.transactions.values()][0], 'the push')).id, 'Approve');
  await untilStatus(shop, id, 'Paid');
  return { shop, fake, id };
}

async function payByAppyPay() {
  const shop = await openMerchant(app);
  const { fake } = await enterAppyPay(shop);
  const { id } = await createPush(shop);
  await press(fake, (await untilThere(() => fake.book.charges[0], 'the push')).id, 'approve');
  await untilStatus(shop, id, 'Paid');
  return { shop, fake, id };
}

test('OPG refuses a partial refund and names the manual refund, which succeeds', async () => {
  const { shop, id } = await payByOpg();
  const part = await ask(shop, id, { amount: 500 });
  expect([part.status, part.json.code]).toEqual([400, 'refund_whole_only']);
  expect(part.json.detail).toContain('"method": "manual"');
  expect((await ask(shop, id, byHand({ amount: 500 }))).status).toBe(201);
  // OPG refunds only whole payments, so it cannot refund the rest after the manual refund.
  expect((await ask(shop, id)).json.code).toBe('refund_whole_only');
});

test('OPG refunds a payment in whole', async () => {
  const { shop, id } = await payByOpg();
  const { json } = await ask(shop, id);
  await travelTo(shop, json.id, 'Succeeded');
});

test('AppyPay refunds a payment in parts', async () => {
  const { shop, fake, id } = await payByAppyPay();
  for (const amount of [400, 300]) {
    const { status, json } = await ask(shop, id, { amount });
    expect(status).toBe(201);
    await travelTo(shop, json.id, 'Succeeded');
  }
  expect([...fake.book.refunded.values()]).toEqual([700]);
});

test('a refund whose AppyPay response is lost is not repeated and raises refund.stuck', async () => {
  const { shop, fake, id } = await payByAppyPay();
  fake.fault('drop_after', { method: 'POST', path: '/v2.0/refunds' });
  const { json } = await ask(shop, id, { amount: 400 });
  await until(async () => (await read(shop, json.id)).status !== 'Pending', 'its status being Processing');
  const other = await ask(shop, id, { amount: 100 });
  expect([other.status, other.json.code]).toEqual([409, 'refund_in_progress']);
  app.clock.leap(4 * 24 * 3_600_000);
  const told = `select from events where payment_id = $1 and type = 'refund.stuck'`;
  await travelUntil(app, async () => (await app.sql(told, [id])).length > 0, 'a person being called');
  expect(await app.sql('select status from refunds where id = $1', [json.id])).toEqual([{ status: 'Processing' }]);
  expect(countCalls(fake, 'POST', '/v2.0/refunds')).toBe(1);
  expect([...fake.book.refunded.values()]).toEqual([400]);
});
