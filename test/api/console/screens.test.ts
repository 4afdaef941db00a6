import { describe, expect, test } from 'vitest';
import { ROLE_NAMES, type RoleName } from '../../../shared/roles.ts';
import { startTestApp } from '../../support/app.ts';
import { addPlan, choose, endMonth, untilInvoices } from '../../support/billing.ts';
import { addMoney, addRefund, untilSettlements } from '../../support/books.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { createLink } from '../../support/links.ts';
import { create, webframe } from '../../support/payments.ts';
import { addRail, callRails, idleBody } from '../../support/rail-accounts.ts';
import { createReference } from '../../support/ppr.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';

// The forms of all screens exceed the limit of a session, which counts each change as sixty reads.
const app = await startTestApp({ env: { ...RECEIVER_ENV, RATE_LIMIT_CONSOLE: '0' } });
const [{ id: merchantId }] = (await app.sql(`select id from merchants where name = 'Loja da Ilha'`)) as [
  { id: string },
];
// Issuing the invoice advances the clock by a month, which would end sessions, so it comes first.
const invoiceId = await issueInvoice();
const visits = new Map<RoleName, Visit>();
for (const role of ROLE_NAMES) visits.set(role, await enterConsole(app, await addMember(app, { merchantId, role })));
const other = await app.addMerchant();
const visitor = await enterConsole(app, await addMember(app, { merchantId: other.merchantId }));

type Screen = {
  path(): Promise<string>;
  roles: readonly RoleName[];
  acts: Record<string, { fields?: Record<string, string>; roles: readonly RoleName[] }>;
  /** True if the screen shows one object of the merchant. It returns 404 to other merchants. */
  isOwn?: boolean;
};

const CHARGING_ROLES = ['Cashier', 'Administrator', 'Owner'] as const;
const UUID = '00000000-0000-4000-8000-000000000009';
const UNKNOWN_DIGITS = '999999999';

const DEVELOPER_ROLES = ['Developer', 'Administrator', 'Owner'] as const;
const ADMIN_ROLES = ['Administrator', 'Owner'] as const;

async function issueInvoice(): Promise<string> {
  const shop = { call: app.call };
  await choose(shop, await addPlan(app));
  endMonth(app);
  return (await untilInvoices(app, shop, 1))[0].id;
}

let webhookId: string | null = null;

/** Deletes the earlier webhook first, because a merchant may have only a few. */
async function makeWebhook(): Promise<string> {
  if (webhookId) await app.call(`/api/webhooks/${webhookId}`, { method: 'DELETE' });
  const { json } = await app.call('/api/webhooks', { body: { url: 'http://127.0.0.1:9/' } });
  webhookId = json.id as string;
  return webhookId;
}

let railId: string | null = null;

/** Deletes the earlier rail account first. The account is disabled, so no payment uses it. */
async function makeRail(): Promise<string> {
  const owner = { merchantId, token: await app.token() };
  if (railId) await callRails(app, owner, { method: 'DELETE', id: railId });
  railId = (await addRail(app, owner, idleBody({ status: 'disabled' }))).id;
  return String(railId);
}

async function makeDelivery(): Promise<string> {
  const { json } = await app.call(`/api/webhooks/${await makeWebhook()}/test`, { method: 'POST' });
  return json.id as string;
}

const makeSms = async (path: string, body: object) => (await app.call(`/api/${path}`, { body })).json;
const TEXT = { numbers: '923456789', conteudo: 'x' };

/** Returns the open shift of the cashier, and opens one first if it is closed. */
async function makeShift(): Promise<string> {
  await visits.get('Cashier')!.act('/console/shifts', 'shiftOpen');
  const [shift] = await app.sql<{ id: string }>(`select id from shifts where status = 'open' and note is null limit 1`);
  return shift!.id;
}

let settlementId: string | null = null;

async function closeSettlement(): Promise<string> {
  if (settlementId) return settlementId;
  await addMoney(app, { merchantId }, { at: '2026-02-10T10:00:00.000Z' });
  const find = (found: any[]) => found.find(({ day, closedAt }) => day === '2026-02-10' && closedAt);
  settlementId = find(await untilSettlements(app, app, find, 'the day being closed')).id as string;
  return settlementId;
}

const TABLE: Record<string, Partial<Screen>> = {
  '/console/start': {
    acts: {
      create: { fields: { name: '' }, roles: ROLE_NAMES },
      offer: { fields: { methods: 'push' }, roles: DEVELOPER_ROLES },
    },
  },
  '/console/today': {},
  '/console/charge': {
    roles: CHARGING_ROLES,
    acts: { charge: { fields: { amount: '1500', way: 'reference', phone: '' }, roles: CHARGING_ROLES } },
  },
  '/console/charge/{paymentId}': {
    path: async () => `/console/charge/${(await create(app, webframe())).internalId}`,
    roles: CHARGING_ROLES,
    acts: {
      cancel: { roles: CHARGING_ROLES },
      withdraw: { fields: { reference: '123456789' }, roles: CHARGING_ROLES },
      replace: { fields: { way: 'reference' }, roles: CHARGING_ROLES },
      receiptSms: { fields: { to: '923000001' }, roles: CHARGING_ROLES },
      receiptMail: { fields: { to: 'a@loja.example' }, roles: CHARGING_ROLES },
    },
    isOwn: true,
  },
  '/console/payments': {},
  '/console/payments/{paymentId}': {
    path: async () => `/console/payments/${(await create(app, webframe())).internalId}`,
    acts: {
      sync: { roles: ROLE_NAMES },
      cancel: { roles: CHARGING_ROLES },
      withdraw: { fields: { reference: '123456789' }, roles: CHARGING_ROLES },
      capture: { fields: { amount: '1500', currency: 'AOA', reference: 'C1' }, roles: CHARGING_ROLES },
      refund: { fields: { amount: '1500' }, roles: CHARGING_ROLES },
      refundManual: { fields: { amount: '1500', proof: 'TRF 1' }, roles: CHARGING_ROLES },
      replay: { fields: { deliveryId: UUID }, roles: DEVELOPER_ROLES },
    },
    isOwn: true,
  },
  '/console/payments/{paymentId}/receipt': {
    path: async () => `/console/payments/${(await create(app, webframe())).internalId}/receipt`,
    acts: {
      receiptSms: { fields: { to: '923000001' }, roles: CHARGING_ROLES },
      receiptMail: { fields: { to: 'a@loja.example' }, roles: CHARGING_ROLES },
    },
    isOwn: true,
  },
  '/console/developers': {
    acts: {
      createClient: { roles: DEVELOPER_ROLES },
      rotateClient: { fields: { clientId: 'bc_none', overlapHours: '0' }, roles: DEVELOPER_ROLES },
      revokeClient: { fields: { clientId: 'bc_none' }, roles: DEVELOPER_ROLES },
      setCallback: { roles: DEVELOPER_ROLES },
      testCallback: { roles: DEVELOPER_ROLES },
      createWebhook: { roles: DEVELOPER_ROLES },
    },
  },
  // A developer may create clients. The API refuses with 400 that they grant scopes for money.
  '/console/developers/wordpress': { roles: DEVELOPER_ROLES, acts: { connectWordpress: { roles: DEVELOPER_ROLES } } },
  '/console/webhooks/{webhookId}': {
    path: async () => `/console/webhooks/${await makeWebhook()}`,
    acts: {
      saveWebhook: { fields: { url: 'http://127.0.0.1:9/' }, roles: DEVELOPER_ROLES },
      testWebhook: { roles: DEVELOPER_ROLES },
      rotateWebhook: { fields: { overlapHours: '0' }, roles: DEVELOPER_ROLES },
      removeWebhook: { roles: DEVELOPER_ROLES },
    },
    isOwn: true,
  },
  '/console/deliveries/{deliveryId}': {
    path: async () => `/console/deliveries/${await makeDelivery()}`,
    acts: { resend: { roles: DEVELOPER_ROLES } },
    isOwn: true,
  },
  '/console/errors': {},
  '/console/search': {},
  '/console/team': {
    acts: {
      invite: { roles: ADMIN_ROLES },
      changeRole: { roles: ADMIN_ROLES },
      removeMember: { fields: { userId: UUID }, roles: ADMIN_ROLES },
    },
  },
  '/console/settings': {
    acts: {
      saveBrand: { roles: DEVELOPER_ROLES },
      saveShop: { roles: DEVELOPER_ROLES },
      savePrivacy: { roles: DEVELOPER_ROLES },
      saveOrigins: { roles: DEVELOPER_ROLES },
    },
  },
  '/console/shifts': {
    roles: CHARGING_ROLES,
    acts: { shiftOpen: { roles: CHARGING_ROLES } },
  },
  '/console/shifts/{shiftId}': {
    path: async () => `/console/shifts/${await makeShift()}`,
    roles: CHARGING_ROLES,
    acts: {
      shiftCash: { fields: { kind: 'sale', amount: '100' }, roles: CHARGING_ROLES },
      shiftClose: { roles: CHARGING_ROLES },
    },
    isOwn: true,
  },
  '/console/articles': {
    roles: DEVELOPER_ROLES,
    acts: {
      articleCreate: { fields: { name: 'Café', price: '350' }, roles: DEVELOPER_ROLES },
      articleChange: { fields: { articleId: UUID, name: 'Café', price: '400' }, roles: DEVELOPER_ROLES },
      articleHide: { fields: { articleId: UUID }, roles: DEVELOPER_ROLES },
      articleShow: { fields: { articleId: UUID }, roles: DEVELOPER_ROLES },
      articleMove: { fields: { articleId: UUID, position: '1' }, roles: DEVELOPER_ROLES },
      articleRemove: { fields: { articleId: UUID }, roles: DEVELOPER_ROLES },
    },
  },
  '/console/notices': {
    roles: ['Cashier', ...DEVELOPER_ROLES],
    acts: {
      markRead: { fields: { id: UUID }, roles: ['Cashier', ...DEVELOPER_ROLES] },
      markUnread: { fields: { id: UUID }, roles: ['Cashier', ...DEVELOPER_ROLES] },
      open: { fields: { id: UUID }, roles: ['Cashier', ...DEVELOPER_ROLES] },
      markAll: { roles: ['Cashier', ...DEVELOPER_ROLES] },
    },
  },
  '/console/plan': {
    acts: { choosePlan: { fields: { planId: UUID }, roles: ['Owner'] } },
  },
  '/console/invoices/{invoiceId}': {
    path: async () => `/console/invoices/${invoiceId}`,
    isOwn: true,
  },
  '/console/audit': {},
  '/console/rails': {
    roles: ADMIN_ROLES,
    acts: { addRail: { fields: { connector: 'none' }, roles: ADMIN_ROLES } },
  },
  '/console/rails/{railAccountId}': {
    path: async () => `/console/rails/${await makeRail()}`,
    roles: ADMIN_ROLES,
    acts: {
      testRail: { roles: ADMIN_ROLES },
      saveRail: { fields: { connector: 'none' }, roles: ADMIN_ROLES },
      removeRail: { roles: ADMIN_ROLES },
    },
    isOwn: true,
  },
  '/console/links': {
    acts: { linkCreate: { fields: { title: 'Bilhete', amount: '1500' }, roles: CHARGING_ROLES } },
  },
  '/console/links/{linkId}': {
    path: async () => `/console/links/${(await createLink(app)).id}`,
    acts: {
      linkChange: { fields: { title: 'Outro', amount: '1500', revision: '1' }, roles: CHARGING_ROLES },
      linkWithdraw: { roles: CHARGING_ROLES },
      linkSmsPreview: { fields: TEXT, roles: DEVELOPER_ROLES },
      linkSms: { fields: TEXT, roles: DEVELOPER_ROLES },
    },
    isOwn: true,
  },
  '/console/links/{linkId}/poster': {
    path: async () => `/console/links/${(await createLink(app)).id}/poster`,
    isOwn: true,
  },
  '/console/references': {
    acts: {
      referenceCreate: { fields: { amount: '1500', kind: 'Dynamic' }, roles: CHARGING_ROLES },
      referencesCheck: { fields: { lines: '1500' }, roles: CHARGING_ROLES },
      referencesCreate: { fields: { lines: '1500' }, roles: CHARGING_ROLES },
    },
  },
  '/console/references/sms': {
    roles: DEVELOPER_ROLES,
    acts: {
      referenceSmsPreview: { fields: { references: UNKNOWN_DIGITS }, roles: DEVELOPER_ROLES },
      referenceSms: { fields: { references: UNKNOWN_DIGITS }, roles: DEVELOPER_ROLES },
    },
  },
  '/console/references/{pprReference}': {
    path: async () => `/console/references/${(await createReference(app)).reference}`,
    acts: { referenceWithdraw: { roles: CHARGING_ROLES } },
    isOwn: true,
  },
  '/console/books': {},
  '/console/books/days/{day}': {
    path: async () => {
      await closeSettlement();
      return '/console/books/days/2026-02-10';
    },
    isOwn: true,
  },
  '/console/books/movements': {},
  '/console/books/refunds': {},
  '/console/books/refunds/{refundId}': {
    path: async () => {
      const money = await addMoney(app, { merchantId });
      return `/console/books/refunds/${await addRefund(app, { merchantId }, money, { status: 'Pending' })}`;
    },
    acts: { refundSync: { roles: ROLE_NAMES }, refundCancel: { roles: CHARGING_ROLES } },
    isOwn: true,
  },
  '/console/books/import': {
    roles: ADMIN_ROLES,
    acts: {
      statementCheck: { fields: { text: '11/02/2026;1;x' }, roles: ADMIN_ROLES },
      statementImport: { fields: { text: '11/02/2026;1;x' }, roles: ADMIN_ROLES },
    },
  },
  '/console/books/{settlementId}': {
    path: async () => `/console/books/${await closeSettlement()}`,
    acts: {
      credit: { fields: { amount: '1', date: '2026-02-11' }, roles: ADMIN_ROLES },
      fee: { fields: { amount: '1', date: '2026-02-11' }, roles: ADMIN_ROLES },
      reverse: { fields: { entry: UUID }, roles: ADMIN_ROLES },
      explain: { fields: { reason: 'bank', difference: '1' }, roles: ADMIN_ROLES },
      unexplain: { roles: ADMIN_ROLES },
    },
    isOwn: true,
  },
  '/console/sms': {
    acts: { smsSender: { fields: { sender: 'LOJA', optOutText: 'none' }, roles: DEVELOPER_ROLES } },
  },
  '/console/sms/send': {
    roles: DEVELOPER_ROLES,
    acts: {
      smsPreview: { fields: TEXT, roles: DEVELOPER_ROLES },
      smsSend: { fields: TEXT, roles: DEVELOPER_ROLES },
      smsSendTemplate: { fields: { ...TEXT, smsId: UUID }, roles: DEVELOPER_ROLES },
      smsSendList: { fields: { conteudo: 'x', listaId: UUID }, roles: DEVELOPER_ROLES },
      smsPlan: { fields: { ...TEXT, day: '2020-01-01', time: '08:00' }, roles: DEVELOPER_ROLES },
    },
  },
  '/console/sms/history': {},
  '/console/sms/schedule': {
    acts: { smsCallOff: { fields: { id: UUID }, roles: DEVELOPER_ROLES } },
  },
  '/console/sms/contacts': {
    acts: {
      smsContactCreate: { fields: { nome: 'Ana', telefone: '923456789' }, roles: DEVELOPER_ROLES },
      smsImport: { fields: { rows: 'Ana;923456789' }, roles: DEVELOPER_ROLES },
    },
  },
  '/console/sms/contacts/{contactoId}': {
    path: async () => {
      const { contactoId } = await makeSms('Contactos/CadastrarContacto', { nome: 'Rui', telefone: '923456780' });
      return `/console/sms/contacts/${contactoId}`;
    },
    acts: {
      smsContactChange: { fields: { nome: 'Rui', telefone: '923456781' }, roles: DEVELOPER_ROLES },
      smsContactList: { fields: { listaId: UUID }, roles: DEVELOPER_ROLES },
      smsContactRemove: { roles: DEVELOPER_ROLES },
    },
    isOwn: true,
  },
  '/console/sms/lists': {
    acts: { smsListCreate: { fields: { nome: 'Clientes' }, roles: DEVELOPER_ROLES } },
  },
  '/console/sms/lists/{listaId}': {
    path: async () => {
      const { listaId } = await makeSms('Contactos/CriarListaDeContactos', { nome: 'Luanda' });
      return `/console/sms/lists/${listaId}`;
    },
    acts: {
      smsListFill: { fields: { rows: 'Ana;923456789' }, roles: DEVELOPER_ROLES },
      smsListLeave: { fields: { contactoId: UUID }, roles: DEVELOPER_ROLES },
      smsListRemove: { roles: DEVELOPER_ROLES },
    },
    isOwn: true,
  },
  '/console/sms/templates': {
    acts: { smsTemplateCreate: { fields: { nome: 'Pronta', conteudo: 'Olá {{nome}}' }, roles: DEVELOPER_ROLES } },
  },
  '/console/sms/templates/{templateId}': {
    path: async () => {
      const { id } = await makeSms('TemplatesSMS/CriarTemplate', { nome: 'Pronta', conteudo: 'Olá {{nome}}' });
      return `/console/sms/templates/${id}`;
    },
    acts: {
      smsTemplateChange: { fields: { nome: 'Pronta', conteudo: 'Olá' }, roles: DEVELOPER_ROLES },
      smsTemplateRemove: { roles: DEVELOPER_ROLES },
    },
    isOwn: true,
  },
  '/console/sms/opt-outs': {
    acts: {
      smsOptOut: { fields: { phone: '923456700' }, roles: DEVELOPER_ROLES },
      smsOptIn: { fields: { id: UUID }, roles: DEVELOPER_ROLES },
    },
  },
  '/console/account': {
    acts: {
      profile: { fields: { language: 'pt' }, roles: ROLE_NAMES },
      noticeMail: { fields: { money: 'on' }, roles: ROLE_NAMES },
      end: { fields: { sessionId: UUID }, roles: ROLE_NAMES },
      endOthers: { roles: ROLE_NAMES },
      password: { roles: ROLE_NAMES },
      enrol: { roles: ROLE_NAMES },
      confirm: { fields: { code: '000000' }, roles: ROLE_NAMES },
      renew: { fields: { code: '000000' }, roles: ROLE_NAMES },
      disable: { fields: { code: '000000' }, roles: ROLE_NAMES },
      create: { fields: { name: '' }, roles: ROLE_NAMES },
    },
  },
};

/** By default a screen is visible to every role at the path that is its name. The table lists exceptions. */
const SCREENS = Object.entries(TABLE).map(([name, screen]): [string, Screen] => [
  name,
  { path: async () => name, roles: ROLE_NAMES, acts: {}, ...screen },
]);

const declared = app.node.app.routes.filter(({ operationId }) => operationId.startsWith('console:/'));

test('the table of this file has a row for every screen', () => {
  expect(declared.map(({ path }) => path).toSorted()).toEqual(Object.keys(TABLE).toSorted());
});

describe.each(SCREENS)('the screen %s', (_name, { path, roles: seers, acts }) => {
  test('is visible only to its roles, and shows only the forms that the role may send', async () => {
    const at = await path();
    for (const role of ROLE_NAMES) {
      const { status, text } = await visits.get(role)!.open(at);
      expect([role, status]).toEqual([role, seers.includes(role) ? 200 : 404]);
      const forbidden = Object.keys(acts).filter((act) => !acts[act]!.roles.includes(role));
      const shown = forbidden.filter((act) => text.includes(`name="act" value="${act}"`));
      expect([role, shown]).toEqual([role, []]);
    }
  });

  test.each(Object.entries(acts))(
    'refuses the action %s to a role without the scope',
    async (act, { fields, roles }) => {
      let at = await path();
      for (const role of ROLE_NAMES) {
        const { status } = await visits.get(role)!.act(at, act, fields);
        const isRefused = status === (seers.includes(role) ? 403 : 404);
        expect([role, isRefused], `${act}: ${status}`).toEqual([role, !roles.includes(role)]);
        // An accepted action may delete the object of the screen.
        if (!isRefused) at = await path();
      }
    },
  );
});

const owned = SCREENS.filter(([, { isOwn }]) => isOwn);

test.each(owned)('the screen %s returns 404 to another merchant', async (_name, { path, acts }) => {
  const at = await path();
  expect((await visitor.open(at)).status).toBe(404);
  for (const [act, { fields }] of Object.entries(acts))
    expect([act, (await visitor.act(at, act, fields)).status]).toEqual([act, 404]);
});

test('an unknown action returns 404', async () => {
  const visit = visits.get('Owner')!;
  for (const act of ['', 'toString', '__proto__', 'createClient'])
    expect((await visit.act('/console/account', act)).status).toBe(404);
});

test('the menu omits screens that a person may not see, and a page without a session redirects', async () => {
  const nobody = await app.call('/console/payments', { token: null });
  expect(nobody.status).toBe(303);
  const lone = await enterConsole(app, await addMember(app));
  const { text, status } = await lone.open('/console/account');
  expect(status).toBe(200);
  expect(text).not.toContain('href="/console/payments"');
  expect((await lone.open('/console')).headers.get('location')).toBe('/console/start');
  expect((await lone.open('/console/payments')).status).toBe(404);
});

test('a screen that the menu of a role omits opens by its address', async () => {
  const cashier = visits.get('Cashier')!;
  expect((await cashier.open('/console')).headers.get('location')).toBe('/console/charge');
  const { status, text } = await cashier.open('/console/plan');
  expect(status).toBe(200);
  expect(text.split('id="menu"')[1]).not.toContain('href="/console/plan"');
});
