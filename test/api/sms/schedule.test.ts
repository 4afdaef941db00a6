import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { untilNoStatementRuns } from '../../support/idle.ts';
import { addUnits, listSent, MERCHANT, minuteOf, passUntil, readBalance, readRail } from '../../support/sms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(() => addUnits(app, MERCHANT, 100));

let next = 924_000_000;
const phone = () => `+244${next++}`;

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

describe('POST agendarSms', () => {
  test('returns 201 and debits the units, but sends nothing yet', async () => {
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

  test('sends the SMS at the given minute, once', async () => {
    const { at, fields } = minuteIn(3);
    const to = phone();
    const { batchId } = (await schedule({ numerosDestino: [to], ...fields })).json;
    await app.clock.pass(at.getTime() - app.clock.now().getTime() - 1);
    await untilNoStatementRuns(app);
    const sentTo = async () => (await readRail(app)).filter((one) => one.to === to);
    expect(await sentTo()).toEqual([]);
    // The engine polls once a second. After that the clock stands still until the rail has the SMS.
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

  test('treats midnight as the beginning of the day in Luanda', async () => {
    const reply = await schedule({ numerosDestino: [phone()], dia: 1, mes: 4, ano: 2026, hora: 0, minuto: 0 });
    expect(reply.json.agendadaPara).toBe('2026-03-31T23:00:00.000Z');
  });

  test('accepts times from one minute to one year ahead', async () => {
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

  test('sends the template and the contact list as they were at the request', async () => {
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

  test('returns the first response for a repeated Idempotency-Key, also after the scheduled minute', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const { at, fields } = minuteIn(2);
    const body = { numerosDestino: [phone()], ...fields };
    const first = await schedule(body, { headers });
    app.clock.leap(at.getTime() - app.clock.now().getTime() + 60_000);
    const again = await schedule(body, { headers });
    expect([again.status, again.text]).toEqual([201, first.text]);
  });
});

describe('DELETE CancelarAgendamento', () => {
  test('credits the units once and prevents the sending', async () => {
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

  test('returns 404 for a sending request without a schedule', async () => {
    const sent = await app.call('/api/Envio/enviarSms', { body: { numerosDestino: [phone()], conteudo: 'x' } });
    expect((await cancel(sent.json.batchId)).status).toBe(404);
  });
});

describe('GET ListarSmsAgendadas', () => {
  test('returns only the merchant’s own schedules by status, in pages', async () => {
    const other = await app.addMerchant();
    const read = (query: string, options = {}) => app.call(`/api/Envio/ListarSmsAgendadas${query}`, options);
    expect((await read('', { token: other.token })).json).toEqual({
      data: [],
      pageNumber: 1,
      pageSize: 20,
      totalPages: 0,
      totalItems: 0,
    });
    // The batches of earlier tests are released in the background, which changes their status.
    const due = `select from sms_batches where status = 'Scheduled' and run_at <= $1`;
    const areReleased = async () => (await app.sql(due, [app.clock.now()])).length === 0;
    await passUntil(app, areReleased, 'the release of due batches');
    const all = (await read('?pageSize=100')).json;
    const page = (await read('?pageSize=2&pageNumber=2')).json;
    expect(page.data).toEqual(all.data.slice(2, 4));
    expect(page.totalItems).toBe(all.totalItems);
  });
});
