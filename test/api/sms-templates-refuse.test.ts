// What is refused of templates: each wrong field by pointer and code, ids that are nothing of ours, and nothing left behind.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../support/app.ts';
import { openShop, type Shop } from '../support/callbacks.ts';
import { faultsOf } from '../support/ppr.ts';
import { leavesNothing } from '../support/rows.ts';

const PATH = '/api/TemplatesSMS';
const BODY = { nome: 'Encomenda', conteudo: 'Olá {{nome}}' };

let app: TestApp;
let shop: Shop;
let known: any;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openShop(app);
  known = (await shop.call(`${PATH}/CriarTemplate`, { body: BODY })).json;
});
afterAll(() => app?.stop());

type Send = (body: unknown, headers?: Record<string, string>) => Promise<Reply>;

const create: Send = (body, headers = {}) => shop.call(`${PATH}/CriarTemplate`, { body, headers });
const update: Send = (body, headers = {}) =>
  shop.call(`${PATH}/AtualizarTemplate/${known.id}`, { method: 'PUT', body, headers });

/** Templates are as they were, and so is the rest. */
async function refused(send: () => Promise<Reply>): Promise<Reply> {
  const reply = await leavesNothing(app, send);
  expect((await shop.call(`${PATH}/ListarTemplates`)).json).toMatchObject({ data: [known], totalItems: 1 });
  return reply;
}

describe.each([
  ['CriarTemplate', create],
  ['AtualizarTemplate', update],
])('%s', (_name, send) => {
  test.each<[object, string[]]>([
    [{ nome: undefined }, ['/nome required']],
    [{ nome: null }, ['/nome invalid_type']],
    [{ nome: 7 }, ['/nome invalid_type']],
    [{ nome: '' }, ['/nome too_short']],
    [{ nome: '   ' }, ['/nome too_short']],
    [{ nome: 'a\nb' }, ['/nome invalid_format']],
    [{ conteudo: undefined }, ['/conteudo required']],
    [{ conteudo: null }, ['/conteudo invalid_type']],
    [{ conteudo: ['a'] }, ['/conteudo invalid_type']],
    [{ conteudo: '' }, ['/conteudo too_short']],
    [{ conteudo: 'a\u0007b' }, ['/conteudo invalid_format']],
    [{ conteudo: 'Olá {{nome' }, ['/conteudo placeholder_malformed']],
    [{ conteudo: 'Olá nome}}' }, ['/conteudo placeholder_malformed']],
    [{ conteudo: 'Olá {{}}' }, ['/conteudo placeholder_malformed']],
    [{ conteudo: 'Olá {{o nome}}' }, ['/conteudo placeholder_malformed']],
    [{ conteudo: 'Olá {{nome}} {{{total}}}' }, ['/conteudo placeholder_malformed']],
    [{ conteudo: `{{${'x'.repeat(65)}}}` }, ['/conteudo placeholder_malformed']],
    [{ nome: '', conteudo: '{{' }, ['/nome too_short', '/conteudo placeholder_malformed']],
    [{ nome: undefined, conteudo: undefined }, ['/nome required', '/conteudo required']],
  ])('with %j', async (wrong, faults) => {
    const reply = await refused(() => send({ ...BODY, ...wrong }));
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual(faults);
  });

  test('with more than there is room for', async () => {
    const reply = await refused(() => send({ nome: 'x'.repeat(101), conteudo: 'x'.repeat(1_531) }));
    expect([reply.status, faultsOf(reply)]).toEqual([400, ['/nome too_long', '/conteudo too_long']]);
  });

  test.each(['a\0b', 'a\ud800b'])('with %j, which no database keeps', async (text) => {
    const reply = await refused(() => send({ nome: text, conteudo: text }));
    expect(reply).toMatchObject({ status: 400, json: { code: 'invalid_text' } });
  });

  test('needs a JSON object', async () => {
    for (const body of ['[]', '"x"', 'null', '7']) {
      const reply = await refused(() => send(body));
      expect([body, reply.status, faultsOf(reply)[0]]).toEqual([body, 400, ' invalid_type']);
    }
    expect(await refused(() => send('{"nome":'))).toMatchObject({ status: 400, json: { code: 'malformed_json' } });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await refused(() => send('nome=x', form))).status).toBe(415);
  });

  test('a refusal keeps the key free', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    expect((await refused(() => send({ ...BODY, nome: '' }, headers))).status).toBe(400);
    const reply = await send(BODY, headers);
    expect(reply.status).toBeLessThan(300);
    expect(reply.headers.get('idempotency-replayed')).toBeNull();
  });

  test('the message is in the language that was asked for', async () => {
    const headers = { 'accept-language': 'pt' };
    const { json } = await refused(() => send({ ...BODY, conteudo: '{{' }, headers));
    expect(json.errors[0].message).toMatch(/^tem chavetas que não formam \{\{chave\}\}/);
  });
});

describe('an id that is nothing of ours', () => {
  const ASKED: [string, (id: string, from?: Shop) => Promise<Reply>][] = [
    ['read', (id, from = shop) => from.call(`${PATH}/ObterTemplatesSmsPorId/${id}`)],
    [
      'changed',
      (id, from = shop) =>
        from.call(`${PATH}/AtualizarTemplate/${id}`, { method: 'PUT', body: { ...BODY, nome: 'X' } }),
    ],
    ['deleted', (id, from = shop) => from.call(`${PATH}/DeletarTemplate/${id}`, { method: 'DELETE' })],
  ];

  test.each(ASKED)('cannot be %s', async (_name, ask) => {
    for (const id of [randomUUID(), 'x', '%00', '0', `${known.id}0`, '..%2f', '%27'])
      expect([id, (await refused(() => ask(id))).status]).toEqual([id, 404]);
  });

  test.each(ASKED)('cannot be %s by another merchant, nor is it told that there is one', async (_name, ask) => {
    const stranger = await openShop(app);
    const [theirs, none] = [await refused(() => ask(known.id, stranger)), await ask(randomUUID(), stranger)];
    const { instance: _, ...told } = theirs.json;
    expect(none.json).toMatchObject(told);
    expect(theirs).toMatchObject({ status: 404, json: { code: 'not_found' } });
  });

  test('the letters’ case does not matter', async () => {
    const reply = await shop.call(`${PATH}/ObterTemplatesSmsPorId/${known.id.toUpperCase()}`);
    expect([reply.status, reply.json]).toEqual([200, known]);
  });
});

test('a refusal at the id keeps the key free too', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const gone = await shop.call(`${PATH}/DeletarTemplate/${randomUUID()}`, { method: 'DELETE', headers });
  expect(gone.status).toBe(404);
  expect(await app.sql('select from idempotency_keys where key = $1', [headers['idempotency-key']])).toEqual([]);
});

describe('a page or a day that cannot be', () => {
  test.each<[string, string[]]>([
    ['pageNumber=0', ['/query/pageNumber too_small']],
    ['pageNumber=x', ['/query/pageNumber invalid_format']],
    ['pageNumber=1000001', ['/query/pageNumber too_big']],
    ['pageSize=0&pageNumber=-1', ['/query/pageNumber invalid_format', '/query/pageSize too_small']],
    ['pageSize=101', ['/query/pageSize too_big']],
    ['pageSize=1&pageSize=2', ['/query/pageSize invalid_type']],
  ])('ListarTemplates?%s', async (query, faults) => {
    const reply = await refused(() => shop.call(`${PATH}/ListarTemplates?${query}`));
    expect([reply.status, faultsOf(reply)]).toEqual([400, faults]);
  });

  test.each<[string, string[]]>([
    ['', ['/query/dia required', '/query/mes required', '/query/ano required']],
    ['dia=31&mes=2&ano=2026', ['/query/dia impossible_date']],
    ['dia=29&mes=2&ano=2027', ['/query/dia impossible_date']],
    ['dia=1&mes=13&ano=2026', ['/query/mes too_big']],
    ['dia=1&mes=1&ano=26', ['/query/ano invalid_format']],
    ['dia=31&mes=4&ano=2026&pageSize=0', ['/query/pageSize too_small', '/query/dia impossible_date']],
  ])('pesquisarTemplateSMSporData?%s', async (query, faults) => {
    const reply = await refused(() => shop.call(`${PATH}/pesquisarTemplateSMSporData?${query}`));
    expect([reply.status, faultsOf(reply)]).toEqual([400, faults]);
  });

  test('an impossible day alone is told as what it is', async () => {
    const reply = await shop.call(`${PATH}/pesquisarTemplateSMSporData?dia=31&mes=2&ano=2026`);
    expect(reply.json.errors).toEqual([
      { pointer: '/query/dia', code: 'impossible_date', message: 'makes no day of the calendar' },
    ]);
  });
});
