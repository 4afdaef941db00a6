// Rail accounts on several nodes: changes reach each node, and a lost sealing key disables an account.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, TEST_ENV, until, type TestApp } from '../../support/app.ts';
import { purchase, travelUntil } from '../../support/payments.ts';
import {
  addRail,
  callRails,
  idleBody,
  openAppyPay,
  press,
  withoutSecrets,
  type RailOwner,
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

/** Labels of the accounts that a node has for a merchant's pushes. */
const listOn = (node: TestApp, { merchantId }: RailOwner) =>
  node.node.core.rails.list(merchantId, 'gpo').map(({ label }) => label);

/** The node has these accounts after one refresh, and not before. */
async function expectSeen(node: TestApp, owner: RailOwner, labels: string[]): Promise<void> {
  const isSeen = () => JSON.stringify(listOn(node, owner)) === JSON.stringify(labels);
  expect(isSeen()).toBe(false);
  await one.clock.advance(2_000);
  await until(isSeen, `${labels.join()} on the node`);
}

test('a change takes effect immediately on its node, and within two seconds on another', async () => {
  const owner = await one.addMerchant();
  const { id } = await addRail(one, owner, appypay.body);
  expect(listOn(one, owner)).toEqual(['AppyPay']);
  await expectSeen(two, owner, ['AppyPay']);
  const body = withoutSecrets({ ...appypay.body, label: 'Nova' });
  await callRails(one, owner, { id, method: 'PUT', body });
  expect(listOn(one, owner)).toEqual(['Nova']);
  await expectSeen(two, owner, ['Nova']);
  await callRails(two, owner, { id, method: 'PUT', body: { ...body, status: 'draining' } });
  expect(listOn(two, owner)).toEqual([]);
  await expectSeen(one, owner, []);
  await callRails(two, owner, { id, method: 'DELETE' });
  expect(listOn(two, owner)).toEqual(['Simulator']);
  await expectSeen(one, owner, ['Simulator']);
});

test('an account without a change keeps its client and its access token', async () => {
  const owner = await one.addMerchant();
  const { fake, body } = await openAppyPay(one.clock);
  await addRail(one, owner, body);
  const push = async (phone: string) => {
    const before = fake.book.charges.length;
    await one.call('/api/payments', { token: owner.token, body: purchase(phone) });
    await until(() => fake.book.charges.length > before, 'the push at the rail');
  };
  await push('923456789');
  const { rails } = one.node.core;
  const [first] = rails.list(owner.merchantId, 'gpo');
  await rails.refresh();
  expect(rails.list(owner.merchantId, 'gpo')[0]).toBe(first);
  await push('923456780');
  expect(fake.requests.filter(({ path }) => path === '/oauth2/token')).toHaveLength(1);
});

test('a node finds a new account of another node before its next refresh', async () => {
  const owner = await one.addMerchant();
  const { id } = await addRail(one, owner, appypay.body);
  expect(listOn(two, owner)).toEqual(['Simulator']);
  expect((await two.node.core.rails.find(id))?.label).toBe('AppyPay');
});

describe('an account whose sealing key is lost', () => {
  /** A key that other nodes do not have. */
  const OTHER = { SECRETS_KEYS: `later:${randomBytes(32).toString('base64')},${TEST_ENV.SECRETS_KEYS}` };

  /** A node with another first key seals the secrets again. */
  async function loseKey(owner: RailOwner, id: string): Promise<void> {
    const keyed = await one.startTwin({ env: { ...OTHER, PUBLIC_URL: one.node.core.publicUrl } });
    await one.clock.advance(1_000);
    expect((await callRails(keyed, owner, { id, method: 'PUT', body: appypay.body })).status).toBe(200);
    await keyed.stop();
  }

  test('is neither queried nor replaced on a node that lists the key as lost', async () => {
    const owner = await one.addMerchant();
    const { id, notificationUrl } = await addRail(one, owner, appypay.body);
    const pushed = await one.call('/api/payments', { token: owner.token, body: purchase('923456789') });
    const read = async () => (await one.sql('select * from attempts where payment_id = $1', [pushed.json.id]))[0];
    await until(async () => (await read()).rail_order_id, 'the push at the rail');
    await loseKey(owner, id);

    const keys = `${TEST_ENV.SECRETS_KEYS},later:lost`;
    const three = await one.startTwin({ env: { PUBLIC_URL: one.node.core.publicUrl, SECRETS_KEYS: keys } });
    expect(listOn(three, owner)).toEqual([]);
    const refused = await leavesNothing(one, () =>
      three.call('/api/payments', { token: owner.token, body: purchase('923456780') }),
    );
    expect([refused.status, refused.json.code]).toEqual([400, 'payment_method_unavailable']);
    const synced = await three.call(`/api/payments/${pushed.json.id}/sync`, { method: 'POST', token: owner.token });
    expect([synced.status, synced.json.code]).toEqual([503, 'rail_unavailable']);
    expect((await three.call(`/api/payments/${pushed.json.id}`, { token: owner.token })).json.status).toBe(
      'Processing',
    );
    const told = await fetch(notificationUrl.replace(one.node.core.publicUrl, three.url), {
      method: 'POST',
      body: '{}',
    });
    expect(told.status).toBe(404);
    expect((await callRails(three, owner, { id })).json).toMatchObject({ id, hasSecrets: true });
    await three.stop();
  });

  test('works again after its secrets are entered again', async () => {
    const owner = await one.addMerchant();
    const { id } = await addRail(one, owner, appypay.body);
    const pushed = await one.call('/api/payments', { token: owner.token, body: purchase('923456789') });
    await loseKey(owner, id);
    await travelUntil(one, () => listOn(one, owner).length === 0, 'the lost account');
    expect((await callRails(one, owner, { id, method: 'PUT', body: appypay.body })).status).toBe(200);
    expect(listOn(one, owner)).toEqual(['AppyPay']);
    const { id: railOrderId } = appypay.fake.book.charges.at(-1) as { id: string };
    await press(appypay.fake, railOrderId, 'approve');
    const readStatus = async () =>
      (await one.call(`/api/payments/${pushed.json.id}`, { token: owner.token })).json.status;
    await travelUntil(one, async () => (await readStatus()) === 'Paid', 'Paid');
  });

  test('keeps its stored notifications until the key returns', async () => {
    const owner = await one.addMerchant();
    const { id } = await addRail(one, owner, idleBody());
    const [{ secrets }] = await one.sql('select secrets from rail_accounts where id = $1', [id]);
    const seal = (text: string) =>
      one.sql('update rail_accounts set secrets = $2, updated_at = $3 where id = $1', [id, text, one.clock.now()]);
    await seal('v1.gone.x.y');
    const isLost = async (node: TestApp) => (await node.node.core.rails.find(id)) === null;
    await travelUntil(one, async () => (await isLost(one)) && isLost(two), 'both nodes losing it');
    await one.sql(
      `insert into inbox (id, rail, notification_id, body, received_at, due_at) values (gen_random_uuid(), $1, 'n', '{}', $2, $2)`,
      [id, one.clock.now()],
    );
    const read = async () => (await one.sql(`select * from inbox where rail = $1`, [id]))[0];
    await travelUntil(one, async () => (await read()).due_count > 1, 'a retry');
    expect(await read()).toMatchObject({ applied_at: null, outcome: null });
    await seal(secrets);
    await travelUntil(one, async () => (await read()).applied_at, 'the effect');
  });
});
