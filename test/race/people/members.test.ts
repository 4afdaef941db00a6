import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { roleOf, type RoleName } from '../../../shared/roles.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { addMember, type Member } from '../../support/members.ts';

let app: TestApp;
let twin: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
let nodes: TestApp[];
beforeAll(async () => {
  // Both nodes have one URL, so that each accepts the tokens of the other.
  const env = { PUBLIC_URL: 'http://localhost:8080' };
  app = await startTestApp({ env });
  twin = await app.startTwin();
  nodes = [app, twin];
});
beforeEach(async () => {
  shop = await app.addMerchant();
});

const newAddress = () => `p-${randomUUID().slice(0, 8)}@loja.example`;
const told = ({ status, json }: Reply) => `${status} ${json?.code ?? json?.message ?? ''}`.trim();
const path = (rest: string, merchantId = shop.merchantId) => `/api/merchants/${merchantId}/${rest}`;

const grant = (node: TestApp, email: string, role: RoleName, at = shop) =>
  node.call(path('users', at.merchantId), { body: { email, roleId: roleOf(role).id }, token: at.token });
const revoke = (node: TestApp, { userId }: Member) =>
  node.call(path(`users/${userId}`), { method: 'DELETE', token: shop.token });
const listEvents = (merchantId: string) =>
  app.sql(`select type, details ->> 'role' as role from events where merchant_id = $1 order by seq`, [merchantId]);
const listOwners = () =>
  app.sql(`select user_id from memberships where merchant_id = $1 and role = 'Owner'`, [shop.merchantId]);

/** Starts all calls while a lock on the merchant is held, then releases the lock. */
async function atOnce(calls: (() => Promise<Reply>)[]): Promise<string[]> {
  const release = await holdLock(
    app.databaseUrl,
    `select from merchants where id = '${shop.merchantId}' for no key update`,
  );
  const replies = calls.map((call) => call());
  const areWaiting = async () => (await countWaiting(app.databaseUrl, 'from merchants%no key')) >= calls.length;
  await until(areWaiting, 'all waiting').finally(release);
  return (await Promise.all(replies)).map(told);
}

describe('two concurrent grants of access', () => {
  test('for one role create one person, one membership, one event and one mail', async () => {
    const email = newAddress();
    const replies = await atOnce(nodes.map((node) => () => grant(node, email, 'Cashier')));
    expect(replies).toEqual(Array(2).fill('200 Access granted.'));
    expect(await listEvents(shop.merchantId)).toEqual([{ type: 'access.granted', role: 'Cashier' }]);
    expect(await app.sql('select from users where email = $1', [email])).toHaveLength(1);
    expect(await app.sql('select from memberships where merchant_id = $1', [shop.merchantId])).toHaveLength(1);
    expect(await app.sql('select from mails where "to" = $1', [email])).toHaveLength(1);
  });

  test('for two roles are applied as a grant and a change', async () => {
    const email = newAddress();
    const roles: RoleName[] = ['Cashier', 'Developer'];
    const replies = await atOnce(roles.map((role, nth) => () => grant(nodes[nth]!, email, role)));
    expect(replies).toEqual(Array(2).fill('200 Access granted.'));
    const [first, second, ...others] = await listEvents(shop.merchantId);
    expect([first.type, second.type, others]).toEqual(['access.granted', 'access.changed', []]);
    expect([first.role, second.role].toSorted()).toEqual(roles);
    const [{ role }] = await app.sql('select role from memberships where merchant_id = $1', [shop.merchantId]);
    expect(role).toBe(second.role);
  });

  test('by two merchants create one person', async () => {
    const other = await app.addMerchant();
    const email = newAddress();
    const replies = await Promise.all([grant(app, email, 'Viewer'), grant(twin, email, 'Cashier', other)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const [{ id }] = await app.sql('select id from users where email = $1', [email]);
    const rows = await app.sql('select role from memberships where user_id = $1 order by role', [id]);
    expect(rows).toEqual([{ role: 'Cashier' }, { role: 'Viewer' }]);
  });
});

describe('concurrent removals of the last two Owners of a merchant', () => {
  let owners: Member[];
  beforeEach(async () => {
    owners = [
      await addMember(app, { merchantId: shop.merchantId }),
      await addMember(app, { merchantId: shop.merchantId }),
    ];
  });

  const REMOVALS: Record<string, (node: TestApp, owner: Member) => Promise<Reply>> = {
    revoked: revoke,
    demoted: (node, { email }) => grant(node, email, 'Viewer'),
  };

  test.each([
    ['revoked', 'revoked'],
    ['demoted', 'demoted'],
    ['revoked', 'demoted'],
  ])('by %s and %s leave one Owner', async (...kinds) => {
    const calls = kinds.map((kind, nth) => () => REMOVALS[kind]!(nodes[nth]!, owners[nth]!));
    const replies = await atOnce(calls);
    expect(replies.filter((reply) => reply.startsWith('200'))).toHaveLength(1);
    expect(replies.filter((reply) => reply === '409 last_owner')).toHaveLength(1);
    expect(await listOwners()).toHaveLength(1);
  });

  test('by each other leave one Owner', async () => {
    const [ana, rui] = owners as [Member, Member];
    const byEach = await Promise.all(owners.map((owner) => owner.token({ merchant_id: shop.merchantId })));
    const remove = (node: TestApp, { userId }: Member, token: string) =>
      node.call(path(`users/${userId}`), { method: 'DELETE', token });
    const replies = await atOnce([() => remove(app, rui, byEach[0]!), () => remove(twin, ana, byEach[1]!)]);
    expect(replies.toSorted()).toEqual(['200 Access revoked.', '409 last_owner']);
    expect(await listOwners()).toHaveLength(1);
  });
});

test('an invitation that is accepted during a change of its role is accepted', async () => {
  const person = await addMember(app);
  await grant(app, person.email, 'Cashier');
  // Runs the update of a sign-in in a transaction that is not committed yet.
  const signIn = new pg.Client({ connectionString: app.databaseUrl });
  await signIn.connect();
  const taken = 'update memberships set accepted_at = $1, expires_at = null where user_id = $2';
  await signIn.query('begin');
  await signIn.query(taken, [app.clock.now(), person.userId]);
  const changing = grant(twin, person.email, 'Developer');
  const isWaiting = async () => (await countWaiting(app.databaseUrl, 'insert into memberships')) > 0;
  await until(isWaiting, 'the change waiting').finally(async () => {
    await signIn.query('commit');
    await signIn.end();
  });
  expect((await changing).status).toBe(200);
  const [row] = await app.sql('select role, accepted_at, expires_at from memberships where user_id = $1', [
    person.userId,
  ]);
  expect(row).toMatchObject({ role: 'Developer', accepted_at: expect.anything(), expires_at: null });
});

test('of two concurrent creations of an API client, one succeeds if only one more client is allowed', async () => {
  const make = (node: TestApp) => node.call(path('clients'), { body: { name: 'ERP' }, token: shop.token });
  for (let nth = 0; nth < 30; nth++) expect((await make(app)).status).toBe(201);
  const replies = await atOnce(nodes.map((node) => () => make(node)));
  expect(replies.toSorted()).toEqual(['201', '409 too_many_clients']);
  const alive = await app.sql('select from clients where merchant_id = $1 and revoked_at is null', [shop.merchantId]);
  expect(alive).toHaveLength(32);
});

test('the secrets that two concurrent rotations return are both valid', async () => {
  const { clientId } = (await app.call(path('clients'), { body: { name: 'ERP' }, token: shop.token })).json;
  const rotate = (node: TestApp) =>
    node.call(path(`clients/${clientId}/rotate-secret`), { method: 'POST', token: shop.token });
  const replies = await Promise.all(nodes.map(rotate));
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  for (const { json } of replies) expect(await app.token(clientId, json.clientSecret)).toMatch(/\./);
});
