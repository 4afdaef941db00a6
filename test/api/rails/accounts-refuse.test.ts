// Refusals of rail accounts that depend on more than the schema. Unit tests cover schemas and blocked hosts.
import { beforeAll, describe, expect, test } from 'vitest';
import { PRODUCTION_ENV, startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { readFieldFaults } from '../../support/ppr.ts';
import { addRail, callRails, idleBody, type RailBody, type RailOwner } from '../../support/rail-accounts.ts';
import { readSettled } from '../../support/rows.ts';

let app: TestApp;
let production: TestApp;
let owner: RailOwner;
let otherOwner: RailOwner;
/** An SMS account that no refused request may change. */
let known: { id: string };
beforeAll(async () => {
  [app, production] = [await startTestApp(), await startTestApp({ env: PRODUCTION_ENV })];
  [owner, otherOwner] = [await app.addMerchant(), await production.addMerchant()];
  known = await addRail(app, owner, idleBody());
  await Promise.all([app, production].map(readSettled));
});

const UUID = '2aed7612-de64-46b5-9e59-1f48f8902d14';
const KEYS = { gpo: `GPO_${UUID}`, ref: `REF_${UUID}`, umm: `UMM_${UUID}` };

function appypay(kind: string, methods: Partial<typeof KEYS>, settings: object = {}): RailBody {
  const about = { kind, connector: 'appypay', label: 'AppyPay', secrets: { clientId: 'id', clientSecret: 'secret' } };
  return idleBody({ ...about, settings: { resource: UUID, methods, ...settings } });
}

/** Sends a request. The request must change neither rail accounts, feeds nor the audit. */
async function refused(at: TestApp, send: () => Promise<Reply>): Promise<Reply> {
  const read = () =>
    Promise.all(['rail_accounts', 'rail_feeds', 'audit_entries'].map((table) => at.sql(`select * from ${table}`)));
  const before = await read();
  const reply = await send();
  expect(await read()).toEqual(before);
  return reply;
}

const refuseNew = (body: unknown) => refused(app, () => callRails(app, owner, { body }));
const refuseChange = (body: unknown) =>
  refused(app, () => callRails(app, owner, { id: known.id, method: 'PUT', body }));

describe.each([
  ['POST', refuseNew],
  ['PUT', refuseChange],
])('%s …/rail-accounts', (_method, send) => {
  test('returns 400 for a live account in the sandbox', async () => {
    const reply = await send(idleBody({ environment: 'live' }));
    expect([reply.status, reply.json.code, readFieldFaults(reply)]).toEqual([
      400,
      'validation_failed',
      ['/environment environment_not_allowed'],
    ]);
    expect(reply.json.errors[0].message).toBe('must not be live: this gateway accepts test accounts only');
  });

  test('returns 400 for a host of a private network', async () => {
    const reply = await send(idleBody({ settings: { sender: 'LOJA', baseUrl: 'https://10.1.2.3/api' } }));
    const code = 'url_not_allowed';
    expect([reply.status, reply.json.code, readFieldFaults(reply)]).toEqual([400, code, [`/settings/baseUrl ${code}`]]);
  });

  test('returns one 400 that contains all faults', async () => {
    const reply = await send(
      appypay('ppr', { gpo: KEYS.gpo }, { baseUrl: 'https://10.0.0.1/v2.0', tokenUrl: 'https://10.0.0.1/token', x: 1 }),
    );
    expect(reply.status).toBe(400);
    const beyond = ['/settings/baseUrl url_not_allowed', '/settings/tokenUrl url_not_allowed'];
    expect(readFieldFaults(reply)).toEqual(['/settings/x unknown_field', ...beyond]);
    const live = await send({ ...appypay('ppr', { gpo: KEYS.gpo }), label: '', environment: 'live' });
    const gaps = ['/environment environment_not_allowed', '/settings/methods/ref setting_missing'];
    expect(readFieldFaults(live)).toEqual(['/label too_short', ...gaps]);
  });
});

test.each([
  ['ppr', { gpo: KEYS.gpo, umm: KEYS.umm }, '/settings/methods/ref'],
  ['gpo', { ref: KEYS.ref }, '/settings/methods/gpo'],
])(
  'POST …/rail-accounts returns 400 for an account of the kind %s with the methods %j',
  async (kind, methods, pointer) => {
    const reply = await refuseNew(appypay(kind, methods));
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, [`${pointer} setting_missing`]]);
  },
);

test('PUT …/rail-accounts/{id} returns 400 for a change of kind or connector', async () => {
  const another = await refuseChange(idleBody({ connector: 'ombala' }));
  expect([another.status, readFieldFaults(another)]).toEqual([400, ['/connector kind_fixed']]);
  const both = await refuseChange(appypay('gpo', { gpo: KEYS.gpo }));
  expect([both.status, readFieldFaults(both)]).toEqual([400, ['/kind kind_fixed', '/connector kind_fixed']]);
});

describe('a production node', () => {
  const body = (changes: Partial<RailBody>) => idleBody({ environment: 'live', ...changes });
  const send = (changes: Partial<RailBody>) => callRails(production, otherOwner, { body: body(changes) });

  test('accepts live accounts only', async () => {
    const reply = await refused(production, () => send({ environment: 'test', settings: { sender: 'LOJA' } }));
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, ['/environment environment_not_allowed']]);
    expect((await send({ settings: { sender: 'LOJA' } })).status).toBe(201);
  });

  test.each(['http://api.kambasms.ao', 'https://localhost/api'])(
    "refuses the host %s, which is the gateway's own host or has no TLS",
    async (baseUrl) => {
      const reply = await refused(production, () => send({ settings: { sender: 'LOJA', baseUrl } }));
      expect([reply.status, readFieldFaults(reply)]).toEqual([400, ['/settings/baseUrl url_not_allowed']]);
    },
  );
});

test('a merchant has at most twenty rail accounts', async () => {
  const full = await app.addMerchant();
  const made: { id: string }[] = [];
  for (let nth = 0; nth < 20; nth++) made.push(await addRail(app, full, idleBody({ label: `Nº ${nth}` })));
  const reply = await refused(app, () => callRails(app, full, { body: idleBody() }));
  expect([reply.status, reply.json.code]).toEqual([409, 'too_many_rail_accounts']);
  expect((await callRails(app, full, { id: made[3]?.id ?? '', method: 'DELETE' })).status).toBe(204);
  expect((await callRails(app, full, { body: idleBody() })).status).toBe(201);
});
