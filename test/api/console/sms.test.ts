import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { enterConsole, formTokenIn, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';

const { merchantId } = DEMO;
let app: TestApp;
let owner: Visit;
beforeAll(async () => {
  app = await startTestApp();
  owner = await enterConsole(app, await addMember(app, { merchantId }));
});

const SMS = '/console/sms';
const SEND = `${SMS}/send`;
const count = async (table: 'sms_batches' | 'sms_opt_outs') =>
  (await app.sql<{ n: number }>(`select count(*)::int as n from ${table}`))[0]!.n;
const CONTACTS = `${SMS}/contacts`;
const countContacts = async () => (await app.call('/api/Contactos/ListarContactos')).json.totalItems as number;
const etagIn = (text: string) => /name="etag" value="([^"]+)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '';
const read = async (path: string) => (await app.call(path)).json;
const balance = async () => (await app.call('/api/ContaSms/ObterSaldo')).json.saldoAtual as number;
const fieldsIn = (text: string, act: string) => {
  const [form] = new RegExp(`<form[^>]*><input type="hidden" name="act" value="${act}"[^]*?</form>`).exec(text) ?? [''];
  const inputs = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(inputs.map(([, name, value]) => [name!, value!]));
};

describe('an SMS', () => {
  test('is previewed with its cost and sent once, even if the form is sent several times', async () => {
    await app.call('/api/sms/opt-outs', { body: { phone: '923000002' } });
    const before = [await count('sms_batches'), await balance()];
    const numbers = '923 000 001, 923000002\n923000001;923 000 003';
    const seen = await owner.act(SEND, 'smsPreview', { numbers, conteudo: 'Olá <b>já</b>' });
    expect([seen.status, [await count('sms_batches'), await balance()]]).toEqual([200, before]);
    expect(seen.text).toContain('2 pessoas');
    expect(seen.text).toContain(`Gasta 2 SMS; saldo depois: ${before[1]! - 2}.`);
    expect(seen.text).toMatch(/Não contactar: não recebem<\/dt><dd>1</);
    expect(seen.text).toMatch(/Repetidos: recebem uma vez<\/dt><dd>1</);
    expect(seen.text).toContain('O que 923 000 001 recebe');
    expect(seen.text).toContain('<p class="bubble">Olá &lt;b>já&lt;/b></p>');
    const form = { ...fieldsIn(seen.text, 'smsSend'), numbers, conteudo: 'Olá já' };
    const sent = [await owner.post(SEND, form), await owner.post(SEND, form)];
    const places = sent.map(({ headers }) => headers.get('location'));
    expect(places[0]).toMatch(/^\/console\/sms\/history\?batch=[\w-]{36}&done=smsSend$/);
    expect([places[1], await count('sms_batches')]).toEqual([places[0], before[0]! + 1]);
    const { text } = await owner.open(places[0]!);
    expect(text).toContain('As mensagens vão a caminho.');
    expect(text.match(/923 000 00\d/g)).toEqual(['923 000 003', '923 000 001'].map(() => expect.any(String)));
  });

  test('with errors is not previewed, and the page shows them beside their fields', async () => {
    const before = await count('sms_batches');
    const { status, text } = await owner.act(SEND, 'smsPreview', { numbers: '923000001\nlixo', conteudo: '' });
    expect([status, text]).toEqual([400, expect.stringContaining('Linha 2')]);
    expect(text).toContain('id="smsPreview-conteudo-error"');
    expect(text).toContain('923000001\nlixo</textarea>');
    const none = await owner.act(SEND, 'smsPreview', { numbers: '', conteudo: 'x' });
    expect(none.text).toMatch(/id="smsPreview-numbers-error">Escreva números ou escolha uma lista/);
    const forced = await owner.act(SEND, 'smsSend', { numbers: '12', conteudo: 'x' });
    expect([forced.status, forced.text]).toEqual([400, expect.stringContaining('Linha 1')]);
    expect(await count('sms_batches')).toBe(before);
  });

  test('has no send button if it costs more than the balance', async () => {
    const poor = await app.addMerchant();
    const visit = await enterConsole(app, await addMember(app, { merchantId: poor.merchantId }));
    const { text } = await visit.act(SEND, 'smsPreview', { numbers: '923000001', conteudo: 'x' });
    expect(text).toContain('SMS que faltam: 1.');
    expect(text).not.toContain('value="smsSend"');
    const forced = await visit.act(SEND, 'smsSend', { numbers: '923000001', conteudo: 'x' });
    expect([forced.status, forced.text]).toEqual([409, expect.stringContaining('As unidades de SMS não chegam')]);
  });

  test('from a template to a contact list has the values of each contact', async () => {
    const { json: list } = await app.call('/api/Contactos/ImportarContactos', {
      body: { contactos: [{ nome: 'Ana', telefone: '923000011' }], novaLista: 'Bairro' },
    });
    const { json: template } = await app.call('/api/TemplatesSMS/CriarTemplate', {
      body: { nome: 'Pronta', conteudo: 'Ola {{nome}}, a encomenda {{numero}} chegou.' },
    });
    const at = `${SEND}?template=${template.id}&list=${list.lista.listaId}`;
    const page = await owner.open(at);
    expect(page.text).toContain(`<option value="${list.lista.listaId}" selected>Bairro (1)`);
    const form = { smsId: template.id, listaId: list.lista.listaId, numbers: '' };
    const lacking = await owner.act(at, 'smsPreview', form);
    expect(lacking.text).toContain('Preencha todos os campos do modelo.');
    const seen = await owner.act(at, 'smsPreview', { ...form, 'valor.numero': '7', 'valor.nome': '' });
    expect(seen.text).toContain('Ola Ana, a encomenda 7 chegou.');
    const sent = await owner.post(at, fieldsIn(seen.text, 'smsSendList'));
    expect(sent.headers.get('location')).toMatch(/done=smsSendList$/);
    expect((await owner.open(sent.headers.get('location')!)).text).toContain('Ola Ana, a encomenda 7 chegou.');
  });

  test('can be scheduled to the minute, and canceled', async () => {
    const day = new Date(app.clock.now().getTime() + 2 * 86_400_000).toISOString().slice(0, 10);
    const fields = { numbers: '923000021', conteudo: 'Até já', day };
    const wrong = await owner.act(SEND, 'smsPreview', fields);
    expect(wrong.text).toContain('id="smsPreview-time-error"');
    const seen = await owner.act(SEND, 'smsPreview', { ...fields, time: '08:30' });
    const shownDay = day.split('-').toReversed().join('/');
    expect(seen.text).toContain(`Agendar para ${shownDay} 08:30`);
    const before = await balance();
    const planned = await owner.post(SEND, fieldsIn(seen.text, 'smsPlan'));
    expect(planned.headers.get('location')).toBe(`${SMS}/schedule?done=smsPlan`);
    const { text } = await owner.open(planned.headers.get('location')!);
    expect(text).toContain(`<strong>${shownDay} 08:30</strong>`);
    const off = fieldsIn(text, 'smsCallOff');
    for (const _time of [1, 2])
      expect((await owner.post(`${SMS}/schedule`, off)).headers.get('location')).toBe(
        `${SMS}/schedule?done=smsCallOff`,
      );
    expect(await balance()).toBe(before);
    expect((await owner.open(`${SMS}/schedule?status=Agendado`)).text).not.toContain(shownDay);
  });

  test('shows its results by status and phone number, also as a file', async () => {
    await app.call('/api/Envio/enviarSms', { body: { numerosDestino: ['900000001'], conteudo: 'Bloqueada' } });
    const failed = () => owner.open(`${SMS}/history?status=Falhado&q=900%20000%20001`);
    await until(async () => (await failed()).text.includes('A rede bloqueou a mensagem.'), 'the message having failed');
    expect((await owner.open(`${SMS}/history?q=900000009`)).text).toContain('Nada encontrado.');
    expect((await owner.open(`${SMS}/history?q=ninguém`)).text).toContain('Nada encontrado.');
    const today = new Date(app.clock.now().getTime() + 3_600_000).toISOString().slice(0, 10);
    const on = async (query: string) => (await owner.open(`${SMS}/history?status=Falhado&${query}`)).text;
    expect(await on(`from=${today}&to=${today}`)).toContain('A rede bloqueou a mensagem.');
    expect(await on('to=2020-01-01')).toContain('Nada encontrado.');
    // The page ignores invalid days.
    expect(await on(`from=${today}&to=2020-01-01`)).toContain('A rede bloqueou a mensagem.');
    expect(await on('from=ontem')).toContain('A rede bloqueou a mensagem.');
    const file = await owner.open(`${SMS}/history.csv?status=Falhado`);
    expect([file.status, file.text]).toEqual([200, expect.stringContaining('Bloqueada')]);
    expect(file.text).not.toContain(';Entregue;');
    const { text } = await owner.open(`${SMS}?kind=Reembolso`);
    expect(text).toMatch(/class="money">\+1</);
    const visitor = await enterConsole(app, await addMember(app, { merchantId: (await app.addMerchant()).merchantId }));
    expect((await visitor.open(`${SMS}/history.csv`)).text).not.toContain('Bloqueada');
  });
});

describe('the SMS page', () => {
  test('shows the sender name, and refuses a sender name that networks refuse', async () => {
    const saved = await owner.act(SMS, 'smsSender', { sender: 'LOJAILHA', optOutText: 'none' });
    expect(saved.status).toBe(303);
    expect((await owner.open(SMS)).text).toContain('<strong>LOJAILHA</strong>');
    const wrong = await owner.act(SMS, 'smsSender', { sender: '12345', optOutText: 'number' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('id="smsSender-sender-error"')]);
    expect((await app.call('/api/ContaSms/ObterConta')).json.nomeremetenteSms).toBe('LOJAILHA');
  });
});

describe('an opt-out', () => {
  test('is entered once, and can be removed only if the merchant entered it', async () => {
    const path = `${SMS}/opt-outs`;
    const before = await count('sms_opt_outs');
    const token = formTokenIn(await owner.open('/console/account'));
    const form = { act: 'smsOptOut', token, key: crypto.randomUUID(), phone: '923 000 031' };
    for (const _time of [1, 2])
      expect((await owner.post(path, form)).headers.get('location')).toBe(`${path}?done=smsOptOut`);
    expect(await count('sms_opt_outs')).toBe(before + 1);
    expect((await owner.act(path, 'smsOptOut', { phone: '12' })).text).toContain('id="smsOptOut-phone-error"');
    const { text } = await owner.open(`${path}?q=923000031`);
    expect(text).toContain('Adicionado por si');
    expect((await owner.open(`${path}.csv`)).text).toContain('+244923000031');
    const [own] = await app.sql(`select id from sms_opt_outs where phone = '+244923000031'`);
    await app.sql(`update sms_opt_outs set source = 'reply' where id = $1`, [own!['id']]);
    expect((await owner.open(`${path}?q=923000031`)).text).not.toContain('value="smsOptIn"');
    const theirs = await owner.act(path, 'smsOptIn', { id: own!['id'] as string });
    expect([theirs.status, theirs.text]).toEqual([409, expect.stringContaining('só ela o pode mudar')]);
    await app.sql(`update sms_opt_outs set source = 'merchant' where id = $1`, [own!['id']]);
    const undone = await owner.act(path, 'smsOptIn', { id: own!['id'] as string });
    expect([undone.status, await count('sms_opt_outs')]).toEqual([303, before]);
  });
});

describe('a table of contacts', () => {
  test('is imported with its columns in either order, from text or file, into a new contact list', async () => {
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
      'Todos os contactos foram guardados.',
    ])
      expect(text).toContain(shown);
    expect(await countContacts()).toBe(before + 3);
  });

  test('with a wrong line is not imported, and the page names the line', async () => {
    const before = await countContacts();
    const rows = 'Ana;923100004\nRui;12\n923100005';
    const { status, text } = await owner.act(CONTACTS, 'smsImport', { rows });
    expect([status, await countContacts()]).toEqual([400, before]);
    expect(text).toMatch(/Linha 2<\/strong> “Rui;12” · número: Escreva os 9 algarismos/);
    expect(text).toMatch(/Linha 3<\/strong> “923100005” · nome: Preencha este campo/);
    expect(text).toContain('Rui;12\n923100005</textarea>');
    expect((await owner.act(CONTACTS, 'smsImport', { rows: ' ' })).text).toContain('Cole pelo menos uma linha.');
  });

  test('may have a thousand rows in one form', async () => {
    const before = await countContacts();
    const rows = Array.from({ length: 1_000 }, (_, nth) => `João Conceição ${nth};${924_000_000 + nth}`).join('\n');
    expect((await owner.act(CONTACTS, 'smsImport', { rows, novaLista: 'Mil' })).status).toBe(303);
    expect(await countContacts()).toBe(before + 1_000);
    const more = await owner.act(CONTACTS, 'smsImport', { rows: `${rows}\nMais;925000000` });
    expect([more.status, more.text]).toEqual([400, expect.stringContaining('1000 de cada vez')]);
  });
});

describe('a contact', () => {
  test('is created, found, added to a contact list and deleted', async () => {
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
])('when two people change $what, the second sees what the first has saved', async (given) => {
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

describe('an SMS template', () => {
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

test('a contact list is created and deleted, and its contacts stay', async () => {
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
