// What was sent: listed and filtered, of one day in Luanda, and of the days from one to another.
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { smsMessage } from '../../../server/sms/history.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { addUnits, passUntil } from '../../support/sms.ts';

const PATH = '/api/Envio';
const DAY_MS = 86_400_000;

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openShop(app);
});

const list = (query = '', from = shop) => from.call(`${PATH}/ListarSmsEnviadas${query}`);
const idsOf = ({ json }: Reply): string[] => json.data.map(({ id }: any) => id);
const now = () => app.clock.now().toISOString();

/** `2/3/2026` as the three parameters. */
function query(text: string, end = ''): string {
  const values = text.split('/');
  return ['dia', 'mes', 'ano'].map((name, nth) => `${name}${end}=${values[nth]}`).join('&');
}

const onDay = (text: string, more = '') => shop.call(`${PATH}/PesquisarSMSEnviados?${query(text)}${more}`);
const between = (first: string, last: string, more = '') =>
  shop.call(`${PATH}/pesquisarEnviosPorIntervaloDeDatas?${query(first, 'Inicio')}&${query(last, 'Fim')}${more}`);

/** A sending as its row. */
async function addBatch(of = shop, values: { content?: string; sender?: string } = {}): Promise<string> {
  const id = uuid();
  const { content = 'Bom dia', sender = 'LOJA' } = values;
  await app.sql(
    `insert into sms_batches (id, merchant_id, sender, content, recipients, units, status, created_at)
     values ($1, $2, $3, $4, 1, 1, 'Released', $5)`,
    [id, of.merchantId, sender, content, now()],
  );
  return id;
}

/** A message as its row, which nothing is due for. */
async function addMessage(batchId: string, row: Record<string, unknown> = {}, of = shop): Promise<string> {
  const given = { id: uuid(), merchantId: of.merchantId, phone: '+244923456789', parts: 1, status: 'Sent', ...row };
  const columns: Record<string, unknown> = { batch_id: batchId, listed_at: now() };
  for (const [name, value] of Object.entries(given))
    columns[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = value;
  const names = Object.keys(columns);
  const places = names.map((_, nth) => `$${nth + 1}`);
  await app.sql(`insert into sms_messages (${names.join(', ')}) values (${places.join(', ')})`, Object.values(columns));
  return given.id;
}

/** One in the history at each moment, the oldest first; answers their ids. */
async function addAt(...moments: string[]): Promise<string[]> {
  const batchId = await addBatch();
  const ids: string[] = [];
  for (const listedAt of moments) ids.push(await addMessage(batchId, { listedAt }));
  return ids;
}

describe('a message of the list', () => {
  test('has sender and text of its sending, and its own times', async () => {
    const batchId = await addBatch(shop, { content: 'Olá a todos', sender: 'LOJAILHA' });
    const [sentAt, deliveredAt] = ['2026-03-02T08:00:00.000Z', '2026-03-02T08:00:03.250Z'];
    const id = await addMessage(batchId, { status: 'Delivered', parts: 2, sentAt, deliveredAt, listedAt: sentAt });
    const reply = await list();
    expect(reply.status).toBe(200);
    expect(reply.json.data).toEqual([
      {
        id,
        batchId,
        numeroDestino: '+244923456789',
        remetente: 'LOJAILHA',
        conteudo: 'Olá a todos',
        partes: 2,
        estado: 'Entregue',
        enviadoEm: sentAt,
        entregueEm: deliveredAt,
        motivoFalha: null,
        paginaRecusa: null,
      },
    ]);
  });

  test('is as the document says, whatever became of it', async () => {
    const batchId = await addBatch();
    await addMessage(batchId, { status: 'Pending' });
    await addMessage(batchId, { status: 'Delivered', sentAt: now(), deliveredAt: now() });
    await addMessage(batchId, { status: 'Failed', failure: 'undeliverable' });
    const { data } = (await list()).json;
    expect(data).toHaveLength(3);
    for (const item of data) expect(smsMessage.strict().safeParse(item).error).toBeUndefined();
  });

  test('has its own text where it has one', async () => {
    const batchId = await addBatch(shop, { content: 'Olá {{nome}}' });
    await addMessage(batchId, { content: 'Olá Ana' });
    await addMessage(batchId, { content: 'Olá Rui' });
    expect((await list()).json.data.map(({ conteudo }: any) => conteudo)).toEqual(['Olá Rui', 'Olá Ana']);
  });

  test.each([
    [{ status: 'Pending' }, { estado: 'Pendente', enviadoEm: null, entregueEm: null, motivoFalha: null }],
    [
      { status: 'Failed', failure: 'number_not_active' },
      { estado: 'Falhado', enviadoEm: null, entregueEm: null, motivoFalha: 'number_not_active' },
    ],
  ])('%j', async (row, shown) => {
    await addMessage(await addBatch(), row);
    expect((await list()).json.data).toMatchObject([shown]);
  });
});

describe('the list', () => {
  test('of none is empty', async () => {
    const page = { data: [], pageNumber: 1, pageSize: 20, totalPages: 0, totalItems: 0 };
    expect(await list()).toMatchObject({ status: 200, json: page });
  });

  test('has the newest first, in pages, each once, also of one moment', async () => {
    const at = (second: number) => `2026-03-01T10:00:0${second}.000Z`;
    const ids = await addAt(at(0), at(1), at(1), at(1), at(2));
    const pages = await Promise.all([1, 2, 3, 4].map((nth) => list(`?pageNumber=${nth}&pageSize=2`)));
    expect(pages.flatMap(idsOf)).toEqual(ids.toReversed());
    for (const [nth, { json }] of pages.entries())
      expect(json).toMatchObject({ pageNumber: nth + 1, pageSize: 2, totalPages: 3, totalItems: 5 });
  });

  test('has only days of Luanda that are asked for, to the millisecond, also as a file', async () => {
    // Midnight there is 23:00 UTC.
    const [before, first, last, after] = await addAt(
      '2026-02-28T22:59:59.999Z',
      '2026-02-28T23:00:00.000Z',
      '2026-03-02T22:59:59.999Z',
      '2026-03-02T23:00:00.000Z',
    );
    expect(idsOf(await list('?desde=2026-03-01&ate=2026-03-02'))).toEqual([last, first]);
    expect(idsOf(await list('?desde=2026-03-01&estado=Enviado'))).toEqual([after, last, first]);
    expect(idsOf(await list('?ate=2026-03-02'))).toEqual([last, first, before]);
    const file = await shop.call(`${PATH}/ListarSmsEnviadas.csv?desde=2026-03-01&ate=2026-03-01`);
    expect([first, last].map((id) => file.text.includes(id!))).toEqual([true, false]);
    const wrong = await list('?desde=2026-03-02&ate=2026-03-01');
    expect(wrong.json.errors).toMatchObject([{ pointer: '/query/ate', code: 'range_reversed' }]);
    expect((await list('?desde=2026-02-30')).json.errors).toMatchObject([{ code: 'invalid_day' }]);
  });

  test('is in the order they were sent, not accepted', async () => {
    const batchId = await addBatch();
    const late = await addMessage(batchId, { listedAt: '2026-03-01T12:00:00.000Z' });
    const early = await addMessage(batchId, { listedAt: '2026-03-01T11:00:00.000Z' });
    expect(idsOf(await list())).toEqual([late, early]);
  });

  test('has nothing that is not yet to be sent', async () => {
    const batchId = await addBatch();
    await addMessage(batchId, { status: 'Pending', listedAt: null });
    const id = await addMessage(batchId);
    expect((await list()).json).toMatchObject({ totalItems: 1, data: [{ id }] });
    expect((await list('?estado=Pendente')).json.totalItems).toBe(0);
  });

  test('has nothing of another merchant’s', async () => {
    const stranger = await openShop(app);
    const theirs = await addBatch(stranger);
    await addMessage(theirs, {}, stranger);
    const mine = await addMessage(await addBatch());
    expect(idsOf(await list())).toEqual([mine]);
    expect((await list(`?batchId=${theirs}`)).json).toMatchObject({ data: [], totalItems: 0 });
    expect((await list(`?batchId=${theirs}`, stranger)).json.totalItems).toBe(1);
  });

  test('is whole while messages come: no page is beyond its total', async () => {
    const batchId = await addBatch();
    const adding = Promise.all(Array.from({ length: 25 }, () => addMessage(batchId)));
    const pages = await Promise.all(Array.from({ length: 20 }, () => list('?pageSize=100')));
    for (const { json } of pages) {
      expect(json.data).toHaveLength(json.totalItems);
      expect(json.totalPages).toBe(json.totalItems > 0 ? 1 : 0);
    }
    await adding;
    expect((await list()).json).toMatchObject({ totalItems: 25, totalPages: 2 });
  });
});

describe('filters', () => {
  const OTHER = '+244911000222';
  let batchId: string;
  let otherBatch: string;
  let ids: Record<string, string>;
  beforeEach(async () => {
    [batchId, otherBatch] = [await addBatch(), await addBatch()];
    ids = {
      pending: await addMessage(batchId, { status: 'Pending' }),
      sent: await addMessage(batchId, { status: 'Sent', phone: OTHER }),
      delivered: await addMessage(otherBatch, { status: 'Delivered' }),
      failed: await addMessage(otherBatch, { status: 'Failed', phone: OTHER }),
    };
  });

  test.each([
    ['estado=Pendente', ['pending']],
    ['estado=enviado', ['sent']],
    ['estado=ENTREGUE', ['delivered']],
    ['estado=Falhado', ['failed']],
    ['numeroDestino=911000222', ['failed', 'sent']],
    [`numeroDestino=${encodeURIComponent(OTHER)}`, ['failed', 'sent']],
    // An unescaped plus is a space.
    [`numeroDestino=${OTHER}`, ['failed', 'sent']],
    ['numeroDestino=00244%20911%20000%20222&estado=Enviado', ['sent']],
    ['numeroDestino=912345678', []],
  ])('%s', async (given, found) => {
    const reply = await list(`?${given}`);
    expect(idsOf(reply)).toEqual(found.map((name) => ids[name]));
    expect(reply.json.totalItems).toBe(found.length);
  });

  test('by sending, alone and together, in pages', async () => {
    expect(idsOf(await list(`?batchId=${batchId}`))).toEqual([ids['sent'], ids['pending']]);
    expect(idsOf(await list(`?batchId=${otherBatch.toUpperCase()}&estado=Falhado`))).toEqual([ids['failed']]);
    const all = `batchId=${otherBatch}&numeroDestino=911000222&estado=Falhado`;
    expect(idsOf(await list(`?${all}`))).toEqual([ids['failed']]);
    const second = await list(`?batchId=${batchId}&pageNumber=2&pageSize=1`);
    expect(second.json).toMatchObject({ data: [{ id: ids['pending'] }], pageNumber: 2, totalPages: 2, totalItems: 2 });
    expect((await list(`?batchId=${randomUUID()}`)).json).toMatchObject({ data: [], totalItems: 0 });
  });
});

describe('of one day', () => {
  test('from midnight to midnight in Luanda, to the millisecond', async () => {
    const [before, first, last, after] = await addAt(
      '2026-02-28T22:59:59.999Z',
      '2026-02-28T23:00:00.000Z',
      '2026-03-01T22:59:59.999Z',
      '2026-03-01T23:00:00.000Z',
    );
    expect((await onDay('1/3/2026')).json).toMatchObject({ totalItems: 2, totalPages: 1, pageNumber: 1, pageSize: 20 });
    expect(idsOf(await onDay('1/3/2026'))).toEqual([last, first]);
    expect(idsOf(await onDay('01/03/2026'))).toEqual([last, first]);
    expect(idsOf(await onDay('28/2/2026'))).toEqual([before]);
    expect(idsOf(await onDay('2/3/2026'))).toEqual([after]);
    expect(idsOf(await onDay('3/3/2026'))).toEqual([]);
  });

  test('the last of a year and 29 February', async () => {
    const [leap, old, young] = await addAt(
      '2024-02-29T12:00:00.000Z',
      '2025-12-31T22:59:59.999Z',
      '2025-12-31T23:00:00.000Z',
    );
    expect(idsOf(await onDay('29/2/2024'))).toEqual([leap]);
    expect(idsOf(await onDay('31/12/2025'))).toEqual([old]);
    expect(idsOf(await onDay('1/1/2026'))).toEqual([young]);
  });

  test('in pages, with nothing of another merchant’s and nothing that is not yet to be sent', async () => {
    const ids = await addAt('2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z', '2026-03-01T12:00:00Z');
    await addMessage(await addBatch(), { status: 'Pending', listedAt: null });
    const stranger = await openShop(app);
    await addMessage(await addBatch(stranger), { listedAt: '2026-03-01T10:00:00Z' }, stranger);
    const pages = await Promise.all([1, 2].map((nth) => onDay('1/3/2026', `&pageNumber=${nth}&pageSize=2`)));
    expect(pages.flatMap(idsOf)).toEqual(ids.toReversed());
    expect(pages[1]?.json).toMatchObject({ pageNumber: 2, pageSize: 2, totalPages: 2, totalItems: 3 });
  });
});

describe('from one day to another', () => {
  test('both count, whole, to the millisecond', async () => {
    const [before, first, middle, last, after] = await addAt(
      '2026-02-26T22:59:59.999Z',
      '2026-02-26T23:00:00.000Z',
      '2026-02-28T12:00:00.000Z',
      '2026-03-01T22:59:59.999Z',
      '2026-03-01T23:00:00.000Z',
    );
    expect(idsOf(await between('27/2/2026', '1/3/2026'))).toEqual([last, middle, first]);
    expect(idsOf(await between('26/02/2026', '02/03/2026'))).toEqual([after, last, middle, first, before]);
    expect(idsOf(await between('1/3/2026', '1/3/2026'))).toEqual([last]);
    expect(idsOf(await between('3/3/2026', '9/3/2026'))).toEqual([]);
  });

  test('a whole year and the same day a year after', async () => {
    const [first, last] = await addAt('2025-01-31T23:00:00.000Z', '2026-02-01T22:59:59.999Z');
    await addAt('2026-02-01T23:00:00.000Z');
    expect(idsOf(await between('1/2/2025', '1/2/2026'))).toEqual([last, first]);
  });

  test('in pages', async () => {
    const ids = await addAt('2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z', '2026-03-03T10:00:00Z');
    const pages = await Promise.all(
      [1, 2].map((nth) => between('1/3/2026', '3/3/2026', `&pageNumber=${nth}&pageSize=2`)),
    );
    expect(pages.flatMap(idsOf)).toEqual(ids.toReversed());
    expect(pages[0]?.json).toMatchObject({ pageNumber: 1, pageSize: 2, totalPages: 2, totalItems: 3 });
  });
});

describe('what is sent through the API', () => {
  const send = async (to: string[], more: object = { conteudo: 'Bom dia' }) =>
    (await shop.call(`${PATH}/enviarSms`, { body: { numerosDestino: to, ...more } })).json;
  const untilDelivered = (batchId: string) =>
    passUntil(
      app,
      async () => (await list(`?batchId=${batchId}`)).json.data.every(({ estado }: any) => estado === 'Entregue'),
      'delivery',
    );
  const dayIn = (iso: string) => {
    const luanda = new Date(Date.parse(iso) + 3_600_000);
    return `${luanda.getUTCDate()}/${luanda.getUTCMonth() + 1}/${luanda.getUTCFullYear()}`;
  };

  beforeEach(() => addUnits(app, shop.merchantId, 50));

  test('is there at once, then sent, then delivered', async () => {
    await shop.call('/api/ContaSms/AtualizarRemetente', { method: 'PUT', body: { nomeremetenteSms: 'LOJAILHA' } });
    const { batchId } = await send(['923111222', '+244 923 111 333']);
    const common = { batchId, remetente: 'LOJAILHA', conteudo: 'Bom dia', partes: 1, motivoFalha: null };
    const accepted = (await list()).json;
    expect(accepted.totalItems).toBe(2);
    for (const item of accepted.data) expect(item).toMatchObject(common);
    await untilDelivered(batchId);
    const { data } = (await list('?numeroDestino=923111333')).json;
    const times = { enviadoEm: expect.stringMatching(/Z$/), entregueEm: expect.stringMatching(/Z$/) };
    expect(data).toMatchObject([{ ...common, ...times, numeroDestino: '+244923111333', estado: 'Entregue' }]);
  });

  test('each has the text that was filled in for it', async () => {
    const template = { nome: 'Aviso', conteudo: 'Total {{total}}' };
    const { id: smsId } = (await shop.call('/api/TemplatesSMS/CriarTemplate', { body: template })).json;
    const body = { smsId, numerosDestino: ['923111222'], valores: { total: '100 Kz' } };
    const { batchId } = (await shop.call(`${PATH}/enviarSmsTemplate`, { body })).json;
    expect((await list(`?batchId=${batchId}`)).json.data).toMatchObject([{ conteudo: 'Total 100 Kz' }]);
  });

  test('is found on the day it was sent, and in a range of days', async () => {
    const one = await send(['923111222']);
    await untilDelivered(one.batchId);
    app.clock.leap(DAY_MS);
    const other = await send(['923111222']);
    await untilDelivered(other.batchId);
    const [second, first] = (await list()).json.data;
    expect([first.batchId, second.batchId]).toEqual([one.batchId, other.batchId]);
    const [firstDay, secondDay] = [dayIn(first.enviadoEm), dayIn(second.enviadoEm)];
    expect(firstDay).not.toBe(secondDay);
    expect((await onDay(firstDay)).json.data).toEqual([first]);
    expect((await onDay(secondDay)).json.data).toEqual([second]);
    expect((await between(firstDay, secondDay)).json.data).toEqual([second, first]);
  });
});
