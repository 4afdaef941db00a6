import { beforeAll, expect, test } from 'vitest';
import { until } from '../../../support/app.ts';
import { authorization, expectAgreement } from '../../../support/authorizations.ts';
import { startGateway, type Gateway } from '../../../support/gateway.ts';

/** The rail's timeout is longer than any test. */
const TIMEOUT_S = 60;
const AFTER_LEASE_MS = (TIMEOUT_S + 7) * 1_000;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { GPO_TIMEOUT_S: String(TIMEOUT_S) } });
});

test('the key of an interrupted cancel returns 409 until the lease ends, then the outcome of the void', async () => {
  const { merchant, rail, sql } = gateway;
  const { json } = await merchant.insist('/api/payments', { body: authorization() });
  await until(async () => (await rail.allBooks(json.reference)).authorizations.length === 1, 'the rail asking');
  await rail.answerPush(json.reference, 'approve');
  const readStatus = async () => (await sql('select status from payments where id = $1', [json.id]))[0].status;
  await until(async () => (await readStatus()) === 'Authorized', 'the hold');

  const options = { method: 'POST', headers: { 'idempotency-key': 'killed' } };
  const cancel = () => merchant.call(`/api/payments/${json.id}/cancel`, options);
  rail.calls.holdAt('request');
  const first = cancel().catch(() => null);
  await until(() => rail.calls.held() === 1, 'the void being under way');
  await gateway.child().kill();
  expect(await first).toBeNull();
  rail.calls.holdAt(null);
  rail.calls.cut();

  await gateway.restart(0);
  const early = await cancel();
  expect(early).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
  expect(early.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect((await rail.allBooks()).voids).toEqual([]);
  await gateway.child().kill();

  // The lease has ended, and the outcome is not known yet.
  await rail.calls.stop();
  await gateway.restart(AFTER_LEASE_MS);
  const waiting = await cancel();
  expect(waiting.status).toBe(200);
  expect(waiting.json.message).toContain('being canceled');
  await gateway.child().kill();
  await rail.calls.start();
  await gateway.restart(AFTER_LEASE_MS);
  await until(async () => (await readStatus()) === 'Canceled', 'the void');
  expect(await cancel()).toMatchObject({ status: 200, json: { message: 'The payment is Canceled.' } });
  await expectAgreement(sql, await rail.allBooks());
});
