// What is refused of rail accounts beyond their schemas: wrong environments and hosts, gaps, too many, another kind; nothing is left behind.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { PRODUCTION_ENV, startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { faultsOf } from '../../support/ppr.ts';
import {
  addRail,
  callRails,
  idleBody,
  railPath,
  type RailBody,
  type RailOwnerHere,
} from '../../support/rail-accounts.ts';
import { readSettled } from '../../support/rows.ts';

let app: TestApp;
let production: TestApp;
let shop: RailOwnerHere;
let shopThere: RailOwnerHere;
/** An account of messages that no refusal changes. */
let known: { id: string };
beforeAll(async () => {
  [app, production] = [await startTestApp(), await startTestApp({ env: PRODUCTION_ENV })];
  [shop, shopThere] = [await app.addMerchant(), await production.addMerchant()];
  known = await addRail(app, shop, idleBody());
  await Promise.all([app, production].map(readSettled));
});

const UUID = '2aed7612-de64-46b5-9e59-1f48f8902d14';
const KEYS = { gpo: `GPO_${UUID}`, ref: `REF_${UUID}`, umm: `UMM_${UUID}` };

function appypay(kind: string, methods: Partial<typeof KEYS>, settings: object = {}): RailBody {
  const about = { kind, connector: 'appypay', label: 'AppyPay', secrets: { clientId: 'id', clientSecret: 'secret' } };
  return idleBody({ ...about, settings: { resource: UUID, methods, ...settings } });
}

/** Neither accounts nor what stands for them elsewhere are others than before. */
async function refused(at: TestApp, send: () => Promise<Reply>): Promise<Reply> {
  const read = () =>
    Promise.all(['rail_accounts', 'rail_feeds', 'audit_entries'].map((table) => at.sql(`select * from ${table}`)));
  const before = await read();
  const reply = await send();
  expect(await read()).toEqual(before);
  return reply;
}

const refuseNew = (body: unknown) => refused(app, () => callRails(app, shop, { body }));
const refuseChange = (body: unknown) => refused(app, () => callRails(app, shop, { id: known.id, method: 'PUT', body }));

describe.each([
  ['POST', refuseNew],
  ['PUT', refuseChange],
])('%s', (_method, send) => {
  test('live accounts are none of the sandbox’s', async () => {
    const reply = await send(idleBody({ environment: 'live' }));
    expect([reply.status, reply.json.code, faultsOf(reply)]).toEqual([
      400,
      'validation_failed',
      ['/environment environment_not_allowed'],
    ]);
    expect(reply.json.errors[0].message).toBe('cannot be live here: this gateway takes test accounts only');
  });

  test.each([
    'https://10.1.2.3/api',
    'http://192.168.0.1/api',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:10.0.0.1]/api',
    'https://2130706433.internal/api',
    'https://printer.local/api',
    'https://192.0.9.1:22/api',
  ])('no host of a private network: %s', async (baseUrl) => {
    const reply = await send(idleBody({ settings: { sender: 'LOJA', baseUrl } }));
    expect([reply.status, reply.json.code, faultsOf(reply)]).toEqual([
      400,
      'url_not_allowed',
      ['/settings/baseUrl url_not_allowed'],
    ]);
  });

  test('all that is wrong is told at once', async () => {
    const reply = await send(
      appypay('ppr', { gpo: KEYS.gpo }, { baseUrl: 'https://10.0.0.1/v2.0', tokenUrl: 'https://10.0.0.1/token', x: 1 }),
    );
    expect(reply.status).toBe(400);
    const beyond = ['/settings/baseUrl url_not_allowed', '/settings/tokenUrl url_not_allowed'];
    expect(faultsOf(reply)).toEqual(['/settings/x unknown_field', ...beyond]);
    const live = await send({ ...appypay('ppr', { gpo: KEYS.gpo }), label: '', environment: 'live' });
    const gaps = ['/environment environment_not_allowed', '/settings/methods/ref setting_missing'];
    expect(faultsOf(live)).toEqual(['/label too_short', ...gaps]);
  });
});

test.each([
  ['ppr', { gpo: KEYS.gpo, umm: KEYS.umm }, '/settings/methods/ref'],
  ['gpo', { ref: KEYS.ref }, '/settings/methods/gpo'],
])('an account of kind %s needs its method: %j', async (kind, methods, pointer) => {
  const reply = await refuseNew(appypay(kind, methods));
  expect([reply.status, faultsOf(reply)]).toEqual([400, [`${pointer} setting_missing`]]);
});

test('kind and connector are those of the beginning', async () => {
  const another = await refuseChange(idleBody({ connector: 'ombala' }));
  expect([another.status, faultsOf(another)]).toEqual([400, ['/connector kind_fixed']]);
  const both = await refuseChange(appypay('gpo', { gpo: KEYS.gpo }));
  expect([both.status, faultsOf(both)]).toEqual([400, ['/kind kind_fixed', '/connector kind_fixed']]);
});

describe('production', () => {
  const body = (changes: Partial<RailBody>) => idleBody({ environment: 'live', ...changes });
  const send = (changes: Partial<RailBody>) => callRails(production, shopThere, { body: body(changes) });

  test('takes live accounts, and no others', async () => {
    const reply = await refused(production, () => send({ environment: 'test', settings: { sender: 'LOJA' } }));
    expect([reply.status, faultsOf(reply)]).toEqual([400, ['/environment environment_not_allowed']]);
    expect((await send({ settings: { sender: 'LOJA' } })).status).toBe(201);
  });

  test.each(['http://api.kambasms.ao', 'https://127.0.0.1/api', 'http://127.0.0.1:8080/api', 'https://localhost/api'])(
    'reaches neither itself nor anybody without https: %s',
    async (baseUrl) => {
      const reply = await refused(production, () => send({ settings: { sender: 'LOJA', baseUrl } }));
      expect([reply.status, faultsOf(reply)]).toEqual([400, ['/settings/baseUrl url_not_allowed']]);
    },
  );
});

test('twenty are enough: the next one waits until one is removed', async () => {
  const owner = await app.addMerchant();
  const made: { id: string }[] = [];
  for (let nth = 0; nth < 20; nth++) made.push(await addRail(app, owner, idleBody({ label: `Nº ${nth}` })));
  const reply = await refused(app, () => callRails(app, owner, { body: idleBody() }));
  expect([reply.status, reply.json.code]).toEqual([409, 'too_many_rail_accounts']);
  expect((await callRails(app, owner, { id: made[3]?.id ?? '', method: 'DELETE' })).status).toBe(204);
  expect((await callRails(app, owner, { body: idleBody() })).status).toBe(201);
});

test.each(['GET', 'PUT', 'DELETE'])('%s of what is not there, or not any more, is 404', async (method) => {
  const gone = await addRail(app, shop, idleBody());
  await callRails(app, shop, { id: gone.id, method: 'DELETE' });
  for (const id of [gone.id, randomUUID(), 'x']) {
    const reply = await refused(app, () =>
      callRails(app, shop, { id, method, ...(method === 'PUT' && { body: idleBody() }) }),
    );
    expect([id, reply.status, reply.json.code]).toEqual([id, 404, 'not_found']);
  }
  const tested = await app.call(`${railPath(shop.merchantId, gone.id)}/test`, { method: 'POST', token: shop.token });
  expect(tested.status).toBe(404);
});
