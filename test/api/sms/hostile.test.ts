// SMS against bad input: texts that show nothing or would cost minutes, ids and numbers that are none, keys with odd names.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { MERCHANT, readBalance } from '../../support/sms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const TO = ['923456789'];
const WHEN = { dia: 1, mes: 4, ano: 2026, hora: 9, minuto: 30 };

const send = (path: string, body: unknown, headers = {}): Promise<Reply> =>
  app.call(`/api/Envio/${path}`, { body, headers });

async function makeTemplate(conteudo: string): Promise<string> {
  const reply = await app.call('/api/TemplatesSMS/CriarTemplate', { body: { nome: 'Aviso', conteudo } });
  expect(reply.status, reply.text).toBe(201);
  return reply.json.id;
}

const faultsOf = ({ json }: Reply): string[] =>
  (json.errors ?? []).map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);

/** Refused for these reasons, without any effect. */
async function expectRefusal(sent: () => Promise<Reply>, status: number, faults: string[]): Promise<Reply> {
  const before = await readTraces();
  const reply = await sent();
  expect([reply.status, ...faultsOf(reply)], reply.text).toEqual([status, ...faults]);
  expect(await readTraces()).toEqual(before);
  return reply;
}

async function readTraces() {
  const [counts] = await app.sql(
    `select (select count(*) from sms_batches) as batches, (select count(*) from sms_messages) as messages,
       (select count(*) from sms_contacts) as contacts, (select count(*) from sms_lists) as lists,
       (select count(*) from sms_templates) as templates`,
  );
  return { ...counts, balance: await readBalance(app, MERCHANT) };
}

describe('a text that shows nothing is none', () => {
  const blanks = { spaces: ' \u00a0\u2003', lines: '\r\n\n', accents: '\u0301\u0316', unseen: '\u200b\ufeff\u202e' };

  test.each(Object.entries(blanks))('%s', async (_what, conteudo) => {
    await expectRefusal(() => send('enviarSms', { numerosDestino: TO, conteudo }), 400, ['/conteudo required']);
    const template = { nome: 'Aviso', conteudo };
    const path = '/api/TemplatesSMS/CriarTemplate';
    await expectRefusal(() => app.call(path, { body: template }), 400, ['/conteudo required']);
  });

  test.each(Object.entries(blanks))('nor as the only value of a template: %s', async (_what, a) => {
    const smsId = await makeTemplate(' {{a}} ');
    const order = { smsId, numerosDestino: TO, valores: { a } };
    await expectRefusal(() => send('enviarSmsTemplate', order), 400, ['/numerosDestino/0 too_short']);
  });

  test('an emoji alone is something, and so is a letter with its accent', async () => {
    for (const conteudo of ['👍🏾', 'e\u0301', '.']) {
      expect((await send('enviarSms', { numerosDestino: TO, conteudo })).status).toBe(200);
    }
  });
});

describe('texts that would keep the node busy for minutes', () => {
  // In Unicode's order, accents above and below: ordering half a million of them takes over a minute, twenty thousand a tenth of a second.
  const pile = (count: number) => `a${'\u0301\u0316'.repeat(count / 2)}`;

  test('twenty thousand accents on a letter are not put in order, but refused', async () => {
    const conteudo = pile(20_000);
    const faults = ['/conteudo too_long', '/conteudo invalid_format'];
    await expectRefusal(() => send('enviarSms', { numerosDestino: TO, conteudo }), 400, faults);
    const template = { nome: 'Aviso', conteudo };
    const made = await app.call('/api/TemplatesSMS/CriarTemplate', { body: template });
    expect(faultsOf(made)).toEqual(expect.arrayContaining(faults));
    const valores = { a: pile(100), [pile(20_000)]: 'x' };
    const order = { smsId: await makeTemplate('{{a}}'), numerosDestino: TO, valores };
    await expectRefusal(() => send('enviarSmsTemplate', order), 400, ['/valores/a invalid_format']);
  });

  test('as many accents as any language has are fine', async () => {
    expect((await send('enviarSms', { numerosDestino: TO, conteudo: pile(30) })).status).toBe(200);
  });

  test('a template that multiplies its values is filled only until it is too long', async () => {
    const smsId = await makeTemplate('{{a}}'.repeat(306));
    const order = { smsId, numerosDestino: TO, valores: { a: 'ã'.repeat(1_530) } };
    const reply = await expectRefusal(() => send('enviarSmsTemplate', order), 400, ['/numerosDestino/0 sms_too_long']);
    // All of it would be 6988 parts.
    expect(reply.json.errors[0].message).toMatch(/needs >1\d\d parts/);
  });
});

test('an id ten thousand times over is refused before it is looked for', async () => {
  const list = { nome: 'VIP', contactoIds: Array(10_001).fill('') };
  const path = '/api/Contactos/CriarListaDeContactos';
  await expectRefusal(() => app.call(path, { body: list }), 400, ['/contactoIds too_big']);
});

describe('an empty id is one that nothing has', () => {
  test.each<[string, object, string[]]>([
    ['enviarSmsTemplate', { smsId: '', numerosDestino: TO }, ['/smsId']],
    ['enviarSmsParaLista', { listaId: '', conteudo: 'x' }, ['/listaId']],
    ['enviarSmsParaLista', { listaId: '', smsId: '' }, ['/smsId', '/listaId']],
    ['agendarSms', { ...WHEN, numerosDestino: TO, smsId: '' }, ['/smsId']],
    ['agendarSms', { ...WHEN, listaId: '', conteudo: 'x' }, ['/listaId']],
  ])('%s %j', async (path, body, pointers) => {
    await expectRefusal(
      () => send(path, body),
      404,
      pointers.map((pointer) => `${pointer} unknown_id`),
    );
  });
});

describe('values of a template', () => {
  /** The text that is sent, of values as JSON. */
  async function fill(content: string, values: string): Promise<string> {
    const smsId = await makeTemplate(content);
    const reply = await send(
      'enviarSmsTemplate',
      `{"smsId":"${smsId}","numerosDestino":["923456789"],"valores":${values}}`,
    );
    expect(reply.status, reply.text).toBe(200);
    const path = `/api/Envio/ListarSmsEnviadas?batchId=${reply.json.batchId}`;
    return (await app.call(path)).json.data[0].conteudo;
  }

  test.each([
    ['1500.50', '1500.50'],
    ['12345678901234567890', '12345678901234567890'],
    ['1e400', '1e400'],
    ['-0', '-0'],
    ['20418', '20418'],
    ['"{{a}} {{b}}"', '{{a}} {{b}}'],
  ])('%s is written as it is', async (written, shown) => {
    expect(await fill('Total: {{a}}', `{"a":${written}}`)).toBe(`Total: ${shown}`);
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('%s is a key like any other', async (key) => {
    expect(await fill(`<{{${key}}}>`, `{"${key}":"x"}`)).toBe('<x>');
    const order = { smsId: await makeTemplate(`{{${key}}}`), numerosDestino: TO };
    await expectRefusal(() => send('enviarSmsTemplate', order), 400, ['/valores sms_value_missing']);
  });

  test('a key whose value never comes through is refused in the template', async () => {
    const template = { nome: 'Aviso', conteudo: 'Olá {{ __proto__ }}' };
    const made = () => app.call('/api/TemplatesSMS/CriarTemplate', { body: template });
    await expectRefusal(made, 400, ['/conteudo placeholder_malformed']);
  });

  test('a key is the same however its letters are written', async () => {
    expect(await fill('{{pão}}', `{"${'pão'.normalize('NFD')}":"x"}`)).toBe('x');
  });
});

test.each([
  '٩٢٣٤٥٦٧٨٩',
  '923,456,789',
  '923/456/789',
  '923456789;ext=1',
  '0923456789',
  '244244923456789',
  '+244+244923456789',
  '923456789\u0007',
  '9'.repeat(60_000),
])('no number: %j', async (phone) => {
  const faults = ['/numerosDestino/0 invalid_phone'];
  await expectRefusal(() => send('enviarSms', { numerosDestino: [phone], conteudo: 'x' }), 400, faults);
  const contact = { nome: 'Ana', telefone: phone };
  const path = '/api/Contactos/CadastrarContacto';
  await expectRefusal(() => app.call(path, { body: contact }), 400, ['/telefone invalid_phone']);
});

test('what is another merchant’s is answered word for word as what nobody has', async () => {
  const { token } = await app.addMerchant();
  const make = async (path: string, body: object) => (await app.call(path, { body })).json;
  const { contactoId } = await make('/api/Contactos/CadastrarContacto', { nome: 'Ana', telefone: TO[0] });
  const { listaId } = await make('/api/Contactos/CriarListaDeContactos', { nome: 'VIP', contactoIds: [contactoId] });
  const smsId = await makeTemplate('x');
  const { agendamentoId, batchId } = await make('/api/Envio/agendarSms', { ...WHEN, numerosDestino: TO, smsId });
  const before = await readTraces();
  const contact = { nome: 'Eva', telefone: TO[0] };
  const asks: [string, string, string, object?][] = [
    ['GET', '/api/Contactos/ObterContactoPorId/', contactoId],
    ['PUT', '/api/Contactos/AtualizarContacto/', contactoId, contact],
    ['DELETE', '/api/Contactos/DeletarContacto/', contactoId],
    ['GET', '/api/Contactos/ObterListaDeContactosPorId/', listaId],
    ['DELETE', '/api/Contactos/DeletarListaDeContactos/', listaId],
    ['DELETE', `/api/Contactos/RemoverContactoDaLista/${listaId}/`, contactoId],
    ['GET', '/api/TemplatesSMS/ObterTemplatesSmsPorId/', smsId],
    ['PUT', '/api/TemplatesSMS/AtualizarTemplate/', smsId, { nome: 'A', conteudo: 'y' }],
    ['DELETE', '/api/TemplatesSMS/DeletarTemplate/', smsId],
    ['DELETE', '/api/Envio/CancelarAgendamento/', agendamentoId],
    ['GET', '/api/Envio/ListarSmsEnviadas?batchId=', batchId],
    ['POST', '/api/Contactos/CriarListaDeContactos', '', { nome: 'A', contactoIds: [contactoId] }],
    ['POST', '/api/Contactos/AdicionarContactoALista', '', { listaId, contactoId }],
    ['POST', '/api/Envio/enviarSmsParaLista', '', { listaId, smsId }],
    ['POST', '/api/Envio/agendarSms', '', { ...WHEN, listaId, smsId }],
  ];
  const nobody = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01';
  for (const [method, path, id, body] of asks) {
    const ask = async (theirs: boolean) => {
      const sent = body && JSON.stringify(body).replace(/[0-9a-f-]{36}/g, (given) => (theirs ? given : nobody));
      const reply = await app.call(path + (theirs ? id : id && nobody), { method, token, ...(sent && { body: sent }) });
      return { status: reply.status, json: { ...reply.json, instance: null } };
    };
    const told = await ask(true);
    expect([path, told]).toEqual([path, await ask(false)]);
    expect(told.status).toBe(path.includes('?') ? 200 : 404);
    expect(told.json.data ?? []).toEqual([]);
  }
  expect(await readTraces()).toEqual(before);
});
