// ETag and If-Match of editable resources: no request overwrites a concurrent change unseen.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMember } from '../../support/members.ts';
import { addRail, idleBody, railPath, withoutSecrets } from '../../support/rail-accounts.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
});

type Edited = { path: string; token: string; change(text: string): object; field: string; writePath?: string };

const URL = 'http://127.0.0.1:9/';

/** The resources with an ETag: how a test creates one, and how it changes a field. */
const EDITED: Record<string, () => Promise<Edited>> = {
  'a merchant': async () => {
    const { merchantId, token } = await app.addMerchant();
    return { path: `/api/merchants/${merchantId}`, token, change: (name) => ({ name }), field: 'name' };
  },
  'a rail account': async () => {
    const shop = await app.addMerchant();
    const { id } = await addRail(app, shop, idleBody());
    const change = (label: string) => withoutSecrets(idleBody({ label }));
    return { path: railPath(shop.merchantId, id), token: shop.token, change, field: 'label' };
  },
  'a person’s profile': async () => {
    const token = await (await addMember(app)).token();
    return { path: '/api/profile', token, change: (lastName) => ({ lastName }), field: 'lastName' };
  },
  'a webhook': async () => {
    const { token } = await app.addMerchant();
    const { json } = await app.call('/api/webhooks', { body: { url: URL }, token });
    const change = (description: string) => ({ url: URL, description });
    return { path: `/api/webhooks/${json.id}`, token, change, field: 'description' };
  },
  'an SMS contact': async () => {
    const { token } = await app.addMerchant();
    const change = (nome: string) => ({ nome, telefone: '923456789' });
    const at = '/api/Contactos';
    const { json } = await app.call(`${at}/CadastrarContacto`, { body: change('Zita'), token });
    const [path, writePath] = ['ObterContactoPorId', 'AtualizarContacto'].map(
      (way) => `${at}/${way}/${json.contactoId}`,
    );
    return { path: path!, writePath: writePath!, token, change, field: 'nome' };
  },
  'an SMS template': async () => {
    const { token } = await app.addMerchant();
    const change = (nome: string) => ({ nome, conteudo: 'Olá' });
    const at = '/api/TemplatesSMS';
    const { json } = await app.call(`${at}/CriarTemplate`, { body: change('Velho'), token });
    const [path, writePath] = ['ObterTemplatesSmsPorId', 'AtualizarTemplate'].map((way) => `${at}/${way}/${json.id}`);
    return { path: path!, writePath: writePath!, token, change, field: 'nome' };
  },
};

test.each(Object.entries(EDITED))('a PUT with If-Match changes %s only if its ETag is current', async (_what, open) => {
  const { path, token, change, field, writePath = path } = await open();
  const put = (text: string, headers: Record<string, string> = {}) =>
    app.call(writePath, { method: 'PUT', body: change(text), token, headers });
  const first = (await app.call(path, { token })).headers.get('etag')!;
  expect(first).toMatch(/^"[\w-]{22}"$/);

  const changed = await put('Ana', { 'if-match': first });
  const second = changed.headers.get('etag')!;
  expect([changed.status, second === first]).toEqual([200, false]);
  expect((await app.call(path, { token })).headers.get('etag')).toBe(second);

  const late = await put('Rui', { 'if-match': first });
  expect([late.status, late.json.code]).toEqual([412, 'precondition_failed']);
  // A weak tag does not match in If-Match (RFC 9110 §13.1.1).
  expect((await put('Rui', { 'if-match': `W/${second}` })).status).toBe(412);
  expect((await app.call(path, { token })).json[field]).toBe('Ana');

  for (const ifMatch of [`${first}, ${second}`, '*'])
    expect((await put(ifMatch === '*' ? 'Eva' : 'Rui', { 'if-match': ifMatch })).status).toBe(200);
  expect((await put('Zé')).json[field]).toBe('Zé');
});

test('a repeated PUT with its idempotency key returns the first response, although the ETag has changed', async () => {
  const { path, token, change } = await EDITED['a merchant']!();
  const first = (await app.call(path, { token })).headers.get('etag')!;
  const headers = { 'if-match': first, 'idempotency-key': 'once' };
  const put = () => app.call(path, { method: 'PUT', body: change('Ana'), token, headers });
  expect((await put()).status).toBe(200);
  const again = await put();
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
});

test('a failed delivery does not change the ETag of a webhook', async () => {
  const { path, token } = await EDITED['a webhook']!();
  const before = (await app.call(path, { token })).headers.get('etag');
  await app.sql(`update endpoints set failures = 3, updated_at = now() where id = $1`, [path.split('/').at(-1)]);
  const after = await app.call(path, { token });
  expect([after.json.failures, after.headers.get('etag')]).toEqual([3, before]);
});

test('an SMS opt-out does not change the ETag of a contact', async () => {
  const { path, token } = await EDITED['an SMS contact']!();
  const before = (await app.call(path, { token })).headers.get('etag');
  await app.call('/api/sms/opt-outs', { body: { phone: '923456789' }, token });
  const after = await app.call(path, { token });
  expect([after.json.recusaSms, after.headers.get('etag')]).toEqual([true, before]);
});
