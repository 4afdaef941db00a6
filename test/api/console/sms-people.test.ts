import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';

const { merchantId } = DEMO;
let app: TestApp;
let owner: Visit;
beforeAll(async () => {
  app = await startTestApp();
  owner = await enterConsole(app, await addMember(app, { merchantId }));
});

const SMS = '/console/sms';
const CONTACTS = `${SMS}/contacts`;
const countContacts = async () => (await app.call('/api/Contactos/ListarContactos')).json.totalItems as number;
const etagIn = (text: string) => /name="etag" value="([^"]+)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '';
const read = async (path: string) => (await app.call(path)).json;

describe('a table of contacts', () => {
  test('is imported in either column order, from text or file, into a new list', async () => {
    const before = await countContacts();
    const rows = 'Ana <i>Paulo</i>;923 100 001\r\n923100002\tRui\n"Zé",+244923100003';
    const { headers } = await owner.act(CONTACTS, 'smsImport', { rows, novaLista: 'Bairro' });
    const place = headers.get('location')!;
    expect(place).toMatch(/^\/console\/sms\/lists\/[\w-]{36}\?done=smsImport$/);
    const { text } = await owner.open(place);
    for (const shown of [
      'Ana &lt;i>Paulo&lt;/i>',
      '923 100 001',
      '>Rui<',
      '>Zé<',
      '3 pessoas',
      'Estão todos guardados.',
    ])
      expect(text).toContain(shown);
    expect(await countContacts()).toBe(before + 3);
  });

  test('with a wrong line is not imported, and names the line', async () => {
    const before = await countContacts();
    const rows = 'Ana;923100004\nRui;12\n923100005';
    const { status, text } = await owner.act(CONTACTS, 'smsImport', { rows });
    expect([status, await countContacts()]).toEqual([400, before]);
    expect(text).toMatch(/Linha 2<\/strong> “Rui;12” · número: Escreva os 9 algarismos/);
    expect(text).toMatch(/Linha 3<\/strong> “923100005” · nome: Preencha este campo/);
    expect(text).toContain('Rui;12\n923100005</textarea>');
    expect((await owner.act(CONTACTS, 'smsImport', { rows: ' ' })).text).toContain('Cole uma linha pelo menos.');
  });

  test('for a thousand rows fits into one form', async () => {
    const before = await countContacts();
    const rows = Array.from({ length: 1_000 }, (_, nth) => `João Conceição ${nth};${924_000_000 + nth}`).join('\n');
    expect((await owner.act(CONTACTS, 'smsImport', { rows, novaLista: 'Mil' })).status).toBe(303);
    expect(await countContacts()).toBe(before + 1_000);
    const more = await owner.act(CONTACTS, 'smsImport', { rows: `${rows}\nMais;925000000` });
    expect([more.status, more.text]).toEqual([400, expect.stringContaining('1000 de cada vez')]);
  });
});

describe('a contact', () => {
  test('is created, found, added to a list and deleted', async () => {
    expect((await owner.act(CONTACTS, 'smsContactCreate', { nome: '', telefone: '1' })).text).toContain(
      'id="smsContactCreate-telefone-error"',
    );
    expect((await owner.act(CONTACTS, 'smsContactCreate', { nome: 'Filomena', telefone: '923 100 021' })).status).toBe(
      303,
    );
    for (const q of ['filo', '923100021']) {
      const { text } = await owner.open(`${CONTACTS}?q=${q}`);
      expect(text).toContain('<strong>Filomena</strong>');
    }
    const [{ contactoId }] = (await read('/api/Contactos/ListarContactos?telefone=923100021')).data;
    const { json: list } = await app.call('/api/Contactos/CriarListaDeContactos', { body: { nome: 'Fiéis' } });
    const at = `${CONTACTS}/${contactoId}`;
    const put = await owner.act(at, 'smsContactList', { listaId: list.listaId });
    expect(put.headers.get('location')).toBe(`${at}?done=smsContactList`);
    const on = `${SMS}/lists/${list.listaId}`;
    expect((await owner.open(on)).text).toContain('Filomena');
    expect((await owner.act(on, 'smsListLeave', { contactoId })).status).toBe(303);
    expect((await owner.open(on)).text).toContain('Ainda não há ninguém nesta lista');
    expect((await owner.act(at, 'smsContactRemove')).headers.get('location')).toBe(`${CONTACTS}?done=smsContactRemove`);
    expect((await owner.open(at)).status).toBe(404);
  });
});

test.each([
  {
    what: 'a contact',
    make: { path: '/api/Contactos/CadastrarContacto', body: { nome: 'Zita', telefone: '923100031' } },
    at: CONTACTS,
    act: 'smsContactChange',
    kept: { telefone: '923100031' },
    read: '/api/Contactos/ObterContactoPorId',
  },
  {
    what: 'a template',
    make: { path: '/api/TemplatesSMS/CriarTemplate', body: { nome: 'Zita', conteudo: 'Olá' } },
    at: `${SMS}/templates`,
    act: 'smsTemplateChange',
    kept: { conteudo: 'Olá' },
    read: '/api/TemplatesSMS/ObterTemplatesSmsPorId',
  },
])('$what changed by one of two people is shown to the other as saved', async (given) => {
  const { json } = await app.call(given.make.path, { body: given.make.body });
  const id = json.id ?? json.contactoId;
  const at = `${given.at}/${id}`;
  const etag = etagIn((await owner.open(at)).text);
  expect((await owner.act(at, given.act, { ...given.kept, nome: 'Ana', etag })).status).toBe(303);
  const late = await owner.act(at, given.act, { ...given.kept, nome: 'Eva', etag });
  expect([late.status, late.text]).toEqual([412, expect.stringContaining('Está guardado agora: <strong>Ana</strong>')]);
  expect(late.text).toContain('value="Eva"');
  expect((await read(`${given.read}/${id}`)).nome).toBe('Ana');
  const again = await owner.act(at, given.act, { ...given.kept, nome: 'Eva', etag: etagIn(late.text) });
  expect([again.status, (await read(`${given.read}/${id}`)).nome]).toEqual([303, 'Eva']);
});

describe('a template', () => {
  test('is created, refused for wrong braces, and deleted', async () => {
    const at = `${SMS}/templates`;
    const wrong = await owner.act(at, 'smsTemplateCreate', { nome: 'X', conteudo: 'Olá {{nome' });
    expect(wrong.text).toMatch(/id="smsTemplateCreate-conteudo-error">Há chavetas/);
    const conteudo = 'Olá {{nome}}, são {{total}} Kz.';
    expect((await owner.act(at, 'smsTemplateCreate', { nome: 'Conta', conteudo })).status).toBe(303);
    const [{ id }] = (await read('/api/TemplatesSMS/ListarTemplates')).data;
    const { text } = await owner.open(`${at}/${id}`);
    for (const shown of [`<p class="bubble">${conteudo}</p>`, 'nome, total']) expect(text).toContain(shown);
    expect((await owner.act(`${at}/${id}`, 'smsTemplateRemove')).headers.get('location')).toBe(
      `${at}?done=smsTemplateRemove`,
    );
    expect((await owner.open(`${at}/${id}`)).status).toBe(404);
  });
});

test('a list is created and deleted, and its contacts stay', async () => {
  const before = await countContacts();
  const made = await owner.act(`${SMS}/lists`, 'smsListCreate', { nome: 'Sábado' });
  const at = made.headers.get('location')!.split('?')[0]!;
  expect((await owner.act(`${SMS}/lists`, 'smsListCreate', { nome: ' ' })).text).toContain(
    'id="smsListCreate-nome-error"',
  );
  expect((await owner.act(at, 'smsListFill', { rows: 'Ivo;923100041' })).status).toBe(303);
  expect((await owner.act(at, 'smsListRemove')).headers.get('location')).toBe(`${SMS}/lists?done=smsListRemove`);
  expect([(await owner.open(at)).status, await countContacts()]).toEqual([404, before + 1]);
});
