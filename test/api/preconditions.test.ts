// ETag and If-Match of what people edit: nothing that somebody else has changed meanwhile is overwritten unseen.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { RECEIVER_ENV } from '../support/receiver.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
});

type Edited = { path: string; token: string; change(text: string): object; field: string };

const URL = 'http://127.0.0.1:9/';

/** What has a tag: a thing of its own, and how a field of it is set. */
const EDITED: Record<string, () => Promise<Edited>> = {
  'a merchant': async () => {
    const { merchantId, token } = await app.addMerchant();
    return { path: `/api/merchants/${merchantId}`, token, change: (name) => ({ name }), field: 'name' };
  },
  'a webhook': async () => {
    const { token } = await app.addMerchant();
    const { json } = await app.call('/api/webhooks', { body: { url: URL }, token });
    const change = (description: string) => ({ url: URL, description });
    return { path: `/api/webhooks/${json.id}`, token, change, field: 'description' };
  },
};

test.each(Object.entries(EDITED))('%s is changed by who has seen it as it is', async (_what, open) => {
  const { path, token, change, field } = await open();
  const put = (text: string, headers: Record<string, string> = {}) =>
    app.call(path, { method: 'PUT', body: change(text), token, headers });
  const first = (await app.call(path, { token })).headers.get('etag')!;
  expect(first).toMatch(/^"[\w-]{22}"$/);

  const changed = await put('Ana', { 'if-match': first });
  const second = changed.headers.get('etag')!;
  expect([changed.status, second === first]).toEqual([200, false]);
  expect((await app.call(path, { token })).headers.get('etag')).toBe(second);

  const late = await put('Rui', { 'if-match': first });
  expect([late.status, late.json.code]).toEqual([412, 'precondition_failed']);
  // A weak tag says only that it looks alike (RFC 9110 §13.1.1).
  expect((await put('Rui', { 'if-match': `W/${second}` })).status).toBe(412);
  expect((await app.call(path, { token })).json[field]).toBe('Ana');

  for (const ifMatch of [`${first}, ${second}`, '*'])
    expect((await put(ifMatch === '*' ? 'Eva' : 'Rui', { 'if-match': ifMatch })).status).toBe(200);
  expect((await put('Zé')).json[field]).toBe('Zé');
});

test('a repeat under its key is answered as it was, though it is another now', async () => {
  const { path, token, change } = await EDITED['a merchant']!();
  const first = (await app.call(path, { token })).headers.get('etag')!;
  const headers = { 'if-match': first, 'idempotency-key': 'once' };
  const put = () => app.call(path, { method: 'PUT', body: change('Ana'), token, headers });
  expect((await put()).status).toBe(200);
  const again = await put();
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
});

test('how it goes with a webhook changes no tag of it', async () => {
  const { path, token } = await EDITED['a webhook']!();
  const before = (await app.call(path, { token })).headers.get('etag');
  await app.sql(`update endpoints set failures = 3, updated_at = now() where id = $1`, [path.split('/').at(-1)]);
  const after = await app.call(path, { token });
  expect([after.json.failures, after.headers.get('etag')]).toEqual([3, before]);
});
