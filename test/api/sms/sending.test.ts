// Sending SMS: accepted and debited at once, handed to the rail once each, and what becomes of each message.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  leapToDue,
  listSent,
  MERCHANT,
  minuteOf,
  orderFault,
  passUntil,
  passWhile,
  readBalance,
  readRail,
  sendText,
  addUnits,
} from '../../support/sms.ts';

const MINUTE_MS = 60_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(() => addUnits(app, MERCHANT, 5_000));

let next = 923_000_000;
const phone = () => `+244${next++}`;

describe('a text', () => {
  test('is accepted with what it costs, debited, sent once and delivered', async () => {
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
    const rail = (await readRail(app)).filter(({ to }) => [first, second].includes(to));
    expect(rail.map(({ calls }) => calls)).toEqual([1, 1]);
    expect(await readBalance(app)).toBe(before - 2);
  });

  test('says what forced UCS-2, and costs accordingly', async () => {
    const text = `Olá João, não se esqueça: ${'x'.repeat(50)}`;
    const reply = await sendText(app, [phone()], text);
    expect(reply.json).toMatchObject({
      partes: 2,
      codificacao: 'UCS-2',
      caracteresUcs2: ['á', 'ã', 'ç'],
      unidades: 2,
    });
  });

  test('composed letters cost what single ones do', async () => {
    const reply = await sendText(app, [phone()], 'Cafe\u0301');
    expect(reply.json).toMatchObject({ codificacao: 'GSM-7', unidades: 1 });
    const [sent] = await listSent(app, `&batchId=${reply.json.batchId}`);
    expect(sent.conteudo).toBe('Café');
  });

  test('goes once to a number named several times, however it is written', async () => {
    const to = phone();
    const reply = await sendText(app, [to, to.slice(4), `00244 ${to.slice(4)}`, phone()]);
    expect(reply.json).toMatchObject({ totalDestinatarios: 2, duplicados: 2, unidades: 2 });
    await passWhile(app, 'Pending');
    expect((await readRail(app)).filter((one) => one.to === to)).toHaveLength(1);
  });

  test('the sender is the request’s, else the merchant’s, else the platform’s', async () => {
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

  test('a repeated request with its key answers the same and sends nothing more', async () => {
    const before = await readBalance(app);
    const headers = { 'Idempotency-Key': randomUUID() };
    const to = [phone()];
    const first = await sendText(app, to, 'Uma vez', { headers });
    const again = await sendText(app, to, 'Uma vez', { headers });
    expect(again.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await readBalance(app)).toBe(before - 1);
    const other = await sendText(app, to, 'Outra', { headers });
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('a thousand recipients are one request', { timeout: 90_000 }, async () => {
    const before = await readBalance(app);
    const reply = await sendText(app, Array.from({ length: 1_000 }, phone));
    expect(reply.json).toMatchObject({ totalDestinatarios: 1_000, unidades: 1_000 });
    expect(await readBalance(app)).toBe(before - 1_000);
    await passWhile(app, 'Pending');
    expect((await readRail(app)).filter(({ calls }) => calls !== 1)).toEqual([]);
  });
});

describe('a template', () => {
  const make = async (conteudo: string) =>
    (await app.call('/api/TemplatesSMS/CriarTemplate', { body: { nome: 'Aviso', conteudo } })).json.id as string;
  const send = (body: object) => app.call('/api/Envio/enviarSmsTemplate', { body });

  test('is filled for each; `nome` is the contact’s, unless it is given', async () => {
    const to = phone();
    await app.call('/api/Contactos/CadastrarContacto', { body: { nome: 'Ana', telefone: to } });
    const smsId = await make('{{nome}}, deve {{ valor }}');
    const own = await send({ smsId, numerosDestino: [to], valores: { valor: 1500 } });
    expect(own.status, own.text).toBe(200);
    expect((await listSent(app, `&batchId=${own.json.batchId}`))[0].conteudo).toBe('Ana, deve 1500');
    const given = await send({ smsId, numerosDestino: [to], valores: { nome: 'Cliente', valor: '2,5' } });
    expect((await listSent(app, `&batchId=${given.json.batchId}`))[0].conteudo).toBe('Cliente, deve 2,5');
  });

  test('each recipient pays for their own text', async () => {
    const [short, long] = [phone(), phone()];
    await app.call('/api/Contactos/CadastrarContacto', { body: { nome: 'Ana', telefone: short } });
    await app.call('/api/Contactos/CadastrarContacto', { body: { nome: 'João da Conceição', telefone: long } });
    const smsId = await make(`{{nome}} ${'x'.repeat(60)}`);
    const reply = await send({ smsId, numerosDestino: [short, long] });
    expect(reply.json).toMatchObject({ partes: 2, unidades: 3, codificacao: 'UCS-2', caracteresUcs2: ['ã', 'ç'] });
  });

  test('a changed or deleted template changes nothing that was sent', async () => {
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

describe('a list', () => {
  test('gets a text or a template, one message a phone', async () => {
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

  test('an empty one sends nothing and costs nothing', async () => {
    const before = await readBalance(app);
    const { listaId } = (await app.call('/api/Contactos/CriarListaDeContactos', { body: { nome: 'Vazia' } })).json;
    const reply = await app.call('/api/Envio/enviarSmsParaLista', { body: { listaId, conteudo: 'x' } });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ totalDestinatarios: 0, estado: 'Ignorado', unidades: 0 });
    expect(await readBalance(app)).toBe(before);
  });
});

describe('what becomes of a message', () => {
  const sendOne = async (to: string) => (await sendText(app, [to])).json.batchId as string;
  const read = async (batchId: string) => (await listSent(app, `&batchId=${batchId}`))[0];

  test.each([
    ['900000001', 'blocked', 'the rail refuses it'],
    ['900000002', 'undeliverable', 'it cannot be delivered'],
    ['900000008', 'number_not_active', 'the number is not active'],
  ])('%s: %s, and its units come back, once', async (to, reason) => {
    const before = await readBalance(app);
    const batchId = await sendOne(to);
    expect(await readBalance(app)).toBe(before - 1);
    await passUntil(app, async () => (await read(batchId)).estado === 'Falhado', 'failure');
    expect(await read(batchId)).toMatchObject({ motivoFalha: reason, entregueEm: null });
    await app.clock.advance(5_000);
    expect(await readBalance(app)).toBe(before);
    const [entry] = (await app.call('/api/ContaSms/ListarMovimentos?tipo=Reembolso')).json.data;
    expect(entry).toMatchObject({ tipo: 'Reembolso', quantidade: 1, saldoDepois: before, batchId });
  });

  test('a report that is lost is asked for', async () => {
    const batchId = await sendOne('900000007');
    await passUntil(app, async () => (await read(batchId)).estado === 'Enviado', 'sending');
    app.clock.leap(3 * 60_000);
    await passUntil(app, async () => (await read(batchId)).estado === 'Entregue', 'delivery');
  });

  test('a report that comes three times changes it once', async () => {
    const before = await readBalance(app);
    const batchId = await sendOne('900000006');
    await passUntil(app, async () => (await read(batchId)).estado === 'Entregue', 'delivery');
    expect(await readBalance(app)).toBe(before - 1);
  });

  test('one that nobody tells of stays sent, and is asked for no more after three days', async () => {
    const batchId = await sendOne('900000003');
    await passUntil(app, async () => (await read(batchId)).estado === 'Enviado', 'sending');
    const due = async () => (await app.sql('select due_at from sms_messages where batch_id = $1', [batchId]))[0].due_at;
    for (let hours = 0; hours < 80; hours += 4) {
      app.clock.leap(4 * 3_600_000);
      await app.clock.advance(2_000);
    }
    const end = async () => (await leapToDue(app, batchId), (await due()) === null);
    await passUntil(app, end, 'the end of asking');
    expect((await read(batchId)).estado).toBe('Enviado');
  });

  test.each(['delay', 'hang', 'reset_after', 'garbage', 'unavailable', 'reset_before'])(
    'a rail that answers with %s has it once all the same',
    async (kind) => {
      const to = phone();
      await orderFault(app, { on: 'sms_send', kind, phone: to, delayMs: 30_000 });
      const before = await readBalance(app);
      const batchId = await sendOne(to);
      await passUntil(app, async () => (await read(batchId)).estado === 'Entregue', 'delivery');
      const known = (await readRail(app)).filter((one) => one.to === to);
      expect(known.map(({ calls }) => calls)).toEqual([1]);
      expect(await readBalance(app)).toBe(before - 1);
    },
  );

  test('after a day it is news no more: not sent, and credited back', async () => {
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

describe('who answers PARAR', () => {
  const reply = (to: string, text: string) =>
    app
      .sql(`select id from sms_messages where phone = $1 order by listed_at desc limit 1`, [to])
      .then(([{ id }]) => app.call(`/sandbox/rail/messages/${id}/reply`, { body: { text } }));

  test('is skipped from then on, marked, and counted; INICIAR undoes it', async () => {
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

  test('between the request and the sending: nothing goes out, and the unit comes back', async () => {
    const to = phone();
    const before = await readBalance(app);
    const when = minuteOf(new Date(app.clock.now().getTime() + 10 * MINUTE_MS));
    const body = { ...when, numerosDestino: [to], conteudo: 'Bom dia' };
    const { batchId } = (await app.call('/api/Envio/agendarSms', { body })).json;
    await app.sql('insert into sms_opt_outs values ($1, $2, now())', [MERCHANT, to]);
    app.clock.leap(11 * MINUTE_MS);
    await passUntil(app, async () => (await listSent(app, `&batchId=${batchId}`))[0]?.estado === 'Falhado', 'skipping');
    expect((await listSent(app, `&batchId=${batchId}`))[0].motivoFalha).toBe('opted_out');
    expect((await readRail(app)).filter((one) => one.to === to)).toEqual([]);
    expect(await readBalance(app)).toBe(before);
  });
});
