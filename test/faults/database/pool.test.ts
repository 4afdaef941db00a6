import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/own-postgres.ts';
import { create, webframe } from '../../support/payments.ts';

const POOL = 3;

let postgres: OwnPostgres;
let app: TestApp;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  app = await startTestApp({ databaseUrl: postgres.url, env: { DATABASE_POOL: String(POOL) } });
});
afterAll(async () => {
  await app?.stop();
  await postgres?.remove();
});

test('the connection pool reaches its full size again after all connections broke inside a transaction', async () => {
  const payments = await Promise.all(Array.from({ length: POOL }, () => create(app, webframe())));
  await holdLock(postgres.url, 'lock table events in exclusive mode');
  const pays = payments.map(({ clientToken }) =>
    app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: '923000001' }, token: null }),
  );
  const isFull = async () => (await countWaiting(postgres.url, 'insert into%events')) === POOL;
  await until(isFull, 'all transactions being under way');
  postgres.kill();
  for (const { status } of await Promise.all(pays)) expect(status).toBe(503);
  await until(() => postgres.restarts() === 1, 'the database being back');
  for (const { id } of payments) {
    const reply = await app.call(`/api/payments/${id}`);
    expect(reply).toMatchObject({ status: 200, json: { status: 'Pending' } });
  }
  expect(await app.sql('select from attempts')).toEqual([]);
});
