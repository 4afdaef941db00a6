// Many contacts at once: all or none, each wrong one named, nobody made twice, and all on one list.
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

const ANA = { nome: 'Ana Paulo', telefone: '923 456 789' };
const RUI = { nome: 'Rui', telefone: '+244912345678' };
const take = (contactos: object[], more: object = {}, headers = {}) =>
  book.call('ImportarContactos', { body: { contactos, ...more }, headers });
const count = async () => (await book.call('ListarContactos')).json.totalItems;

describe('what is right', () => {
  test('is taken over, and nobody twice', async () => {
    const first = await take([ANA, RUI, { ...ANA, telefone: '923456789' }]);
    expect([first.status, first.json]).toEqual([200, { criados: 2, existentes: 0, lista: null }]);
    const again = await take([ANA, { ...RUI, nome: 'Rui Paulo' }]);
    expect(again.json).toEqual({ criados: 1, existentes: 1, lista: null });
    expect(await count()).toBe(3);
  });

  test('comes onto a new list, or one that is there', async () => {
    const made = await take([ANA], { novaLista: 'Da folha' });
    const { listaId } = made.json.lista;
    expect(made.json.lista).toMatchObject({ nome: 'Da folha', totalContactos: 1 });
    const more = await take([ANA, RUI], { listaId });
    expect(more.json).toMatchObject({ criados: 1, existentes: 1, lista: { listaId, totalContactos: 2 } });
    expect((await book.show(listaId)).contactos.data.map(({ nome }: any) => nome).toSorted()).toEqual([
      'Ana Paulo',
      'Rui',
    ]);
  });

  test('under a key: once', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await take([ANA], { novaLista: 'Uma' }, headers);
    expect((await take([ANA], { novaLista: 'Uma' }, headers)).text).toBe(first.text);
    expect((await book.call('ListarListasDeContactos')).json.totalItems).toBe(1);
  });
});

describe('what is wrong', () => {
  test('is named by its place, and nothing is taken over', async () => {
    const reply = await take([ANA, { nome: ' ', telefone: '12' }, RUI, { nome: 'X' }], { novaLista: 'Nenhuma' });
    const faults = reply.json.errors.map(({ pointer, code }: any) => [pointer, code]);
    expect([reply.status, faults]).toEqual([
      400,
      [
        ['/contactos/1/nome', 'too_short'],
        ['/contactos/1/telefone', 'invalid_phone'],
        ['/contactos/3/telefone', 'required'],
      ],
    ]);
    expect([await count(), (await book.call('ListarListasDeContactos')).json.totalItems]).toEqual([0, 0]);
  });

  test.each([
    ['nobody', [], {}, 400, '/contactos'],
    ['two lists', [ANA], { listaId: 'x', novaLista: 'y' }, 400, '/listaId'],
    ['no list of ours', [ANA], { listaId: '00000000-0000-4000-8000-000000000009' }, 404, '/listaId'],
  ])('%s', async (_what, contactos, more, status, pointer) => {
    const reply = await take(contactos, more);
    expect([reply.status, reply.json.errors[0].pointer, await count()]).toEqual([status, pointer, 0]);
  });

  test('another merchant’s list does not exist', async () => {
    const { listaId } = await (await openBook(app)).list();
    expect([(await take([ANA], { listaId })).status, await count()]).toEqual([404, 0]);
  });

  test('more than a list takes', async () => {
    const { listaId } = await book.list('Cheia', await book.contacts(999));
    expect((await take([ANA, RUI], { listaId })).json.code).toBe('sms_list_full');
    expect(await count()).toBe(999);
    expect((await take([ANA], { listaId })).json.lista.totalContactos).toBe(1_000);
  });
});
