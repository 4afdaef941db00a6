import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../server/database/orm.ts';
import { creditUnits } from '../../../server/sms/ledger.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';

const PATH = '/api/ContaSms';

let app: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp({ env: { SMS_SENDER: 'PLATAFORMA1' } });
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
});

const read = () => fixture.call(`${PATH}/ObterConta`);
const set = (nomeremetenteSms: unknown, headers = {}) =>
  fixture.call(`${PATH}/AtualizarRemetente`, { method: 'PUT', body: { nomeremetenteSms }, headers });
const balance = () => fixture.call(`${PATH}/ObterSaldo`);
const movements = (query = '') => fixture.call(`${PATH}/ListarMovimentos${query}`);
const now = () => app.clock.now().toISOString();

const accountWith = (sender: string | null) => ({
  merchantId: fixture.merchantId,
  nomeremetenteSms: sender,
  remetenteEfetivo: sender ?? 'PLATAFORMA1',
  optOutText: 'none',
  optOutNumber: null,
});

function credit(units: number, description = `Fatura de ${units}`): Promise<number> {
  const { core } = app.node;
  const entry = { merchantId: fixture.merchantId, units, description, at: app.clock.now() };
  return inTransaction(core, (db) => creditUnits(db, entry));
}

/** Inserts a movement of SMS units and changes the balance accordingly. */
async function move(kind: 'debit' | 'refund', units: number, batchId: string): Promise<void> {
  await app.sql(
    `with account as (
       update sms_accounts set balance = balance + $3, updated_at = $6::timestamptz where merchant_id = $1
       returning balance)
     insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, batch_id, created_at)
     select gen_random_uuid(), $1, $2, $4, balance, 'Envio', $5, $6::timestamptz from account`,
    [fixture.merchantId, kind, kind === 'debit' ? -units : units, units, batchId, now()],
  );
}

const audited = () =>
  app.sql(
    `select actor_kind, actor_id, address, target, changes, occurred_at from audit_entries
     where merchant_id = $1 and action = 'sms.sender_changed' order by seq`,
    [fixture.merchantId],
  );

describe('PUT AtualizarRemetente', () => {
  test('is not needed to use the platform’s sender', async () => {
    expect(await read()).toMatchObject({ status: 200, json: accountWith(null) });
  });

  test.each(['A', 'LojaDaIlha1', '1a', '12345678901'.replace('5', 'x')])('sets the sender %s', async (sender) => {
    const reply = await set(sender);
    expect([reply.status, reply.json]).toEqual([200, accountWith(sender)]);
    expect((await read()).json).toEqual(accountWith(sender));
  });

  test("removes the merchant's sender if the value is null", async () => {
    await set('LOJA');
    expect(await set(null)).toMatchObject({ status: 200, json: accountWith(null) });
    expect((await read()).json).toEqual(accountWith(null));
  });

  test('writes each change to the audit log', async () => {
    await set(null);
    expect(await audited()).toEqual([]);
    await set('LOJA');
    await set('LOJA');
    await set('OUTRA');
    await set(null);
    const entries = await audited();
    expect(entries.map(({ changes }) => changes.sender)).toEqual([
      { before: null, after: 'LOJA' },
      { before: 'LOJA', after: 'OUTRA' },
      { before: 'OUTRA', after: null },
    ]);
    expect(entries[0]).toMatchObject({ actor_kind: 'client', target: fixture.merchantId });
    expect(new Date(entries[0].occurred_at).toISOString()).toBe(now());
    const shown = (await fixture.call(`/api/merchants/${fixture.merchantId}/audit?action=sms.sender_changed`)).json;
    expect(shown).toMatchObject({ totalItems: 3, data: [{ action: 'sms.sender_changed' }, {}, {}] });
  });

  test('applies concurrent changes one after the other', async () => {
    const senders = Array.from({ length: 12 }, (_, nth) => `LOJA${nth}`);
    const replies = await Promise.all(senders.map((sender) => set(sender)));
    expect(replies.map(({ status, json }) => [status, json.nomeremetenteSms])).toEqual(
      senders.map((name) => [200, name]),
    );
    const changes = (await audited()).map((entry) => entry.changes.sender);
    expect(changes.map(({ before }) => before)).toEqual([null, ...changes.slice(0, -1).map(({ after }) => after)]);
    expect((await read()).json).toEqual(accountWith(changes.at(-1).after));
  });

  test('creates an SMS account without units, which can be credited like any other', async () => {
    await Promise.all([set('LOJA'), credit(50), set('LOJA'), credit(7)]);
    expect((await balance()).json).toMatchObject({ saldoAtual: 57 });
    expect((await read()).json).toEqual(accountWith('LOJA'));
  });
});

describe('GET ObterSaldo', () => {
  const none = () => ({ merchantId: fixture.merchantId, saldoAtual: 0, unidade: 'SMS', atualizadoEm: null });

  test('returns 0 before the first credit', async () => {
    expect(await balance()).toMatchObject({ status: 200, json: none() });
    await set('LOJA');
    expect((await balance()).json).toEqual(none());
  });

  test('returns the number of units and the time of the last movement', async () => {
    await credit(120);
    const then = now();
    await app.clock.pass(60_000);
    await set('LOJA');
    expect((await balance()).json).toEqual({ ...none(), saldoAtual: 120, atualizadoEm: then });
    await credit(5);
    expect((await balance()).json).toEqual({ ...none(), saldoAtual: 125, atualizadoEm: now() });
  });
});

describe('GET ListarMovimentos', () => {
  test('returns movements of units, the newest first, each with the balance after it', async () => {
    const batchId = randomUUID();
    await credit(100, 'Fatura 7');
    await move('debit', 30, batchId);
    await move('refund', 2, batchId);
    const { data, totalItems } = (await movements()).json;
    const common = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), criadoEm: now() };
    expect(totalItems).toBe(3);
    expect(data).toEqual([
      { ...common, tipo: 'Reembolso', quantidade: 2, saldoDepois: 72, descricao: 'Envio', batchId },
      { ...common, tipo: 'Debito', quantidade: 30, saldoDepois: 70, descricao: 'Envio', batchId },
      { ...common, tipo: 'Credito', quantidade: 100, saldoDepois: 100, descricao: 'Fatura 7', batchId: null },
    ]);
    expect((await balance()).json.saldoAtual).toBe(data[0].saldoDepois);
  });

  test('returns only the merchant’s own movements, in pages', async () => {
    for (let nth = 1; nth <= 5; nth++) await credit(nth);
    const stranger = await openCallbackFixture(app);
    expect((await stranger.call(`${PATH}/ListarMovimentos`)).json.totalItems).toBe(0);
    const pages = await Promise.all([1, 2, 3].map((nth) => movements(`?pageNumber=${nth}&pageSize=2`)));
    expect(pages.flatMap(({ json }) => json.data.map(({ quantidade }: any) => quantidade))).toEqual([5, 4, 3, 2, 1]);
    for (const { json } of pages) expect(json).toMatchObject({ pageSize: 2, totalPages: 3, totalItems: 5 });
  });

  test.each([
    ['Credito', [100]],
    ['debito', [40, 10]],
    ['REEMBOLSO', [1]],
  ])('filters by tipo=%s', async (tipo, quantities) => {
    await credit(100);
    await move('debit', 10, randomUUID());
    await move('refund', 1, randomUUID());
    await move('debit', 40, randomUUID());
    const { data, totalItems } = (await movements(`?tipo=${tipo}`)).json;
    expect(data.map(({ quantidade }: any) => quantidade)).toEqual(quantities);
    expect(totalItems).toBe(quantities.length);
  });

  test('returns each movement on exactly one page while units are credited', async () => {
    await credit(1);
    const crediting = Promise.all(Array.from({ length: 15 }, () => credit(1)));
    const pages = await Promise.all(Array.from({ length: 15 }, () => movements('?pageSize=100')));
    for (const { json } of pages) {
      expect(json.data).toHaveLength(json.totalItems);
      const after = json.data.map(({ saldoDepois }: any) => saldoDepois);
      expect(after).toEqual(after.map((_: number, nth: number) => after.length - nth));
    }
    await crediting;
  });
});
