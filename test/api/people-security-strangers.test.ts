// Every path with an id, called for another merchant: it is not there, in the same words as what never was, and nothing happens.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needsToken } from '../../server/http/route.ts';
import { roleOf } from '../../shared/roles.ts';
import { startTestApp, until, type Reply, type TestApp } from '../support/app.ts';
import { addMember, type Member } from '../support/members.ts';
import { create, purchase } from '../support/payments.ts';
import { PPR, reference } from '../support/ppr.ts';
import { RECEIVER_ENV } from '../support/receiver.ts';
import { minuteOf } from '../support/sms.ts';

let app: TestApp;
let owner: Member;
let stranger: Member;
/** The demo merchant's things by the names that paths have for them. */
const ids: Record<string, string> = {};
/** What asks: another merchant's system, and its Owner. */
const askers: Record<string, string> = {};

beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  const merchantId = (await app.sql('select id from merchants order by created_at limit 1'))[0].id as string;
  const other = await app.addMerchant();
  [owner, stranger] = [await addMember(app, { merchantId }), await addMember(app, { merchantId: other.merchantId })];
  Object.assign(askers, { 'a system': other.token, 'an Owner': await stranger.token() });
  const hook = (await app.call('/api/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } })).json;
  const payment = await create(app, purchase('923456789'));
  const made = (await app.call(PPR, { body: reference() })).json;
  const clients = await app.call(`/api/merchants/${merchantId}/clients`, { body: { name: 'ERP' } });
  const deliveryId = await until(async () => (await app.sql('select id from deliveries limit 1'))[0]?.id, 'a delivery');
  const [notification] = await app.sql('select id from notifications where merchant_id = $1 limit 1', [merchantId]);
  await owner.token();
  const [session] = await app.sql('select id from sessions where user_id = $1', [owner.userId]);
  Object.assign(ids, {
    merchantId,
    clientId: clients.json.clientId,
    userId: owner.userId,
    paymentId: payment.id,
    internalPaymentId: payment.id,
    pprReference: made.reference,
    posId: 'demo-pos',
    webhookId: hook.id,
    deliveryId,
    id: notification.id,
    sessionId: session.id,
    invoiceId: await addInvoice(merchantId),
    ...(await addSmsThings()),
  });
}, 60_000);
afterAll(() => app?.stop());

async function addSmsThings(): Promise<Record<string, string>> {
  const ask = async (path: string, body: object) => (await app.call(`/api/${path}`, { body })).json;
  const { contactoId } = await ask('Contactos/CadastrarContacto', { nome: 'Ana', telefone: '923456789' });
  const { listaId } = await ask('Contactos/CriarListaDeContactos', { nome: 'VIP', contactoIds: [contactoId] });
  const { id: templateId } = await ask('TemplatesSMS/CriarTemplate', { nome: 'Aviso', conteudo: 'Olá' });
  const at = minuteOf(new Date(app.clock.now().getTime() + 86_400_000));
  const { agendamentoId } = await ask('Envio/agendarSms', { numerosDestino: ['923456789'], conteudo: 'Olá', ...at });
  return { contactoId, listaId, templateId, agendamentoId };
}

async function addInvoice(merchantId: string): Promise<string> {
  const [row] = await app.sql(
    `insert into invoices (id, year, serial, merchant_id, issuer_name, issuer_tax_id, merchant_name, plan_name, month, lines,
       payment_count, currency, subtotal_minor, tax_bps, tax_minor, total_minor, issued_at)
     values (gen_random_uuid(), 2026, 1, $1, 'x', '1', 'x', 'x', '2026-02', '[]', 0, 'AOA', 0, 0, 0, 0, now()) returning id`,
    [merchantId],
  );
  return row.id;
}

/** What would be done if it were theirs. */
const BODIES: Record<string, unknown> = {
  updateMerchant: { name: 'Roubada' },
  createClient: { name: 'Ladra' },
  grantAccess: { email: 'ladra@exemplo.ao', roleId: roleOf('Owner').id },
  setCallbackEndpoint: { url: 'http://127.0.0.1:9/ladra', accessKey: 'x'.repeat(20) },
  replaceWebhook: { url: 'http://127.0.0.1:9/ladra' },
  markNotification: { estado: 1 },
  replaceSmsContact: { nome: 'Ladra', telefone: '923000000' },
  updateSmsTemplate: { nome: 'Ladra', conteudo: 'x' },
};

const withIds = () =>
  app.node.app.routes.filter(({ path, access, isHidden }) => path.includes('{') && needsToken(access) && !isHidden);

const fill = (path: string, known: Record<string, string>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? `no ${name}`);

const UNKNOWN = () =>
  Object.fromEntries(Object.keys(ids).map((name) => [name, name === 'pprReference' ? '987654321' : randomUUID()]));

/** All but what names the request. */
const wordsOf = ({ status, headers, json }: Reply) => {
  const { instance: _, ...words } = json;
  const told = ['content-type', 'www-authenticate', 'allow', 'location', 'idempotency-replayed', 'cache-control'];
  return { status, words, headers: told.map((name) => headers.get(name)) };
};

/** What a stranger could have changed, without what the gateway goes on with meanwhile: pushes, deliveries, mail. */
const KEPT = [
  'select * from merchants',
  'select * from clients',
  'select * from memberships',
  'select * from users',
  'select * from invoices',
  'select * from sessions',
  'select * from audit_entries',
  'select * from idempotency_keys',
  'select id, url, types, access_key, secrets from endpoints',
  'select id from mails',
  'select id from notifications where read_at is not null',
  `select id from payments where status in ('Canceled', 'Expired')`,
  `select pos_id, status from terminals`,
  'select * from sms_contacts',
  'select * from sms_lists',
  'select * from sms_list_contacts',
  'select * from sms_templates',
  'select * from sms_batches',
  `select id from events where type like 'payment.cancel%' or type like 'reference.cancel%' or type = 'callback.replayed'`,
];

async function readEverything(): Promise<string[]> {
  const rows = await Promise.all(KEPT.map((text) => app.sql(`select t::text as row from (${text}) t`)));
  return rows
    .flat()
    .map(({ row }) => row as string)
    .toSorted();
}

test('there is something of each kind, and its owner finds it', async () => {
  const named = withIds().flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name)));
  expect(Object.keys(ids).toSorted()).toEqual([...new Set(named)].toSorted());
  const token = await owner.token();
  const reads = withIds().filter(
    ({ method, path }) => method === 'GET' && !/\/(open|close|qrcode)$|\/callback$/.test(path),
  );
  expect(reads.length).toBeGreaterThan(10);
  for (const { path } of reads)
    expect([path, (await app.call(fill(path, ids), { token })).status]).toEqual([path, 200]);
});

describe.each(['a system', 'an Owner'])('%s of another merchant', (who) => {
  test('finds nothing by any id, whatever its case, and changes nothing', async () => {
    const before = await readEverything();
    const answers: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    const upper = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, id.toUpperCase()]));
    for (const { method, path, operationId, access } of withIds()) {
      if (access.kind === 'user' && who === 'a system') continue;
      const body = BODIES[operationId];
      const headers = { 'idempotency-key': randomUUID(), prefer: 'return=representation' };
      const send = async (known: Record<string, string>) => {
        const options = { method, token: askers[who]!, headers, ...(body !== undefined && { body }) };
        return wordsOf(await app.call(fill(path, known), options));
      };
      const nobodys = await send(UNKNOWN());
      answers[operationId] = [nobodys.status, await send(ids), await send(upper)];
      expected[operationId] = [404, nobodys, nobodys];
    }
    expect(answers).toEqual(expected);
    expect(await readEverything()).toEqual(before);
  });

  test('finds nothing by ids inside of its own things, nor in its own lists', async () => {
    const token = askers[who]!;
    const lists = ['/api/payments', PPR, '/api/webhooks', '/api/callbacks', '/api/events', '/v1/notificacoes'];
    for (const path of [...lists, '/api/billing/invoices']) {
      const query = new URLSearchParams({ merchantId: ids['merchantId']!, merchant_id: ids['merchantId']! });
      const { status, text } = await app.call(`${path}?${query}`, { token });
      const found = Object.keys(ids).filter((name) => name !== 'posId' && text.includes(ids[name]!));
      expect([path, status, found]).toEqual([path, 200, []]);
    }
    for (const [path, body] of [
      ['/api/payments', purchase('923456780', { merchantId: ids['merchantId'] })],
      ['/api/billing/subscription', { planId: ids['invoiceId'], merchantId: ids['merchantId'] }],
    ] as const) {
      const reply = await app.call(path, { method: path.endsWith('n') ? 'PUT' : 'POST', body, token });
      expect(reply.text).not.toContain(ids['merchantId']);
    }
    const [mine] = await app.sql('select count(*)::int as count from payments where merchant_id = $1', [
      ids['merchantId'],
    ]);
    // The payment and the reference that were made above.
    expect(mine.count).toBe(2);
  });
});
