// Templates: made, changed, read, listed, searched by the day in Luanda they were made on, and deleted.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { smsTemplate } from '../../../server/sms/templates.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';

const PATH = '/api/TemplatesSMS';
const DAY_MS = 86_400_000;
const AHEAD_MS = 3_600_000;

let app: TestApp;
let shop: Shop;
let stranger: Shop;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  [shop, stranger] = [await openShop(app), await openShop(app)];
});

const BODY = { nome: 'Encomenda', conteudo: 'Olá {{nome}}, a encomenda {{numero}} está pronta.' };

const make = (body: unknown = BODY, headers = {}) => shop.call(`${PATH}/CriarTemplate`, { body, headers });
const put = (id: string, body: unknown, headers = {}) =>
  shop.call(`${PATH}/AtualizarTemplate/${id}`, { method: 'PUT', body, headers });
const read = (id: string, from = shop) => from.call(`${PATH}/ObterTemplatesSmsPorId/${id}`);
const list = (query = '') => shop.call(`${PATH}/ListarTemplates${query}`);
const remove = (id: string, headers = {}) => shop.call(`${PATH}/DeletarTemplate/${id}`, { method: 'DELETE', headers });
const search = (query: string) => shop.call(`${PATH}/pesquisarTemplateSMSporData?${query}`);
const withKey = () => ({ 'idempotency-key': randomUUID() });
const now = () => app.clock.now().toISOString();
const idsOf = (reply: { json: any }) => reply.json.data.map(({ id }: any) => id);

describe('making one', () => {
  test('answers it, with its keys', async () => {
    const reply = await make();
    expect(reply.status).toBe(201);
    const { id, ...rest } = reply.json;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(rest).toEqual({ ...BODY, chaves: ['nome', 'numero'], criadoEm: now(), atualizadoEm: now() });
    expect((await read(id)).json).toEqual({ id, ...rest });
    expect(smsTemplate.strict().safeParse(reply.json).error).toBeUndefined();
  });

  test.each([
    ['Sem chaves', []],
    ['{{b}} {{a}} {{b}} {{ c }}', ['b', 'a', 'c']],
    ['Uma { só } chaveta', []],
    ['{{Nome}} {{nome}} {{código.1}}', ['Nome', 'nome', 'código.1']],
    ['linha 1\nlinha 2 {{x}}', ['x']],
  ])('%j has the keys %j', async (conteudo, chaves) => {
    expect((await make({ ...BODY, conteudo })).json).toMatchObject({ conteudo, chaves });
  });

  test('the name is trimmed, and the text is written one way (NFC)', async () => {
    const { json } = await make({ nome: '  Aviso ', conteudo: 'Amanha\u0303 {{no\u0301}}', criadoEm: 'ignored' });
    expect(json).toMatchObject({
      nome: 'Aviso',
      conteudo: 'Amanh\u00e3 {{n\u00f3}}',
      chaves: ['n\u00f3'],
      criadoEm: now(),
    });
  });

  test('as long as the longest message, and not a character more', async () => {
    expect((await make({ ...BODY, conteudo: 'x'.repeat(1_530) })).status).toBe(201);
    expect((await make({ ...BODY, conteudo: 'x'.repeat(1_531) })).status).toBe(400);
  });

  test('two may have the same name', async () => {
    const [one, two] = [await make(), await make()];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.json.id).not.toBe(two.json.id);
  });

  test('under a key: once', async () => {
    const headers = withKey();
    const [first, again] = [await make(BODY, headers), await make(BODY, headers)];
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([201, first.text, 'true']);
    expect((await make({ ...BODY, nome: 'Outra' }, headers)).status).toBe(422);
    expect((await list()).json.totalItems).toBe(1);
  });

  test('under one key by many at once: once', async () => {
    const headers = withKey();
    const replies = await Promise.all(Array.from({ length: 8 }, () => make(BODY, headers)));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await list()).json.totalItems).toBe(1);
  });
});

describe('changing one', () => {
  test('changes name and text, and when', async () => {
    const made = (await make()).json;
    await app.clock.advance(1_000);
    const body = { nome: 'Nova', conteudo: 'Só {{total}}' };
    const reply = await put(made.id, body);
    const changed = { id: made.id, ...body, chaves: ['total'], criadoEm: made.criadoEm, atualizadoEm: now() };
    expect([reply.status, reply.json]).toEqual([200, changed]);
    expect(changed.atualizadoEm).not.toBe(made.atualizadoEm);
    expect((await read(made.id)).json).toEqual(changed);
  });

  test('others stay as they are', async () => {
    const [one, two] = [(await make()).json, (await make()).json];
    await put(one.id, { nome: 'Nova', conteudo: 'Nova' });
    expect((await read(two.id)).json).toEqual(two);
  });

  test('under a key: once', async () => {
    const { id } = (await make()).json;
    const headers = withKey();
    const first = await put(id, { ...BODY, nome: '1' }, headers);
    await put(id, { ...BODY, nome: '2' });
    const again = await put(id, { ...BODY, nome: '1' }, headers);
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    expect((await read(id)).json.nome).toBe('2');
  });
});

describe('deleting one', () => {
  test('confirms it, and it is gone', async () => {
    const [one, two] = [(await make()).json, (await make()).json];
    const headers = withKey();
    for (let nth = 0; nth < 2; nth++) {
      const reply = await remove(one.id, headers);
      expect([reply.status, reply.json]).toEqual([200, { success: true, message: expect.stringMatching(/\S/) }]);
    }
    expect((await read(one.id)).status).toBe(404);
    expect((await remove(one.id)).status).toBe(404);
    expect((await put(one.id, BODY)).status).toBe(404);
    expect(idsOf(await list())).toEqual([two.id]);
  });
});

describe('the list', () => {
  test('of none is empty', async () => {
    const page = { data: [], pageNumber: 1, pageSize: 20, totalPages: 0, totalItems: 0 };
    expect(await list()).toMatchObject({ status: 200, json: page });
  });

  test('has the newest first, in pages, each once', async () => {
    const made: any[] = [];
    for (let nth = 0; nth < 5; nth++) {
      // The second and the third at the same moment.
      if (nth !== 2) await app.clock.advance(1_000);
      made.push((await make({ ...BODY, nome: `${nth}` })).json);
    }
    await stranger.call(`${PATH}/CriarTemplate`, { body: BODY });
    const pages = await Promise.all([1, 2, 3, 4].map((nth) => list(`?pageNumber=${nth}&pageSize=2`)));
    for (const [nth, { json }] of pages.entries())
      expect(json).toMatchObject({ pageNumber: nth + 1, pageSize: 2, totalPages: 3, totalItems: 5 });
    expect(pages.flatMap(({ json }) => json.data)).toEqual(made.toReversed());
    expect(pages.at(-1)?.json.data).toEqual([]);
  });

  test('is whole while others are being made: no page is beyond its total', async () => {
    const making = Promise.all(Array.from({ length: 20 }, () => make()));
    const pages = await Promise.all(Array.from({ length: 20 }, () => list('?pageSize=100')));
    for (const { json } of pages) expect(json.data).toHaveLength(json.totalItems);
    await making;
    expect((await list('?pageSize=100')).json).toMatchObject({ totalItems: 20, totalPages: 1 });
  });
});

describe('by the day they were made', () => {
  /** The query of the Luandan day of a moment. */
  const dayOf = (ms: number) => {
    const at = new Date(ms + AHEAD_MS);
    return `dia=${at.getUTCDate()}&mes=${at.getUTCMonth() + 1}&ano=${at.getUTCFullYear()}`;
  };

  /** The next midnight in Luanda. */
  const nextMidnight = () => Math.ceil((app.clock.now().getTime() + AHEAD_MS) / DAY_MS) * DAY_MS - AHEAD_MS;

  /** Makes one at this moment. */
  async function makeAt(ms: number): Promise<any> {
    app.clock.leap(ms - app.clock.now().getTime());
    return (await make()).json;
  }

  test('a day goes from midnight to midnight in Luanda, to the millisecond', async () => {
    const begins = nextMidnight();
    expect(new Date(begins).toISOString()).toMatch(/T23:00:00\.000Z$/);
    const before = await makeAt(begins - 1);
    const first = await makeAt(begins);
    const last = await makeAt(begins + DAY_MS - 1);
    const after = await makeAt(begins + DAY_MS);
    expect(before.criadoEm).toMatch(/T22:59:59\.999Z$/);
    expect((await search(dayOf(begins))).json).toMatchObject({ data: [last, first], totalItems: 2, totalPages: 1 });
    expect(idsOf(await search(dayOf(begins - 1)))).toEqual([before.id]);
    expect(idsOf(await search(dayOf(begins + DAY_MS)))).toEqual([after.id]);
    expect((await search(dayOf(begins + 2 * DAY_MS))).json).toMatchObject({ data: [], totalItems: 0 });
  });

  test('in pages, and only one’s own; a change does not move it to another day', async () => {
    const begins = nextMidnight();
    const made = [await makeAt(begins), await makeAt(begins + 1), await makeAt(begins + 2)];
    await stranger.call(`${PATH}/CriarTemplate`, { body: BODY });
    app.clock.leap(DAY_MS);
    await put(made[0].id, BODY);
    const pages = await Promise.all([1, 2].map((nth) => search(`${dayOf(begins)}&pageNumber=${nth}&pageSize=2`)));
    expect(pages.flatMap(idsOf)).toEqual(made.toReversed().map(({ id }) => id));
    expect(pages[1]?.json).toMatchObject({ pageNumber: 2, pageSize: 2, totalPages: 2, totalItems: 3 });
  });

  test('leading zeros are fine', async () => {
    expect((await search('dia=05&mes=03&ano=2026')).json).toMatchObject({ data: [], totalItems: 0 });
  });
});
