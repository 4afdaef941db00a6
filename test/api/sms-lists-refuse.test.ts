// Contact lists refused: wrong fields, ids of nothing by their places, lists that are full, and whatever is another merchant's.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../support/app.ts';
import { openBook, type Book } from '../support/sms-contacts.ts';

let app: TestApp;
let book: Book;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  book = await openBook(app);
});
afterAll(() => app?.stop());

const faultsOf = ({ json }: Reply) => json.errors.map(({ pointer, code }: any) => `${pointer} ${code}`);
const make = (body: unknown) => book.call('CriarListaDeContactos', { body });
const total = async () => (await book.call('ListarListasDeContactos')).json.totalItems;
const message = 'is the id of nothing of yours';

describe('making one', () => {
  test.each([
    [{}, ['/nome required']],
    [{ nome: null }, ['/nome invalid_type']],
    [{ nome: ' ' }, ['/nome too_short']],
    [{ nome: 'x'.repeat(101) }, ['/nome too_long']],
    [{ nome: 'a\tb' }, ['/nome invalid_format']],
    [{ nome: 'A\u0000' }, ['/nome invalid_text']],
    [{ nome: 'L', contactoIds: 'abc' }, ['/contactoIds invalid_type']],
    [{ nome: 'L', contactoIds: {} }, ['/contactoIds invalid_type']],
    [
      { nome: 'L', contactoIds: [null, randomUUID(), 7] },
      ['/contactoIds/0 invalid_type', '/contactoIds/2 invalid_type'],
    ],
    [{ nome: '', contactoIds: [1] }, ['/contactoIds/0 invalid_type', '/nome too_short']],
  ])('%j', async (body, faults) => {
    const reply = await make(body);
    expect([reply.status, faultsOf(reply).toSorted()]).toEqual([400, faults]);
    expect(await total()).toBe(0);
  });

  test('with more than a thousand contacts', async () => {
    const reply = await make({ nome: 'L', contactoIds: Array.from({ length: 1_001 }, () => randomUUID()) });
    expect([reply.status, faultsOf(reply)]).toEqual([400, ['/contactoIds too_big']]);
    expect(reply.json.errors[0].message).toMatch(/1000/);
  });

  test('with ids of nothing: every one is named by its place, and nothing is made', async () => {
    const [own, stranger] = [(await book.contact()).contactoId, await openBook(app)];
    const { contactoId: alien } = await stranger.contact();
    const gone = (await book.contact()).contactoId;
    await book.call(`DeletarContacto/${gone}`, { method: 'DELETE' });
    const { listaId } = await book.list('Não é contacto');
    const unknown = randomUUID();
    const contactoIds = [own, unknown, alien, own, 'abc', gone, '', unknown, listaId];
    const reply = await make({ nome: 'L', contactoIds });
    expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
    const places = [1, 2, 4, 5, 6, 7, 8];
    expect(reply.json.errors).toEqual(
      places.map((nth) => ({ pointer: `/contactoIds/${nth}`, code: 'unknown_id', message })),
    );
    expect(await total()).toBe(1);
  });

  test('with a thousand ids of nothing: all of them are named', async () => {
    const reply = await make({ nome: 'L', contactoIds: Array.from({ length: 1_000 }, () => randomUUID()) });
    expect([reply.status, reply.json.errors.length]).toEqual([404, 1_000]);
    expect(reply.json.errors.at(-1).pointer).toBe('/contactoIds/999');
  });
});

describe('putting a contact there', () => {
  test.each([
    [{}, ['/contactoId required', '/listaId required']],
    [{ listaId: null, contactoId: 7 }, ['/contactoId invalid_type', '/listaId invalid_type']],
    [{ listaId: randomUUID() }, ['/contactoId required']],
    [{ contactoId: randomUUID() }, ['/listaId required']],
  ])('%j', async (body, faults) => {
    const reply = await book.call('AdicionarContactoALista', { body });
    expect([reply.status, faultsOf(reply).toSorted()]).toEqual([400, faults]);
  });

  test.each([
    ['nothing', () => [randomUUID(), randomUUID()] as const],
    ['no id', () => ['abc', ''] as const],
    [
      'another merchant’s',
      async () => {
        const stranger = await openBook(app);
        return [(await stranger.list()).listaId, (await stranger.contact()).contactoId] as const;
      },
    ],
    ['each other', async () => [(await book.contact()).contactoId, (await book.list()).listaId] as const],
  ])('ids of %s: each is named', async (_name, choose) => {
    const [wrongList, wrongContact] = await choose();
    const [{ listaId }, { contactoId }] = [await book.list('L'), await book.contact('C')];
    for (const [list, contact, pointers] of [
      [wrongList, wrongContact, ['/listaId', '/contactoId']],
      [wrongList, contactoId, ['/listaId']],
      [listaId, wrongContact, ['/contactoId']],
    ] as const) {
      const reply = await book.add(list, contact);
      expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
      expect(reply.json.errors).toEqual(pointers.map((pointer) => ({ pointer, code: 'unknown_id', message })));
    }
    const places = await app.sql(
      'select from sms_list_contacts where list_id::text = any($1) or contact_id::text = any($2)',
      [
        [listaId, wrongList],
        [contactoId, wrongContact],
      ],
    );
    expect(places).toEqual([]);
  });

  test('on a full list, until one leaves it', async () => {
    const ids = (await book.contacts(1_001)) as [string, ...string[]];
    const last = ids.pop() as string;
    const { listaId } = await book.list('Cheia', ids);
    const refused = await book.add(listaId, last);
    expect([refused.status, refused.json.code]).toEqual([409, 'sms_list_full']);
    const there = await book.add(listaId, ids[0]);
    expect([there.status, there.json.message]).toEqual([200, 'O contacto já estava na lista.']);
    expect((await book.show(listaId)).totalContactos).toBe(1_000);
    expect((await book.remove(listaId, ids[0])).status).toBe(200);
    expect((await book.add(listaId, last)).status).toBe(200);
    expect((await book.add(listaId, ids[0])).json.code).toBe('sms_list_full');
    expect((await book.show(listaId)).totalContactos).toBe(1_000);
  });
});

describe('taking a contact off', () => {
  test('where it is not', async () => {
    const [{ contactoId }, other] = [await book.contact('A'), await book.contact('B')];
    const [{ listaId }, empty] = [await book.list('L', [contactoId]), await book.list('M')];
    for (const [list, contact] of [
      [listaId, other.contactoId],
      [empty.listaId, contactoId],
      [listaId, randomUUID()],
      [randomUUID(), contactoId],
      [contactoId, listaId],
      [listaId, 'abc'],
      ['abc', contactoId],
    ]) {
      const reply = await book.remove(list, contact);
      expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
    }
    expect((await book.show(listaId)).totalContactos).toBe(1);
  });

  test('of another merchant’s list', async () => {
    const stranger = await openBook(app);
    const { contactoId } = await stranger.contact();
    const { listaId } = await stranger.list('L', [contactoId]);
    expect((await book.remove(listaId, contactoId)).status).toBe(404);
    expect((await stranger.show(listaId)).totalContactos).toBe(1);
  });
});

describe.each([
  ['GET', 'ObterListaDeContactosPorId'],
  ['DELETE', 'DeletarListaDeContactos'],
])('%s %s', (method, path) => {
  test.each([
    ['nothing', () => randomUUID()],
    ['no id', () => 'abc'],
    ['SQL', () => encodeURIComponent("' or true --")],
  ])('of %s is not found', async (_name, id) => {
    const reply = await book.call(`${path}/${id()}`, { method });
    expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
  });

  test('of a contact is not found', async () => {
    const { contactoId } = await book.contact();
    expect((await book.call(`${path}/${contactoId}`, { method })).status).toBe(404);
    expect((await book.call(`ObterContactoPorId/${contactoId}`)).status).toBe(200);
  });

  test('of another merchant’s is not found, and stays as it is', async () => {
    const stranger = await openBook(app);
    const { listaId } = await stranger.list('L', [(await stranger.contact()).contactoId]);
    const before = await stranger.show(listaId);
    const reply = await book.call(`${path}/${listaId}`, { method });
    const missing = await book.call(`${path}/${randomUUID()}`, { method });
    const { instance: _, ...told } = reply.json;
    expect([reply.status, missing.json]).toEqual([404, expect.objectContaining(told)]);
    expect(await stranger.show(listaId)).toEqual(before);
  });
});

test.each([
  ['pageNumber=0', '/query/pageNumber too_small'],
  ['pageNumber=um', '/query/pageNumber invalid_format'],
  ['pageSize=101', '/query/pageSize too_big'],
  ['pageSize=0', '/query/pageSize too_small'],
])('pages: ?%s', async (query, fault) => {
  const { listaId } = await book.list();
  for (const path of ['ListarListasDeContactos', `ObterListaDeContactosPorId/${listaId}`]) {
    const reply = await book.call(`${path}?${query}`);
    expect([reply.status, faultsOf(reply)]).toEqual([400, [fault]]);
  }
});

test('a refusal leaves the key free', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const [{ listaId }, { contactoId }] = [await book.list(), await book.contact()];
  expect((await book.add(listaId, randomUUID(), headers)).status).toBe(404);
  expect((await book.add(listaId, contactoId, headers)).status).toBe(200);
});
