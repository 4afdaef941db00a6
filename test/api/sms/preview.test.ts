import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { minuteOf, sendText } from '../../support/sms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const preview = (body: object) => app.call('/api/Envio/PreverSms', { body });
const rows = async () =>
  app.sql(
    `select (select count(*)::int from sms_batches) as batches, (select count(*)::int from sms_ledger) as moves,
       (select count(*)::int from sms_opt_out_codes) as codes`,
  );
const TO = ['923 456 789', '923456789', '912345678'];

test('POST PreverSms returns the number of messages, the units and an example, and writes nothing', async () => {
  const before = await rows();
  const { status, json } = await preview({ numerosDestino: TO, conteudo: 'Olá, já está pronta '.repeat(5) });
  expect([status, json]).toEqual([
    200,
    {
      totalDestinatarios: 2,
      partes: 2,
      codificacao: 'UCS-2',
      caracteresUcs2: ['á'],
      unidades: 4,
      duplicados: 1,
      recusados: 0,
      saldoAtual: expect.any(Number),
      remetente: expect.any(String),
      agendadaPara: null,
      exemplo: { numeroDestino: '+244923456789', conteudo: 'Olá, já está pronta '.repeat(5) },
    },
  ]);
  expect(await rows()).toEqual(before);
});

test.each(['none', 'link', 'number'])(
  'POST PreverSms returns the same cost as the sending request with optOutText=%s',
  async (optOutText) => {
    const body = { nomeremetenteSms: 'LOJA', optOutText, optOutNumber: '222000111' };
    await app.call('/api/ContaSms/AtualizarRemetente', { method: 'PUT', body });
    const conteudo = 'x'.repeat(130);
    const before = await rows();
    const { json } = await preview({ numerosDestino: ['923 000 777'], conteudo });
    expect(await rows()).toEqual(before);
    const sent = (await sendText(app, ['923000777'], conteudo)).json;
    const { saldoAtual, remetente, agendadaPara, exemplo, ...cost } = json;
    expect([remetente, agendadaPara, exemplo.conteudo.startsWith(conteudo)]).toEqual(['LOJA', null, true]);
    expect(sent).toMatchObject(cost);
    expect((await app.call('/api/ContaSms/ObterSaldo')).json.saldoAtual).toBe(saldoAtual - sent.unidades);
    expect(await rows()).not.toEqual(before);
  },
);

describe('POST PreverSms', () => {
  test('returns each fault that the sending request would return', async () => {
    const over = minuteOf(new Date(app.clock.now().getTime() - 60_000));
    const cases: [object, object[]][] = [
      [{ numerosDestino: ['12'], conteudo: '' }, [{ pointer: '/numerosDestino/0' }, { pointer: '/conteudo' }]],
      [{ conteudo: 'a', smsId: 'b' }, [{ pointer: '/conteudo' }, { pointer: '/numerosDestino' }]],
      [{ numerosDestino: TO, conteudo: 'a', ...over }, [{ pointer: '/dia', code: 'schedule_too_soon' }]],
      [
        { numerosDestino: TO, conteudo: 'a', dia: 1, mes: 2, ano: 2027 },
        [
          { pointer: '/hora', code: 'required' },
          { pointer: '/minuto', code: 'required' },
        ],
      ],
      [{ numerosDestino: TO, conteudo: 'x'.repeat(1_530).replace('x', 'ã') }, [{ code: 'sms_too_long' }]],
    ];
    for (const [body, faults] of cases) {
      const { status, json } = await preview(body);
      expect([status, json.errors]).toMatchObject([400, faults]);
    }
    expect((await preview({ listaId: 'x', conteudo: 'a' })).status).toBe(404);
  });

  test('returns the cost also if the merchant has too few units', async () => {
    const { clientId, secret } = await app.addMerchant();
    const token = await app.token(clientId, secret);
    const body = { numerosDestino: TO, conteudo: 'a' };
    const { status, json } = await app.call('/api/Envio/PreverSms', { token, body });
    expect([status, json]).toMatchObject([200, { unidades: 2, saldoAtual: 0 }]);
  });
});
