// Rail accounts of merchants: creation, change, removal, audit entries, credential tests and secrets.
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../server/database/orm.ts';
import { addRail as addOperatorRail } from '../../../server/rails/accounts.ts';
import { readRail, railCreation } from '../../../server/rails/schemas.ts';
import { startTestApp, until, type CallOptions, type Reply, type TestApp } from '../../support/app.ts';
import { purchase, travelUntil } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import {
  addRail,
  callRails,
  idleBody,
  UNREACHABLE_URL,
  openAppyPay,
  openMerchant,
  openProxypay,
  press,
  SECRET,
  withoutSecrets,
  type Merchant,
  type RailBody,
} from '../../support/rail-accounts.ts';
import { readEverything } from '../../support/rows.ts';

let app: TestApp;
let log = '';
let appypay: Awaited<ReturnType<typeof openAppyPay>>;
let merchant: Merchant;
beforeAll(async () => {
  const logTo = new PassThrough();
  logTo.on('data', (chunk) => (log += chunk));
  app = await startTestApp({ logTo });
  appypay = await openAppyPay(app.clock);
});
beforeEach(async () => {
  merchant = await openMerchant(app);
});

const add = (body: RailBody) => addRail(app, merchant, body);
const change = (id: string, body: unknown) => callRails(app, merchant, { id, method: 'PUT', body });
const remove = (id: string) => callRails(app, merchant, { id, method: 'DELETE' });
const probe = async (id: string) => (await callRails(app, merchant, { id, at: '/test', method: 'POST' })).json;
const read = async (id: string) => (await callRails(app, merchant, { id })).json;
const list = async (): Promise<any[]> => (await callRails(app, merchant)).json.data;

/** Returns the audit entries of a rail account, the oldest first. */
const readAudit = (id: string): Promise<any[]> =>
  app.sql(
    `select action, changes, actor_kind, actor_id, merchant_id from audit_entries where target = $1 order by seq`,
    [id],
  );

describe('a rail account', () => {
  test('is created, and response and audit contain every field except the secrets', async () => {
    const { clientId, ...owner } = await app.addMerchant();
    const createdAt = app.clock.now().toISOString();
    const { status, json } = await callRails(app, owner, { body: appypay.body });
    expect(status).toBe(201);
    const path = `${app.node.core.publicUrl}/rails/appypay/[A-Za-z0-9_-]{43}/notifications`;
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...withoutSecrets(appypay.body),
      status: 'active',
      hasSecrets: true,
      secretsSetAt: createdAt,
      verifiedAt: null,
      capabilities: expect.objectContaining({ kind: 'gpo', purchase: true, qr: 'multiple', wallets: ['unitel_money'] }),
      notificationUrl: expect.stringMatching(new RegExp(`^${path}$`)),
      createdAt,
    });
    for (const id of [json.id, json.id.toUpperCase()]) expect((await callRails(app, owner, { id })).json).toEqual(json);
    expect(await readAudit(json.id)).toEqual([
      {
        action: 'rail_account.created',
        actor_kind: 'client',
        actor_id: clientId,
        merchant_id: owner.merchantId,
        changes: { ...withoutSecrets(appypay.body), status: 'active' },
      },
    ]);
  });

  test('is in a list sorted by kind, priority and age, with a notification URL of its own', async () => {
    await add(idleBody({ label: 'first' }));
    await add({ ...appypay.body, label: 'later', priority: 20 });
    await add({ ...appypay.body, label: 'sooner', priority: 5 });
    await app.clock.advance(1);
    await add({ ...appypay.body, label: 'later too', priority: 20, status: 'disabled' });
    const accounts = await list();
    const labels = accounts.map(({ kind, label }) => `${kind} ${label}`);
    expect(labels).toEqual(['gpo sooner', 'gpo later', 'gpo later too', 'sms first']);
    expect(new Set(accounts.map(({ notificationUrl }) => notificationUrl)).size).toBe(4);
    expect((await callRails(app, await app.addMerchant())).json).toEqual({ data: [] });
  });

  test('keeps secrets and status if a change omits them', async () => {
    const made = await add({ ...appypay.body, status: 'draining' });
    await app.clock.advance(1_000);
    const { status, json } = await change(made.id, { ...withoutSecrets(appypay.body), label: 'Nova', priority: 0 });
    expect([status, json]).toEqual([200, { ...made, label: 'Nova', priority: 0 }]);
    const changes = { label: { before: 'AppyPay', after: 'Nova' }, priority: { before: 10, after: 0 } };
    expect((await readAudit(made.id)).slice(1)).toMatchObject([{ action: 'rail_account.changed', changes }]);
  });

  test('has an audit entry for new secrets that contains only the time', async () => {
    const made = await add(appypay.body);
    await app.clock.advance(1_000);
    const { json } = await change(made.id, appypay.body);
    expect(json).toEqual({ ...made, secretsSetAt: app.clock.now().toISOString() });
    const [, entry] = await readAudit(made.id);
    expect(entry.changes).toEqual({ secrets: 'changed' });
  });

  test('gets no audit entry for a change that changes nothing', async () => {
    const made = await add(appypay.body);
    const { status, json } = await change(made.id, withoutSecrets(appypay.body));
    expect([status, json]).toEqual([200, made]);
    expect(await readAudit(made.id)).toHaveLength(1);
  });

  test.each<[string, string, (body: RailBody) => object, boolean]>([
    ['loses', 'settings', ({ settings }) => ({ settings: { ...settings, baseUrl: UNREACHABLE_URL } }), false],
    ['loses', 'secrets', ({ secrets }) => ({ secrets }), false],
    ['keeps', 'label and priority', () => ({ label: 'Outra', priority: 1 }), true],
  ])('%s the time of its last successful test after a change of %s', async (_verb, _fields, changed, isKept) => {
    const made = await add(appypay.body);
    expect((await probe(made.id)).result).toBe('ok');
    const { verifiedAt } = await read(made.id);
    expect(verifiedAt).toBe(app.clock.now().toISOString());
    const { json } = await change(made.id, { ...withoutSecrets(appypay.body), ...changed(appypay.body) });
    expect(json.verifiedAt).toBe(isKept ? verifiedAt : null);
  });

  test('does not exist after its removal, and the audit entry contains its fields', async () => {
    const [made, kept] = [await add(appypay.body), await add(idleBody())];
    const { status, text } = await remove(made.id);
    expect([status, text]).toEqual([204, '']);
    expect(await list()).toEqual([kept]);
    const changes = { label: 'AppyPay', kind: 'gpo', connector: 'appypay' };
    expect((await readAudit(made.id)).slice(1)).toMatchObject([{ action: 'rail_account.removed', changes }]);
    for (const id of [made.id, randomUUID(), 'x'])
      for (const method of ['GET', 'PUT', 'DELETE', 'TEST']) {
        const sent = method === 'TEST' ? { at: '/test', method: 'POST' } : { method };
        const { status, json } = await callRails(app, merchant, {
          id,
          ...sent,
          ...(method === 'PUT' && { body: idleBody() }),
        });
        expect([id, method, status, json.code]).toEqual([id, method, 404, 'not_found']);
      }
  });
});

describe('POST …/rail-accounts/{id}/test', () => {
  const SENTENCE = /^[A-Z][^\n]{10,200}\.$/;

  test('keeps the time of the last successful test after a failed one', async () => {
    const { id } = await add(appypay.body);
    expect((await probe(id)).result).toBe('ok');
    const { verifiedAt } = await read(id);
    await app.clock.pass(60_000);
    appypay.fake.fault(503);
    expect(await probe(id)).toEqual({ result: 'no_connection', detail: expect.stringMatching(SENTENCE) });
    expect((await read(id)).verifiedAt).toBe(verifiedAt);
  });

  test('does not call a host in a private network', async () => {
    const { id } = await add(idleBody());
    // The host name resolved to a public IP address when the account was created.
    const settings = { sender: 'LOJA', baseUrl: 'https://10.0.0.1/api' };
    await app.sql('update rail_accounts set settings = $2 where id = $1', [id, settings]);
    expect(await probe(id)).toEqual({ result: 'wrong_host', detail: expect.stringMatching(SENTENCE) });
  });

  test('returns wrong_secret if the stored secrets were encrypted for another account', async () => {
    const ids = [await add(appypay.body), await add(appypay.body)].map(({ id }) => id);
    const seals = await app.sql('select id, secrets from rail_accounts where id = any($1) order by id', [ids]);
    expect(seals.map(({ secrets }) => secrets)).toEqual([expect.stringMatching(/^v1\.test\./), expect.any(String)]);
    await app.sql('update rail_accounts set secrets = $2 where id = $1', [seals[0].id, seals[1].secrets]);
    expect(await probe(seals[0].id)).toEqual({
      result: 'wrong_secret',
      detail: 'No key of this gateway can decrypt the stored secrets: enter them again.',
    });
    expect((await change(seals[0].id, appypay.body)).status).toBe(200);
    expect((await probe(seals[0].id)).result).toBe('ok');
  });
});

test('secrets of a rail account appear in requests to its provider, but in no response, row or log line', async () => {
  const HEADER = 'Cabecalho-que-ninguem-ve-11aa';
  const NEW = 'Segredo-novo-que-ninguem-ve-9d2e';
  const { fake, body } = await openAppyPay(app.clock);
  const replies: Reply[] = [];
  const keep = async (reply: Promise<Reply>) => {
    replies.push(await reply);
    return replies.at(-1)!;
  };
  const rails = (options: Parameters<typeof callRails>[2]) => keep(callRails(app, merchant, options));
  const call = (path: string, options?: CallOptions) => keep(merchant.call(path, options));
  const pay = async () => (await call('/api/payments', { body: purchase('923456789') })).json.id as string;
  const readStatus = async (id: string) => {
    await call(`/api/payments/${id}/events`);
    return (await call(`/api/payments/${id}`)).json.status;
  };

  const notifyHeader = { name: 'X-Balcao', value: HEADER };
  const secrets = { ...body.secrets, notificationHeader: notifyHeader };
  const { id, notificationUrl: notifyUrl } = (await rails({ body: { ...body, secrets } })).json;
  for (const wrong of [{ clientSecret: `${SECRET} ` }, { clientId: [SECRET] }, { apiKey: SECRET }])
    await rails({ body: { ...body, secrets: { ...secrets, ...wrong } } });
  await rails({ body: { ...body, settings: { ...body.settings, clientSecret: SECRET } } });
  const probe = () => rails({ id, at: '/test', method: 'POST' });
  await probe();
  for (const fault of ['garbage', 'oversize', 403, 503] as const) {
    fake.fault(fault);
    await probe();
  }
  const paid = await pay();
  const charge = await until(() => fake.book.charges[0], 'the push');
  Object.assign(fake.book, { notifyUrl, notifyHeader });
  await press(fake, charge.id, 'approve');
  expect(fake.notices.at(-1)?.status).toBe(200);
  await travelUntil(app, async () => (await readStatus(paid)) === 'Paid', 'Paid');
  fake.book.clientSecret = NEW;
  fake.book.tokens.clear();
  const failed = await pay();
  await travelUntil(app, async () => (await readStatus(failed)) === 'Failed', 'Failed');
  await rails({ id, method: 'PUT', body: { ...body, secrets: { ...secrets, clientSecret: NEW } } });
  await rails({ id, method: 'PUT', body: withoutSecrets({ ...body, label: 'Outra' }) });
  await probe();
  await rails({});
  await rails({ id });
  await rails({ id, method: 'DELETE' });
  for (const path of [
    `/api/merchants/${merchant.merchantId}/audit?pageSize=100`,
    '/api/events?limit=500',
    '/openapi.json',
  ])
    await call(path);

  const sent = fake.requests.map(({ body: text, headers }) => `${text} ${headers.authorization}`).join('\n');
  const rows = JSON.stringify(await readEverything(app));
  const answers = replies.map(({ text }) => text).join('\n');
  const token = /Bearer (token-[\w-]+)/.exec(sent)?.[1] ?? '';
  for (const secret of [SECRET, NEW, HEADER, token]) {
    expect(secret.length).toBeGreaterThan(20);
    for (const [where, text] of Object.entries({ answers, rows, log }))
      expect(text.includes(secret), `${secret} in ${where}`).toBe(false);
  }
  // Checks that the searched texts contain the expected data, because a search in nothing finds nothing.
  for (const secret of [SECRET, NEW]) expect(sent).toContain(secret);
  for (const word of ['wrong_host', 'rail_account.changed']) expect(answers).toContain(word);
  expect(rows).toContain('rail_account.removed');
  expect(log).toContain('/api/merchants/{merchantId}/rail-accounts');
  const statuses = replies.map(({ status }) => status);
  expect(statuses).toEqual(expect.arrayContaining([200, 201, 204, 400]));
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
});

// This test is the last, because the operator's account serves every merchant of this node.
test('an account of the operator serves merchants without their own account, and they cannot see it', async () => {
  const { fake, body } = await openProxypay(app.clock, { entity: '00321' });
  const { core } = app.node;
  const request = await readRail(core, railCreation, body);
  const actor = { kind: 'operator', id: 'test', address: null } as const;
  const { id } = await inTransaction(core, (db) => addOperatorRail(core, db, { owner: null, actor }, request));
  await core.rails.refresh();
  const made = await merchant.call(PPR, { body: { amount: 1500 } });
  expect(made.json.entity).toBe('00321');
  await until(() => fake.book.references.has(made.json.reference), 'the registration');
  expect(await list()).toEqual([]);
  for (const method of ['GET', 'DELETE']) expect((await callRails(app, merchant, { id, method })).status).toBe(404);
});
