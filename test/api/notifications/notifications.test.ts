import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../../shared/language.ts';
import { NOTICES } from '../../../shared/notices.ts';
import type { RoleName } from '../../../shared/roles.ts';
import { startTestApp, type CallOptions, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { inTransaction } from '../../../server/database/orm.ts';
import { recordEvent } from '../../../server/events/record.ts';
import { approved, createPushed, declined, notify, NOTIFY_ENV, PENDING_PHONE } from '../../support/notify.ts';
import { addMember } from '../../support/members.ts';
import { create, webframe } from '../../support/payments.ts';

const PATH = '/v1/notificacoes';

let app: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
  payment = await create(app, webframe({ reference: 'PEDIDO-19' }));
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
  await app.sql('delete from notifications');
});

const list = async (query = '', headers = {}) => fixture.call(PATH + query, { headers });
const mark = (id: string, body: unknown) => fixture.call(`${PATH}/${id}`, { method: 'PUT', body });
const now = () => app.clock.now().toISOString();

/** Inserts notifications and returns their ids, the oldest first. */
async function note(count: number, type = 'client.created', details: object = { name: 'ERP', clientId: 'bc_1' }) {
  const rows = await app.sql(
    `insert into notifications (id, merchant_id, type, details, subject, created_at)
     select gen_random_uuid(), $1, $2, $3, gen_random_uuid()::text, $4::timestamptz from generate_series(1, $5) returning id`,
    [fixture.merchantId, type, details, now(), count],
  );
  return rows.map(({ id }) => id as string);
}

describe('GET /v1/notificacoes', () => {
  test('returns pages of 50 notifications, the newest first', async () => {
    const ids = await note(120);
    const newest = ids.toReversed();
    const first = (await list()).json;
    expect(first).toMatchObject({ pageNumber: 1, pageSize: 50, totalPages: 3, totalItems: 120 });
    const pages = await Promise.all([1, 2, 3, 4].map(async (page) => (await list(`?page=${page}`)).json.data));
    expect(pages.flat().map(({ id }: any) => id)).toEqual(newest);
    expect(pages[3]).toEqual([]);
    expect((await list('?pageSize=100&page=2')).json).toMatchObject({ pageNumber: 2, totalPages: 2 });
    expect((await list('?page=7&pageSize=3')).json.data.map(({ id }: any) => id)).toEqual(newest.slice(18, 21));
  });

  test('returns the text of each notification and whether it was read', async () => {
    const [id] = (await note(1)) as [string];
    expect((await list()).json.data).toEqual([
      {
        id,
        titulo: 'Novas credenciais',
        mensagem: expect.stringContaining('Alguém da loja criou as credenciais «ERP»'),
        tipo: 'client.created',
        estado: 0,
        criadaEm: now(),
        lidaEm: null,
        objecto: { tipo: 'client', id: 'bc_1' },
        autor: null,
      },
    ]);
  });

  test('filters by read and unread notifications', async () => {
    const ids = await note(3);
    await mark(ids[1]!, { estado: 1 });
    const idsOf = async (query: string) => {
      const { data, totalItems } = (await list(query)).json;
      expect(totalItems).toBe(data.length);
      return data.map(({ id }: any) => id);
    };
    expect(await idsOf('?estado=0')).toEqual([ids[2], ids[0]]);
    expect(await idsOf('?estado=1')).toEqual([ids[1]]);
    expect(await idsOf('')).toEqual(ids.toReversed());
  });

  test.each(['2', '', 'Lido', '01'])('returns 400 for estado=%s', async (estado) => {
    const { status, json } = await list(`?estado=${estado}`);
    expect([status, json.errors]).toMatchObject([400, [{ pointer: '/query/estado', code: 'invalid_value' }]]);
  });

  test.each([
    [undefined, 'pt', 'Novas credenciais'],
    ['en-US', 'en', 'New credentials'],
    ['fr;q=0.9, en;q=0.8', 'fr', 'Nouveaux identifiants'],
  ])('with Accept-Language %s returns %s', async (accepted, lang, title) => {
    await note(1);
    const reply = await list('', accepted ? { 'accept-language': accepted } : {});
    expect(reply.json.data[0].titulo).toBe(title);
    expect(reply.headers.get('content-language')).toBe(lang);
    expect(reply.headers.get('vary')).toContain('Accept-Language');
  });

  test('has texts for every notification type in every language', async () => {
    const money = { amount: '1500.00', currency: 'AOA', total: 1710.5, number: 'FT 2026/000001', month: '2026-02' };
    const paid = { entity: '00888', reference: '123456789', providerRef: '77', posId: 'pos-1', failures: 5 };
    const access = { userId: randomUUID(), role: 'Cashier', clientId: 'bc_1', name: 'ERP', account: 'Principal' };
    const details = { ...money, ...paid, ...access, label: 'Principal', title: 'Rifa' };
    const types = Object.keys(NOTICES);
    for (const type of types) await note(1, type, details);
    for (const type of ['payment.overpaid', 'payment.amount_mismatch', 'payment.late'])
      for (const more of [{ captureId: randomUUID() }, { transactionId: randomUUID() }])
        await note(1, type, { ...details, ...more });
    const told = new Set<string>();
    for (const lang of LANGUAGES)
      for (const { tipo, titulo, mensagem } of (await list('', { 'accept-language': lang })).json.data) {
        expect(titulo).not.toBe(tipo);
        expect(mensagem.length).toBeGreaterThan(60);
        expect(titulo + mensagem).not.toMatch(/[{}]|undefined|null|NaN|\[object/);
        // A shop owner reads these texts, so they name no operation and no field of the API.
        expect(titulo + mensagem).not.toMatch(/\/api\/|\b(GET|POST|PUT|2xx)\b|[a-z]+[A-Z]\w+:/);
        told.add(titulo + mensagem);
      }
    expect(told.size).toBe(3 * (types.length + 6));
  });

  test('returns the type itself as the title of an unknown type', async () => {
    await note(1, 'sms.delivered', {});
    expect((await list()).json.data).toMatchObject([{ tipo: 'sms.delivered', titulo: 'sms.delivered' }]);
  });
});

describe('PUT /v1/notificacoes/{id}', () => {
  test('marks a notification as read or unread, and keeps the time of the first reading', async () => {
    const [id] = (await note(1)) as [string];
    const reply = await mark(id, { estado: 1 });
    expect([reply.status, reply.text]).toEqual([204, '']);
    const readAt = now();
    await app.clock.pass(60_000);
    expect((await mark(id.toUpperCase(), { estado: 1, titulo: 'ignored' })).status).toBe(204);
    expect((await list()).json.data).toMatchObject([{ id, estado: 1, lidaEm: readAt }]);
    for (let nth = 0; nth < 2; nth++) expect((await mark(id, { estado: 0 })).status).toBe(204);
    expect((await list()).json.data).toMatchObject([{ id, estado: 0, lidaEm: null }]);
    // Some programming languages serialize the number 1 as 1.0.
    await mark(id, '{"estado":1.0}');
    expect((await list()).json.data).toMatchObject([{ estado: 1, lidaEm: now() }]);
  });

  test.each([
    [{}, '/estado required'],
    [{ estado: 2 }, '/estado invalid_value'],
    [{ estado: -1 }, '/estado invalid_value'],
    [{ estado: 0.5 }, '/estado invalid_value'],
    [{ estado: '1' }, '/estado invalid_value'],
    [{ estado: true }, '/estado invalid_value'],
    [{ estado: null }, '/estado invalid_value'],
    [{ estado: [1] }, '/estado invalid_value'],
  ])('returns 400 for %j and changes nothing', async (body, told) => {
    const [id] = (await note(1)) as [string];
    const reply = await mark(id, body);
    expect([reply.status, reply.json.errors.map(({ pointer, code }: any) => `${pointer} ${code}`)]).toEqual([
      400,
      [told],
    ]);
    expect((await list()).json.data).toMatchObject([{ estado: 0 }]);
  });
});

describe('PUT /v1/notificacoes', () => {
  const markAll = (body: unknown) => fixture.call(PATH, { method: 'PUT', body });
  const states = async () => (await list()).json.data.map(({ estado }: any) => estado);

  test('marks all unread notifications of the merchant as read', async () => {
    await note(2);
    const other = await openCallbackFixture(app);
    await other.call(`/api/merchants/${other.merchantId}/clients`, { body: { name: 'ERP' } });
    expect((await markAll({ estado: 1 })).status).toBe(204);
    expect(await states()).toEqual([1, 1]);
    expect((await other.call(`${PATH}?estado=0`)).json.totalItems).toBe(1);
    expect((await list('?estado=0')).json.totalItems).toBe(0);
  });

  test('leaves notifications unread that are newer than `ate`', async () => {
    const ids = await note(3);
    expect((await markAll({ estado: 1, ate: ids[1] })).status).toBe(204);
    expect(await states()).toEqual([0, 1, 1]);
  });

  test.each([
    [{}, 400],
    [{ estado: 0 }, 400],
    [{ estado: 1, ate: 'x' }, 400],
    [{ estado: 1, ate: randomUUID() }, 404],
  ])('answers %j with %i and changes nothing', async (body, status) => {
    await note(2);
    expect((await markAll(body)).status).toBe(status);
    expect(await states()).toEqual([0, 0]);
  });
});

describe('a person at the merchant', () => {
  const openPerson = async (role: RoleName) => {
    const { merchantId } = fixture;
    const person = await addMember(app, { merchantId, role });
    const call = async (path: string, options: CallOptions = {}) =>
      app.call(path, { ...options, token: await person.token({ merchant_id: merchantId }) });
    return { ...person, call };
  };

  test('sees no notification that the role may not act on, and cannot mark it', async () => {
    const [hidden] = (await note(1, 'access.granted', { userId: randomUUID(), role: 'Owner' })) as [string];
    await note(1, 'invoice.issued');
    const [shown] = (await note(1, 'payment.late')) as [string];
    const cashier = await openPerson('Cashier');
    const { data, totalItems } = (await cashier.call(`${PATH}?estado=0`)).json;
    expect([data.map(({ id }: any) => id), totalItems]).toEqual([[shown], 1]);
    expect((await cashier.call(`${PATH}/${hidden}`, { method: 'PUT', body: { estado: 1 } })).status).toBe(404);
    expect((await cashier.call(PATH, { method: 'PUT', body: { estado: 1 } })).status).toBe(204);
    expect((await list('?estado=0')).json.totalItems).toBe(2);
    const owner = await openPerson('Owner');
    expect((await owner.call(PATH)).json.totalItems).toBe(3);
  });

  test('reads a neutral text about their own change, and other people read who made it', async () => {
    const [ana, rui] = [await openPerson('Owner'), await openPerson('Administrator')];
    await app.sql(`update users set first_name = 'Rui', last_name = 'Gomes' where id = $1`, [rui.userId]);
    const made = await rui.call(`/api/merchants/${fixture.merchantId}/clients`, { body: { name: 'ERP' } });
    const [own] = (await rui.call(PATH)).json.data;
    expect(own).toMatchObject({
      titulo: 'Criou credenciais',
      mensagem: 'Criou as credenciais «ERP», que ligam um sistema à sua loja.',
      objecto: { tipo: 'client', id: made.json.clientId },
      autor: { tipo: 'user', nome: 'Rui Gomes', proprio: true },
    });
    const [seen] = (await ana.call(PATH)).json.data;
    expect(seen.mensagem).toMatch(/^Rui Gomes criou as credenciais «ERP».* retire-as já\.$/);
    expect(seen.autor).toEqual({ tipo: 'user', nome: 'Rui Gomes', proprio: false });
  });

  test('gets no notification about the client that a new merchant begins with', async () => {
    const person = await addMember(app);
    const made = await app.call('/api/merchants', { token: await person.token(), body: { name: 'Nova' } });
    const token = await person.token({ merchant_id: made.json.merchant.id });
    expect((await app.call(PATH, { token })).json.data).toEqual([]);
  });
});

let payment: any;

const hold = { metadata: { paymentMethod: 'authorization', phoneNumber: PENDING_PHONE } };

async function notes(): Promise<{ tipo: string; titulo: string; mensagem: string }[]> {
  const { json } = await app.call('/v1/notificacoes');
  return json.data.map((note: any) => ({ ...note, mensagem: note.mensagem.replaceAll('\u00a0', ' ') })).toReversed();
}

test.each([
  ['less', { amount: '1000.00' }, 'payment.amount_mismatch', 'recebeu 1 000,00 Kz'],
  ['more', { amount: '1600.00' }, 'payment.overpaid', 'recebeu 1 600,00 Kz'],
  ['another currency', { currency: 'USD' }, 'payment.amount_mismatch', 'recebeu 1 500,00 USD'],
])('a push approved with %s than requested causes one notification', async (_what, changes, tipo, words) => {
  const { payment: pushed, attemptId } = await createPushed(app);
  const verdict = approved(changes);
  for (let nth = 0; nth < 3; nth++) await notify(app, attemptId, verdict);
  const told = await notes();
  expect(told).toMatchObject([{ tipo }]);
  expect(told[0]?.mensagem).toContain(`O pagamento ${pushed.reference}, de 1 500,00 Kz, ${words}`);
});

test('a push causes no notification if the payer approves the requested amount or refuses', async () => {
  const [paid, refused, held] = [await createPushed(app), await createPushed(app), await createPushed(app, hold)];
  await notify(app, paid.attemptId, approved());
  await notify(app, refused.attemptId, declined('INSUFFICIENT_FUNDS'));
  await notify(app, held.attemptId, approved(), 'authorization');
  expect(await notes()).toEqual([]);
});

test('a push that is approved after its payment failed causes payment.late', async () => {
  const { payment: pushed, attemptId } = await createPushed(app);
  await notify(app, attemptId, declined('CUSTOMER_REFUSED'));
  await notify(app, attemptId, approved());
  const told = await notes();
  expect(told).toMatchObject([{ tipo: 'payment.late', titulo: 'Pagamento recebido fora de tempo' }]);
  expect(told[0]?.mensagem).toContain(`Chegaram 1 500,00 Kz para o pagamento ${pushed.reference}`);
});

test('an authorization that is approved late or for another amount causes a notification', async () => {
  const other = await createPushed(app, hold);
  await notify(app, other.attemptId, approved({ amount: '1200.00' }), 'authorization');
  const late = await createPushed(app, hold);
  await notify(app, late.attemptId, declined('CUSTOMER_REFUSED'), 'authorization');
  await notify(app, late.attemptId, approved(), 'authorization');
  const told = await notes();
  expect(told).toMatchObject([
    { tipo: 'payment.amount_mismatch', titulo: 'Reserva de outro montante' },
    { tipo: 'payment.late', titulo: 'Reserva aprovada fora de tempo' },
  ]);
  expect(told[0]?.mensagem).toContain('o banco reservou outro montante: 1 200,00 Kz');
});

async function happen(type: string, refundId: string, more: Record<string, unknown> = {}): Promise<void> {
  const { core } = app.node;
  const [{ merchant_id: merchantId }] = await app.sql('select merchant_id from payments where id = $1', [payment.id]);
  const details = { refundId, amount: '500.50', currency: 'AOA', method: 'rail', reference: 'PEDIDO-19', ...more };
  const occurredAt = core.clock.now();
  await inTransaction(core, (db) =>
    recordEvent(db, { merchantId, paymentId: payment.id, type: `refund.${type}`, status: null, occurredAt, details }),
  );
}

test.each([
  ['failed', {}, 'refund.failed', 'A devolução de 500,50 Kz do pagamento PEDIDO-19 não foi feita'],
  ['stuck', {}, 'refund.stuck', 'não diz se devolveu 500,50 Kz do pagamento PEDIDO-19'],
  ['excess', {}, 'refund.excess', 'Foram devolvidos 500,50 Kz do pagamento PEDIDO-19, e com isso já saiu mais'],
  ['succeeded', { late: true }, 'refund.late', 'Foram devolvidos 500,50 Kz do pagamento PEDIDO-19 depois de'],
])('a refund with refund.%s %j causes one %s notification', async (type, more, tipo, words) => {
  const [refund, other] = [randomUUID(), randomUUID()];
  for (const id of [refund, refund, other]) await happen(type, id, more);
  const told = await notes();
  expect(told).toMatchObject([{ tipo }, { tipo }]);
  expect(told[0]?.mensagem).toContain(words);
});

test('a refund that fails and succeeds later causes both notifications', async () => {
  const refund = randomUUID();
  await happen('failed', refund);
  await happen('succeeded', refund, { late: true });
  expect(await notes()).toMatchObject([{ tipo: 'refund.failed' }, { tipo: 'refund.late' }]);
});

test.each([['created'], ['processing'], ['succeeded'], ['canceled']])(
  'a refund with refund.%s causes no notification',
  async (type) => {
    await happen(type, randomUUID(), { late: false });
    expect(await notes()).toEqual([]);
  },
);
