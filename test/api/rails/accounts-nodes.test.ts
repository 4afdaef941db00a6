// Rail accounts on several nodes: a change is seen within a look, and an account whose key is gone is nobody's, but still its owner's.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, TEST_ENV, until, type TestApp } from '../../support/app.ts';
import { purchase, travelUntil } from '../../support/payments.ts';
import {
  addRail,
  callRails,
  idleBody,
  openAppyPay,
  withoutSecrets,
  type RailOwnerHere,
} from '../../support/rail-accounts.ts';
import { leavesNothing } from '../../support/rows.ts';

let one: TestApp;
let two: TestApp;
let appypay: Awaited<ReturnType<typeof openAppyPay>>;
beforeAll(async () => {
  one = await startTestApp();
  // Tokens carry their issuer: nodes of one gateway share its address.
  two = await one.startTwin({ env: { PUBLIC_URL: one.node.core.publicUrl } });
  appypay = await openAppyPay(one.clock);
});

/** The labels of what a node would charge a merchant's pushes by. */
const listOn = (node: TestApp, { merchantId }: RailOwnerHere) =>
  node.node.core.rails.list(merchantId, 'gpo').map(({ label }) => label);

/** Sees what it is, once the clock has gone on by a look. */
async function expectSeen(node: TestApp, shop: RailOwnerHere, labels: string[]): Promise<void> {
  const isSeen = () => JSON.stringify(listOn(node, shop)) === JSON.stringify(labels);
  expect(isSeen()).toBe(false);
  await one.clock.advance(2_000);
  await until(isSeen, `${labels.join()} being seen`);
}

test('each change is seen by this node at once, by another within two seconds', async () => {
  const shop = await one.addMerchant();
  const { id } = await addRail(one, shop, appypay.body);
  expect(listOn(one, shop)).toEqual(['AppyPay']);
  await expectSeen(two, shop, ['AppyPay']);
  const body = withoutSecrets({ ...appypay.body, label: 'Nova' });
  await callRails(one, shop, { id, method: 'PUT', body });
  expect(listOn(one, shop)).toEqual(['Nova']);
  await expectSeen(two, shop, ['Nova']);
  await callRails(two, shop, { id, method: 'PUT', body: { ...body, status: 'draining' } });
  expect(listOn(two, shop)).toEqual([]);
  await expectSeen(one, shop, []);
  await callRails(two, shop, { id, method: 'DELETE' });
  expect(listOn(two, shop)).toEqual(['Simulator']);
  await expectSeen(one, shop, ['Simulator']);
});

test('what did not change keeps its clients, and they their token', async () => {
  const shop = await one.addMerchant();
  const { fake, body } = await openAppyPay(one.clock);
  await addRail(one, shop, body);
  const push = async (phone: string) => {
    const before = fake.book.charges.length;
    await one.call('/api/payments', { token: shop.token, body: purchase(phone) });
    await until(() => fake.book.charges.length > before, 'the rail having the push');
  };
  await push('923456789');
  const { rails } = one.node.core;
  const [first] = rails.list(shop.merchantId, 'gpo');
  await rails.refresh();
  expect(rails.list(shop.merchantId, 'gpo')[0]).toBe(first);
  await push('923456780');
  expect(fake.requests.filter(({ path }) => path === '/oauth2/token')).toHaveLength(1);
});

test('what another node’s new account made is known before that is', async () => {
  const shop = await one.addMerchant();
  const { id } = await addRail(one, shop, appypay.body);
  expect(listOn(two, shop)).toEqual(['Simulator']);
  expect((await two.node.core.rails.find(id))?.label).toBe('AppyPay');
});

describe('an account whose key is gone', () => {
  /** Set with a key that the nodes of later have not. */
  const OTHER = { SECRETS_KEYS: `later:${randomBytes(32).toString('base64')},${TEST_ENV.SECRETS_KEYS}` };

  /** Its rows are sealed anew by a node with another key first. */
  async function loseKey(shop: RailOwnerHere, id: string): Promise<void> {
    const keyed = await one.startTwin({ env: { ...OTHER, PUBLIC_URL: one.node.core.publicUrl } });
    await one.clock.advance(1_000);
    expect((await callRails(keyed, shop, { id, method: 'PUT', body: appypay.body })).status).toBe(200);
    await keyed.stop();
  }

  test('and told lost stops no node, is asked nothing, and nobody else’s takes its place', async () => {
    const shop = await one.addMerchant();
    const { id, notificationUrl } = await addRail(one, shop, appypay.body);
    const pushed = await one.call('/api/payments', { token: shop.token, body: purchase('923456789') });
    const read = async () => (await one.sql('select * from attempts where payment_id = $1', [pushed.json.id]))[0];
    await until(async () => (await read()).rail_order_id, 'the rail having the push');
    await loseKey(shop, id);

    const keys = `${TEST_ENV.SECRETS_KEYS},later:lost`;
    const three = await one.startTwin({ env: { PUBLIC_URL: one.node.core.publicUrl, SECRETS_KEYS: keys } });
    expect(listOn(three, shop)).toEqual([]);
    const refused = await leavesNothing(one, () =>
      three.call('/api/payments', { token: shop.token, body: purchase('923456780') }),
    );
    expect([refused.status, refused.json.code]).toEqual([400, 'payment_method_unavailable']);
    // Of what it made nobody knows anything, and nothing is guessed.
    const synced = await three.call(`/api/payments/${pushed.json.id}/sync`, { method: 'POST', token: shop.token });
    expect([synced.status, synced.json.code]).toEqual([503, 'rail_unavailable']);
    expect((await three.call(`/api/payments/${pushed.json.id}`, { token: shop.token })).json.status).toBe('Processing');
    const told = await fetch(notificationUrl.replace(one.node.core.publicUrl, three.url), {
      method: 'POST',
      body: '{}',
    });
    expect(told.status).toBe(404);
    expect((await callRails(three, shop, { id })).json).toMatchObject({ id, hasSecrets: true });
    await three.stop();
  });

  test('is whole again when its secrets are entered again, or the key is back', async () => {
    const shop = await one.addMerchant();
    const { id } = await addRail(one, shop, appypay.body);
    const pushed = await one.call('/api/payments', { token: shop.token, body: purchase('923456789') });
    await loseKey(shop, id);
    await travelUntil(one, () => listOn(one, shop).length === 0, 'the account being lost');
    expect((await callRails(one, shop, { id, method: 'PUT', body: appypay.body })).status).toBe(200);
    expect(listOn(one, shop)).toEqual(['AppyPay']);
    const { id: railOrderId } = appypay.fake.book.charges.at(-1) as { id: string };
    await fetch(`${appypay.fake.url}/_act`, {
      method: 'POST',
      body: new URLSearchParams({ id: railOrderId, action: 'approve' }),
    });
    const readStatus = async () =>
      (await one.call(`/api/payments/${pushed.json.id}`, { token: shop.token })).json.status;
    await travelUntil(one, async () => (await readStatus()) === 'Paid', 'the push being paid');
  });

  test('keeps what was stored of it until it can be read', async () => {
    const shop = await one.addMerchant();
    const { id } = await addRail(one, shop, idleBody());
    const [{ secrets }] = await one.sql('select secrets from rail_accounts where id = $1', [id]);
    const seal = (text: string) =>
      one.sql('update rail_accounts set secrets = $2, updated_at = $3 where id = $1', [id, text, one.clock.now()]);
    await seal('v1.gone.x.y');
    const isLost = async (node: TestApp) => (await node.node.core.rails.find(id)) === null;
    await travelUntil(one, async () => (await isLost(one)) && isLost(two), 'both nodes having lost it');
    await one.sql(
      `insert into inbox (id, rail, notification_id, body, received_at, due_at) values (gen_random_uuid(), $1, 'n', '{}', $2, $2)`,
      [id, one.clock.now()],
    );
    const read = async () => (await one.sql(`select * from inbox where rail = $1`, [id]))[0];
    await travelUntil(one, async () => (await read()).due_count > 1, 'the message being tried again');
    expect(await read()).toMatchObject({ applied_at: null, outcome: null });
    await seal(secrets);
    await travelUntil(one, async () => (await read()).applied_at, 'the message being read');
  });
});
