// Creates one row for each id that a path can contain, owned by the demo merchant, and a body for each operation.
import { randomUUID } from 'node:crypto';
import { needsToken, type Route } from '../../server/http/route.ts';
import { roleOf } from '../../shared/roles.ts';
import { until, type TestApp } from './app.ts';
import { addPlan } from './billing.ts';
import { createLink, linkBody } from './links.ts';
import { addMember, PASSWORD, type Member } from './members.ts';
import { create, webframe } from './payments.ts';
import { creepUntilRegistered, PPR, reference } from './ppr.ts';
import { addMoney } from './books.ts';
import { addRail, idleBody } from './rail-accounts.ts';
import { minuteOf } from './sms.ts';

export type OneOfEach = {
  /** An Owner of the demo merchant. */
  owner: Member;
  /** The ids by the names of the path parameters, and a `planId`. */
  ids: Record<string, string>;
};

/** Needs RECEIVER_ENV. No background work writes afterwards. */
export async function makeOneOfEach(app: TestApp): Promise<OneOfEach> {
  const [{ id: merchantId }] = await app.sql('select id from merchants order by created_at limit 1');
  const owner = await addMember(app, { merchantId });
  // No server listens at this address. It is called once, because repeated failures would write events.
  const called = { url: 'http://127.0.0.1:9/hook', types: ['client.created'] };
  const hook = (await app.call('/api/webhooks', { body: called })).json;
  const payment = await create(app, webframe());
  const made = (await app.call(PPR, { body: reference() })).json;
  const clients = await app.call(`/api/merchants/${merchantId}/clients`, { body: { name: 'ERP' } });
  const deliveryId = await until(async () => (await app.sql('select id from deliveries limit 1'))[0]?.id, 'a delivery');
  const [notification] = await app.sql('select id from notifications where merchant_id = $1 limit 1', [merchantId]);
  await owner.token();
  const [session] = await app.sql('select id from sessions where user_id = $1', [owner.userId]);
  const ids = {
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
    ...(await addInvoice(app, merchantId)),
    ...(await addSettlement(app, merchantId)),
    planId: await addPlan(app),
    linkId: (await createLink(app)).id,
    articleId: (await app.call('/api/articles', { body: { name: 'Café', price: 350, currency: 'AOA' } })).json.id,
    shiftId: await addShift(app, merchantId, owner.userId),
    refundId: await addRefund(app, merchantId, made.internalId),
    erasureId: await addErasure(app, merchantId),
    railAccountId: (await addRail(app, { merchantId, token: await app.token() }, RAIL)).id,
    ...(await addSmsThings(app)),
  };
  await creepUntilRegistered(app);
  return { owner, ids };
}

async function addSmsThings(app: TestApp): Promise<Record<string, string>> {
  const ask = async (path: string, body: object) => (await app.call(`/api/${path}`, { body })).json;
  const { contactoId } = await ask('Contactos/CadastrarContacto', { nome: 'Ana', telefone: '923456789' });
  const { listaId } = await ask('Contactos/CriarListaDeContactos', { nome: 'VIP', contactoIds: [contactoId] });
  const { id: templateId } = await ask('TemplatesSMS/CriarTemplate', { nome: 'Aviso', conteudo: 'Olá' });
  const at = minuteOf(new Date(app.clock.now().getTime() + 86_400_000));
  const { agendamentoId } = await ask('Envio/agendarSms', { numerosDestino: ['923456789'], conteudo: 'Olá', ...at });
  const { id: optOutId } = await ask('sms/opt-outs', { phone: '923456788' });
  return { contactoId, listaId, templateId, agendamentoId, optOutId };
}

async function addShift(app: TestApp, merchantId: string, userId: string): Promise<string> {
  const [row] = await app.sql(
    `insert into shifts (id, merchant_id, user_id, status, takes_cash, opening_minor, opened_at)
     values (gen_random_uuid(), $1, $2, 'open', true, 0, now()) returning id`,
    [merchantId, userId],
  );
  return row.id;
}

/** Creates a manual refund that has succeeded. */
async function addRefund(app: TestApp, merchantId: string, paymentId: string): Promise<string> {
  const [row] = await app.sql(
    `with money as (
       insert into transactions (id, merchant_id, payment_id, rail, provider_ref, period, amount_minor, currency,
         status, late, occurred_at, created_at, details)
       values (gen_random_uuid(), $1, $2, 'ppr', 'one of each', '2026-03-02', 100, 'AOA', 'Accepted', false, now(),
         now(), '{}') returning id)
     insert into refunds (id, merchant_id, payment_id, transaction_id, amount_minor, currency, status, revision,
       method, proof,
       requested_by_kind, requested_by_id, details, period, created_at, completed_at)
     select gen_random_uuid(), $1, $2, id, 100, 'AOA', 'Succeeded', 2, 'manual', 'x', 'client', 'demo', '{}',
       '2026-03-02', now(), now() from money
     returning id`,
    [merchantId, paymentId],
  );
  return row.id;
}

async function addErasure(app: TestApp, merchantId: string): Promise<string> {
  const [row] = await app.sql(
    `insert into erasures (id, merchant_id, subject_hash, status, progress, erased, requested_by_kind, requested_by_id,
      created_at, completed_at)
     values (gen_random_uuid(), $1, 'x', 'Done', '{"walk":13,"after":null,"left":[]}', '{}', 'client', 'demo',
       now(), now()) returning id`,
    [merchantId],
  );
  return row.id;
}

async function addSettlement(app: TestApp, merchantId: string): Promise<Record<string, string>> {
  await addMoney(app, { merchantId });
  const [{ id, day }] = (await app.sql(
    `update settlements set closed_at = created_at, closed_count = 1, closed_minor = 150000, due_at = null
     where merchant_id = $1 returning id, day`,
    [merchantId],
  )) as [any];
  const [credit] = await app.sql(
    `insert into settlement_credits
       (id, merchant_id, settlement_id, amount_minor, currency, date, entered_by_kind, entered_by_id, created_at)
     values (gen_random_uuid(), $1, $2, 1, 'AOA', $3, 'user', 'x', now()) returning id`,
    [merchantId, id, day],
  );
  return { settlementId: id, day, creditId: credit!.id };
}

async function addInvoice(app: TestApp, merchantId: string): Promise<Record<string, string>> {
  const [row] = await app.sql(
    `with invoice as (
       insert into invoices (id, year, serial, merchant_id, issuer_name, issuer_tax_id, merchant_name, plan_name,
         month, lines,
         payment_count, currency, subtotal_minor, tax_bps, tax_minor, total_minor, issued_at)
       values (gen_random_uuid(), 2026, 1, $1, 'x', '1', 'x', 'x', '2026-02', '[]', 0, 'AOA', 100, 0, 0, 100, now())
         returning id)
     insert into credit_notes (id, year, serial, merchant_id, invoice_id, reason, issuer_name, issuer_tax_id,
       merchant_name,
       currency, subtotal_minor, tax_bps, tax_minor, total_minor, issued_at)
     select gen_random_uuid(), 2026, 1, $1, id, 'x', 'x', '1', 'x', 'AOA', 100, 0, 0, 100, now() from invoice
     returning id, invoice_id`,
    [merchantId],
  );
  return { invoiceId: row.invoice_id, creditNoteId: row.id };
}

/** Inserts a disabled rail account without a provider. */
const RAIL = idleBody({ status: 'disabled' });

const SMS = { numerosDestino: ['923000000'], conteudo: 'x' };
const WHEN = { dia: 1, mes: 4, ano: 2026, hora: 9, minuto: 30 };
const HOOK = { url: 'http://127.0.0.1:9/theirs', accessKey: 'x'.repeat(20), types: ['terminal.stuck'] };
const CODE = { code: '123456' };

/** A valid body for each operation that reads one. */
const BODIES: Record<string, (ids: Record<string, string>) => object> = {
  createPayment: () => webframe(),
  createReference: () => reference(),
  createLegacyReference: () => reference(),
  createReferences: () => ({ references: [reference()] }),
  createLink: () => linkBody(),
  createArticle: () => ({ name: 'Roubado', price: 1, currency: 'AOA' }),
  changeArticle: () => ({ price: 1 }),
  exportPersonalData: () => ({ phone: '911000777' }),
  erasePersonalData: () => ({ phone: '911000777' }),
  replaceLink: () => ({ ...linkBody({ title: 'Roubado' }), revision: 1 }),
  sendLinkSms: () => ({ numerosDestino: SMS.numerosDestino }),
  sendReferenceSms: ({ pprReference }) => ({ references: [pprReference] }),
  previewReferenceSms: ({ pprReference }) => ({ references: [pprReference] }),
  openShift: () => ({}),
  recordCash: () => ({ kind: 'sale', amount: 1 }),
  closeShift: () => ({ countedCash: 1 }),
  createRefund: () => ({ method: 'manual', proof: 'x' }),
  sendReceipt: () => ({ channel: 'sms', to: '923000000' }),
  resolvePayment: () => ({ note: 'x' }),
  replacePayment: () => ({ paymentMethod: 'reference' }),
  createMerchant: () => ({ name: 'Nova' }),
  updateMerchant: () => ({ name: 'Roubada' }),
  createClient: () => ({ name: 'Ladra', scopes: ['merchant:write'] }),
  rotateClientSecret: () => ({ overlapHours: 1 }),
  grantAccess: () => ({ email: 'ladra@exemplo.ao', roleId: roleOf('Owner').id }),
  changeProfile: () => ({ firstName: 'Ladra' }),
  changePassword: () => ({ currentPassword: PASSWORD, password: 'outra palavra longa 8' }),
  enrolTotp: () => ({ password: PASSWORD }),
  confirmTotp: () => CODE,
  disableTotp: () => CODE,
  renewRecoveryCodes: () => CODE,
  setCallbackEndpoint: () => HOOK,
  testCallbackEndpoint: () => ({}),
  replayCallbacks: () => ({}),
  createWebhook: () => HOOK,
  replaceWebhook: () => HOOK,
  rotateWebhookSecret: () => ({}),
  markNotification: () => ({ estado: 1 }),
  markAllNotifications: () => ({ estado: 1 }),
  choosePlan: ({ planId }) => ({ planId }),
  createSmsContact: () => ({ nome: 'Ladra', telefone: '923000000' }),
  replaceSmsContact: () => ({ nome: 'Ladra', telefone: '923000000' }),
  importSmsContacts: () => ({ contactos: [{ nome: 'Ladra', telefone: '923000000' }] }),
  createSmsContactList: ({ contactoId }) => ({ nome: 'Ladra', contactoIds: [contactoId] }),
  addSmsContactToList: ({ listaId, contactoId }) => ({ listaId, contactoId }),
  createSmsOptOut: () => ({ phone: '923000001' }),
  createSmsTemplate: () => ({ nome: 'Ladra', conteudo: 'x' }),
  updateSmsTemplate: () => ({ nome: 'Ladra', conteudo: 'x' }),
  updateSmsSender: () => ({ nomeremetenteSms: 'LADRA' }),
  enterCredits: () => ({ amount: 1, date: '2026-03-02' }),
  importStatement: () => ({ file: Buffer.from('2026-03-02;1;x').toString('base64'), preview: true }),
  explainDifference: () => ({ reason: 'bank' }),
  addRailAccount: () => RAIL,
  changeRailAccount: () => ({ ...RAIL, label: 'Ladra' }),
  sendSms: () => SMS,
  sendSmsTemplate: ({ templateId }) => ({ numerosDestino: SMS.numerosDestino, smsId: templateId }),
  sendSmsToList: ({ listaId }) => ({ listaId, conteudo: 'x' }),
  previewSms: () => SMS,
  scheduleSms: () => ({ ...SMS, ...WHEN }),
};

export const KNOWN_BODIES = Object.keys(BODIES);

export const bodyOf = ({ operationId }: Route, ids: Record<string, string>): { body?: object } => {
  const body = BODIES[operationId]?.(ids);
  return body ? { body } : {};
};

const DAY: Record<string, string> = { dia: '2', mes: '3', ano: '2026' };
/** The required query parameters of lists by days. */
export const DAYS: Record<string, Record<string, string>> = {
  '/api/TemplatesSMS/pesquisarTemplateSMSporData': DAY,
  '/api/Envio/PesquisarSMSEnviados': DAY,
  '/api/Envio/pesquisarEnviosPorIntervaloDeDatas': Object.fromEntries(
    Object.entries(DAY).flatMap(([name, value]) => [
      [`${name}Inicio`, value],
      [`${name}Fim`, value],
    ]),
  ),
};

export const guardedRoutes = (app: TestApp): Route[] => app.node.app.routes.filter(({ access }) => needsToken(access));

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

export const fill = (path: string, known: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? `no ${name}`);

/** Unknown ids with the format of known ids. */
export const idsOfNothing = (ids: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(ids).map((name) => [name, name === 'pprReference' ? '987654321' : randomUUID()]));

/** Tables that only requests change. */
const TABLES =
  `merchants clients memberships users invoices credit_notes subscriptions billing_accounts sessions articles
  audit_entries idempotency_keys rail_accounts settlement_credits payments payment_references refunds shifts
  cash_entries links
  link_payments
  sms_contacts sms_lists sms_list_contacts sms_templates sms_batches sms_opt_outs sms_ledger sms_accounts`.split(/\s+/);

/** The rows that a request could change, without the rows of background work: pushes, deliveries, mail. */
const KEPT = [
  ...TABLES.map((table) => `select * from ${table}`),
  'select id, url, types, access_key, secrets from endpoints',
  'select id from mails',
  'select id from notifications where read_at is not null',
  'select id, status from settlements',
  'select id from attempts',
  'select pos_id, status from terminals',
  'select id, status from sms_messages',
  'select id, status from deliveries where event_seq is null',
  `select seq, type from events where type not like 'callback.%' or type = 'callback.replayed'`,
];

export async function readKept(app: TestApp): Promise<string[]> {
  const rows = await Promise.all(KEPT.map((text) => app.sql(`select t::text as row from (${text}) t`)));
  return rows
    .flat()
    .map(({ row }) => row as string)
    .toSorted();
}
