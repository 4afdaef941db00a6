// Rail accounts on several nodes: each node receives changes, and a lost encryption key disables an account.
import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, TEST_ENV, until, type TestApp } from '../../support/app.ts';
import { purchase, travelUntil } from '../../support/payments.ts';
import {
  addRail,
  callRails,
  countCalls,
  createPush,
  enterAppyPay,
  idleBody,
  openMerchant,
  press,
  untilThere,
  type Merchant,
  type RailBody,
} from '../../support/rail-accounts.ts';
import { readPayment } from '../../support/notify.ts';
import { leavesNothing } from '../../support/rows.ts';

let one: TestApp;
let two: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  one = await startTestApp();
  // A token contains the URL of its issuer, so both nodes have the same URL.
  two = await one.startTwin({ env: { PUBLIC_URL: one.node.core.publicUrl } });
});

/** The nodes read the rail accounts at this interval. */
const REFRESH_MS = 2_000;

/** Waits until neither node reads the accounts. A late read would see a change before the next interval. */
const untilBothWait = () =>
  until(() => one.clock.waits().filter(({ ms }) => ms === REFRESH_MS).length >= 2, 'the end of both refreshes');

beforeEach(async () => {
  merchant = await openMerchant(one);
  await untilBothWait();
});

/** Returns the labels of the rail accounts that a node uses for the merchant's pushes. */
const listOn = ({ node }: TestApp) => node.core.rails.list(merchant.merchantId, 'gpo').map(({ label }) => label);
const change = (node: TestApp, id: string, body: RailBody) => callRails(node, merchant, { id, method: 'PUT', body });

/** Expects that the node uses these accounts after its next refresh, and not before. */
async function expectSeen(node: TestApp, labels: string[]): Promise<void> {
  const isSeen = () => JSON.stringify(listOn(node)) === JSON.stringify(labels);
  expect(isSeen()).toBe(false);
  await one.clock.advance(REFRESH_MS);
  await until(isSeen, `${labels.join()} on the node`);
  await untilBothWait();
}

test('a change of a rail account takes effect immediately on its node and within two seconds on another', async () => {
  const { account } = await enterAppyPay(merchant);
  expect(listOn(one)).toEqual(['AppyPay']);
  await expectSeen(two, ['AppyPay']);
  const { kind, connector, environment, priority, settings } = account;
  const body = { kind, connector, environment, priority, settings, label: 'Nova' };
  await change(one, account.id, body);
  expect(listOn(one)).toEqual(['Nova']);
  await expectSeen(two, ['Nova']);
  await change(two, account.id, { ...body, status: 'draining' });
  expect(listOn(two)).toEqual([]);
  await expectSeen(one, []);
  await callRails(two, merchant, { id: account.id, method: 'DELETE' });
  expect(listOn(two)).toEqual(['Simulator']);
  await expectSeen(one, ['Simulator']);
});

test('a rail account without a change keeps its client object and its access token', async () => {
  const { fake } = await enterAppyPay(merchant);
  await createPush(merchant);
  await untilThere(() => fake.book.charges[0], 'the push');
  const { rails } = one.node.core;
  const [first] = rails.list(merchant.merchantId, 'gpo');
  await rails.refresh();
  expect(rails.list(merchant.merchantId, 'gpo')[0]).toBe(first);
  await createPush(merchant);
  await untilThere(() => fake.book.charges[1], 'the second push');
  expect(countCalls(fake, 'POST', '/oauth2/token')).toBe(1);
});

test('a node finds a new rail account of another node by its id before its next refresh', async () => {
  const { account } = await enterAppyPay(merchant);
  expect(listOn(two)).toEqual(['Simulator']);
  expect((await two.node.core.rails.find(account.id))?.label).toBe('AppyPay');
});

describe('a rail account whose encryption key is lost', () => {
  /** An encryption key that the other node does not have. */
  const OTHER = { SECRETS_KEYS: `later:${randomBytes(32).toString('base64')},${TEST_ENV.SECRETS_KEYS}` };

  /** Creates a push. Then a node with another first key encrypts the account's secrets again. */
  async function lostFixture() {
    const { fake, account } = await enterAppyPay(merchant);
    fake.book.notifyUrl = null;
    const payment = await createPush(merchant);
    const charge = await untilThere(() => fake.book.charges[0], 'the push');
    const orders = 'select rail_order_id from attempts where payment_id = $1 and rail_order_id is not null';
    await until(async () => (await one.sql(orders, [payment.id])).length > 0, 'the answer');
    const keyed = await one.startTwin({ env: { ...OTHER, PUBLIC_URL: one.node.core.publicUrl } });
    await one.clock.advance(1_000);
    const { clientId, clientSecret } = fake.book;
    const { id, notificationUrl, kind, connector, label, environment, priority, settings } = account;
    const body = { kind, connector, label, environment, priority, settings, secrets: { clientId, clientSecret } };
    expect((await change(keyed, id, body)).status).toBe(200);
    await keyed.stop();
    return { fake, payment, charge, id, notificationUrl, body };
  }

  test('is neither queried nor replaced by another account on a node that lists its key as lost', async () => {
    const { payment, id, notificationUrl } = await lostFixture();
    const { publicUrl } = one.node.core;
    const keys = `${TEST_ENV.SECRETS_KEYS},later:lost`;
    const three = await one.startTwin({ env: { PUBLIC_URL: publicUrl, SECRETS_KEYS: keys } });
    expect(listOn(three)).toEqual([]);
    const { token } = merchant;
    const push = () => three.call('/api/payments', { token, body: purchase('923456780') });
    const refused = await leavesNothing(one, push);
    expect([refused.status, refused.json.code]).toEqual([400, 'payment_method_unavailable']);
    const synced = await three.call(`/api/payments/${payment.id}/sync`, { method: 'POST', token });
    expect([synced.status, synced.json.code]).toEqual([503, 'rail_unavailable']);
    expect((await three.call(`/api/payments/${payment.id}`, { token })).json.status).toBe('Processing');
    const address = notificationUrl.replace(publicUrl, three.url);
    expect((await fetch(address, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await callRails(three, merchant, { id })).json).toMatchObject({ id, hasSecrets: true });
    await three.stop();
  });

  test('works again after its secrets are entered again', async () => {
    const { fake, payment, charge, id, body } = await lostFixture();
    await travelUntil(one, () => listOn(one).length === 0, 'the lost account');
    expect((await change(one, id, body)).status).toBe(200);
    expect(listOn(one)).toEqual(['AppyPay']);
    await press(fake, charge.id, 'approve');
    await travelUntil(one, async () => (await readPayment(merchant, payment.id)).status === 'Paid', 'Paid');
  });

  test('keeps its stored rail notifications until the key returns', async () => {
    const { id } = await addRail(one, merchant, idleBody());
    const [{ secrets }] = await one.sql('select secrets from rail_accounts where id = $1', [id]);
    const seal = (text: string) =>
      one.sql('update rail_accounts set secrets = $2, updated_at = $3 where id = $1', [id, text, one.clock.now()]);
    await seal('v1.gone.x.y');
    const isLost = async (node: TestApp) => (await node.node.core.rails.find(id)) === null;
    await travelUntil(one, async () => (await isLost(one)) && isLost(two), 'both nodes losing it');
    await one.sql(
      `insert into inbox (id, rail, notification_id, body, received_at, due_at) ` +
        `values (gen_random_uuid(), $1, 'n', '{}', $2, $2)`,
      [id, one.clock.now()],
    );
    const read = async () => (await one.sql(`select * from inbox where rail = $1`, [id]))[0];
    await travelUntil(one, async () => (await read()).due_count > 1, 'a retry');
    expect(await read()).toMatchObject({ applied_at: null, outcome: null });
    await seal(secrets);
    await travelUntil(one, async () => (await read()).applied_at, 'the effect');
  });
});
