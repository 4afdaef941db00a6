import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findNames } from '../../../server/sms/contacts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { findOrphans, openContactFixture, optOut, type ContactFixture } from '../../support/sms.ts';
import { randomUUID } from 'node:crypto';
import { findListContacts } from '../../../server/sms/list-contacts.ts';

let app: TestApp;
let fixture: ContactFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  fixture = await openContactFixture(app);
});

const PHONE = '+244923456789';
const read = async (id: string) => (await fixture.call(`ObterContactoPorId/${id}`)).json;
const replace = (id: string, body: unknown, headers = {}) =>
  fixture.call(`AtualizarContacto/${id}`, { method: 'PUT', body, headers });
const remove = (id: string, headers = {}) => fixture.call(`DeletarContacto/${id}`, { method: 'DELETE', headers });
const list = async (query: Record<string, string> = {}) => {
  const { status, json, text } = await fixture.call(`ListarContactos?${new URLSearchParams(query)}`);
  expect(status, text).toBe(200);
  return json;
};
const namesOf = ({ data }: any) => data.map(({ nome }: any) => nome);

describe('POST CadastrarContacto', () => {
  test('returns the stored contact', async () => {
    const body = { nome: 'Ana Paulo', telefone: '923 456 789', grupo: 'ignored' };
    const reply = await fixture.call('CadastrarContacto', { body });
    const { contactoId } = reply.json;
    const made = { contactoId: expect.stringMatching(/^[0-9a-f-]{36}$/), nome: 'Ana Paulo', telefone: PHONE };
    expect([reply.status, reply.json]).toEqual([201, { ...made, recusaSms: false }]);
    const found = await fixture.call(`ObterContactoPorId/${contactoId}`);
    expect([found.status, found.json]).toEqual([200, reply.json]);
    expect(await read(contactoId.toUpperCase())).toEqual(reply.json);
    const [row] = await app.sql('select * from sms_contacts where id = $1', [contactoId]);
    expect(row).toMatchObject({ merchant_id: fixture.merchantId, name: 'Ana Paulo', phone: PHONE });
    expect([new Date(row.created_at), new Date(row.updated_at)]).toEqual([app.clock.now(), app.clock.now()]);
  });

  test.each([
    ['  Ana Paulo ', 'Ana Paulo'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['Joa\u0303o 😀', 'Jo\u00e3o 😀'],
    ["'; drop table sms_contacts --", "'; drop table sms_contacts --"],
  ])('stores the name %j', async (nome, kept) => {
    const made = await fixture.contact(nome);
    expect([made.nome, (await read(made.contactoId)).nome]).toEqual([kept, kept]);
  });
});

describe('PUT AtualizarContacto', () => {
  test('changes number and name of one contact only', async () => {
    const [{ contactoId }, other] = [await fixture.contact('Ana'), await fixture.contact('Rui')];
    await app.clock.advance(1_000);
    const reply = await replace(contactoId, { nome: 'Ana Maria', telefone: '00244 911 111 111' });
    const changed = { contactoId, nome: 'Ana Maria', telefone: '+244911111111', recusaSms: false };
    expect([reply.status, reply.json]).toEqual([200, changed]);
    expect(await read(contactoId)).toEqual(changed);
    expect(await read(other.contactoId)).toEqual(other);
    const [row] = await app.sql('select created_at, updated_at from sms_contacts where id = $1', [contactoId]);
    expect(Date.parse(row.updated_at) - Date.parse(row.created_at)).toBe(1_000);
    expect(namesOf(await list())).toEqual(['Rui', 'Ana Maria']);
  });
});

describe('GET ListarContactos', () => {
  test('returns only the merchant’s own contacts, in pages, the newest first', async () => {
    const stranger = await openContactFixture(app);
    await stranger.contact('Alheio');
    // Two contacts have the same creation time.
    for (let nth = 0; nth < 5; nth++) {
      if (nth % 2 === 0) await app.clock.advance(1_000);
      await fixture.contact(`C${nth}`);
    }
    const pages = [];
    for (const pageNumber of [1, 2, 3]) {
      const page = await list({ pageNumber: `${pageNumber}`, pageSize: '2' });
      expect(page).toMatchObject({ pageNumber, pageSize: 2, totalPages: 3, totalItems: 5 });
      pages.push(namesOf(page));
    }
    expect(pages).toEqual([['C4', 'C3'], ['C2', 'C1'], ['C0']]);
    expect(await list({ pageNumber: '4', pageSize: '2' })).toMatchObject({ data: [], totalItems: 5 });
    expect(await list()).toMatchObject({ pageNumber: 1, pageSize: 20, totalPages: 1 });
    expect(namesOf(await stranger.call('ListarContactos').then(({ json }) => json))).toEqual(['Alheio']);
  });

  test('returns an empty page for a merchant without contacts', async () => {
    expect(await list()).toEqual({ data: [], pageNumber: 1, pageSize: 20, totalPages: 0, totalItems: 0 });
  });

  test('filters by a phone number in any spelling', async () => {
    const made = [await fixture.contact('Ana', '923456789'), await fixture.contact('Rui', '923456789')];
    await fixture.contact('Eva', '923456780');
    await (await openContactFixture(app)).contact('Alheio', '923456789');
    for (const telefone of ['923456789', '+244 923 456 789', '00244923456789', '244923456789']) {
      expect(await list({ telefone })).toMatchObject({ data: made.toReversed(), totalItems: 2 });
    }
    // In a query string, a plus that is not escaped means a space.
    expect((await fixture.call('ListarContactos?telefone=+244923456789')).json.totalItems).toBe(2);
    expect(await list({ telefone: '911111111' })).toMatchObject({ data: [], totalItems: 0 });
  });

  test('filters by a name in any letter case, and takes wildcards literally', async () => {
    for (const name of ['Ana Paulo', 'Joana', 'ângelo', '100%_a', "d'Ávila", '\\n']) await fixture.contact(name);
    const cases: [query: string, names: string[]][] = [
      ['ana', ['Joana', 'Ana Paulo']],
      ['ANA P', ['Ana Paulo']],
      ['ÂNG', ['ângelo']],
      ['a\u0302NGELO', ['ângelo']],
      ['%', ['100%_a']],
      ['_a', ['100%_a']],
      ['n_', []],
      ["'", ["d'Ávila"]],
      ['\\', ['\\n']],
    ];
    for (const [nome, names] of cases) {
      const page = await list({ nome });
      expect([nome, namesOf(page), page.totalItems]).toEqual([nome, names, names.length]);
    }
  });

  test('combines the filters by number and by name with pages', async () => {
    for (const [name, phone] of [
      ['Ana', '911111111'],
      ['Ana Rita', '922222222'],
      ['Rui', '922222222'],
      ['Joana', '922222222'],
    ])
      await fixture.contact(name, phone);
    const query = { telefone: '922222222', nome: 'ana', pageSize: '1' };
    expect(namesOf(await list(query))).toEqual(['Joana']);
    const second = await list({ ...query, pageNumber: '2' });
    expect(second).toMatchObject({ pageNumber: 2, totalPages: 2, totalItems: 2 });
    expect(namesOf(second)).toEqual(['Ana Rita']);
  });
});

describe('the field recusaSms of a contact', () => {
  test('is true for each contact whose number opted out', async () => {
    const [before, other] = [await fixture.contact('Ana'), await fixture.contact('Eva', '911111111')];
    expect(before.recusaSms).toBe(false);
    await optOut(app, fixture.merchantId, PHONE);
    const after = await fixture.contact('Rui');
    expect(after.recusaSms).toBe(true);
    expect(await read(before.contactoId)).toEqual({ ...before, recusaSms: true });
    expect((await list()).data.map(({ recusaSms }: any) => recusaSms)).toEqual([true, false, true]);
    const moved = await replace(other.contactoId, { nome: 'Eva', telefone: PHONE });
    expect(moved.json.recusaSms).toBe(true);
    const away = await replace(other.contactoId, { nome: 'Eva', telefone: '911111111' });
    expect(away.json.recusaSms).toBe(false);
    const { listaId } = await fixture.list('L', [before.contactoId, other.contactoId]);
    const { contactos } = await fixture.show(listaId);
    const optOuts = contactos.data.map(({ contactoId, recusaSms }: any) => [contactoId, recusaSms]);
    expect(new Map(optOuts)).toEqual(
      new Map([
        [before.contactoId, true],
        [other.contactoId, false],
      ]),
    );
  });

  test('does not depend on opt-outs at another merchant', async () => {
    await optOut(app, (await openContactFixture(app)).merchantId, PHONE);
    expect((await fixture.contact()).recusaSms).toBe(false);
  });
});

describe('DELETE DeletarContacto', () => {
  test('removes the contact also from every contact list', async () => {
    const [gone, stays] = [await fixture.contact('Ana'), await fixture.contact('Rui')];
    const both = [gone.contactoId, stays.contactoId];
    const lists = [
      await fixture.list('A', both),
      await fixture.list('B', [gone.contactoId]),
      await fixture.list('C', both),
    ];
    const reply = await remove(gone.contactoId);
    expect([reply.status, reply.json]).toEqual([200, { success: true, message: 'Contacto eliminado.' }]);
    for (const again of [await remove(gone.contactoId), await fixture.call(`ObterContactoPorId/${gone.contactoId}`)])
      expect([again.status, again.json.code]).toEqual([404, 'not_found']);
    expect(namesOf(await list())).toEqual(['Rui']);
    const shown = await Promise.all(lists.map(({ listaId }) => fixture.show(listaId)));
    expect(shown.map(({ totalContactos }) => totalContactos)).toEqual([1, 0, 1]);
    expect(shown.map(({ contactos }) => namesOf(contactos))).toEqual([['Rui'], [], ['Rui']]);
    expect(await findOrphans(app)).toEqual([]);
  });

  test("keeps the opt-out of the contact's number", async () => {
    await optOut(app, fixture.merchantId, PHONE);
    await remove((await fixture.contact()).contactoId);
    expect((await fixture.contact('Outra vez')).recusaSms).toBe(true);
  });
});

describe('findNames', () => {
  test('returns per merchant the name of the contact that was changed last', async () => {
    const first = await fixture.contact('Ana', '911111111');
    await fixture.contact('Rui', '922222222');
    await app.clock.advance(1_000);
    await fixture.contact('Ana nova', '911111111');
    await (await openContactFixture(app)).contact('Alheio', '933333333');
    const phones = ['+244911111111', '+244922222222', '+244933333333'];
    const find = () => findNames(app.node.core, fixture.merchantId, phones);
    expect(await find()).toEqual(
      new Map([
        ['+244911111111', 'Ana nova'],
        ['+244922222222', 'Rui'],
      ]),
    );
    await app.clock.advance(1_000);
    await replace(first.contactoId, { nome: 'Ana antiga', telefone: '911111111' });
    expect((await find()).get('+244911111111')).toBe('Ana antiga');
    expect(await findNames(app.node.core, fixture.merchantId, [])).toEqual(new Map());
  });

  test('returns the name of the later of two contacts that were created at the same time', async () => {
    for (const name of ['Ana', 'Rui']) await fixture.contact(name);
    expect(await findNames(app.node.core, fixture.merchantId, [PHONE])).toEqual(new Map([[PHONE, 'Rui']]));
  });
});

const now = () => app.clock.now().toISOString();
const makeList = (body: unknown, headers = {}) => fixture.call('CriarListaDeContactos', { body, headers });
const removeList = (id: string, headers = {}) =>
  fixture.call(`DeletarListaDeContactos/${id}`, { method: 'DELETE', headers });
const listLists = async (query = '') => (await fixture.call(`ListarListasDeContactos${query}`)).json;
const idsOf = ({ data }: any): string[] => data.map(({ contactoId }: any) => contactoId);
const membersOf = async (id: string) => idsOf((await fixture.show(id)).contactos);

async function makeContacts(...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await fixture.contact(name)).contactoId);
  return ids;
}

describe('POST CriarListaDeContactos', () => {
  test.each([{}, { contactoIds: null }, { contactoIds: [] }])(
    'creates an empty contact list with the name %j',
    async (body) => {
      const reply = await makeList({ nome: ' Clientes ', ...body });
      const { listaId } = reply.json;
      expect(listaId).toMatch(/^[0-9a-f-]{36}$/);
      const made = { listaId, nome: 'Clientes', totalContactos: 0, criadoEm: now() };
      expect([reply.status, reply.json]).toEqual([201, made]);
      const contactos = { data: [], pageNumber: 1, pageSize: 20, totalPages: 0, totalItems: 0 };
      const shown = await fixture.call(`ObterListaDeContactosPorId/${listaId}`);
      expect([shown.status, shown.json]).toEqual([200, { ...made, contactos }]);
    },
  );

  test('adds a contact once although the request repeats its id', async () => {
    const [one, two, three] = (await makeContacts('A', 'B', 'C')) as [string, string, string];
    const reply = await makeList({ nome: 'L', contactoIds: [two, one, two, one.toUpperCase()] });
    expect([reply.status, reply.json.totalContactos]).toEqual([201, 2]);
    const members = await membersOf(reply.json.listaId);
    expect(members.toSorted()).toEqual([one, two].toSorted());
    expect(members).not.toContain(three);
  });

  test('accepts a thousand contacts', async () => {
    const ids = await fixture.contacts(1_000);
    const { listaId, totalContactos } = await fixture.list('Todos', [...ids, ...ids.map((id) => id.toUpperCase())]);
    expect(totalContactos).toBe(1_000);
    expect((await fixture.show(listaId)).contactos).toMatchObject({ totalItems: 1_000, totalPages: 10 });
  });

  test('returns 404 with the index of each unknown contact id', async () => {
    const [own, stranger] = [(await fixture.contact()).contactoId, await openContactFixture(app)];
    const { contactoId: alien } = await stranger.contact();
    const gone = (await fixture.contact()).contactoId;
    await fixture.call(`DeletarContacto/${gone}`, { method: 'DELETE' });
    const { listaId } = await fixture.list('Não é contacto');
    const unknown = randomUUID();
    const contactoIds = [own, unknown, alien, own, 'abc', gone, '', unknown, listaId];
    const reply = await makeList({ nome: 'L', contactoIds });
    expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
    const places = [1, 2, 4, 5, 6, 7, 8];
    expect(reply.json.errors).toEqual(
      places.map((nth) => ({ pointer: `/contactoIds/${nth}`, code: 'unknown_id', message })),
    );
    expect((await listLists()).totalItems).toBe(1);
  });
});

describe('GET ListarListasDeContactos', () => {
  test('returns only the merchant’s own contact lists with their sizes, in pages, the newest first', async () => {
    await (await openContactFixture(app)).list('Alheia');
    const ids = await makeContacts('A', 'B', 'C');
    const made = [];
    for (let nth = 0; nth < 4; nth++) {
      // Two contact lists have the same creation time.
      if (nth % 2 === 0) await app.clock.advance(1_000);
      made.push(await fixture.list(`L${nth}`, ids.slice(0, nth)));
    }
    const [l0, l1, l2, l3] = made;
    expect(made.map(({ totalContactos }) => totalContactos)).toEqual([0, 1, 2, 3]);
    const about = { pageSize: 3, totalPages: 2, totalItems: 4 };
    expect(await listLists('?pageSize=3')).toEqual({ data: [l3, l2, l1], pageNumber: 1, ...about });
    expect(await listLists('?pageSize=3&pageNumber=2')).toEqual({ data: [l0], pageNumber: 2, ...about });
    expect(await listLists()).toMatchObject({ pageNumber: 1, pageSize: 20 });
  });
});

describe('GET ObterListaDeContactosPorId', () => {
  test('returns the contacts of the list in pages, the last added first', async () => {
    const ids = (await makeContacts('A', 'B', 'C', 'D')) as [string, string, string, string];
    const [a, b, c, d] = ids;
    const { listaId } = await fixture.list('L', [c]);
    for (const id of [a, d]) {
      await app.clock.advance(1_000);
      await fixture.add(listaId, id);
    }
    const other = await fixture.list('M', [b]);
    const page = async (query: string) => (await fixture.call(`ObterListaDeContactosPorId/${listaId}?${query}`)).json;
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

  test('sorts contacts that were added at the same time by id', async () => {
    const ids = await makeContacts('A', 'B', 'C');
    const { listaId } = await fixture.list('L', ids);
    expect(await membersOf(listaId)).toEqual(ids.toSorted().toReversed());
  });
});

describe('POST AdicionarContactoALista', () => {
  test('adds a contact once although the request is repeated', async () => {
    const [one, two] = (await makeContacts('A', 'B')) as [string, string];
    const { listaId } = await fixture.list('L', [one]);
    await app.clock.advance(1_000);
    const reply = await fixture.add(listaId, two);
    expect([reply.status, reply.json]).toEqual([200, { success: true, message: 'Contacto adicionado à lista.' }]);
    await app.clock.advance(1_000);
    const again = await fixture.add(listaId.toUpperCase(), one.toUpperCase());
    expect([again.status, again.json]).toEqual([200, { success: true, message: 'O contacto já estava na lista.' }]);
    expect(await membersOf(listaId)).toEqual([two, one]);
    expect((await listLists()).data[0].totalContactos).toBe(2);
  });

  test('returns 404 for each unknown id', async () => {
    const stranger = await openContactFixture(app);
    const [wrongList, wrongContact] = [(await stranger.list()).listaId, (await stranger.contact()).contactoId];
    const [{ listaId }, { contactoId }] = [await fixture.list('L'), await fixture.contact('C')];
    for (const [listLists, contact, pointers] of [
      [randomUUID(), 'abc', ['/listaId', '/contactoId']],
      [wrongList, wrongContact, ['/listaId', '/contactoId']],
      [contactoId, listaId, ['/listaId', '/contactoId']],
      [wrongList, contactoId, ['/listaId']],
      [listaId, wrongContact, ['/contactoId']],
    ] as const) {
      const reply = await fixture.add(listLists, contact);
      expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
      expect(reply.json.errors).toEqual(pointers.map((pointer) => ({ pointer, code: 'unknown_id', message })));
    }
    expect([await membersOf(listaId), (await stranger.show(wrongList)).totalContactos]).toEqual([[], 0]);
  });

  test('returns 409 for a full contact list until a contact is removed from it', async () => {
    const ids = (await fixture.contacts(1_001)) as [string, ...string[]];
    const last = ids.pop() as string;
    const { listaId } = await fixture.list('Cheia', ids);
    const refused = await fixture.add(listaId, last);
    expect([refused.status, refused.json.code]).toEqual([409, 'sms_list_full']);
    const there = await fixture.add(listaId, ids[0]);
    expect([there.status, there.json.message]).toEqual([200, 'O contacto já estava na lista.']);
    expect((await fixture.show(listaId)).totalContactos).toBe(1_000);
    expect((await fixture.remove(listaId, ids[0])).status).toBe(200);
    expect((await fixture.add(listaId, last)).status).toBe(200);
    expect((await fixture.add(listaId, ids[0])).json.code).toBe('sms_list_full');
    expect((await fixture.show(listaId)).totalContactos).toBe(1_000);
  });
});

describe('DELETE RemoverContactoDaLista', () => {
  test('removes the contact from this contact list only', async () => {
    const [one, two] = (await makeContacts('A', 'B')) as [string, string];
    const [{ listaId }, other] = [await fixture.list('L', [one, two]), await fixture.list('M', [one])];
    const reply = await fixture.remove(listaId, one);
    expect([reply.status, reply.json]).toEqual([200, { success: true, message: 'Contacto retirado da lista.' }]);
    expect(await membersOf(listaId)).toEqual([two]);
    expect(await membersOf(other.listaId)).toEqual([one]);
    expect((await fixture.call(`ObterContactoPorId/${one}`)).status).toBe(200);
    expect((await fixture.add(listaId, one)).json.message).toBe('Contacto adicionado à lista.');
  });

  test('returns 404 for a contact that is not on the contact list', async () => {
    const [{ contactoId }, other] = [await fixture.contact('A'), await fixture.contact('B')];
    const [{ listaId }, empty] = [await fixture.list('L', [contactoId]), await fixture.list('M')];
    for (const [listLists, contact] of [
      [listaId, other.contactoId],
      [empty.listaId, contactoId],
      [listaId, randomUUID()],
      [contactoId, listaId],
      ['abc', contactoId],
    ]) {
      const reply = await fixture.remove(listLists, contact);
      expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
    }
    expect((await fixture.show(listaId)).totalContactos).toBe(1);
  });
});

describe('DELETE DeletarListaDeContactos', () => {
  test('deletes the contact list and keeps its contacts', async () => {
    const [id] = (await makeContacts('A')) as [string];
    const [{ listaId }, other] = [await fixture.list('L', [id]), await fixture.list('M', [id])];
    const reply = await removeList(listaId);
    const message = 'Lista eliminada. Os contactos ficam.';
    expect([reply.status, reply.json]).toEqual([200, { success: true, message }]);
    for (const again of [await removeList(listaId), await fixture.call(`ObterListaDeContactosPorId/${listaId}`)])
      expect([again.status, again.json.code]).toEqual([404, 'not_found']);
    expect((await listLists()).data).toEqual([other]);
    expect(await membersOf(other.listaId)).toEqual([id]);
    expect((await fixture.call(`ObterContactoPorId/${id}`)).status).toBe(200);
    expect(await findOrphans(app)).toEqual([]);
  });
});

describe('findListContacts', () => {
  const find = (listId: string, merchantId = fixture.merchantId) => findListContacts(app.node.core, merchantId, listId);

  test('returns the contacts of a list in the order in which they were added', async () => {
    const { listaId } = await fixture.list();
    for (const [name, phone] of [
      ['C', '933333333'],
      ['A', '911111111'],
      ['B', '933333333'],
    ] as const) {
      await app.clock.advance(1_000);
      await fixture.add(listaId, (await fixture.contact(name, phone)).contactoId);
    }
    expect(await find(listaId)).toEqual([
      { name: 'C', phone: '+244933333333' },
      { name: 'A', phone: '+244911111111' },
      { name: 'B', phone: '+244933333333' },
    ]);
    expect(await find(listaId.toUpperCase())).toHaveLength(3);
  });

  test('returns no contacts for an empty list, and null for another merchant’s list', async () => {
    const { listaId } = await fixture.list();
    expect(await find(listaId)).toEqual([]);
    const stranger = await openContactFixture(app);
    expect(await find(listaId, stranger.merchantId)).toBeNull();
    for (const id of [randomUUID(), 'abc', '']) expect(await find(id)).toBeNull();
  });
});

const message = 'no such id';

const ANA = { nome: 'Ana Paulo', telefone: '923 456 789' };
const RUI = { nome: 'Rui', telefone: '+244912345678' };
const take = (contactos: object[], more: object = {}, headers = {}) =>
  fixture.call('ImportarContactos', { body: { contactos, ...more }, headers });
const count = async () => (await fixture.call('ListarContactos')).json.totalItems;

describe('POST ImportarContactos', () => {
  test('creates each new contact once', async () => {
    const first = await take([ANA, RUI, { ...ANA, telefone: '923456789' }]);
    expect([first.status, first.json]).toEqual([200, { criados: 2, existentes: 0, lista: null }]);
    const again = await take([ANA, { ...RUI, nome: 'Rui Paulo' }]);
    expect(again.json).toEqual({ criados: 1, existentes: 1, lista: null });
    expect(await count()).toBe(3);
  });

  test('adds the imported contacts to a new or an existing contact list', async () => {
    const made = await take([ANA], { novaLista: 'Da folha' });
    const { listaId } = made.json.lista;
    expect(made.json.lista).toMatchObject({ nome: 'Da folha', totalContactos: 1 });
    const more = await take([ANA, RUI], { listaId });
    expect(more.json).toMatchObject({ criados: 1, existentes: 1, lista: { listaId, totalContactos: 2 } });
    expect((await fixture.show(listaId)).contactos.data.map(({ nome }: any) => nome).toSorted()).toEqual([
      'Ana Paulo',
      'Rui',
    ]);
  });

  test('returns one 400 with all faults and imports no contact', async () => {
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
    expect([await count(), (await fixture.call('ListarListasDeContactos')).json.totalItems]).toEqual([0, 0]);
  });

  test.each([
    ['an empty list of contacts', [], {}, 400, '/contactos'],
    ['two lists', [ANA], { listaId: 'x', novaLista: 'y' }, 400, '/listaId'],
    ['an unknown list', [ANA], { listaId: '00000000-0000-4000-8000-000000000009' }, 404, '/listaId'],
  ])('refuses %s', async (_what, contactos, more, status, pointer) => {
    const reply = await take(contactos, more);
    expect([reply.status, reply.json.errors[0].pointer, await count()]).toEqual([status, pointer, 0]);
  });

  test('returns 409 if the contact list would have more than a thousand contacts', async () => {
    const { listaId } = await fixture.list('Cheia', await fixture.contacts(999));
    expect((await take([ANA, RUI], { listaId })).json.code).toBe('sms_list_full');
    expect(await count()).toBe(999);
    expect((await take([ANA], { listaId })).json.lista.totalContactos).toBe(1_000);
  });
});
