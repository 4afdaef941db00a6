// Sending SMS: what is refused by clock, templates, lists and units, each fault by its pointer, and nothing sent or debited by it.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { addUnits, listSent, readBalance, sendText } from '../../support/sms.ts';

let app: TestApp;
let smsId: string;
let other: Awaited<ReturnType<TestApp['addMerchant']>>;
let theirs: { smsId: string; listaId: string };
const SCHEDULE = { dia: 1, mes: 4, ano: 2026, hora: 9, minuto: 30 };
const TO = ['923456789'];

beforeAll(async () => {
  app = await startTestApp();
  other = await app.addMerchant();
  const make = async (token?: string) => ({
    smsId: (
      await app.call('/api/TemplatesSMS/CriarTemplate', {
        body: { nome: 'Aviso', conteudo: '{{nome}}: {{valor}} até {{dia}}' },
        ...(token && { token }),
      })
    ).json.id as string,
    listaId: (
      await app.call('/api/Contactos/CriarListaDeContactos', { body: { nome: 'VIP' }, ...(token && { token }) })
    ).json.listaId as string,
  });
  ({ smsId } = await make());
  theirs = await make(other.token);
});

afterEach(async () => {
  expect(await readBalance(app)).toBe(1_000);
  expect(await listSent(app)).toEqual([]);
  expect(await app.sql('select from sms_batches')).toEqual([]);
});

const post = (path: string, body: unknown, options = {}): Promise<Reply> =>
  app.call(`/api/Envio/${path}`, { body, ...options });

function faultsOf(reply: Reply): string[] {
  return (reply.json.errors ?? []).map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
}

const text = (more: object = {}) => ({ numerosDestino: TO, conteudo: 'Olá', ...more });
const UNKNOWN = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01';

describe('a wrong request names every fault', () => {
  test.each<[string, string, object, string[]]>([
    ['11 parts of UCS-2', 'enviarSms', text({ conteudo: 'ã'.repeat(671) }), ['/conteudo sms_too_long']],
    ['11 parts of extension characters', 'enviarSms', text({ conteudo: '€'.repeat(761) }), ['/conteudo sms_too_long']],
    ['schedule: no such day', 'agendarSms', { ...text(), ...SCHEDULE, dia: 31 }, ['/dia impossible_date']],
    ['schedule: no leap year', 'agendarSms', { ...text(), ...SCHEDULE, dia: 29, mes: 2 }, ['/dia impossible_date']],
    ['schedule: yesterday', 'agendarSms', { ...text(), ...SCHEDULE, dia: 1, mes: 3 }, ['/dia schedule_too_soon']],
    // The test's clock stands at 10:00 in Luanda, on 2 March 2026.
    [
      'schedule: this minute',
      'agendarSms',
      { ...text(), ...SCHEDULE, dia: 2, mes: 3, hora: 10, minuto: 0 },
      ['/dia schedule_too_soon'],
    ],
    [
      'schedule: more than a year',
      'agendarSms',
      { ...text(), ...SCHEDULE, dia: 2, mes: 3, ano: 2027, hora: 10, minuto: 1 },
      ['/dia date_too_far'],
    ],
    [
      'schedule: beside other faults',
      'agendarSms',
      { numerosDestino: ['1'], conteudo: 'x', ...SCHEDULE, dia: 31 },
      ['/numerosDestino/0 invalid_phone', '/dia impossible_date'],
    ],
  ])('%s', async (_what, path, body, expected) => {
    const reply = await post(path, body);
    expect(reply.status, reply.text).toBe(400);
    expect(faultsOf(reply).toSorted()).toEqual(expected.toSorted());
  });

  test('all of a thousand wrong numbers are named', async () => {
    const reply = await post('enviarSms', text({ numerosDestino: Array(1_000).fill('12') }));
    expect(reply.json.code).toBe('validation_failed');
    expect(reply.json.errors).toHaveLength(1_000);
    expect(reply.json.errors[999].pointer).toBe('/numerosDestino/999');
  });

  test('what is too long says how long, and because of which characters; in Portuguese too', async () => {
    const reply = await post('enviarSms', text({ conteudo: `ã ${'a'.repeat(700)}` }), {
      headers: { 'Accept-Language': 'pt' },
    });
    expect(reply.json.errors[0].message).toMatch(/precisa de 11 partes.*\(ã\)/);
  });

  test('values that a template needs: given ones, and a name for each number', async () => {
    const reply = await post('enviarSmsTemplate', {
      smsId,
      numerosDestino: ['923456789', '923456780'],
      valores: { valor: '5' },
    });
    expect(reply.json.errors).toEqual([
      { pointer: '/valores', code: 'sms_value_missing', message: expect.stringContaining('dia') },
      { pointer: '/numerosDestino/0', code: 'sms_value_missing', message: expect.stringContaining('nome') },
      { pointer: '/numerosDestino/1', code: 'sms_value_missing', message: expect.stringContaining('nome') },
    ]);
  });

  test('a template that becomes too long with its values', async () => {
    const valores = { nome: 'ã'.repeat(700), valor: '1', dia: '2' };
    const reply = await post('enviarSmsTemplate', { smsId, numerosDestino: TO, valores });
    expect(faultsOf(reply)).toEqual(['/numerosDestino/0 sms_too_long']);
  });

  test('a template that becomes nothing with its values', async () => {
    const made = { nome: 'Vazio', conteudo: '{{x}}' };
    const { json } = await app.call('/api/TemplatesSMS/CriarTemplate', { body: made });
    const reply = await post('enviarSmsTemplate', { smsId: json.id, numerosDestino: TO, valores: { x: '' } });
    expect(faultsOf(reply)).toEqual(['/numerosDestino/0 too_short']);
  });

  test('values of a wrong kind', async () => {
    const reply = await post('enviarSmsTemplate', { smsId, numerosDestino: TO, valores: { nome: {}, dia: 'a\u0001' } });
    expect(faultsOf(reply).map((fault) => fault.split(' ')[0])).toEqual(['/valores/nome', '/valores/dia']);
  });
});

describe('what is not the merchant’s does not exist', () => {
  test.each<[string, () => [string, object], string[]]>([
    ['an unknown template', () => ['enviarSmsTemplate', { smsId: UNKNOWN, numerosDestino: TO }], ['/smsId']],
    ['no id at all', () => ['enviarSmsTemplate', { smsId: 'x', numerosDestino: TO }], ['/smsId']],
    ['another’s template', () => ['enviarSmsTemplate', { smsId: theirs.smsId, numerosDestino: TO }], ['/smsId']],
    ['another’s list', () => ['enviarSmsParaLista', { listaId: theirs.listaId, conteudo: 'x' }], ['/listaId']],
    ['both', () => ['enviarSmsParaLista', theirs], ['/smsId', '/listaId']],
    ['scheduled', () => ['agendarSms', { ...theirs, ...SCHEDULE }], ['/smsId', '/listaId']],
  ])('%s', async (_what, ask, pointers) => {
    const [path, body] = ask();
    const reply = await post(path, body);
    expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
    expect(faultsOf(reply)).toEqual(pointers.map((pointer) => `${pointer} unknown_id`));
  });
});

describe('units', () => {
  test('too few: nothing is sent, and the answer says what is missing', async () => {
    const reply = await post('enviarSms', text({ numerosDestino: TO, conteudo: 'x'.repeat(500) }), {
      token: other.token,
    });
    expect([reply.status, reply.json.code]).toEqual([409, 'insufficient_sms_balance']);
    expect(reply.json).toMatchObject({ saldoAtual: 0, unidades: 4 });
    await addUnits(app, other.merchantId, 3);
    const still = await sendText(app, TO, 'x'.repeat(500), { token: other.token });
    expect(still.json).toMatchObject({ code: 'insufficient_sms_balance', saldoAtual: 3 });
    expect(await readBalance(app, other.merchantId)).toBe(3);
    expect(await listSent(app, '', { token: other.token })).toEqual([]);
  });
});

describe('addresses', () => {
  test('names are exactly the interface’s', async () => {
    expect((await post('EnviarSms', text())).status).toBe(404);
    expect((await app.call('/api/envio/enviarSms', { body: text() })).status).toBe(404);
    expect((await app.call('/api/Envio/enviarSms')).status).toBe(405);
  });
});
