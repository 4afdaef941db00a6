import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { smsTemplate } from '../../../server/sms/templates.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { DAY_MS } from '../../../shared/durations.ts';

const PATH = '/api/TemplatesSMS';
const AHEAD_MS = 3_600_000;

let app: TestApp;
let fixture: CallbackFixture;
let stranger: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  [fixture, stranger] = [await openCallbackFixture(app), await openCallbackFixture(app)];
});

const BODY = { nome: 'Encomenda', conteudo: 'Olá {{nome}}, a encomenda {{numero}} está pronta.' };

const make = (body: unknown = BODY, headers = {}) => fixture.call(`${PATH}/CriarTemplate`, { body, headers });
const put = (id: string, body: unknown, headers = {}) =>
  fixture.call(`${PATH}/AtualizarTemplate/${id}`, { method: 'PUT', body, headers });
const read = (id: string, from = fixture) => from.call(`${PATH}/ObterTemplatesSmsPorId/${id}`);
const list = (query = '') => fixture.call(`${PATH}/ListarTemplates${query}`);
const remove = (id: string, headers = {}) =>
  fixture.call(`${PATH}/DeletarTemplate/${id}`, { method: 'DELETE', headers });
const search = (query: string) => fixture.call(`${PATH}/pesquisarTemplateSMSporData?${query}`);
const withKey = () => ({ 'idempotency-key': randomUUID() });
const now = () => app.clock.now().toISOString();
const idsOf = (reply: { json: any }) => reply.json.data.map(({ id }: any) => id);

describe('POST CriarTemplate', () => {
  test('returns the template with the keys of its placeholders', async () => {
    const reply = await make();
    expect(reply.status).toBe(201);
    const { id, ...rest } = reply.json;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(rest).toEqual({ ...BODY, chaves: ['nome', 'numero'], criadoEm: now(), atualizadoEm: now() });
    expect((await read(id)).json).toEqual({ id, ...rest });
    expect(smsTemplate.strict().safeParse(reply.json).error).toBeUndefined();
  });

  test('trims the name and converts the text to Unicode form NFC', async () => {
    const { json } = await make({ nome: '  Aviso ', conteudo: 'Amanha\u0303 {{no\u0301}}', criadoEm: 'ignored' });
    expect(json).toMatchObject({
      nome: 'Aviso',
      conteudo: 'Amanh\u00e3 {{n\u00f3}}',
      chaves: ['n\u00f3'],
      criadoEm: now(),
    });
  });
});

describe('PUT AtualizarTemplate', () => {
  test('changes the name, the text and the time of change', async () => {
    const made = (await make()).json;
    await app.clock.advance(1_000);
    const body = { nome: 'Nova', conteudo: 'Só {{total}}' };
    const reply = await put(made.id, body);
    const changed = { id: made.id, ...body, chaves: ['total'], criadoEm: made.criadoEm, atualizadoEm: now() };
    expect([reply.status, reply.json]).toEqual([200, changed]);
    expect(changed.atualizadoEm).not.toBe(made.atualizadoEm);
    expect((await read(made.id)).json).toEqual(changed);
  });
});

describe('DELETE DeletarTemplate', () => {
  test('deletes one template only', async () => {
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

describe('GET ListarTemplates', () => {
  test('returns only the merchant’s own templates, in pages, the newest first', async () => {
    const made: any[] = [];
    for (let nth = 0; nth < 5; nth++) {
      // The second and the third template have the same creation time.
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
});

describe('GET pesquisarTemplateSMSporData', () => {
  const dayOf = (ms: number) => {
    const at = new Date(ms + AHEAD_MS);
    return `dia=${at.getUTCDate()}&mes=${at.getUTCMonth() + 1}&ano=${at.getUTCFullYear()}`;
  };

  const nextMidnight = () => Math.ceil((app.clock.now().getTime() + AHEAD_MS) / DAY_MS) * DAY_MS - AHEAD_MS;

  async function makeAt(ms: number): Promise<any> {
    app.clock.leap(ms - app.clock.now().getTime());
    return (await make()).json;
  }

  test('returns the templates of a day in Luanda, exact to the millisecond', async () => {
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

  test('returns the templates of a day in pages', async () => {
    const begins = nextMidnight();
    const made = [await makeAt(begins), await makeAt(begins + 1), await makeAt(begins + 2)];
    await stranger.call(`${PATH}/CriarTemplate`, { body: BODY });
    app.clock.leap(DAY_MS);
    await put(made[0].id, BODY);
    const pages = await Promise.all([1, 2].map((nth) => search(`${dayOf(begins)}&pageNumber=${nth}&pageSize=2`)));
    expect(pages.flatMap(idsOf)).toEqual(made.toReversed().map(({ id }) => id));
    expect(pages[1]?.json).toMatchObject({ pageNumber: 2, pageSize: 2, totalPages: 2, totalItems: 3 });
  });
});
