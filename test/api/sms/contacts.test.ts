// SMS contacts: made, changed, found by number and by name, deleted; and what is known of who wants no messages.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findNames } from '../../../server/sms/contacts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { findOrphans, openBook, optOut, type Book } from '../../support/sms-contacts.ts';

let app: TestApp;
let book: Book;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  book = await openBook(app);
});

const PHONE = '+244923456789';
const withKey = () => ({ 'idempotency-key': randomUUID() });
const read = async (id: string) => (await book.call(`ObterContactoPorId/${id}`)).json;
const replace = (id: string, body: unknown, headers = {}) =>
  book.call(`AtualizarContacto/${id}`, { method: 'PUT', body, headers });
const remove = (id: string, headers = {}) => book.call(`DeletarContacto/${id}`, { method: 'DELETE', headers });
const list = async (query: Record<string, string> = {}) => {
  const { status, json, text } = await book.call(`ListarContactos?${new URLSearchParams(query)}`);
  expect(status, text).toBe(200);
  return json;
};
const namesOf = ({ data }: any) => data.map(({ nome }: any) => nome);

describe('making one', () => {
  test('answers it, and it is there', async () => {
    const body = { nome: 'Ana Paulo', telefone: '923 456 789', grupo: 'ignored' };
    const reply = await book.call('CadastrarContacto', { body });
    const { contactoId } = reply.json;
    const made = { contactoId: expect.stringMatching(/^[0-9a-f-]{36}$/), nome: 'Ana Paulo', telefone: PHONE };
    expect([reply.status, reply.json]).toEqual([201, { ...made, recusaSms: false }]);
    const found = await book.call(`ObterContactoPorId/${contactoId}`);
    expect([found.status, found.json]).toEqual([200, reply.json]);
    expect(await read(contactoId.toUpperCase())).toEqual(reply.json);
    const [row] = await app.sql('select * from sms_contacts where id = $1', [contactoId]);
    expect(row).toMatchObject({ merchant_id: book.merchantId, name: 'Ana Paulo', phone: PHONE });
    expect([new Date(row.created_at), new Date(row.updated_at)]).toEqual([app.clock.now(), app.clock.now()]);
  });

  test.each(['923456789', ' 923 456 789', '+244923456789', '+244 923 456 789', '00244923456789', '244923456789'])(
    'the number may be written %j',
    async (telefone) => expect((await book.contact('Ana', telefone)).telefone).toBe(PHONE),
  );

  test.each([
    ['  Ana Paulo ', 'Ana Paulo'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['Joa\u0303o 😀', 'Jo\u00e3o 😀'],
    ["'; drop table sms_contacts --", "'; drop table sms_contacts --"],
  ])('the name %j', async (nome, kept) => {
    const made = await book.contact(nome);
    expect([made.nome, (await read(made.contactoId)).nome]).toEqual([kept, kept]);
  });

  test('several may have one number', async () => {
    const [one, two] = [await book.contact('Ana'), await book.contact('Ana')];
    expect(one.contactoId).not.toBe(two.contactoId);
    expect((await list()).totalItems).toBe(2);
  });

  test('under a key: once', async () => {
    const options = { body: { nome: 'Ana', telefone: '923456789' }, headers: withKey() };
    const [first, again] = [
      await book.call('CadastrarContacto', options),
      await book.call('CadastrarContacto', options),
    ];
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await list()).totalItems).toBe(1);
    const other = { ...options, body: { nome: 'Rui', telefone: '923456789' } };
    expect((await book.call('CadastrarContacto', other)).status).toBe(422);
  });
});

describe('changing one', () => {
  test('changes both fields, and no other contact', async () => {
    const [{ contactoId }, other] = [await book.contact('Ana'), await book.contact('Rui')];
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

  test('under a key: once', async () => {
    const { contactoId } = await book.contact('Ana');
    const headers = withKey();
    const first = await replace(contactoId, { nome: 'B', telefone: '923456789' }, headers);
    await replace(contactoId, { nome: 'C', telefone: '923456789' });
    const again = await replace(contactoId, { nome: 'B', telefone: '923456789' }, headers);
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([200, first.text, 'true']);
    expect((await read(contactoId)).nome).toBe('C');
  });
});

describe('the list', () => {
  test('has the newest first, in pages, and only one’s own', async () => {
    const stranger = await openBook(app);
    await stranger.contact('Alheio');
    // Two at each moment.
    for (let nth = 0; nth < 5; nth++) {
      if (nth % 2 === 0) await app.clock.advance(1_000);
      await book.contact(`C${nth}`);
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

  test('is by time, whatever the ids', async () => {
    await app.sql(`insert into sms_contacts values ($1, $2, 'Antigo', '+244923456789', $3, $3)`, [
      `f${randomUUID().slice(1)}`,
      book.merchantId,
      app.clock.now(),
    ]);
    await app.clock.advance(1_000);
    await book.contact('Novo');
    expect(namesOf(await list())).toEqual(['Novo', 'Antigo']);
  });

  test('of nobody is empty', async () => {
    expect(await list()).toEqual({ data: [], pageNumber: 1, pageSize: 20, totalPages: 0, totalItems: 0 });
  });

  test('by number, however it is written', async () => {
    const made = [await book.contact('Ana', '923456789'), await book.contact('Rui', '923456789')];
    await book.contact('Eva', '923456780');
    await (await openBook(app)).contact('Alheio', '923456789');
    for (const telefone of ['923456789', '+244 923 456 789', '00244923456789', '244923456789']) {
      expect(await list({ telefone })).toMatchObject({ data: made.toReversed(), totalItems: 2 });
    }
    // A plus that nobody escaped is a space.
    expect((await book.call('ListarContactos?telefone=+244923456789')).json.totalItems).toBe(2);
    expect(await list({ telefone: '911111111' })).toMatchObject({ data: [], totalItems: 0 });
  });

  test.each([
    ['ana', ['Joana', 'Ana Paulo']],
    ['ANA P', ['Ana Paulo']],
    ['ÂNG', ['ângelo']],
    ['a\u0302NGELO', ['ângelo']],
    ['%', ['100%_a']],
    ['_', ['100%_a']],
    ['_a', ['100%_a']],
    ['n_', []],
    ["'", ["d'Ávila"]],
    ['\\', ['\\n']],
    ['zzz', []],
  ])('by name, with %j in it', async (nome, found) => {
    for (const name of ['Ana Paulo', 'Joana', 'ângelo', '100%_a', "d'Ávila", '\\n']) await book.contact(name);
    const page = await list({ nome });
    expect([namesOf(page), page.totalItems]).toEqual([found, found.length]);
  });

  test('by both, page by page', async () => {
    for (const [name, phone] of [
      ['Ana', '911111111'],
      ['Ana Rita', '922222222'],
      ['Rui', '922222222'],
      ['Joana', '922222222'],
    ])
      await book.contact(name, phone);
    const query = { telefone: '922222222', nome: 'ana', pageSize: '1' };
    expect(namesOf(await list(query))).toEqual(['Joana']);
    const second = await list({ ...query, pageNumber: '2' });
    expect(second).toMatchObject({ pageNumber: 2, totalPages: 2, totalItems: 2 });
    expect(namesOf(second)).toEqual(['Ana Rita']);
  });
});

describe('who wants no more messages', () => {
  test('is told wherever the contact is shown, by number', async () => {
    const [before, other] = [await book.contact('Ana'), await book.contact('Eva', '911111111')];
    expect(before.recusaSms).toBe(false);
    await optOut(app, book.merchantId, PHONE);
    const after = await book.contact('Rui');
    expect(after.recusaSms).toBe(true);
    expect(await read(before.contactoId)).toEqual({ ...before, recusaSms: true });
    expect((await list()).data.map(({ recusaSms }: any) => recusaSms)).toEqual([true, false, true]);
    const moved = await replace(other.contactoId, { nome: 'Eva', telefone: PHONE });
    expect(moved.json.recusaSms).toBe(true);
    const away = await replace(other.contactoId, { nome: 'Eva', telefone: '911111111' });
    expect(away.json.recusaSms).toBe(false);
    const { listaId } = await book.list('L', [before.contactoId, other.contactoId]);
    const { contactos } = await book.show(listaId);
    const told = contactos.data.map(({ contactoId, recusaSms }: any) => [contactoId, recusaSms]);
    expect(new Map(told)).toEqual(
      new Map([
        [before.contactoId, true],
        [other.contactoId, false],
      ]),
    );
  });

  test('of another merchant is not known here', async () => {
    await optOut(app, (await openBook(app)).merchantId, PHONE);
    expect((await book.contact()).recusaSms).toBe(false);
  });
});

describe('deleting one', () => {
  test('it is gone, from every list too; other contacts stay', async () => {
    const [gone, stays] = [await book.contact('Ana'), await book.contact('Rui')];
    const both = [gone.contactoId, stays.contactoId];
    const lists = [await book.list('A', both), await book.list('B', [gone.contactoId]), await book.list('C', both)];
    const reply = await remove(gone.contactoId);
    expect([reply.status, reply.json]).toEqual([200, { success: true, message: 'Contacto eliminado.' }]);
    for (const again of [await remove(gone.contactoId), await book.call(`ObterContactoPorId/${gone.contactoId}`)])
      expect([again.status, again.json.code]).toEqual([404, 'not_found']);
    expect(namesOf(await list())).toEqual(['Rui']);
    const shown = await Promise.all(lists.map(({ listaId }) => book.show(listaId)));
    expect(shown.map(({ totalContactos }) => totalContactos)).toEqual([1, 0, 1]);
    expect(shown.map(({ contactos }) => namesOf(contactos))).toEqual([['Rui'], [], ['Rui']]);
    expect(await findOrphans(app)).toEqual([]);
  });

  test('that somebody there wants no more messages is not forgotten', async () => {
    await optOut(app, book.merchantId, PHONE);
    await remove((await book.contact()).contactoId);
    expect((await book.contact('Outra vez')).recusaSms).toBe(true);
  });

  test('under a key: once, and told again', async () => {
    const { contactoId } = await book.contact();
    const headers = withKey();
    const [first, again] = [await remove(contactoId, headers), await remove(contactoId, headers)];
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([200, first.text, 'true']);
  });
});

describe('the name of a number', () => {
  test('is that of the contact changed last, each merchant’s own', async () => {
    const first = await book.contact('Ana', '911111111');
    await book.contact('Rui', '922222222');
    await app.clock.advance(1_000);
    await book.contact('Ana nova', '911111111');
    await (await openBook(app)).contact('Alheio', '933333333');
    const phones = ['+244911111111', '+244922222222', '+244933333333'];
    const find = () => findNames(app.node.core, book.merchantId, phones);
    expect(await find()).toEqual(
      new Map([
        ['+244911111111', 'Ana nova'],
        ['+244922222222', 'Rui'],
      ]),
    );
    await app.clock.advance(1_000);
    await replace(first.contactoId, { nome: 'Ana antiga', telefone: '911111111' });
    expect((await find()).get('+244911111111')).toBe('Ana antiga');
    expect(await findNames(app.node.core, book.merchantId, [])).toEqual(new Map());
  });

  test('of two made at one moment is that of the later one', async () => {
    for (const name of ['Ana', 'Rui']) await book.contact(name);
    expect(await findNames(app.node.core, book.merchantId, [PHONE])).toEqual(new Map([[PHONE, 'Rui']]));
  });
});
