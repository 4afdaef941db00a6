import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import {
  leapToDue,
  listSent,
  MERCHANT,
  passUntil,
  passWhile,
  readBalance,
  readRail,
  sendText,
  addUnits,
} from '../../support/sms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(() => addUnits(app, MERCHANT, 5_000));

let next = 923_000_000;
const phone = () => `+244${next++}`;

describe('POST enviarSms', () => {
  test('returns the cost, debits it, and sends each SMS once', async () => {
    const before = await readBalance(app);
    const [first, second] = [phone(), phone()];
    const reply = await sendText(app, [first.replace('+244', ''), second], 'A sua encomenda chegou');
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json).toEqual({
      batchId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      totalDestinatarios: 2,
      estado: 'Pendente',
      partes: 1,
      codificacao: 'GSM-7',
      caracteresUcs2: [],
      unidades: 2,
      duplicados: 0,
      recusados: 0,
    });
    expect(await readBalance(app)).toBe(before - 2);

    // The clock stands still until the rail has the messages. Otherwise a lease could end before its call.
    const readSent = async () => (await readRail(app)).filter(({ to }) => [first, second].includes(to));
    await until(async () => (await readSent()).length === 2, 'both messages at the rail');
    await passUntil(
      app,
      async () => (await listSent(app, `&batchId=${reply.json.batchId}`)).every((one) => one.estado === 'Entregue'),
      'delivery',
    );
    const sent = await listSent(app, `&batchId=${reply.json.batchId}`);
    expect(sent).toHaveLength(2);
    for (const one of sent)
      expect(one).toMatchObject({
        batchId: reply.json.batchId,
        remetente: 'BALCAO',
        conteudo: 'A sua encomenda chegou',
        partes: 1,
        estado: 'Entregue',
        enviadoEm: expect.stringMatching(/Z$/),
        entregueEm: expect.stringMatching(/Z$/),
      });
    expect((await readSent()).map(({ calls }) => calls)).toEqual([1, 1]);
    expect(await readBalance(app)).toBe(before - 2);
  });

  test('returns the characters that force UCS-2', async () => {
    const text = `Olá João, não se esqueça: ${'x'.repeat(50)}`;
    const reply = await sendText(app, [phone()], text);
    expect(reply.json).toMatchObject({
      partes: 2,
      codificacao: 'UCS-2',
      caracteresUcs2: ['á', 'ã', 'ç'],
      unidades: 2,
    });
  });

  test('counts a letter with a combining accent as one character', async () => {
    const reply = await sendText(app, [phone()], 'Cafe\u0301');
    expect(reply.json).toMatchObject({ codificacao: 'GSM-7', unidades: 1 });
    const [sent] = await listSent(app, `&batchId=${reply.json.batchId}`);
    expect(sent.conteudo).toBe('Café');
  });

  test('sends one SMS to a number that the request contains in several spellings', async () => {
    const to = phone();
    const reply = await sendText(app, [to, to.slice(4), `00244 ${to.slice(4)}`, phone()]);
    expect(reply.json).toMatchObject({ totalDestinatarios: 2, duplicados: 2, unidades: 2 });
    await passWhile(app, 'Pending');
    expect((await readRail(app)).filter((one) => one.to === to)).toHaveLength(1);
  });

  test('uses the sender of the request, else of the merchant, else of the platform', async () => {
    const send = async (remetente?: string) => {
      const body = { numerosDestino: [phone()], conteudo: 'x', ...(remetente && { remetente }) };
      const { json } = await app.call('/api/Envio/enviarSms', { body });
      return (await listSent(app, `&batchId=${json.batchId}`))[0].remetente;
    };
    const name = (nomeremetenteSms: string | null) =>
      app.call('/api/ContaSms/AtualizarRemetente', { method: 'PUT', body: { nomeremetenteSms } });
    expect(await send()).toBe('BALCAO');
    expect((await name('LojaIlha')).status).toBe(200);
    expect(await send()).toBe('LojaIlha');
    expect(await send('Promo2026')).toBe('Promo2026');
    await name(null);
    expect(await send()).toBe('BALCAO');
  });
});

test('a sending request may have a thousand recipients', async () => {
  const before = await readBalance(app);
  const reply = await sendText(app, Array.from({ length: 1_000 }, phone));
  expect(reply.json).toMatchObject({ totalDestinatarios: 1_000, unidades: 1_000 });
  expect(await readBalance(app)).toBe(before - 1_000);
  // Only test/race/sms sends large numbers of SMS.
  await app.sql(`update sms_messages set status = 'Sent', due_at = null where batch_id = $1`, [reply.json.batchId]);
});

describe('POST enviarSmsTemplate', () => {
  const make = async (conteudo: string) =>
    (await app.call('/api/TemplatesSMS/CriarTemplate', { body: { nome: 'Aviso', conteudo } })).json.id as string;
  const send = (body: object) => app.call('/api/Envio/enviarSmsTemplate', { body });

  test('fills the values into the template, and the contact’s name as `nome`', async () => {
    const to = phone();
    await app.call('/api/Contactos/CadastrarContacto', { body: { nome: 'Ana', telefone: to } });
    const smsId = await make('{{nome}}, deve {{ valor }}');
    const own = await send({ smsId, numerosDestino: [to], valores: { valor: 1500 } });
    expect(own.status, own.text).toBe(200);
    expect((await listSent(app, `&batchId=${own.json.batchId}`))[0].conteudo).toBe('Ana, deve 1500');
    const renamed = await send({ smsId, numerosDestino: [to], valores: { nome: 'Cliente', valor: '2,5' } });
    expect((await listSent(app, `&batchId=${renamed.json.batchId}`))[0].conteudo).toBe('Cliente, deve 2,5');
  });

  test('debits each recipient’s SMS by its own length', async () => {
    const [short, long] = [phone(), phone()];
    await app.call('/api/Contactos/CadastrarContacto', { body: { nome: 'Ana', telefone: short } });
    await app.call('/api/Contactos/CadastrarContacto', { body: { nome: 'João da Conceição', telefone: long } });
    const smsId = await make(`{{nome}} ${'x'.repeat(60)}`);
    const reply = await send({ smsId, numerosDestino: [short, long] });
    expect(reply.json).toMatchObject({ partes: 2, unidades: 3, codificacao: 'UCS-2', caracteresUcs2: ['ã', 'ç'] });
  });

  test("sends the template's text at the time of the request", async () => {
    const smsId = await make('Antes');
    const reply = await send({ smsId, numerosDestino: [phone()] });
    await app.call(`/api/TemplatesSMS/AtualizarTemplate/${smsId}`, {
      method: 'PUT',
      body: { nome: 'Aviso', conteudo: 'Depois' },
    });
    await app.call(`/api/TemplatesSMS/DeletarTemplate/${smsId}`, { method: 'DELETE' });
    expect((await listSent(app, `&batchId=${reply.json.batchId}`))[0].conteudo).toBe('Antes');
  });
});

describe('POST enviarSmsParaLista', () => {
  test('sends one SMS to each number of the contact list', async () => {
    const [shared, other] = [phone(), phone()];
    const ids: string[] = [];
    for (const [nome, telefone] of [
      ['Ana', shared],
      ['Rui', shared],
      ['Zé', other],
    ])
      ids.push((await app.call('/api/Contactos/CadastrarContacto', { body: { nome, telefone } })).json.contactoId);
    const { listaId } = (
      await app.call('/api/Contactos/CriarListaDeContactos', { body: { nome: 'VIP', contactoIds: ids } })
    ).json;
    const send = (body: object) => app.call('/api/Envio/enviarSmsParaLista', { body: { listaId, ...body } });
    const text = await send({ conteudo: 'Abrimos às 8h' });
    expect(text.status, text.text).toBe(200);
    expect(text.json).toMatchObject({ totalDestinatarios: 2, duplicados: 1 });
    const smsId = (
      await app.call('/api/TemplatesSMS/CriarTemplate', { body: { nome: 'Olá', conteudo: 'Olá {{nome}}' } })
    ).json.id;
    const filled = await send({ smsId });
    const texts = (await listSent(app, `&batchId=${filled.json.batchId}`)).map(({ conteudo }) => conteudo);
    expect(texts.toSorted()).toEqual(['Olá Ana', 'Olá Zé']);
  });

  test('sends nothing for an empty contact list', async () => {
    const before = await readBalance(app);
    const { listaId } = (await app.call('/api/Contactos/CriarListaDeContactos', { body: { nome: 'Vazia' } })).json;
    const reply = await app.call('/api/Envio/enviarSmsParaLista', { body: { listaId, conteudo: 'x' } });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ totalDestinatarios: 0, estado: 'Ignorado', unidades: 0 });
    expect(await readBalance(app)).toBe(before);
  });
});

describe('an SMS', () => {
  const sendOne = async (to: string) => (await sendText(app, [to])).json.batchId as string;
  const read = async (batchId: string) => (await listSent(app, `&batchId=${batchId}`))[0];

  test.each([
    ['900000001', 'blocked', 'the rail refuses it'],
    ['900000002', 'undeliverable', 'it cannot be delivered'],
    ['900000008', 'number_not_active', 'the number is not active'],
  ])('to %s fails with %s, and its unit is credited once', async (to, reason) => {
    const before = await readBalance(app);
    const batchId = await sendOne(to);
    const newest = async (tipo: string) => (await app.call(`/api/ContaSms/ListarMovimentos?tipo=${tipo}`)).json.data[0];
    // The node may credit the unit before the next request, so the test reads the debit and not the balance.
    const debit = { tipo: 'Debito', quantidade: 1, saldoDepois: before - 1, batchId };
    expect(await newest('Debito')).toMatchObject(debit);
    await passUntil(app, async () => (await read(batchId)).estado === 'Falhado', 'failure');
    expect(await read(batchId)).toMatchObject({ motivoFalha: reason, entregueEm: null });
    await app.clock.advance(5_000);
    expect(await readBalance(app)).toBe(before);
    expect(await newest('Reembolso')).toMatchObject({ tipo: 'Reembolso', quantidade: 1, saldoDepois: before, batchId });
  });

  test('without a delivery report stays Enviado, and the node queries the rail for three days only', async () => {
    const batchId = await sendOne('900000003');
    await passUntil(app, async () => (await read(batchId)).estado === 'Enviado', 'sending');
    const due = async () => (await app.sql('select due_at from sms_messages where batch_id = $1', [batchId]))[0].due_at;
    const end = async () => (await leapToDue(app, batchId), (await due()) === null);
    await passUntil(app, end, 'the last query');
    expect((await read(batchId)).estado).toBe('Enviado');
  });

  test('expires after one day without being sent, and its unit is credited', async () => {
    const before = await readBalance(app);
    const batchId = await sendOne('900000004');
    await app.clock.advance(5_000);
    expect((await read(batchId)).estado).toBe('Pendente');
    app.clock.leap(25 * 3_600_000);
    const end = async () => (await leapToDue(app, batchId), (await read(batchId)).estado === 'Falhado');
    await passUntil(app, end, 'the end');
    expect((await read(batchId)).motivoFalha).toBe('expired');
    expect((await readRail(app)).filter(({ to }) => to === '+244900000004')).toEqual([]);
    expect(await readBalance(app)).toBe(before);
  });
});

describe('the reply PARAR', () => {
  const reply = (to: string, text: string) =>
    app
      .sql(`select id from sms_messages where phone = $1 order by listed_at desc limit 1`, [to])
      .then(([{ id }]) => app.call(`/sandbox/rail/messages/${id}/reply`, { body: { text } }));

  test('stops the SMS of a merchant until the reply INICIAR', async () => {
    const to = phone();
    const contact = (await app.call('/api/Contactos/CadastrarContacto', { body: { nome: 'Ana', telefone: to } })).json;
    expect(contact.recusaSms).toBe(false);
    await sendText(app, [to]);
    await passWhile(app, 'Pending');
    await reply(to, 'Parar, por favor!');
    const read = async () => (await app.call(`/api/Contactos/ObterContactoPorId/${contact.contactoId}`)).json.recusaSms;
    await passUntil(app, async () => await read(), 'the mark');
    const skipped = await sendText(app, [to, phone()]);
    expect(skipped.json).toMatchObject({ totalDestinatarios: 1, recusados: 1, unidades: 1 });
    const nobody = await sendText(app, [to]);
    expect(nobody.json).toMatchObject({ totalDestinatarios: 0, estado: 'Ignorado', recusados: 1, unidades: 0 });
    const other = await app.addMerchant();
    await addUnits(app, other.merchantId, 10);
    expect((await sendText(app, [to], 'x', { token: other.token })).json.recusados).toBe(0);
    await passWhile(app, 'Pending', other.merchantId);
    await app.sql(`update sms_messages set listed_at = listed_at - interval '1 day' where merchant_id = $1`, [
      other.merchantId,
    ]);
    await reply(to, 'iniciar');
    await passUntil(app, async () => !(await read()), 'the mark to go');
    expect((await sendText(app, [to])).json.recusados).toBe(0);
  });
});
