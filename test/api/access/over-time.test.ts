// Access that ends: expired tokens, deleted clients, and clients that lose a scope.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { webframe } from '../../support/payments.ts';
import { listTexts } from '../../support/statements.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const read = (token: string) => app.call('/api/payments', { token });

describe('a token of a client', () => {
  test('is rejected from 30 s after the client is deleted', async () => {
    const { clientId, token } = await app.addMerchant();
    expect((await read(token)).status).toBe(200);
    await app.sql('delete from clients where id = $1', [clientId]);
    await app.clock.pass(30_000);
    expect((await read(token)).status).toBe(401);
  });

  test('loses a scope 30 s after the client loses this scope', async () => {
    const { clientId, token } = await app.addMerchant();
    expect((await app.call('/api/payments', { body: webframe(), token })).status).toBe(201);
    await app.sql(`update clients set scopes = '{payments:read}' where id = $1`, [clientId]);
    await app.clock.pass(30_000);
    expect((await app.call('/api/payments', { body: webframe(), token })).status).toBe(403);
    expect((await read(token)).status).toBe(200);
  });

  test('does not gain a scope that the client gains after the token was issued', async () => {
    const { clientId, secret, token } = await app.addMerchant({ scopes: ['payments:read'] });
    await app.sql(`update clients set scopes = '{payments:read,payments:write}' where id = $1`, [clientId]);
    await app.clock.pass(30_000);
    expect((await app.call('/api/payments', { body: webframe(), token })).status).toBe(403);
    const wider = await app.token(clientId, secret, 'payments:read payments:write');
    expect((await app.call('/api/payments', { body: webframe(), token: wider })).status).toBe(201);
  });
});

test('concurrent requests share one database read of the client and one of revoked tokens', async () => {
  const token = await app.token();
  const call = () => app.call('/api/payments?pageSize=1', { token });
  await call();
  app.clock.leap(31_000);
  const { texts } = await listTexts(() => Promise.all(Array.from({ length: 8 }, call)));
  // The cleaning job at the start of the node may delete from the same tables.
  expect(texts.filter((text) => /^select .*from "revoked_tokens"/.test(text))).toHaveLength(1);
  expect(texts.filter((text) => /^select .*from "clients"/.test(text))).toHaveLength(1);
});

// This test runs last: it advances the clock by an hour, after which the other tests' tokens are expired.
test('a token is accepted for exactly one hour', async () => {
  const { token } = await app.addMerchant();
  expect((await read(token)).status).toBe(200);
  app.clock.leap(3_599_000);
  expect((await read(token)).status).toBe(200);
  app.clock.leap(1_000);
  expect((await read(token)).status).toBe(401);
  const body = webframe();
  const refused = await app.call('/api/payments', { body, token });
  expect(await app.sql('select from payments where reference = $1', [body['reference']])).toEqual([]);
  expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="balcao", error="invalid_token"');
});
