// Whose rail accounts are whose, and what nobody is ever told: their secrets, in no answer, log line, event, audit entry or row.
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../server/database/orm.ts';
import { addRail as addByVerb } from '../../../server/rails/accounts.ts';
import { readRail, railCreation } from '../../../server/rails/schemas.ts';
import type { RoleName } from '../../../shared/roles.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { addMember } from '../../support/members.ts';
import { purchase, travelUntil } from '../../support/payments.ts';
import {
  addRail,
  callRails,
  idleBody,
  openAppyPay,
  openProxypay,
  SECRET,
  withoutSecrets,
} from '../../support/rail-accounts.ts';
import { readEverything } from '../../support/rows.ts';

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
let log = '';
beforeAll(async () => {
  const stream = new PassThrough();
  stream.on('data', (chunk) => (log += chunk));
  app = await startTestApp({ logTo: stream });
  shop = await app.addMerchant();
});

test.each<[RoleName, number]>([
  ['Viewer', 403],
  ['Cashier', 403],
  ['Developer', 403],
  ['Administrator', 201],
  ['Owner', 201],
])('%s: %i, as contracts with acquirers are a matter of money', async (role, status) => {
  const member = await addMember(app, { merchantId: shop.merchantId, role });
  const token = await member.token();
  const reply = await callRails(app, { ...shop, token }, { body: idleBody() });
  expect(reply.status).toBe(status);
  if (status === 403) expect(reply.json.code).toBe('insufficient_scope');
  expect((await callRails(app, { ...shop, token })).status).toBe(status === 403 ? 403 : 200);
});

test('a system needs the scope of its own, a stranger finds nothing, nobody is let in without a token', async () => {
  const { id } = await addRail(app, shop, idleBody());
  const scope = 'merchant:write payments:write sms:write billing:write';
  const narrow = await app.token(shop.clientId, shop.secret, scope);
  const stranger = await app.addMerchant();
  const ask = async (merchantId: string, token: string) => {
    const { status, json } = await callRails(app, { merchantId, token }, { id });
    return [status, json.code];
  };
  expect(await ask(shop.merchantId, '')).toEqual([401, 'invalid_token']);
  expect(await ask(shop.merchantId, narrow)).toEqual([403, 'insufficient_scope']);
  expect(await ask(shop.merchantId, stranger.token)).toEqual([404, 'not_found']);
  expect(await ask(stranger.merchantId, stranger.token)).toEqual([404, 'not_found']);
});

test('the operator’s account is used by those without one, and shown to none of them', async () => {
  const owner = await app.addMerchant();
  const { fake, body } = await openProxypay(app.clock, '00321');
  const { core } = app.node;
  const request = await readRail(core, railCreation, body);
  const actor = { kind: 'operator', id: 'test', address: null } as const;
  const { id } = await inTransaction(core, (db) => addByVerb(core, db, { owner: null, actor }, request));
  await core.rails.refresh();
  const made = await app.call('/api/references/ppr', { body: { amount: 1500 }, token: owner.token });
  expect(made.json.entity).toBe('00321');
  await until(() => fake.book.references.has(made.json.reference), 'the operator’s rail having it');
  expect((await callRails(app, owner)).json.data).toEqual([]);
  for (const method of ['GET', 'DELETE']) expect((await callRails(app, owner, { id, method })).status).toBe(404);
});

describe('secrets', () => {
  const told: Reply[] = [];
  const HEADER = 'Cabecalho-que-ninguem-ve-11aa';
  const NEW = 'Segredo-novo-que-ninguem-ve-9d2e';

  /** A whole life with them: entered, refused, tried, used, refused there, changed, removed. */
  async function liveThrough(): Promise<string[]> {
    const { fake, body } = await openAppyPay(app.clock);
    const call = async (options: Parameters<typeof callRails>[2]) => {
      const reply = await callRails(app, shop, options);
      told.push(reply);
      return reply;
    };
    const secrets = { ...body.secrets, notificationHeader: { name: 'X-Balcao', value: HEADER } };
    const { id, notificationUrl } = (await call({ body: { ...body, secrets } })).json;
    for (const wrong of [{ clientSecret: `${SECRET} ` }, { clientId: [SECRET] }, { apiKey: SECRET }])
      await call({ body: { ...body, secrets: { ...secrets, ...wrong } } });
    await call({ body: { ...body, settings: { ...body.settings, clientSecret: SECRET } } });
    await call({ id, at: '/test', method: 'POST' });
    for (const fault of ['garbage', 'oversize', 403, 503] as const) {
      fake.fault(fault);
      await call({ id, at: '/test', method: 'POST' });
    }
    const pay = async () => {
      const reply = await app.call('/api/payments', { token: shop.token, body: purchase('923456789') });
      told.push(reply);
      return reply.json.id as string;
    };
    const paid = await pay();
    const charge = await until(() => fake.book.charges[0], 'the rail having the push');
    Object.assign(fake.book, {
      notifyUrl: notificationUrl.replace(app.node.core.publicUrl, app.url),
      notifyHeader: { name: 'X-Balcao', value: HEADER },
    });
    await fetch(`${fake.url}/_act`, {
      method: 'POST',
      body: new URLSearchParams({ id: charge.id, action: 'approve' }),
    });
    expect(fake.notices.at(-1)?.status).toBe(200);
    const readStatus = async (paymentId: string) => {
      const reply = await app.call(`/api/payments/${paymentId}`, { token: shop.token });
      told.push(reply, await app.call(`/api/payments/${paymentId}/events`, { token: shop.token }));
      return reply.json.status;
    };
    await travelUntil(app, async () => (await readStatus(paid)) === 'Paid', 'the push being paid');
    fake.book.clientSecret = NEW;
    fake.book.tokens.clear();
    const failed = await pay();
    await travelUntil(app, async () => (await readStatus(failed)) === 'Failed', 'the push without a token failing');
    await call({ id, method: 'PUT', body: { ...body, secrets: { ...secrets, clientSecret: NEW } } });
    await call({ id, method: 'PUT', body: withoutSecrets({ ...body, label: 'Outra' }) });
    await call({ id, at: '/test', method: 'POST' });
    await call({});
    await call({ id });
    await call({ id, method: 'DELETE' });
    told.push(await app.call(`/api/merchants/${shop.merchantId}/audit?pageSize=100`, { token: shop.token }));
    told.push(await app.call('/api/events?limit=500', { token: shop.token }));
    told.push(await app.call('/openapi.json'));
    return fake.requests.map(({ body: sent, headers }) => `${sent} ${headers.authorization}`);
  }

  test('are told to their provider, and to nobody else', async () => {
    const sent = (await liveThrough()).join('\n');
    const rows = JSON.stringify(await readEverything(app));
    const answers = told.map(({ text }) => text).join('\n');
    const token = /Bearer (token-[\w-]+)/.exec(sent)?.[1] ?? '';
    for (const secret of [SECRET, NEW, HEADER, token]) {
      expect(secret.length).toBeGreaterThan(20);
      for (const [where, text] of Object.entries({ answers, rows, log }))
        expect(text.includes(secret), `${secret} in ${where}`).toBe(false);
    }
    // What was looked through is what there is to see.
    expect(sent).toContain(SECRET);
    expect(sent).toContain(NEW);
    expect(answers).toContain('wrong_host');
    expect(answers).toContain('rail_account.changed');
    expect(rows).toContain('rail_account.removed');
    expect(log).toContain('/api/merchants/{merchantId}/rail-accounts');
    expect(told.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 201, 204, 400]));
    expect(told.filter(({ status }) => status >= 500)).toEqual([]);
  });
});
