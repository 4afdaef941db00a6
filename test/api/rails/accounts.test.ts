// Rail accounts as their merchants keep them: entered, listed, changed, removed; each change in the audit, its secrets in nothing.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  addRail,
  callRails,
  idleBody,
  openAppyPay,
  railPath,
  SECRET,
  type RailBody,
  withoutSecrets,
} from '../../support/rail-accounts.ts';

let app: TestApp;
let appypay: RailBody;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp();
  appypay = (await openAppyPay(app.clock)).body;
});
beforeEach(async () => {
  shop = await app.addMerchant();
});

const change = (id: string, body: RailBody) => callRails(app, shop, { id, method: 'PUT', body });
const read = async (id: string) => (await callRails(app, shop, { id })).json;
const list = async (): Promise<any[]> => (await callRails(app, shop)).json.data;

/** What the audit has of an account, the oldest first. */
const readAudit = (id: string): Promise<any[]> =>
  app.sql(
    `select action, changes, actor_kind, actor_id, merchant_id from audit_entries where target = $1 order by seq`,
    [id],
  );

test('is entered, and answers everything but its secrets', async () => {
  const before = app.clock.now().toISOString();
  const { status, json } = await callRails(app, shop, { body: appypay });
  expect(status).toBe(201);
  expect(json).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...withoutSecrets(appypay),
    status: 'active',
    hasSecrets: true,
    secretsSetAt: before,
    verifiedAt: null,
    capabilities: expect.objectContaining({ kind: 'gpo', purchase: true, qr: 'multiple', wallets: ['unitel_money'] }),
    notificationUrl: expect.stringMatching(
      new RegExp(`^${app.node.core.publicUrl}/rails/appypay/[A-Za-z0-9_-]{43}/notifications$`),
    ),
    createdAt: before,
  });
  expect(await read(json.id)).toEqual(json);
  expect(await read(json.id.toUpperCase())).toEqual(json);
  expect(await readAudit(json.id)).toEqual([
    {
      action: 'rail_account.created',
      actor_kind: 'client',
      actor_id: shop.clientId,
      merchant_id: shop.merchantId,
      changes: { ...withoutSecrets(appypay), status: 'active' },
    },
  ]);
});

test('is told by its own address', async () => {
  const [one, other] = [await addRail(app, shop, appypay), await addRail(app, shop, appypay)];
  expect(one.notificationUrl).not.toBe(other.notificationUrl);
});

test('many are listed by kind, then by who is asked first', async () => {
  const labels = async () => (await list()).map(({ kind, label }) => `${kind} ${label}`);
  await addRail(app, shop, idleBody({ label: 'first' }));
  await addRail(app, shop, { ...appypay, label: 'later', priority: 20 });
  await addRail(app, shop, { ...appypay, label: 'sooner', priority: 5 });
  await app.clock.advance(1);
  await addRail(app, shop, { ...appypay, label: 'later too', priority: 20, status: 'disabled' });
  expect(await labels()).toEqual(['gpo sooner', 'gpo later', 'gpo later too', 'sms first']);
  const stranger = await app.addMerchant();
  expect((await callRails(app, stranger)).json).toEqual({ data: [] });
});

describe('a change', () => {
  test('sets what is sent, and keeps secrets and status that are not', async () => {
    const made = await addRail(app, shop, { ...appypay, status: 'draining' });
    await app.clock.advance(1_000);
    const { status, json } = await change(made.id, { ...withoutSecrets(appypay), label: 'Nova', priority: 0 });
    expect([status, json]).toEqual([200, { ...made, label: 'Nova', priority: 0 }]);
    expect((await readAudit(made.id)).slice(1)).toMatchObject([
      {
        action: 'rail_account.changed',
        changes: { label: { before: 'AppyPay', after: 'Nova' }, priority: { before: 10, after: 0 } },
      },
    ]);
  });

  test('of secrets says when, and not what', async () => {
    const made = await addRail(app, shop, appypay);
    await app.clock.advance(1_000);
    const { json } = await change(made.id, appypay);
    expect(json).toEqual({ ...made, secretsSetAt: app.clock.now().toISOString() });
    const [, entry] = await readAudit(made.id);
    expect(entry.changes).toEqual({ secrets: 'changed' });
  });

  test('that changes nothing is none', async () => {
    const made = await addRail(app, shop, appypay);
    await app.clock.advance(1_000);
    const { status, json } = await change(made.id, withoutSecrets(appypay));
    expect([status, json]).toEqual([200, made]);
    expect(await readAudit(made.id)).toHaveLength(1);
  });

  test.each<[string, (body: RailBody) => Partial<RailBody>, boolean]>([
    ['settings', ({ settings }) => ({ settings: { ...settings, baseUrl: 'http://127.0.0.1:9' } }), false],
    ['secrets', ({ secrets }) => ({ ...(secrets && { secrets }) }), false],
    ['label and priority', () => ({ label: 'Outra', priority: 1 }), true],
  ])('of %s: whether what was proved still is', async (_what, changed, isKept) => {
    const made = await addRail(app, shop, appypay);
    expect((await callRails(app, shop, { id: made.id, at: '/test', method: 'POST' })).json.result).toBe('ok');
    const { verifiedAt } = await read(made.id);
    expect(verifiedAt).toBe(app.clock.now().toISOString());
    const { json } = await change(made.id, { ...withoutSecrets(appypay), ...changed(appypay) });
    expect(json.verifiedAt).toBe(isKept ? verifiedAt : null);
  });
});

test('is removed: nobody finds it, and the audit keeps what it was', async () => {
  const made = await addRail(app, shop, appypay);
  const kept = await addRail(app, shop, idleBody());
  const { status, text } = await callRails(app, shop, { id: made.id, method: 'DELETE' });
  expect([status, text]).toEqual([204, '']);
  expect(await list()).toEqual([kept]);
  expect((await readAudit(made.id)).slice(1)).toMatchObject([
    { action: 'rail_account.removed', changes: { label: 'AppyPay', kind: 'gpo', connector: 'appypay' } },
  ]);
});

test('a secret is sealed for its account alone', async () => {
  const [one, other] = [await addRail(app, shop, appypay), await addRail(app, shop, appypay)];
  const seals = await app.sql('select id, secrets from rail_accounts where id = any($1) order by id', [
    [one.id, other.id],
  ]);
  expect(seals.map(({ secrets }) => secrets)).toEqual([expect.stringMatching(/^v1\.test\./), expect.any(String)]);
  expect(JSON.stringify(seals)).not.toContain(SECRET);
  await app.sql('update rail_accounts set secrets = $2 where id = $1', [seals[0].id, seals[1].secrets]);
  const tested = await app.call(`${railPath(shop.merchantId, seals[0].id)}/test`, {
    method: 'POST',
    token: shop.token,
  });
  expect(tested.json).toEqual({
    result: 'wrong_secret',
    detail: 'No key of this gateway opens the stored secrets any more: enter them again.',
  });
  expect((await change(seals[0].id, appypay)).status).toBe(200);
  expect((await callRails(app, shop, { id: seals[0].id, at: '/test', method: 'POST' })).json.result).toBe('ok');
});
