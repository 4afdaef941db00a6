// Every screen of the console by every role: shown or not, its forms sent by hand, and another merchant's things.
import { describe, expect, test } from 'vitest';
import { ROLE_NAMES, type RoleName } from '../../shared/roles.ts';
import { startTestApp } from '../support/app.ts';
import { enterConsole, type Visit } from '../support/console.ts';
import { addMember } from '../support/members.ts';
import { createLink } from '../support/links.ts';
import { create, webframe } from '../support/payments.ts';
import { RECEIVER_ENV } from '../support/receiver.ts';

const app = await startTestApp({ env: RECEIVER_ENV });
const [{ id: merchantId }] = (await app.sql(`select id from merchants where name = 'Loja da Ilha'`)) as [
  { id: string },
];
const visits = new Map<RoleName, Visit>();
for (const role of ROLE_NAMES) visits.set(role, await enterConsole(app, await addMember(app, { merchantId, role })));
const other = await app.addMerchant();
const stranger = await enterConsole(app, await addMember(app, { merchantId: other.merchantId }));

type Screen = {
  path(): Promise<string>;
  /** Who sees it. */
  roles: readonly RoleName[];
  /** Each act: what is sent besides, and who may. */
  acts: Record<string, { fields?: Record<string, string>; roles: readonly RoleName[] }>;
  /** It shows one thing of the merchant's, so that another's is 404. */
  isOwn?: boolean;
};

const TAKERS = ['Cashier', 'Administrator', 'Owner'] as const;
const UUID = '00000000-0000-4000-8000-000000000009';

const BUILDERS = ['Developer', 'Administrator', 'Owner'] as const;
const CHIEFS = ['Administrator', 'Owner'] as const;

let webhookId: string | null = null;

/** One at a time: a merchant has few. */
async function makeWebhook(): Promise<string> {
  if (webhookId) await app.call(`/api/webhooks/${webhookId}`, { method: 'DELETE' });
  const { json } = await app.call('/api/webhooks', { body: { url: 'http://127.0.0.1:9/' } });
  webhookId = json.id as string;
  return webhookId;
}

async function makeDelivery(): Promise<string> {
  const { json } = await app.call(`/api/webhooks/${await makeWebhook()}/test`, { method: 'POST' });
  return json.id as string;
}

/** A new screen of the console is a line here. */
const SCREENS: Record<string, Screen> = {
  '/console/today': { path: async () => '/console/today', roles: ROLE_NAMES, acts: {} },
  '/console/charge': {
    path: async () => '/console/charge',
    roles: TAKERS,
    acts: { charge: { fields: { amount: '1500', way: 'reference', phone: '' }, roles: TAKERS } },
  },
  '/console/charge/{paymentId}': {
    path: async () => `/console/charge/${(await create(app, webframe())).internalId}`,
    roles: TAKERS,
    acts: {
      cancel: { roles: TAKERS },
      withdraw: { fields: { reference: '123456789' }, roles: TAKERS },
      sms: { fields: { phone: '923000001', text: 'x' }, roles: ['Administrator', 'Owner', 'Developer'] },
    },
    isOwn: true,
  },
  '/console/payments': { path: async () => '/console/payments', roles: ROLE_NAMES, acts: {} },
  '/console/payments/{paymentId}': {
    path: async () => `/console/payments/${(await create(app, webframe())).internalId}`,
    roles: ROLE_NAMES,
    acts: {
      sync: { roles: ROLE_NAMES },
      cancel: { roles: TAKERS },
      withdraw: { fields: { reference: '123456789' }, roles: TAKERS },
      capture: { fields: { amount: '1500', currency: 'AOA', reference: 'C1' }, roles: TAKERS },
      refund: { roles: TAKERS },
      replay: { fields: { deliveryId: UUID }, roles: ['Developer', 'Administrator', 'Owner'] },
    },
    isOwn: true,
  },
  '/console/developers': {
    path: async () => '/console/developers',
    roles: ROLE_NAMES,
    acts: {
      createClient: { roles: BUILDERS },
      rotateClient: { fields: { clientId: 'bc_none', overlapHours: '0' }, roles: BUILDERS },
      revokeClient: { fields: { clientId: 'bc_none' }, roles: BUILDERS },
      setCallback: { roles: BUILDERS },
      testCallback: { roles: BUILDERS },
      createWebhook: { roles: BUILDERS },
    },
  },
  '/console/webhooks/{webhookId}': {
    path: async () => `/console/webhooks/${await makeWebhook()}`,
    roles: ROLE_NAMES,
    acts: {
      saveWebhook: { fields: { url: 'http://127.0.0.1:9/' }, roles: BUILDERS },
      testWebhook: { roles: BUILDERS },
      rotateWebhook: { fields: { overlapHours: '0' }, roles: BUILDERS },
      removeWebhook: { roles: BUILDERS },
    },
    isOwn: true,
  },
  '/console/deliveries/{deliveryId}': {
    path: async () => `/console/deliveries/${await makeDelivery()}`,
    roles: ROLE_NAMES,
    acts: { resend: { roles: BUILDERS } },
    isOwn: true,
  },
  '/console/errors': { path: async () => '/console/errors', roles: ROLE_NAMES, acts: {} },
  '/console/team': {
    path: async () => '/console/team',
    roles: ROLE_NAMES,
    acts: {
      invite: { roles: CHIEFS },
      changeRole: { roles: CHIEFS },
      removeMember: { fields: { userId: UUID }, roles: CHIEFS },
    },
  },
  '/console/settings': {
    path: async () => '/console/settings',
    roles: ROLE_NAMES,
    acts: { saveBrand: { roles: BUILDERS }, saveRules: { roles: BUILDERS }, saveOrigins: { roles: BUILDERS } },
  },
  '/console/links': {
    path: async () => '/console/links',
    roles: ROLE_NAMES,
    acts: { linkCreate: { fields: { title: 'Bilhete', amount: '1500' }, roles: TAKERS } },
  },
  '/console/links/{linkId}': {
    path: async () => `/console/links/${(await createLink(app)).id}`,
    roles: ROLE_NAMES,
    acts: {
      linkChange: { fields: { title: 'Outro', amount: '1500', revision: '1' }, roles: TAKERS },
      linkWithdraw: { roles: TAKERS },
      linkSms: { fields: { numbers: '923456789' }, roles: ['Developer', 'Administrator', 'Owner'] },
    },
    isOwn: true,
  },
  '/console/account': {
    path: async () => '/console/account',
    roles: ROLE_NAMES,
    acts: {
      language: { fields: { language: 'pt' }, roles: ROLE_NAMES },
      end: { fields: { sessionId: UUID }, roles: ROLE_NAMES },
      endOthers: { roles: ROLE_NAMES },
      create: { fields: { name: '' }, roles: ROLE_NAMES },
    },
  },
};

const declared = app.node.app.routes.filter(({ operationId }) => operationId.startsWith('console:/'));

test('every screen has its line', () => {
  expect(declared.map(({ path }) => path).toSorted()).toEqual(Object.keys(SCREENS).toSorted());
});

describe.each(Object.entries(SCREENS))('%s', (_name, { path, roles: seers, acts }) => {
  test.each(ROLE_NAMES)('is there for a %s, or not', async (role) => {
    const { status } = await visits.get(role)!.open(await path());
    expect(status).toBe(seers.includes(role) ? 200 : 404);
  });

  test.each(Object.entries(acts))(
    '%s is refused to who may not, however it is sent',
    async (act, { fields, roles }) => {
      for (const role of ROLE_NAMES) {
        const visit = visits.get(role)!;
        const at = await path();
        const { status } = await visit.act(at, act, fields);
        // Of a screen that they do not see, nothing is said.
        const isRefused = status === (seers.includes(role) ? 403 : 404);
        expect([role, isRefused], `${act}: ${status}`).toEqual([role, !roles.includes(role)]);
        const { text } = await visit.open(at);
        if (!roles.includes(role)) expect(text).not.toContain(`name="act" value="${act}"`);
      }
    },
  );
});

const owned = Object.entries(SCREENS).filter(([, { isOwn }]) => isOwn);

test.each(owned)('%s of another merchant’s does not exist', async (_name, { path, acts }) => {
  const at = await path();
  expect((await stranger.open(at)).status).toBe(404);
  for (const [act, { fields }] of Object.entries(acts))
    expect([act, (await stranger.act(at, act, fields)).status]).toEqual([act, 404]);
});

test('an act that a screen does not have is none', async () => {
  const visit = visits.get('Owner')!;
  for (const act of ['', 'toString', '__proto__', 'createClient'])
    expect((await visit.act('/console/account', act)).status).toBe(404);
});

test('what may not be seen is not in the menu, and every address without a session leads to the door', async () => {
  const nobody = await app.call('/console/payments', { token: null });
  expect(nobody.status).toBe(303);
  const lone = await enterConsole(app, await addMember(app));
  const { text, status } = await lone.open('/console/account');
  expect(status).toBe(200);
  expect(text).not.toContain('href="/console/payments"');
  expect((await lone.open('/console')).headers.get('location')).toBe('/console/account');
  expect((await lone.open('/console/payments')).status).toBe(404);
});
