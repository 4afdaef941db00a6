// Refusals that people tell the merchant itself: the number a message names, what is written down and taken back by hand, and that nothing is sent.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { readCsv } from '../../support/csv.ts';
import { createLink } from '../../support/links.ts';
import { creepUntil } from '../../support/payments.ts';
import { faultsOf } from '../../support/ppr.ts';
import { addUnits, readBalance } from '../../support/sms.ts';

const PATH = '/api/sms/opt-outs';
const SENDER = '/api/ContaSms/AtualizarRemetente';

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openShop(app);
  await addUnits(app, shop.merchantId, 100);
});

let next = 925_000_000;
const phone = () => `+244${next++}`;

const record = (to: string, options = {}) => shop.call(PATH, { body: { phone: to }, ...options });
const remove = (id: string) => shop.call(`${PATH}/${id}`, { method: 'DELETE' });
const list = async (query = '') => (await shop.call(`${PATH}${query}`)).json;
const send = (numerosDestino: string[]) =>
  shop.call('/api/Envio/enviarSms', { body: { numerosDestino, conteudo: 'Bom dia' } });
const sentTo = async (to: string): Promise<any[]> =>
  (await shop.call(`/api/Envio/ListarSmsEnviadas?numeroDestino=${encodeURIComponent(to)}`)).json.data;
const audit = async (action: string) =>
  (await shop.call(`/api/merchants/${shop.merchantId}/audit?action=${action}`)).json.data;

describe('the number that messages name', () => {
  const choose = (body: object) => shop.call(SENDER, { method: 'PUT', body: { nomeremetenteSms: null, ...body } });

  test('stands at their end, in the merchant’s language', async () => {
    expect((await choose({ optOutText: 'number', optOutNumber: '222 000 111' })).json).toMatchObject({
      optOutText: 'number',
      optOutNumber: '222000111',
    });
    const to = phone();
    await send([to]);
    expect((await sentTo(to))[0].conteudo).toBe('Bom dia\nRecusar SMS: ligue 222000111');
  });

  test('is kept where only the sender changes, and cannot be taken away from under it', async () => {
    await choose({ optOutText: 'number', optOutNumber: '+244 923 456 789' });
    expect((await choose({})).json.optOutNumber).toBe('923456789');
    const without = await choose({ optOutNumber: null });
    expect([without.status, faultsOf(without)]).toEqual([400, ['/optOutNumber required']]);
    expect((await choose({ optOutText: 'none', optOutNumber: null })).json).toMatchObject({ optOutNumber: null });
    const never = await choose({ optOutText: 'number' });
    expect([never.status, faultsOf(never)]).toEqual([400, ['/optOutNumber required']]);
  });

  test.each(['12345', '323456789', 'call me', ''])('cannot be %j', async (optOutNumber) => {
    expect(faultsOf(await choose({ optOutText: 'number', optOutNumber }))).toEqual(['/optOutNumber invalid_format']);
  });
});

describe('written down by the merchant', () => {
  test('it is listed, is in the audit without the number, and repeated it is the same', async () => {
    const to = phone();
    const made = await record(` ${to.slice(4)} `);
    const shown = { id: expect.any(String), phone: to, source: 'merchant', createdAt: app.clock.now().toISOString() };
    expect([made.status, made.json]).toEqual([201, shown]);
    const again = await record(to);
    expect([again.status, again.json]).toEqual([200, made.json]);
    expect(await list()).toEqual({ data: [made.json], next: null });
    const entries = await audit('sms.opt_out_recorded');
    expect(entries).toMatchObject([{ target: made.json.id }]);
    expect(entries[0].changes).toEqual({});
  });

  test('of many at once one is new', async () => {
    const to = phone();
    const replies = await Promise.all(Array.from({ length: 8 }, () => record(to)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1);
    expect(await audit('sms.opt_out_recorded')).toHaveLength(1);
  });

  test('nothing is sent to them in any way, and what was on its way to its minute is not either', async () => {
    const [to, friend] = [phone(), phone()];
    const contact = (nome: string, telefone: string) =>
      shop.call('/api/Contactos/CadastrarContacto', { body: { nome, telefone } });
    const contactoIds = [(await contact('Ana', to)).json.contactoId, (await contact('Rui', friend)).json.contactoId];
    const made = await shop.call('/api/Contactos/CriarListaDeContactos', { body: { nome: 'L', contactoIds } });
    const at = new Date(app.clock.now().getTime() + 2 * 3_600_000 + 3_600_000);
    const minute = {
      dia: at.getUTCDate(),
      mes: at.getUTCMonth() + 1,
      ano: at.getUTCFullYear(),
      hora: at.getUTCHours(),
      minuto: at.getUTCMinutes(),
    };
    const body = { numerosDestino: [to], conteudo: 'Mais tarde', ...minute };
    expect((await shop.call('/api/Envio/agendarSms', { body })).status).toBe(201);
    await record(to);

    expect((await send([to])).json).toMatchObject({ estado: 'Ignorado', recusados: 1, unidades: 0 });
    const listed = { listaId: made.json.listaId, conteudo: 'Olá' };
    const toList = await shop.call('/api/Envio/enviarSmsParaLista', { body: listed });
    expect(toList.json).toMatchObject({ totalDestinatarios: 1, recusados: 1 });
    const template = await shop.call('/api/TemplatesSMS/CriarTemplate', { body: { nome: 'T', conteudo: 'Olá' } });
    const filled = { smsId: template.json.id, numerosDestino: [to] };
    expect((await shop.call('/api/Envio/enviarSmsTemplate', { body: filled })).json).toMatchObject({ recusados: 1 });
    const link = await createLink({ ...app, call: shop.call });
    const shared = await shop.call(`/api/links/${link.id}/sms`, { body: { numerosDestino: [to] } });
    expect([shared.status, shared.json.recusados], shared.text).toEqual([200, 1]);
    const before = await readBalance(app, shop.merchantId);
    app.clock.leap(2 * 3_600_000);
    const isDecided = async () => (await sentTo(to)).some(({ estado }) => estado !== 'Pendente');
    await creepUntil(app, isDecided, 'what becomes of it at its minute');
    expect(await sentTo(to)).toMatchObject([{ estado: 'Falhado', motivoFalha: 'opted_out' }]);
    expect(await readBalance(app, shop.merchantId)).toBe(before + 1);
  });
});

describe('taken back by hand', () => {
  test('is what the merchant wrote down; then it gets messages again', async () => {
    const to = phone();
    const { json } = await record(to);
    expect((await remove(json.id)).status).toBe(204);
    expect((await remove(json.id)).status).toBe(404);
    expect((await send([to])).json).toMatchObject({ recusados: 0, totalDestinatarios: 1 });
    expect(await audit('sms.opt_out_removed')).toMatchObject([{ target: json.id }]);
  });

  test('is not what somebody refused by themselves, on their page or before it was known how, nor by both', async () => {
    const [byPage, longAgo] = [phone(), phone()];
    await app.sql('insert into sms_opt_outs (merchant_id, phone, created_at) values ($1, $2, $3)', [
      shop.merchantId,
      longAgo,
      app.clock.now(),
    ]);
    await record(byPage);
    await shop.call(SENDER, { method: 'PUT', body: { nomeremetenteSms: null, optOutText: 'link' } });
    const code = 'abcdefgh';
    await app.sql('insert into sms_opt_out_codes values ($1, $2, $3, $4)', [
      code,
      shop.merchantId,
      byPage,
      app.clock.now(),
    ]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    const pressed = await app.call(`/parar/${code}`, { method: 'POST', token: null, body: 'wish=stop', headers });
    expect(pressed.status).toBe(303);
    const { data } = await list();
    expect(Object.fromEntries(data.map((one: any) => [one.phone, one.source]))).toEqual({
      [byPage]: 'page',
      [longAgo]: null,
    });
    for (const { id } of data) {
      const reply = await remove(id);
      expect([reply.status, reply.json.code]).toEqual([409, 'opt_out_theirs']);
    }
    expect((await list()).data).toHaveLength(2);
  });
});

test('the list goes on behind its cursor, finds a number, and is a file', async () => {
  const phones = Array.from({ length: 5 }, phone);
  for (const each of phones) {
    await record(each);
    await app.clock.advance(1);
  }
  const newest = phones.toReversed();
  const first = await list('?limit=2');
  const second = await list(`?limit=3&after=${first.next}`);
  expect([...first.data, ...second.data].map((one: any) => one.phone)).toEqual(newest);
  expect(second.next).toBeNull();
  expect((await list(`?phone=${phones[1]!.slice(4)}`)).data).toMatchObject([{ phone: phones[1] }]);
  const { text } = await shop.call(`${PATH}.csv`, { headers: { 'accept-language': 'en' } });
  expect(readCsv(text, ';').map((line) => [line['Number'], line['Source']])).toEqual(
    newest.map((each) => [`'${each}`, 'merchant']),
  );
});

test('another merchant’s are not there, and scopes are asked for', async () => {
  const { json } = await record(phone());
  const stranger = await openShop(app);
  expect((await stranger.call(PATH)).json.data).toEqual([]);
  expect((await stranger.call(`${PATH}/${json.id}`, { method: 'DELETE' })).status).toBe(404);
  const token = await shop.tokenFor({ scope: 'sms:read' });
  expect((await record(phone(), { token })).status).toBe(403);
  expect((await list()).data).toHaveLength(1);
});

test.each(['12', '', null, 923456789])('%j is no number', async (to) => {
  expect(faultsOf(await record(to as string))[0]).toMatch(/^\/phone /);
});
