import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { createReference, PPR } from '../../support/ppr.ts';
import { addUnits, readBalance } from '../../support/sms.ts';

let app: TestApp;
let second: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  second = await app.startTwin();
});

test('two concurrent sendings of references with one key, on two nodes, send and charge once', async () => {
  const { merchantId, token, clientId, secret } = await app.addMerchant();
  await addUnits(app, merchantId, 2);
  const made = await Promise.all(
    ['923456001', '923456002'].map((customerTelephone) => createReference(app, { customerTelephone }, { token })),
  );
  const body = { references: made.map(({ reference }) => reference) };
  const headers = { 'Idempotency-Key': randomUUID() };
  const account = `select from sms_accounts where merchant_id = '${merchantId}' for update`;
  const letGo = await holdLock(app.databaseUrl, account);
  const replies = [
    app.call(`${PPR}/sms`, { body, headers, token }),
    second.call(`${PPR}/sms`, { body, headers, token: await second.token(clientId, secret) }),
  ];
  await until(async () => (await countWaiting(app.databaseUrl, 'update sms_accounts')) === 2, 'both debits waiting');
  await letGo();
  const [one, two] = await Promise.all(replies);
  expect([one!.status, two!.status, two!.text]).toEqual([200, 200, one!.text]);
  expect(await readBalance(app, merchantId)).toBe(0);
  expect(await app.sql('select from sms_messages where merchant_id = $1', [merchantId])).toHaveLength(2);
});
