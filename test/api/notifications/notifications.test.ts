// GET /v1/notificacoes and PUT /v1/notificacoes/{id}: pages, what is read, languages, access.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NOTIFIED_EVENTS } from '../../../server/events/notified.ts';
import { LANGUAGES } from '../../../shared/language.ts';
import { SCOPES } from '../../../shared/scopes.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { sendRaw } from '../../support/raw.ts';

const PATH = '/v1/notificacoes';

let app: TestApp;
let shop: Shop;
let stranger: Shop;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  [shop, stranger] = [await openShop(app), await openShop(app)];
});

const list = async (query = '', headers = {}) => shop.call(PATH + query, { headers });
const mark = (id: string, body: unknown, from = shop) => from.call(`${PATH}/${id}`, { method: 'PUT', body });
const now = () => app.clock.now().toISOString();

/** Notifications as rows, the oldest first; answers their ids. */
async function note(count: number, type = 'client.created', details: object = { name: 'ERP', clientId: 'bc_1' }) {
  const rows = await app.sql(
    `insert into notifications (id, merchant_id, type, details, subject, created_at)
     select gen_random_uuid(), $1, $2, $3, gen_random_uuid()::text, $4::timestamptz from generate_series(1, $5) returning id`,
    [shop.merchantId, type, details, now(), count],
  );
  return rows.map(({ id }) => id as string);
}

describe('the list', () => {
  test('of none is empty', async () => {
    const page = { data: [], pageNumber: 1, pageSize: 50, totalPages: 0, totalItems: 0 };
    expect(await list()).toMatchObject({ status: 200, json: page });
  });

  test('has 50 a page, the newest first, each once', async () => {
    const ids = await note(120);
    const newest = ids.toReversed();
    const first = (await list()).json;
    expect(first).toMatchObject({ pageNumber: 1, pageSize: 50, totalPages: 3, totalItems: 120 });
    const pages = await Promise.all([1, 2, 3, 4].map(async (page) => (await list(`?page=${page}`)).json.data));
    expect(pages.flat().map(({ id }: any) => id)).toEqual(newest);
    expect(pages[3]).toEqual([]);
    expect((await list('?pageSize=100&page=2')).json).toMatchObject({ pageNumber: 2, totalPages: 2 });
    expect((await list('?page=7&pageSize=3')).json.data.map(({ id }: any) => id)).toEqual(newest.slice(18, 21));
  });

  test('shows what happened and whether it was read', async () => {
    const [id] = (await note(1)) as [string];
    expect((await list()).json.data).toEqual([
      {
        id,
        titulo: 'Novas credenciais de acesso',
        mensagem: expect.stringContaining('«ERP» (bc_1)'),
        tipo: 'client.created',
        estado: 0,
        criadaEm: now(),
        lidaEm: null,
      },
    ]);
  });

  test('can be of unread or of read ones', async () => {
    const ids = await note(3);
    await mark(ids[1]!, { estado: 1 });
    const idsOf = async (query: string) => {
      const { data, totalItems } = (await list(query)).json;
      expect(totalItems).toBe(data.length);
      return data.map(({ id }: any) => id);
    };
    expect(await idsOf('?estado=0')).toEqual([ids[2], ids[0]]);
    expect(await idsOf('?estado=1')).toEqual([ids[1]]);
    expect(await idsOf('')).toEqual(ids.toReversed());
  });

  test.each([
    ['?estado=2', '/query/estado invalid_value'],
    ['?estado=', '/query/estado invalid_value'],
    ['?estado=Lido', '/query/estado invalid_value'],
    ['?estado=01', '/query/estado invalid_value'],
    ['?page=0', '/query/page too_small'],
    ['?pageSize=101', '/query/pageSize too_big'],
    ['?pageSize=x', '/query/pageSize invalid_format'],
  ])('%s is refused', async (query, told) => {
    const { status, json } = await list(query);
    expect([status, json.errors.map(({ pointer, code }: any) => `${pointer} ${code}`)]).toEqual([400, [told]]);
  });

  test.each([
    [undefined, 'pt', 'Novas credenciais de acesso'],
    ['*', 'pt', 'Novas credenciais de acesso'],
    ['de', 'pt', 'Novas credenciais de acesso'],
    ['pt-AO,en;q=0.5', 'pt', 'Novas credenciais de acesso'],
    ['en-US', 'en', 'New credentials'],
    ['fr;q=0.9, en;q=0.8', 'fr', 'Nouveaux identifiants'],
  ])('asked for in %s speaks %s', async (accepted, lang, title) => {
    await note(1);
    const reply = await list('', accepted ? { 'accept-language': accepted } : {});
    expect(reply.json.data[0].titulo).toBe(title);
    expect(reply.headers.get('content-language')).toBe(lang);
    expect(reply.headers.get('vary')).toContain('Accept-Language');
  });

  test('has words for everything that is told, in every language, and names nothing that it does not know', async () => {
    const money = { amount: '1500.00', currency: 'AOA', total: 1710.5, number: 'FT 2026/000001', month: '2026-02' };
    const paid = { entity: '00888', reference: '123456789', providerRef: '77', posId: 'pos-1', failures: 5 };
    const access = { userId: randomUUID(), role: 'Cashier', clientId: 'bc_1', name: 'ERP', account: 'Principal' };
    const details = { ...money, ...paid, ...access };
    const conditional = [
      'payment.late',
      'payment.acquirer_setup',
      'refund.late',
      'terminal.closed',
      'access.clients_left',
      'rail.feed_paused',
    ];
    const types = [...NOTIFIED_EVENTS, ...conditional];
    for (const type of types) await note(1, type, details);
    for (const type of ['payment.overpaid', 'payment.amount_mismatch', 'payment.late'])
      for (const more of [{ captureId: randomUUID() }, { transactionId: randomUUID() }])
        await note(1, type, { ...details, ...more });
    const told = new Set<string>();
    for (const lang of LANGUAGES)
      for (const { tipo, titulo, mensagem } of (await list('', { 'accept-language': lang })).json.data) {
        expect(titulo).not.toBe(tipo);
        expect(mensagem.length).toBeGreaterThan(60);
        expect(titulo + mensagem).not.toMatch(/[{}]|undefined|null|NaN|\[object/);
        told.add(titulo + mensagem);
      }
    expect(told.size).toBe(3 * (types.length + 6));
  });

  test('tells of a type that a newer version wrote by its name', async () => {
    await note(1, 'sms.delivered', {});
    expect((await list()).json.data).toMatchObject([{ tipo: 'sms.delivered', titulo: 'sms.delivered' }]);
  });
});

describe('marking one', () => {
  test('as read and unread again has no body; when it was first read stays', async () => {
    const [id] = (await note(1)) as [string];
    const reply = await mark(id, { estado: 1 });
    expect([reply.status, reply.text]).toEqual([204, '']);
    const readAt = now();
    await app.clock.pass(60_000);
    expect((await mark(id.toUpperCase(), { estado: 1, titulo: 'ignored' })).status).toBe(204);
    expect((await list()).json.data).toMatchObject([{ id, estado: 1, lidaEm: readAt }]);
    for (let nth = 0; nth < 2; nth++) expect((await mark(id, { estado: 0 })).status).toBe(204);
    expect((await list()).json.data).toMatchObject([{ id, estado: 0, lidaEm: null }]);
    // The same number, as some languages write it.
    await mark(id, '{"estado":1.0}');
    expect((await list()).json.data).toMatchObject([{ estado: 1, lidaEm: now() }]);
  });

  test.each([
    [{}, '/estado required'],
    [{ estado: 2 }, '/estado invalid_value'],
    [{ estado: -1 }, '/estado invalid_value'],
    [{ estado: 0.5 }, '/estado invalid_value'],
    [{ estado: '1' }, '/estado invalid_value'],
    [{ estado: true }, '/estado invalid_value'],
    [{ estado: null }, '/estado invalid_value'],
    [{ estado: [1] }, '/estado invalid_value'],
  ])('%j is refused and changes nothing', async (body, told) => {
    const [id] = (await note(1)) as [string];
    const reply = await mark(id, body);
    expect([reply.status, reply.json.errors.map(({ pointer, code }: any) => `${pointer} ${code}`)]).toEqual([
      400,
      [told],
    ]);
    expect((await list()).json.data).toMatchObject([{ estado: 0 }]);
  });

  test('that is unknown, another merchant’s or no id is 404, all alike', async () => {
    const [id] = (await note(1)) as [string];
    for (const reply of [
      await mark(id, { estado: 1 }, stranger),
      await mark(randomUUID(), { estado: 1 }),
      await mark('1', { estado: 1 }),
    ])
      expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
    expect((await list()).json.data).toMatchObject([{ estado: 0, lidaEm: null }]);
    expect((await stranger.call(PATH)).json.totalItems).toBe(0);
  });
});

describe('access', () => {
  test.each([
    ['GET', PATH],
    ['PUT', `${PATH}/{id}`],
  ])('%s %s needs a token with its scope', async (method, path) => {
    const [id] = (await note(1)) as [string];
    const send = (token: string | null) =>
      app.call(path.replace('{id}', id), { method, token, ...(method === 'PUT' && { body: { estado: 1 } }) });
    for (const token of [null, 'forged'])
      expect(await send(token)).toMatchObject({ status: 401, json: { code: 'invalid_token' } });
    const scope = SCOPES.filter((name) => name !== 'notifications').join(' ');
    const refused = await send(await shop.tokenFor({ scope }));
    expect(refused).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } });
    expect(refused.headers.get('www-authenticate')).toContain('scope="notifications"');
    expect((await list()).json.data).toMatchObject([{ estado: 0 }]);
    expect((await send(await shop.tokenFor({ scope: 'notifications' }))).status).toBe(method === 'PUT' ? 204 : 200);
  });

  test.each([
    ['POST', PATH, 'GET'],
    ['GET', `${PATH}/${randomUUID()}`, 'PUT'],
    ['DELETE', `${PATH}/${randomUUID()}`, 'PUT'],
  ])('%s %s is 405', async (method, path, allowed) => {
    const reply = await sendRaw(app.url, `${method} ${path}`, [`Authorization: Bearer ${await shop.tokenFor({})}`]);
    expect(reply.status).toBe(405);
    const methods = (reply.headers.get('allow') ?? '').split(', ').filter((name) => name !== 'HEAD');
    expect(methods.join(', ')).toBe(allowed);
  });
});
