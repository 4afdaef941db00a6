// Contact lists refused: ids of nothing by their places, lists that are full, and whatever is another merchant's.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openBook, type Book } from '../../support/sms-contacts.ts';

let app: TestApp;
let book: Book;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  book = await openBook(app);
});

const make = (body: unknown) => book.call('CriarListaDeContactos', { body });
const total = async () => (await book.call('ListarListasDeContactos')).json.totalItems;
const message = 'is the id of nothing of yours';

describe('making one', () => {
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

test('a contact is no list: it is neither found nor deleted as one', async () => {
  const { contactoId } = await book.contact();
  for (const [method, path] of [
    ['GET', 'ObterListaDeContactosPorId'],
    ['DELETE', 'DeletarListaDeContactos'],
  ] as const)
    expect((await book.call(`${path}/${contactoId}`, { method })).status).toBe(404);
  expect((await book.call(`ObterContactoPorId/${contactoId}`)).status).toBe(200);
});

test('a refusal leaves the key free', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const [{ listaId }, { contactoId }] = [await book.list(), await book.contact()];
  expect((await book.add(listaId, randomUUID(), headers)).status).toBe(404);
  expect((await book.add(listaId, contactoId, headers)).status).toBe(200);
});
