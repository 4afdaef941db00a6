import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readFieldFaults } from '../../support/ppr.ts';
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

const text = (more: object = {}) => ({ numerosDestino: TO, conteudo: 'Olá', ...more });
const UNKNOWN = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01';

describe('a request to send SMS', () => {
  test.each<[string, string, object, string[]]>([
    ['11 parts of UCS-2', 'enviarSms', text({ conteudo: 'ã'.repeat(671) }), ['/conteudo sms_too_long']],
    ['11 parts of extension characters', 'enviarSms', text({ conteudo: '€'.repeat(761) }), ['/conteudo sms_too_long']],
    ['a schedule for yesterday', 'agendarSms', { ...text(), ...SCHEDULE, dia: 1, mes: 3 }, ['/dia schedule_too_soon']],
    // The test clock is at 10:00 in Luanda on 2 March 2026.
    [
      'a schedule for this minute',
      'agendarSms',
      { ...text(), ...SCHEDULE, dia: 2, mes: 3, hora: 10, minuto: 0 },
      ['/dia schedule_too_soon'],
    ],
    [
      'a schedule beyond a year',
      'agendarSms',
      { ...text(), ...SCHEDULE, dia: 2, mes: 3, ano: 2027, hora: 10, minuto: 1 },
      ['/dia date_too_far'],
    ],
    [
      'a schedule with other faults',
      'agendarSms',
      { numerosDestino: ['1'], conteudo: 'x', ...SCHEDULE, dia: 31 },
      ['/numerosDestino/0 invalid_phone', '/dia impossible_date'],
    ],
  ])('returns 400 for %s', async (_what, path, body, expected) => {
    const reply = await post(path, body);
    expect(reply.status, reply.text).toBe(400);
    expect(readFieldFaults(reply).toSorted()).toEqual(expected.toSorted());
  });

  test('returns in its 400 the number of parts and the characters that force UCS-2', async () => {
    const reply = await post('enviarSms', text({ conteudo: `ã ${'a'.repeat(700)}` }), {
      headers: { 'Accept-Language': 'pt' },
    });
    expect(reply.json.errors[0].message).toMatch(/precisa de 11 partes.*\(ã\)/);
  });

  test('returns 400 with each value that the template needs and the request omits', async () => {
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

  test('returns 400 for a template whose text is too long with its values', async () => {
    const valores = { nome: 'ã'.repeat(700), valor: '1', dia: '2' };
    const reply = await post('enviarSmsTemplate', { smsId, numerosDestino: TO, valores });
    expect(readFieldFaults(reply)).toEqual(['/numerosDestino/0 sms_too_long']);
  });

  test('returns 400 for values that are not texts', async () => {
    const reply = await post('enviarSmsTemplate', { smsId, numerosDestino: TO, valores: { nome: {}, dia: 'a\u0001' } });
    expect(readFieldFaults(reply).map((fault) => fault.split(' ')[0])).toEqual(['/valores/nome', '/valores/dia']);
  });

  test.each<[string, () => [string, object], string[]]>([
    ['an unknown template', () => ['enviarSmsTemplate', { smsId: UNKNOWN, numerosDestino: TO }], ['/smsId']],
    [
      'another merchant’s template',
      () => ['enviarSmsTemplate', { smsId: theirs.smsId, numerosDestino: TO }],
      ['/smsId'],
    ],
    ['another merchant’s list', () => ['enviarSmsParaLista', { listaId: theirs.listaId, conteudo: 'x' }], ['/listaId']],
    ['another merchant’s template and list', () => ['enviarSmsParaLista', theirs], ['/smsId', '/listaId']],
    [
      'a schedule with another merchant’s template and list',
      () => ['agendarSms', { ...theirs, ...SCHEDULE }],
      ['/smsId', '/listaId'],
    ],
  ])('returns 404 for %s', async (_what, ask, pointers) => {
    const [path, body] = ask();
    const reply = await post(path, body);
    expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
    expect(readFieldFaults(reply)).toEqual(pointers.map((pointer) => `${pointer} unknown_id`));
  });

  test('returns 409 with the balance if the merchant has too few units', async () => {
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
