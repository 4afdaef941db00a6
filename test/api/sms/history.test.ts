import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';

const PATH = '/api/Envio';

let app: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
});

const list = (query = '', from = fixture) => from.call(`${PATH}/ListarSmsEnviadas${query}`);
const idsOf = ({ json }: Reply): string[] => json.data.map(({ id }: any) => id);
const now = () => app.clock.now().toISOString();

function query(text: string, end = ''): string {
  const values = text.split('/');
  return ['dia', 'mes', 'ano'].map((name, nth) => `${name}${end}=${values[nth]}`).join('&');
}

const onDay = (text: string, more = '') => fixture.call(`${PATH}/PesquisarSMSEnviados?${query(text)}${more}`);
const between = (first: string, last: string, more = '') =>
  fixture.call(`${PATH}/pesquisarEnviosPorIntervaloDeDatas?${query(first, 'Inicio')}&${query(last, 'Fim')}${more}`);

async function addBatch(of = fixture, values: { content?: string; sender?: string } = {}): Promise<string> {
  const id = uuid();
  const { content = 'Bom dia', sender = 'LOJA' } = values;
  await app.sql(
    `insert into sms_batches (id, merchant_id, sender, content, recipients, units, status, created_at)
     values ($1, $2, $3, $4, 1, 1, 'Released', $5)`,
    [id, of.merchantId, sender, content, now()],
  );
  return id;
}

/** Inserts a message that is not due for sending. */
async function addMessage(batchId: string, row: Record<string, unknown> = {}, of = fixture): Promise<string> {
  const values = { id: uuid(), merchantId: of.merchantId, phone: '+244923456789', parts: 1, status: 'Sent', ...row };
  const columns: Record<string, unknown> = { batch_id: batchId, listed_at: now() };
  for (const [name, value] of Object.entries(values))
    columns[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = value;
  const names = Object.keys(columns);
  const parameters = names.map((_, nth) => `$${nth + 1}`);
  await app.sql(
    `insert into sms_messages (${names.join(', ')}) values (${parameters.join(', ')})`,
    Object.values(columns),
  );
  return values.id;
}

/** Inserts one message for each time and returns the ids. */
async function addAt(...moments: string[]): Promise<string[]> {
  const batchId = await addBatch();
  const ids: string[] = [];
  for (const listedAt of moments) ids.push(await addMessage(batchId, { listedAt }));
  return ids;
}

describe('an entry in the response of ListarSmsEnviadas', () => {
  test('has the sender and text of its sending request, and the times of its message', async () => {
    const batchId = await addBatch(fixture, { content: 'Olá a todos', sender: 'LOJAILHA' });
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

  test('has the text of its message if this differs from the text of the sending request', async () => {
    const batchId = await addBatch(fixture, { content: 'Olá {{nome}}' });
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
  ])('of %j has its status and its failure', async (row, shown) => {
    await addMessage(await addBatch(), row);
    expect((await list()).json.data).toMatchObject([shown]);
  });
});

describe('GET ListarSmsEnviadas', () => {
  test('returns each message once in pages, the newest first', async () => {
    const at = (second: number) => `2026-03-01T10:00:0${second}.000Z`;
    const ids = await addAt(at(0), at(1), at(1), at(1), at(2));
    const pages = await Promise.all([1, 2, 3, 4].map((nth) => list(`?pageNumber=${nth}&pageSize=2`)));
    expect(pages.flatMap(idsOf)).toEqual(ids.toReversed());
    for (const [nth, { json }] of pages.entries())
      expect(json).toMatchObject({ pageNumber: nth + 1, pageSize: 2, totalPages: 3, totalItems: 5 });
  });

  test('filters by days in Luanda, exact to the millisecond, also as CSV', async () => {
    // In Luanda midnight is 23:00 UTC.
    const [before, first, last, after] = await addAt(
      '2026-02-28T22:59:59.999Z',
      '2026-02-28T23:00:00.000Z',
      '2026-03-02T22:59:59.999Z',
      '2026-03-02T23:00:00.000Z',
    );
    expect(idsOf(await list('?desde=2026-03-01&ate=2026-03-02'))).toEqual([last, first]);
    expect(idsOf(await list('?desde=2026-03-01&estado=Enviado'))).toEqual([after, last, first]);
    expect(idsOf(await list('?ate=2026-03-02'))).toEqual([last, first, before]);
    const file = await fixture.call(`${PATH}/ListarSmsEnviadas.csv?desde=2026-03-01&ate=2026-03-01`);
    expect([first, last].map((id) => file.text.includes(id!))).toEqual([true, false]);
    const wrong = await list('?desde=2026-03-02&ate=2026-03-01');
    expect(wrong.json.errors).toMatchObject([{ pointer: '/query/ate', code: 'range_reversed' }]);
    expect((await list('?desde=2026-02-30')).json.errors).toMatchObject([{ code: 'invalid_day' }]);
  });

  test('sorts messages by the time of sending', async () => {
    const batchId = await addBatch();
    const late = await addMessage(batchId, { listedAt: '2026-03-01T12:00:00.000Z' });
    const early = await addMessage(batchId, { listedAt: '2026-03-01T11:00:00.000Z' });
    expect(idsOf(await list())).toEqual([late, early]);
  });

  test('omits scheduled messages that are not sent yet', async () => {
    const batchId = await addBatch();
    await addMessage(batchId, { status: 'Pending', listedAt: null });
    const id = await addMessage(batchId);
    expect((await list()).json).toMatchObject({ totalItems: 1, data: [{ id }] });
    expect((await list('?estado=Pendente')).json.totalItems).toBe(0);
  });
});

describe('GET ListarSmsEnviadas', () => {
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
    // In a query string, a plus that is not escaped means a space.
    [`numeroDestino=${OTHER}`, ['failed', 'sent']],
    ['numeroDestino=00244%20911%20000%20222&estado=Enviado', ['sent']],
    ['numeroDestino=912345678', []],
  ])('filters by %s', async (filter, found) => {
    const reply = await list(`?${filter}`);
    expect(idsOf(reply)).toEqual(found.map((name) => ids[name]));
    expect(reply.json.totalItems).toBe(found.length);
  });

  test('combines the filter by sending request with other filters and pages', async () => {
    expect(idsOf(await list(`?batchId=${batchId}`))).toEqual([ids['sent'], ids['pending']]);
    expect(idsOf(await list(`?batchId=${otherBatch.toUpperCase()}&estado=Falhado`))).toEqual([ids['failed']]);
    const all = `batchId=${otherBatch}&numeroDestino=911000222&estado=Falhado`;
    expect(idsOf(await list(`?${all}`))).toEqual([ids['failed']]);
    const second = await list(`?batchId=${batchId}&pageNumber=2&pageSize=1`);
    expect(second.json).toMatchObject({ data: [{ id: ids['pending'] }], pageNumber: 2, totalPages: 2, totalItems: 2 });
    expect((await list(`?batchId=${randomUUID()}`)).json).toMatchObject({ data: [], totalItems: 0 });
  });
});

describe('GET PesquisarSMSEnviados', () => {
  test('returns the messages of a day in Luanda, exact to the millisecond', async () => {
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

  test('returns only the merchant’s own sent messages, in pages', async () => {
    const ids = await addAt('2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z', '2026-03-01T12:00:00Z');
    await addMessage(await addBatch(), { status: 'Pending', listedAt: null });
    const stranger = await openCallbackFixture(app);
    await addMessage(await addBatch(stranger), { listedAt: '2026-03-01T10:00:00Z' }, stranger);
    const pages = await Promise.all([1, 2].map((nth) => onDay('1/3/2026', `&pageNumber=${nth}&pageSize=2`)));
    expect(pages.flatMap(idsOf)).toEqual(ids.toReversed());
    expect(pages[1]?.json).toMatchObject({ pageNumber: 2, pageSize: 2, totalPages: 2, totalItems: 3 });
  });
});

describe('GET pesquisarEnviosPorIntervaloDeDatas', () => {
  test('includes both bounds of the range', async () => {
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
});
