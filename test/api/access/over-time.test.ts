// Access that ends: tokens after their hour, clients that are revoked or cut.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { webframe } from '../../support/payments.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const read = (token: string) => app.call('/api/payments', { token });

describe('a client', () => {
  test('that is revoked is out within 30 s, its token notwithstanding', async () => {
    const { clientId, token } = await app.addMerchant();
    expect((await read(token)).status).toBe(200);
    await app.sql('update clients set revoked_at = $2 where id = $1', [clientId, app.clock.now()]);
    await app.clock.pass(30_000);
    const refused = await leavesNothing(app, () => app.call('/api/payments', { body: webframe(), token }));
    expect(refused.status).toBe(401);
    expect(refused.json.code).toBe('invalid_token');
    expect((await read(token)).status).toBe(401);
  });

  test('that is deleted is out too', async () => {
    const { clientId, token } = await app.addMerchant();
    expect((await read(token)).status).toBe(200);
    await app.sql('delete from clients where id = $1', [clientId]);
    await app.clock.pass(30_000);
    expect((await read(token)).status).toBe(401);
  });

  test('that loses a scope loses it in tokens already issued', async () => {
    const { clientId, token } = await app.addMerchant();
    expect((await app.call('/api/payments', { body: webframe(), token })).status).toBe(201);
    await app.sql(`update clients set scopes = '{payments:read}' where id = $1`, [clientId]);
    await app.clock.pass(30_000);
    expect((await app.call('/api/payments', { body: webframe(), token })).status).toBe(403);
    expect((await read(token)).status).toBe(200);
  });

  test('that gains a scope has it in new tokens only', async () => {
    const { clientId, secret, token } = await app.addMerchant({ scopes: ['payments:read'] });
    await app.sql(`update clients set scopes = '{payments:read,payments:write}' where id = $1`, [clientId]);
    await app.clock.pass(30_000);
    expect((await app.call('/api/payments', { body: webframe(), token })).status).toBe(403);
    const wider = await app.token(clientId, secret, 'payments:read payments:write');
    expect((await app.call('/api/payments', { body: webframe(), token: wider })).status).toBe(201);
  });
});

// The last one: it takes the hour that the tokens of the other tests have.
test('a token is good for its hour and not a second longer', async () => {
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
