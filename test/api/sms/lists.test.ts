// Contact lists: made, filled, shown, emptied, deleted; their contacts stay.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findListContacts } from '../../../server/sms/list-contacts.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { findOrphans, openBook, type Book } from '../../support/sms-contacts.ts';

let app: TestApp;
let book: Book;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  book = await openBook(app);
});

const withKey = () => ({ 'idempotency-key': randomUUID() });
const now = () => app.clock.now().toISOString();
const make = (body: unknown, headers = {}) => book.call('CriarListaDeContactos', { body, headers });
const remove = (id: string, headers = {}) => book.call(`DeletarListaDeContactos/${id}`, { method: 'DELETE', headers });
const list = async (query = '') => (await book.call(`ListarListasDeContactos${query}`)).json;
const idsOf = ({ data }: any): string[] => data.map(({ contactoId }: any) => contactoId);
const membersOf = async (id: string) => idsOf((await book.show(id)).contactos);

/** The ids of new contacts, in this order. */
async function makeContacts(...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await book.contact(name)).contactoId);
  return ids;
}

/** The same answer again, marked so. */
function expectReplayed(again: Reply, first: Reply): void {
  const replayed = again.headers.get('idempotency-replayed');
  expect([again.status, again.text, replayed]).toEqual([first.status, first.text, 'true']);
}

describe('making one', () => {
  test.each([{}, { contactoIds: null }, { contactoIds: [] }])('empty: %j', async (body) => {
    const reply = await make({ nome: ' Clientes ', ...body });
    const { listaId } = reply.json;
    expect(listaId).toMatch(/^[0-9a-f-]{36}$/);
    const made = { listaId, nome: 'Clientes', totalContactos: 0, criadoEm: now() };
    expect([reply.status, reply.json]).toEqual([201, made]);
    const contactos = { data: [], pageNumber: 1, pageSize: 20, totalPages: 0, totalItems: 0 };
    const shown = await book.call(`ObterListaDeContactosPorId/${listaId}`);
    expect([shown.status, shown.json]).toEqual([200, { ...made, contactos }]);
  });

  test('with contacts, repeated ones once', async () => {
    const [one, two, three] = (await makeContacts('A', 'B', 'C')) as [string, string, string];
    const reply = await make({ nome: 'L', contactoIds: [two, one, two, one.toUpperCase()] });
    expect([reply.status, reply.json.totalContactos]).toEqual([201, 2]);
    const members = await membersOf(reply.json.listaId);
    expect(members.toSorted()).toEqual([one, two].toSorted());
    expect(members).not.toContain(three);
  });

  test('with a thousand, however often each is named', async () => {
    const ids = await book.contacts(1_000);
    const { listaId, totalContactos } = await book.list('Todos', [...ids, ...ids.map((id) => id.toUpperCase())]);
    expect(totalContactos).toBe(1_000);
    expect((await book.show(listaId)).contactos).toMatchObject({ totalItems: 1_000, totalPages: 10 });
  });

  test('two may have one name', async () => {
    const [one, two] = [await book.list('L'), await book.list('L')];
    expect(one.listaId).not.toBe(two.listaId);
  });

  test('under a key: once', async () => {
    const [id] = await makeContacts('A');
    const headers = withKey();
    const body = { nome: 'L', contactoIds: [id] };
    const first = await make(body, headers);
    expect(first.status).toBe(201);
    expectReplayed(await make(body, headers), first);
    expect((await list()).totalItems).toBe(1);
  });
});

describe('the lists', () => {
  test('newest first, in pages, each with how many are on it; only one’s own', async () => {
    await (await openBook(app)).list('Alheia');
    const ids = await makeContacts('A', 'B', 'C');
    const made = [];
    for (let nth = 0; nth < 4; nth++) {
      // Two at each moment.
      if (nth % 2 === 0) await app.clock.advance(1_000);
      made.push(await book.list(`L${nth}`, ids.slice(0, nth)));
    }
    const [l0, l1, l2, l3] = made;
    expect(made.map(({ totalContactos }) => totalContactos)).toEqual([0, 1, 2, 3]);
    const about = { pageSize: 3, totalPages: 2, totalItems: 4 };
    expect(await list('?pageSize=3')).toEqual({ data: [l3, l2, l1], pageNumber: 1, ...about });
    expect(await list('?pageSize=3&pageNumber=2')).toEqual({ data: [l0], pageNumber: 2, ...about });
    expect(await list()).toMatchObject({ pageNumber: 1, pageSize: 20 });
  });

  test('by time, whatever their ids', async () => {
    await app.sql(`insert into sms_lists values ($1, $2, 'Antiga', $3)`, [
      `f${randomUUID().slice(1)}`,
      book.merchantId,
      app.clock.now(),
    ]);
    await app.clock.advance(1_000);
    await book.list('Nova');
    expect((await list()).data.map(({ nome }: any) => nome)).toEqual(['Nova', 'Antiga']);
  });

  test('of nobody are none', async () => {
    expect(await list()).toEqual({ data: [], pageNumber: 1, pageSize: 20, totalPages: 0, totalItems: 0 });
  });
});

describe('one list', () => {
  test('shows its contacts by pages, added last first', async () => {
    const ids = (await makeContacts('A', 'B', 'C', 'D')) as [string, string, string, string];
    const [a, b, c, d] = ids;
    const { listaId } = await book.list('L', [c]);
    for (const id of [a, d]) {
      await app.clock.advance(1_000);
      await book.add(listaId, id);
    }
    const other = await book.list('M', [b]);
    const page = async (query: string) => (await book.call(`ObterListaDeContactosPorId/${listaId}?${query}`)).json;
    const first = await page('pageSize=2');
    const contact = { contactoId: d, nome: 'D', telefone: '+244923456789', recusaSms: false };
    expect(first.contactos.data[0]).toEqual(contact);
    expect([first.totalContactos, idsOf(first.contactos)]).toEqual([3, [d, a]]);
    expect(first.contactos).toMatchObject({ pageNumber: 1, pageSize: 2, totalPages: 2, totalItems: 3 });
    const second = await page('pageSize=2&pageNumber=2');
    expect([second.totalContactos, idsOf(second.contactos)]).toEqual([3, [c]]);
    expect(await membersOf(other.listaId)).toEqual([b]);
    expect(await membersOf(listaId.toUpperCase())).toEqual([d, a, c]);
  });

  test('contacts added at one moment are in one order', async () => {
    const ids = await makeContacts('A', 'B', 'C');
    const { listaId } = await book.list('L', ids);
    expect(await membersOf(listaId)).toEqual(ids.toSorted().toReversed());
  });
});

describe('putting a contact there', () => {
  test('once; again says so and changes nothing', async () => {
    const [one, two] = (await makeContacts('A', 'B')) as [string, string];
    const { listaId } = await book.list('L', [one]);
    await app.clock.advance(1_000);
    const reply = await book.add(listaId, two);
    expect([reply.status, reply.json]).toEqual([200, { success: true, message: 'Contacto adicionado à lista.' }]);
    await app.clock.advance(1_000);
    const again = await book.add(listaId.toUpperCase(), one.toUpperCase());
    expect([again.status, again.json]).toEqual([200, { success: true, message: 'O contacto já estava na lista.' }]);
    expect(await membersOf(listaId)).toEqual([two, one]);
    expect((await list()).data[0].totalContactos).toBe(2);
  });

  test('under a key: told as it was the first time', async () => {
    const [id] = (await makeContacts('A')) as [string];
    const { listaId } = await book.list();
    const headers = withKey();
    const first = await book.add(listaId, id, headers);
    await book.remove(listaId, id);
    expectReplayed(await book.add(listaId, id, headers), first);
    expect(await membersOf(listaId)).toEqual([]);
  });

  test('on several lists', async () => {
    const [id] = (await makeContacts('A')) as [string];
    const lists = [await book.list('L'), await book.list('M')];
    for (const { listaId } of lists) await book.add(listaId, id);
    for (const { listaId } of lists) expect(await membersOf(listaId)).toEqual([id]);
  });
});

describe('taking a contact off', () => {
  test('it leaves this list, and nothing else', async () => {
    const [one, two] = (await makeContacts('A', 'B')) as [string, string];
    const [{ listaId }, other] = [await book.list('L', [one, two]), await book.list('M', [one])];
    const reply = await book.remove(listaId, one);
    expect([reply.status, reply.json]).toEqual([200, { success: true, message: 'Contacto retirado da lista.' }]);
    expect(await membersOf(listaId)).toEqual([two]);
    expect(await membersOf(other.listaId)).toEqual([one]);
    expect((await book.call(`ObterContactoPorId/${one}`)).status).toBe(200);
    expect((await book.add(listaId, one)).json.message).toBe('Contacto adicionado à lista.');
  });

  test('under a key: once, and told again', async () => {
    const [id] = (await makeContacts('A')) as [string];
    const { listaId } = await book.list('L', [id]);
    const headers = withKey();
    const first = await book.remove(listaId, id, headers);
    expect(first.status).toBe(200);
    expectReplayed(await book.remove(listaId, id, headers), first);
  });
});

describe('deleting one', () => {
  test('it is gone; its contacts and other lists stay', async () => {
    const [id] = (await makeContacts('A')) as [string];
    const [{ listaId }, other] = [await book.list('L', [id]), await book.list('M', [id])];
    const reply = await remove(listaId);
    const message = 'Lista eliminada. Os contactos ficam.';
    expect([reply.status, reply.json]).toEqual([200, { success: true, message }]);
    for (const again of [await remove(listaId), await book.call(`ObterListaDeContactosPorId/${listaId}`)])
      expect([again.status, again.json.code]).toEqual([404, 'not_found']);
    expect((await list()).data).toEqual([other]);
    expect(await membersOf(other.listaId)).toEqual([id]);
    expect((await book.call(`ObterContactoPorId/${id}`)).status).toBe(200);
    expect(await findOrphans(app)).toEqual([]);
  });

  test('under a key: once, and told again', async () => {
    const { listaId } = await book.list();
    const headers = withKey();
    const first = await remove(listaId, headers);
    expect(first.status).toBe(200);
    expectReplayed(await remove(listaId, headers), first);
  });
});

describe('all contacts of a list, for a sending', () => {
  const find = (listId: string, merchantId = book.merchantId) => findListContacts(app.node.core, merchantId, listId);

  test('added first', async () => {
    const { listaId } = await book.list();
    for (const [name, phone] of [
      ['C', '933333333'],
      ['A', '911111111'],
      ['B', '933333333'],
    ] as const) {
      await app.clock.advance(1_000);
      await book.add(listaId, (await book.contact(name, phone)).contactoId);
    }
    expect(await find(listaId)).toEqual([
      { name: 'C', phone: '+244933333333' },
      { name: 'A', phone: '+244911111111' },
      { name: 'B', phone: '+244933333333' },
    ]);
    expect(await find(listaId.toUpperCase())).toHaveLength(3);
  });

  test('a thousand', async () => {
    const { listaId } = await book.list('Todos', await book.contacts(1_000));
    expect(new Set((await find(listaId))?.map(({ phone }) => phone)).size).toBe(1_000);
  });

  test('none of an empty list; no list, where none is this merchant’s', async () => {
    const { listaId } = await book.list();
    expect(await find(listaId)).toEqual([]);
    const stranger = await openBook(app);
    expect(await find(listaId, stranger.merchantId)).toBeNull();
    for (const id of [randomUUID(), 'abc', '']) expect(await find(id)).toBeNull();
  });
});
