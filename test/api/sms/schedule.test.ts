// Scheduled SMS: fixed and paid for when scheduled, sent at their minute in Luanda, cancelable until then.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { untilLooked } from '../../support/idle.ts';
import { addUnits, listSent, MERCHANT, minuteOf, passUntil, readBalance, readRail } from '../../support/sms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(() => addUnits(app, MERCHANT, 100));

let next = 924_000_000;
const phone = () => `+244${next++}`;

/** A whole minute in Luanda, so many minutes after the current one began. */
function minuteIn(minutes: number) {
  const at = new Date(Math.floor(app.clock.now().getTime() / 60_000 + minutes) * 60_000);
  return { at, fields: minuteOf(at) };
}

function schedule(body: object, options = {}): Promise<Reply> {
  return app.call('/api/Envio/agendarSms', { body: { conteudo: 'Bom dia', ...body }, ...options });
}

const listed = async (query = '') => (await app.call(`/api/Envio/ListarSmsAgendadas?pageSize=100${query}`)).json.data;
const cancel = (id: string, options = {}) =>
  app.call(`/api/Envio/CancelarAgendamento/${id}`, { method: 'DELETE', ...options });

describe('scheduling', () => {
  test('answers 201 with the moment, debits now and sends nothing yet', async () => {
    const before = await readBalance(app);
    const { at, fields } = minuteIn(10);
    const to = phone();
    const reply = await schedule({ numerosDestino: [to, to], ...fields });
    expect(reply.status, reply.text).toBe(201);
    expect(reply.json).toMatchObject({
      batchId: reply.json.agendamentoId,
      estado: 'Agendado',
      agendadaPara: at.toISOString(),
      totalDestinatarios: 1,
      duplicados: 1,
      unidades: 1,
      codificacao: 'GSM-7',
    });
    expect(await readBalance(app)).toBe(before - 1);
    await app.clock.advance(5_000);
    expect(await listSent(app, `&batchId=${reply.json.batchId}`)).toEqual([]);
    const [entry] = await listed();
    expect(entry).toEqual({
      agendamentoId: reply.json.agendamentoId,
      batchId: reply.json.batchId,
      estado: 'Agendado',
      agendadaPara: at.toISOString(),
      conteudo: 'Bom dia',
      remetente: 'BALCAO',
      totalDestinatarios: 1,
      unidades: 1,
      criadoEm: expect.stringMatching(/Z$/),
      enviadoEm: null,
      canceladoEm: null,
    });
  });

  test('it goes out at its minute, not before, once', async () => {
    const { at, fields } = minuteIn(3);
    const to = phone();
    const { batchId } = (await schedule({ numerosDestino: [to], ...fields })).json;
    await app.clock.pass(at.getTime() - app.clock.now().getTime() - 1);
    await untilLooked(app);
    const sentTo = async () => (await readRail(app)).filter((one) => one.to === to);
    expect(await sentTo()).toEqual([]);
    // It is looked for once a second. Then time stands still until the rail has it, however long that takes a busy machine.
    await app.clock.advance(1_000);
    await until(async () => (await sentTo()).length > 0, 'the message at the rail');
    await passUntil(
      app,
      async () => (await listSent(app, `&batchId=${batchId}`))[0]?.estado === 'Entregue',
      'delivery',
    );
    expect((await sentTo()).map(({ calls }) => calls)).toEqual([1]);
    const [entry] = await listed();
    expect(entry.estado).toBe('Enviado');
    expect(Date.parse(entry.enviadoEm) - at.getTime()).toBeLessThanOrEqual(2_000);
    expect(Date.parse(entry.enviadoEm)).toBeGreaterThanOrEqual(at.getTime());
  });

  test('midnight belongs to the day that begins, in Luanda', async () => {
    const reply = await schedule({ numerosDestino: [phone()], dia: 1, mes: 4, ano: 2026, hora: 0, minuto: 0 });
    expect(reply.json.agendadaPara).toBe('2026-03-31T23:00:00.000Z');
  });

  test('the bounds: a minute ahead, and a year', async () => {
    const ahead = minuteIn(1);
    await app.clock.pass(ahead.at.getTime() - app.clock.now().getTime());
    expect((await schedule({ numerosDestino: [phone()], ...minuteIn(1).fields })).status).toBe(201);
    await app.clock.advance(1);
    expect((await schedule({ numerosDestino: [phone()], ...minuteIn(1).fields })).json.code).toBe('validation_failed');
    const year = { ...minuteIn(0).fields, ano: minuteIn(0).fields.ano + 1 };
    expect((await schedule({ numerosDestino: [phone()], ...year })).status).toBe(201);
    const later = { ...minuteIn(1).fields, ano: minuteIn(1).fields.ano + 1 };
    expect((await schedule({ numerosDestino: [phone()], ...later })).json.errors[0].code).toBe('date_too_far');
  });

  test('a template and a list that change afterwards change nothing', async () => {
    const to = phone();
    const ana = (await app.call('/api/Contactos/CadastrarContacto', { body: { nome: 'Ana', telefone: to } })).json;
    const rui = (await app.call('/api/Contactos/CadastrarContacto', { body: { nome: 'Rui', telefone: phone() } })).json;
    const list = { nome: 'VIP', contactoIds: [ana.contactoId] };
    const { listaId } = (await app.call('/api/Contactos/CriarListaDeContactos', { body: list })).json;
    const template = { nome: 'Olá', conteudo: 'Olá {{nome}}' };
    const smsId = (await app.call('/api/TemplatesSMS/CriarTemplate', { body: template })).json.id;
    const { at, fields } = minuteIn(5);
    const reply = await schedule({ conteudo: null, smsId, listaId, ...fields });
    expect(reply.status, reply.text).toBe(201);
    await app.call(`/api/TemplatesSMS/AtualizarTemplate/${smsId}`, {
      method: 'PUT',
      body: { nome: 'Adeus', conteudo: 'Adeus {{nome}}' },
    });
    await app.call('/api/Contactos/AdicionarContactoALista', { body: { listaId, contactoId: rui.contactoId } });
    await app.call(`/api/Contactos/DeletarContacto/${ana.contactoId}`, { method: 'DELETE' });
    app.clock.leap(at.getTime() - app.clock.now().getTime());
    const sent = () => listSent(app, `&batchId=${reply.json.batchId}`);
    await passUntil(app, async () => (await sent())[0]?.estado === 'Entregue', 'delivery');
    expect((await sent()).map(({ numeroDestino, conteudo }) => [numeroDestino, conteudo])).toEqual([[to, 'Olá Ana']]);
  });

  test('its key answers the same after its minute', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const { at, fields } = minuteIn(2);
    const body = { numerosDestino: [phone()], ...fields };
    const first = await schedule(body, { headers });
    app.clock.leap(at.getTime() - app.clock.now().getTime() + 60_000);
    const again = await schedule(body, { headers });
    expect([again.status, again.text]).toEqual([201, first.text]);
  });
});

describe('cancelling', () => {
  test('gives the units back, once, and nothing is sent', async () => {
    const before = await readBalance(app);
    const { at, fields } = minuteIn(4);
    const to = phone();
    const { agendamentoId } = (await schedule({ numerosDestino: [to, phone()], ...fields })).json;
    const reply = await cancel(agendamentoId);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json).toMatchObject({ success: true, message: expect.any(String) });
    expect(await readBalance(app)).toBe(before);
    expect((await cancel(agendamentoId)).status).toBe(200);
    expect(await readBalance(app)).toBe(before);
    app.clock.leap(at.getTime() - app.clock.now().getTime());
    await app.clock.advance(5_000);
    expect((await readRail(app)).filter((one) => one.to === to)).toEqual([]);
    const canceled = await listed('&estado=cancelado');
    expect(canceled[0]).toMatchObject({ agendamentoId, estado: 'Cancelado', canceladoEm: expect.stringMatching(/Z$/) });
  });

  test('not once its minute has come', async () => {
    const { at, fields } = minuteIn(2);
    const { agendamentoId } = (await schedule({ numerosDestino: [phone()], ...fields })).json;
    app.clock.leap(at.getTime() - app.clock.now().getTime());
    await passUntil(
      app,
      async () => (await listed('&estado=Enviado')).some((one: any) => one.agendamentoId === agendamentoId),
      'sending',
    );
    const before = await readBalance(app);
    const reply = await cancel(agendamentoId);
    expect([reply.status, reply.json.code]).toEqual([409, 'schedule_not_cancelable']);
    expect(await readBalance(app)).toBe(before);
  });

  test('refuses: unknown, no id, another merchant’s, a sending that was not scheduled; no token, wrong scope', async () => {
    const { agendamentoId } = (await schedule({ numerosDestino: [phone()], ...minuteIn(30).fields })).json;
    const sent = await app.call('/api/Envio/enviarSms', { body: { numerosDestino: [phone()], conteudo: 'x' } });
    const other = await app.addMerchant();
    expect((await cancel(randomUUID())).status).toBe(404);
    expect((await cancel('12')).status).toBe(404);
    expect((await cancel(sent.json.batchId)).status).toBe(404);
    expect((await cancel(agendamentoId, { token: other.token })).status).toBe(404);
    expect((await cancel(agendamentoId, { token: null })).status).toBe(401);
    const reader = await app.token('demo', 'demo-secret', 'sms:read');
    expect((await cancel(agendamentoId, { token: reader })).status).toBe(403);
    expect((await listed())[0]).toMatchObject({ agendamentoId, estado: 'Agendado' });
  });
});

describe('the list', () => {
  test('is paged, newest first, of one merchant, by state', async () => {
    const other = await app.addMerchant();
    const read = (query: string, options = {}) => app.call(`/api/Envio/ListarSmsAgendadas${query}`, options);
    expect((await read('', { token: other.token })).json).toEqual({
      data: [],
      pageNumber: 1,
      pageSize: 20,
      totalPages: 0,
      totalItems: 0,
    });
    const all = (await read('?pageSize=100')).json;
    const page = (await read('?pageSize=2&pageNumber=2')).json;
    expect(page.data).toEqual(all.data.slice(2, 4));
    expect(page.totalItems).toBe(all.totalItems);
    const wrong = await read('?pageNumber=0&pageSize=101&estado=x');
    expect(wrong.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/query/pageNumber',
      '/query/pageSize',
      '/query/estado',
    ]);
    expect((await read('', { token: null })).status).toBe(401);
    const writer = await app.token('demo', 'demo-secret', 'sms:write');
    expect((await read('', { token: writer })).status).toBe(403);
  });
});
