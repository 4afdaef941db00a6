import { beforeAll, describe, expect, test } from 'vitest';
import { readFieldFaults } from '../../support/ppr.ts';
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

async function expectRefusal(sent: () => Promise<Reply>, status: number, faults: string[]): Promise<Reply> {
  const before = await readTraces();
  const reply = await sent();
  expect([reply.status, ...readFieldFaults(reply)], reply.text).toEqual([status, ...faults]);
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

describe('the text of an SMS', () => {
  test('is refused if the values of a template leave only spaces', async () => {
    const smsId = await makeTemplate(' {{a}} ');
    const order = { smsId, numerosDestino: TO, valores: { a: ' \u00a0\u200b' } };
    await expectRefusal(() => send('enviarSmsTemplate', order), 400, ['/numerosDestino/0 too_short']);
  });

  test('may consist of an emoji, a full stop or an accented letter', async () => {
    for (const conteudo of ['👍🏾', 'e\u0301', '.']) {
      expect((await send('enviarSms', { numerosDestino: TO, conteudo })).status).toBe(200);
    }
  });
});

describe('a text that is expensive to normalize', () => {
  // The normalization of half a million alternating accents takes over a minute, that of 20,000 a tenth of a second.
  const pile = (count: number) => `a${'\u0301\u0316'.repeat(count / 2)}`;

  test('is refused if one letter has 20,000 accents', async () => {
    const conteudo = pile(20_000);
    const faults = ['/conteudo too_long', '/conteudo invalid_format'];
    await expectRefusal(() => send('enviarSms', { numerosDestino: TO, conteudo }), 400, faults);
    const template = { nome: 'Aviso', conteudo };
    const made = await app.call('/api/TemplatesSMS/CriarTemplate', { body: template });
    expect(readFieldFaults(made)).toEqual(expect.arrayContaining(faults));
    const valores = { a: pile(100), [pile(20_000)]: 'x' };
    const order = { smsId: await makeTemplate('{{a}}'), numerosDestino: TO, valores };
    await expectRefusal(() => send('enviarSmsTemplate', order), 400, ['/valores/a invalid_format']);
  });

  test('is accepted if one letter has 30 accents', async () => {
    expect((await send('enviarSms', { numerosDestino: TO, conteudo: pile(30) })).status).toBe(200);
  });

  test('from a template is refused as too long before all values are filled in', async () => {
    const smsId = await makeTemplate('{{a}}'.repeat(306));
    const order = { smsId, numerosDestino: TO, valores: { a: 'ã'.repeat(1_530) } };
    const reply = await expectRefusal(() => send('enviarSmsTemplate', order), 400, ['/numerosDestino/0 sms_too_long']);
    // The complete text would need 6988 SMS parts.
    expect(reply.json.errors[0].message).toMatch(/needs >1\d\d parts/);
  });
});

test('CriarListaDeContactos refuses 10,001 contact ids before it reads the contacts', async () => {
  const list = { nome: 'VIP', contactoIds: Array(10_001).fill('') };
  const path = '/api/Contactos/CriarListaDeContactos';
  await expectRefusal(() => app.call(path, { body: list }), 400, ['/contactoIds too_big']);
});

describe('an empty string in place of an id', () => {
  test.each<[string, object, string[]]>([
    ['enviarSmsTemplate', { smsId: '', numerosDestino: TO }, ['/smsId']],
    ['enviarSmsParaLista', { listaId: '', conteudo: 'x' }, ['/listaId']],
    ['enviarSmsParaLista', { listaId: '', smsId: '' }, ['/smsId', '/listaId']],
    ['agendarSms', { ...WHEN, numerosDestino: TO, smsId: '' }, ['/smsId']],
    ['agendarSms', { ...WHEN, listaId: '', conteudo: 'x' }, ['/listaId']],
  ])('returns 404 as an unknown id: %s %j', async (path, body, pointers) => {
    await expectRefusal(
      () => send(path, body),
      404,
      pointers.map((pointer) => `${pointer} unknown_id`),
    );
  });
});

describe('the values of a template', () => {
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
  ])('are inserted literally if they contain %s', async (written, shown) => {
    expect(await fill('Total: {{a}}', `{"a":${written}}`)).toBe(`Total: ${shown}`);
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('may have the key %s', async (key) => {
    expect(await fill(`<{{${key}}}>`, `{"${key}":"x"}`)).toBe('<x>');
    const order = { smsId: await makeTemplate(`{{${key}}}`), numerosDestino: TO };
    await expectRefusal(() => send('enviarSmsTemplate', order), 400, ['/valores sms_value_missing']);
  });

  test('must not have the key __proto__', async () => {
    const template = { nome: 'Aviso', conteudo: 'Olá {{ __proto__ }}' };
    const made = () => app.call('/api/TemplatesSMS/CriarTemplate', { body: template });
    await expectRefusal(made, 400, ['/conteudo placeholder_malformed']);
  });

  test('are found by keys in Unicode form NFC', async () => {
    expect(await fill('{{pão}}', `{"${'pão'.normalize('NFD')}":"x"}`)).toBe('x');
  });
});
