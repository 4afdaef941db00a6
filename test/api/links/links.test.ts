// /api/links creates, lists, changes, withdraws and shares payment links.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { linkBody, sendForm } from '../../support/links.ts';
import { addUnits } from '../../support/sms.ts';

const PATH = '/api/links';

let app: TestApp;
let shop: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openCallbackFixture(app);
});

type Options = { method?: string; body?: object; headers?: Record<string, string>; token?: string };
const make = (changes: object = {}, headers = {}) => shop.call(PATH, { body: linkBody({ ...changes }), headers });
const ask = (id: string, options: Options = {}) => shop.call(`${PATH}/${id}`, options);
const put = (id: string, body: object, headers = {}) => ask(id, { method: 'PUT', body, headers });
const faultsOf = ({ json }: Reply) => json.errors.map((fault: any) => `${fault.pointer} ${fault.code}`);
const eventsOf = async (id: string) =>
  (await shop.call('/api/events?limit=500')).json.data.filter((event: any) => event.details.linkId === id);
const auditOf = async (id: string) =>
  (await shop.call(`/api/merchants/${shop.merchantId}/audit`)).json.data.filter((entry: any) => entry.target === id);

describe('POST /api/links', () => {
  test('returns the link, and records an event and an audit entry', async () => {
    const reply = await make({ stock: 3, asks: ['nif', 'name', 'nif'], thanks: 'Até já', methods: ['push'] });
    expect(reply.status, reply.text).toBe(201);
    const { id, slug } = reply.json;
    expect(reply.headers.get('location')).toBe(`${PATH}/${id}`);
    expect(slug).toMatch(/^[2-9a-hjkmnp-z]{10}$/);
    const now = app.clock.now().toISOString();
    expect(reply.json).toEqual({
      id,
      slug,
      url: `${app.node.core.publicUrl}/l/${slug}`,
      status: 'Active',
      title: 'Bilhete',
      amount: 1500,
      minAmount: null,
      obstacles: [],
      maxAmount: null,
      currency: 'AOA',
      stock: 3,
      openPayments: 0,
      paidPayments: 0,
      expiresAt: null,
      methods: ['push'],
      asks: ['nif', 'name'],
      thanks: 'Até já',
      returnUrl: null,
      revision: 1,
      createdAt: now,
      updatedAt: now,
      withdrawnAt: null,
    });
    expect((await ask(id)).json).toEqual(reply.json);
    const details = { linkId: id, slug, title: 'Bilhete' };
    expect(await eventsOf(id)).toMatchObject([{ type: 'link.created', paymentId: null, details, data: null }]);
    const stock = { before: null, after: 3 };
    expect(await auditOf(id)).toMatchObject([{ action: 'link.created', changes: { stock } }]);
  });

  test('creates one link for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [first, second] = [await make({}, headers), await make({}, headers)];
    expect(second.json).toEqual(first.json);
    expect((await shop.call(PATH)).json.totalItems).toBe(1);
    expect((await make({ title: 'Outro' }, headers)).json.code).toBe('idempotency_key_reused');
  });

  test.each<[string, object, string[]]>([
    [
      'nothing',
      { title: undefined, amount: undefined, currency: undefined },
      ['/title required', '/currency required'],
    ],
    [
      'an amount with bounds',
      { minAmount: 1, maxAmount: 2 },
      ['/minAmount only_open_amount', '/maxAmount only_open_amount'],
    ],
    ['bounds the wrong way round', { amount: null, minAmount: 2, maxAmount: 1.99 }, ['/maxAmount bounds_reversed']],
    ['too many decimals', { amount: 1.005 }, ['/amount amount_precision']],
    ['bounds beyond what can be paid', { amount: null, maxAmount: 20_000_000 }, ['/maxAmount amount_out_of_range']],
    ['no stock', { stock: 0 }, ['/stock too_small']],
    ['an unknown question', { asks: ['name', 'birthday'] }, ['/asks/1 invalid_value']],
    ['an end in the past', { expiresAt: '2026-03-01' }, ['/expiresAt date_in_past']],
    ['an end too far away', { expiresAt: '2028-03-01' }, ['/expiresAt date_too_far']],
    [
      'an unregistered return address',
      { returnUrl: 'https://elsewhere.example/x' },
      ['/returnUrl origin_not_registered'],
    ],
    ['two lines', { thanks: 'a\nb' }, ['/thanks invalid_format']],
  ])('returns 400 for %s', async (_what, changes, faults) => {
    const reply = await make(changes);
    expect([reply.status, faultsOf(reply)]).toEqual([400, faults]);
    expect((await shop.call(PATH)).json.totalItems).toBe(0);
  });
});

describe('PUT /api/links/{id}', () => {
  test('replaces all fields but the slug, and increments the revision', async () => {
    const { id, slug } = (await make({ stock: 3, thanks: 'Até já' })).json;
    const reply = await put(id, { ...linkBody({ title: 'Mesa', amount: null, minAmount: 10 }), revision: 1 });
    expect(reply.status, reply.text).toBe(200);
    const changed = { title: 'Mesa', amount: null, minAmount: 10, stock: null, thanks: null, revision: 2, slug };
    expect(reply.json).toMatchObject(changed);
    expect((await eventsOf(id)).map(({ type }: any) => type)).toEqual(['link.created', 'link.changed']);
    expect((await auditOf(id))[0]).toMatchObject({
      action: 'link.changed',
      changes: { title: 'changed', stock: { before: 3, after: null } },
    });
  });

  test('returns 409 and the current link for an old revision', async () => {
    const { id } = (await make()).json;
    await put(id, { ...linkBody({ title: 'Dela' }), revision: 1 });
    const late = await put(id, { ...linkBody({ title: 'Dele' }), revision: 1 });
    const current = (await ask(id)).json;
    expect(late.json).toMatchObject({ status: 409, code: 'link_changed', current });
    expect(current).toMatchObject({ title: 'Dela', revision: 2 });
    expect(faultsOf(await put(id, linkBody()))).toEqual(['/revision required']);
  });

  test('returns 400 for a stock below the number of open and paid payments', async () => {
    const { id, slug } = (await make({ stock: 3 })).json;
    for (let nth = 0; nth < 2; nth++) expect((await sendForm(app, { slug })).status).toBe(303);
    const reply = await put(id, { ...linkBody({ stock: 1 }), revision: 1 });
    expect(reply.json).toMatchObject({ status: 400, errors: [{ pointer: '/stock', code: 'stock_taken' }] });
    expect((await put(id, { ...linkBody({ stock: 2 }), revision: 1 })).json.stock).toBe(2);
  });
});

test('DELETE /api/links/{id} keeps the link readable and refuses other changes', async () => {
  const { id } = (await make()).json;
  for (let nth = 0; nth < 2; nth++) expect((await ask(id, { method: 'DELETE' })).status).toBe(204);
  expect((await ask(id)).json).toMatchObject({ status: 'Withdrawn', withdrawnAt: app.clock.now().toISOString() });
  expect((await put(id, { ...linkBody(), revision: 2 })).json.code).toBe('link_withdrawn');
  const sms = { method: 'POST', body: { numerosDestino: ['923456789'] } };
  expect((await shop.call(`${PATH}/${id}/sms`, sms)).json.code).toBe('link_withdrawn');
  expect((await eventsOf(id)).map(({ type }: any) => type)).toEqual(['link.created', 'link.withdrawn']);
  expect((await auditOf(id)).map(({ action }: any) => action)).toEqual(['link.withdrawn', 'link.created']);
});

test('GET /api/links returns pages, newest first', async () => {
  const ids: string[] = [];
  for (let nth = 0; nth < 3; nth++) {
    ids.unshift((await make()).json.id);
    await app.clock.advance(5);
  }
  const first = (await shop.call(`${PATH}?pageSize=2`)).json;
  const second = (await shop.call(`${PATH}?pageSize=2&after=${first.next}`)).json;
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
  expect([first.totalItems, second.next]).toEqual([3, null]);
});

test('GET /api/links filters by status', async () => {
  const soon = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
  const [active, busy, soldOut, expired, withdrawn] = await Promise.all(
    [{ stock: 2 }, { stock: 1 }, { stock: 1, expiresAt: soon }, { expiresAt: soon }, {}].map(
      async (changes, nth) => (await make({ ...changes, title: String(nth) })).json.id as string,
    ),
  );
  await app.sql('update links set open_count = 1 where id = $1', [busy]);
  await app.sql('update links set paid_count = 1 where id = $1', [soldOut]);
  await ask(withdrawn!, { method: 'DELETE' });
  await app.clock.pass(3_600_000);
  const expected = { Active: [active, busy], SoldOut: [soldOut], Expired: [expired], Withdrawn: [withdrawn] };
  for (const [status, ids] of Object.entries(expected)) {
    const { json } = await shop.call(`${PATH}?status=${status}`);
    expect([status, json.data.map(({ id }: any) => id).toSorted()]).toEqual([status, ids.toSorted()]);
    expect([json.totalItems, json.data.every((link: any) => link.status === status)]).toEqual([ids.length, true]);
  }
  const { json } = await shop.call(`${PATH}?status=Active&pageSize=1`);
  const { json: rest } = await shop.call(`${PATH}?${new URLSearchParams({ status: 'Active', after: json.next })}`);
  expect([json.data.length, rest.data.length, rest.next]).toEqual([1, 1, null]);
  expect((await shop.call(`${PATH}?status=Paid`)).status).toBe(400);
});

test('a link can be sent as a QR code and by SMS', async () => {
  const { id, url } = (await make()).json;
  const svg = await ask(`${id}/qr.svg`);
  expect([svg.status, svg.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  const png = await ask(`${id}/qr.png?size=300`);
  expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(faultsOf(await ask(`${id}/qr.png?size=9000`))).toEqual(['/query/size too_big']);
  await addUnits(app, shop.merchantId, 10);
  const send = (body: object) => shop.call(`${PATH}/${id}/sms`, { body });
  expect((await send({ numerosDestino: ['923456789'] })).json).toMatchObject({ totalDestinatarios: 1, unidades: 1 });
  expect((await send({ numerosDestino: ['923456789'], conteudo: `Ver ${url} hoje` })).status).toBe(200);
  const sent = (await shop.call('/api/Envio/ListarSmsEnviadas')).json.data.map(({ conteudo }: any) => conteudo);
  expect(sent).toEqual([`Ver ${url} hoje`, `Bilhete: ${url}`]);
  expect(faultsOf(await send({}))).toEqual(['/numerosDestino exactly_one']);
  expect(faultsOf(await send({ numerosDestino: ['1'] }))).toEqual(['/numerosDestino/0 invalid_phone']);
});
