import { PLUGIN_SCOPES } from '../../../shared/woocommerce.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { creepUntil } from '../../support/payments.ts';
import { ACCESS_KEY, CONFIRMATION, RECEIVER_ENV, startReceiver } from '../../support/receiver.ts';

let app: TestApp;
let merchantId: string;
let token: string;
let developer: Visit;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
});
beforeEach(async () => {
  ({ merchantId, token } = await app.addMerchant());
  developer = await enterConsole(app, await addMember(app, { merchantId, role: 'Developer' }));
});

const PATH = '/console/developers';
const valueOf = ({ text }: Reply, name: string) => new RegExp(`<code data-name="${name}">([^<]+)`).exec(text)?.[1];

describe('the WordPress screen', () => {
  const WORDPRESS = `${PATH}/wordpress`;

  test('creates credentials with the scopes of the plug-in by one press, and shows the three values once', async () => {
    const owner = await enterConsole(app, await addMember(app, { merchantId }));
    const made = await owner.act(WORDPRESS, 'connectWordpress', {});
    const [url, id, secret] = ['url', 'client_id', 'client_secret'].map((name) => valueOf(made, name)!);
    expect(made.status).toBe(200);
    expect(url).toMatch(/^http:\/\/[\w.:]+$/);
    expect(await app.token(id, secret)).toBeTruthy();
    const { data } = (await app.call(`/api/merchants/${merchantId}/clients`, { token })).json;
    expect(data.find(({ clientId }: any) => clientId === id).scopes).toEqual(PLUGIN_SCOPES);
    expect((await owner.open(WORDPRESS)).text).not.toContain(secret);
  });

  test('offers no credentials to a role without these scopes, and the gateway refuses its form', async () => {
    const page = await developer.open(WORDPRESS);
    expect([page.status, page.text.includes('Peça ao Proprietário')]).toEqual([200, true]);
    expect(page.text).not.toContain('connectWordpress');
    expect((await developer.act(WORDPRESS, 'connectWordpress', {})).status).toBe(400);
  });

  test('links to an archive of the plug-in that the gateway sends', async () => {
    const [, path = ''] = /href="(\/downloads\/[^"]+\.zip)"/.exec((await developer.open(WORDPRESS)).text) ?? [];
    const archive = await fetch(new URL(path, app.url));
    expect([archive.status, archive.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(
      Buffer.from(await archive.arrayBuffer())
        .subarray(0, 4)
        .toString('latin1'),
    ).toBe('PK\u0003\u0004');
  });
});

describe('an API client', () => {
  test('is created with a secret that works and that no later page shows', async () => {
    const made = await developer.act(PATH, 'createClient', { name: 'ERP', 'payments:read': 'on' });
    expect([made.status, made.headers.get('location')]).toEqual([200, null]);
    expect(made.headers.get('cache-control')).toContain('no-store');
    const [id, secret] = [valueOf(made, 'client_id')!, valueOf(made, 'client_secret')!];
    expect(await app.token(id, secret)).toBeTruthy();
    const { text } = await developer.open(PATH);
    expect([text.includes(id), text.includes(secret)]).toEqual([true, false]);

    const rotated = await developer.act(PATH, 'rotateClient', { clientId: id, overlapHours: '0' });
    const next = valueOf(rotated, 'client_secret')!;
    expect([rotated.status, next === secret]).toEqual([200, false]);
    expect(await app.token(id, next)).toBeTruthy();

    expect((await developer.act(PATH, 'revokeClient', { clientId: id })).status).toBe(303);
    expect((await developer.open(PATH)).text).not.toContain(id);
  });

  test('gets the scopes of the chosen preset, and a role is offered only presets within its scopes', async () => {
    const owner = await enterConsole(app, await addMember(app, { merchantId }));
    const made = await owner.act(PATH, 'createClient', { name: 'Loja', preset: 'shop', privacy: 'on' });
    const { clients } = { clients: (await app.call(`/api/merchants/${merchantId}/clients`, { token })).json.data };
    const { scopes } = clients.find(({ clientId }: any) => clientId === valueOf(made, 'client_id'));
    expect(scopes).toEqual(['payments:read', 'payments:write', 'references:read', 'references:write']);
    const presetsIn = async (visit: Visit) =>
      [...(await visit.open(PATH)).text.matchAll(/name="preset" value="(\w+)"/g)].map(([, preset]) => preset);
    expect(await presetsIn(owner)).toEqual(['shop', 'read', 'all', 'own']);
    expect(await presetsIn(developer)).toEqual(['read', 'all', 'own']);
  });

  test('is refused without a name or with more rights than its creator has', async () => {
    const blank = await developer.act(PATH, 'createClient', { name: '', 'payments:read': 'on' });
    expect([blank.status, blank.text]).toEqual([400, expect.stringContaining('aria-invalid="true"')]);
    const greedy = await developer.act(PATH, 'createClient', { name: 'ERP', 'billing:write': 'on' });
    expect([greedy.status, greedy.text]).toEqual([400, expect.stringContaining('que a sua função também tem')]);
  });
});

describe('a webhook endpoint', () => {
  test('is created, tested, shown attempt by attempt, replayed, changed and removed', async () => {
    const receiver = await startReceiver({ answer: { status: 500, body: '<b>avaria</b>' } });
    const made = await developer.act(PATH, 'createWebhook', { url: receiver.url, description: 'ERP' });
    expect([made.status, valueOf(made, 'whsec')]).toEqual([200, expect.stringMatching(/^whsec_/)]);
    const [{ id }] = (await app.call('/api/webhooks', { token })).json.data;
    const at = `/console/webhooks/${id}`;
    expect((await developer.open(at)).text).not.toContain('whsec_');

    expect((await developer.open(at)).text).toContain('Ainda sem entregas');
    const tested = (await developer.act(at, 'testWebhook')).headers.get('location')!;
    expect(tested).toMatch(/^\/console\/deliveries\/[\w-]+\?done=testWebhook$/);
    const { text } = await developer.open(tested);
    expect(text).toMatch(/class="notice quiet"[^>]*>.*O teste foi enviado/);
    expect(text).toContain('Tentativa 1');
    expect(text).toContain('webhook.test');
    expect([text.includes('avaria'), text.includes('<b>avaria')]).toEqual([true, false]);

    expect((await developer.open(at)).text).toContain('A última tentativa falhou');
    receiver.answerWith(CONFIRMATION);
    await developer.act(at, 'testWebhook');
    for (const path of [at, PATH]) expect((await developer.open(path)).text).toContain('Responde</span>');
    const wrong = await developer.act(at, 'saveWebhook', {
      url: receiver.url,
      'event payment.*': 'on',
      'event nada': 'on',
    });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Não há eventos com este nome.')]);
    expect((await developer.act(at, 'saveWebhook', { url: receiver.url, 'event payment.*': 'on' })).status).toBe(303);
    expect((await app.call(`/api/webhooks/${id}`, { token })).json.types).toEqual(['payment.*']);
    expect((await developer.act(at, 'removeWebhook')).headers.get('location')).toBe(`${PATH}?done=removeWebhook`);
    expect((await developer.open(at)).status).toBe(404);
  });

  test('is refused without an https:// URL, and so is a callback endpoint', async () => {
    for (const act of ['createWebhook', 'setCallback']) {
      const reply = await developer.act(PATH, act, { url: 'ftp://loja.example', accessKey: ACCESS_KEY });
      expect([act, reply.status]).toEqual([act, 400]);
      expect(reply.text).toContain('Tem de ser um endereço https://');
    }
  });
});

test('the callback endpoint is saved and tested, and its access key is not shown', async () => {
  const receiver = await startReceiver();
  const fields = { url: receiver.url, accessKey: ACCESS_KEY };
  expect((await developer.act(PATH, 'setCallback', fields)).status).toBe(303);
  const { text } = await developer.open(PATH);
  expect([text.includes(receiver.url), text.includes(ACCESS_KEY)]).toEqual([true, false]);
  expect(text).toContain('Ainda sem entregas');
  const tested = (await developer.act(PATH, 'testCallback')).headers.get('location');
  expect(tested).toMatch(/^\/console\/deliveries\/[\w-]+\?done=testCallback$/);
  expect((await developer.open(PATH)).text).not.toContain('Ainda sem entregas');
});

test('the page of request errors lists refused requests, and filters them', async () => {
  expect((await developer.open('/console/errors')).text).toContain('Nada foi recusado.');
  await app.call('/api/payments', { token, body: { amount: -1 } });
  const requestId = (await app.call(`/api/payments/${crypto.randomUUID()}`, { token })).headers.get('x-request-id')!;
  const open = async (query = '') => (await developer.open(`/console/errors${query}`)).text;
  await creepUntil(app, async () => (await open('?status=400')).includes('/amount'), 'the refusal being kept', 250);
  await creepUntil(app, async () => (await open()).includes(requestId), 'the other being kept', 250);
  expect(await open('?status=400')).not.toContain(requestId);
  expect(await open(`?status=nada&requestId=${requestId}`)).toContain(requestId);
});
