import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startAppBehind, until, type TestApp } from '../../../support/app.ts';
import { startGateway, type Gateway } from '../../../support/gateway.ts';
import { startOwnPostgres, type OwnPostgres } from '../../../support/own-postgres.ts';
import type { HoldPoint } from '../../../support/proxy.ts';
import { qrcode, SCANNER, untilCodeHeld } from '../../../support/qrcodes.ts';
import { startRail, type Rail } from '../../../support/rail.ts';

const AS_JSON = { prefer: 'return=representation' };

describe('a QR creation that a kill interrupts', () => {
  /** The rail's timeout is longer than any test, so that only a restart with a later clock exceeds it. */
  const TIMEOUT_S = '60';
  const AFTER_LEASE_MS = 66_000;

  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ env: { GPO_TIMEOUT_S: TIMEOUT_S } });
  });
  afterEach(() => gateway.rail.calls.cut());

  /** Kills the node while the proxy holds the creation's call to the rail at this point. */
  async function killWhileMaking(point: HoldPoint) {
    const { calls } = gateway.rail;
    const body = qrcode({ maxTransactions: 2 });
    const headers = { 'idempotency-key': randomUUID(), ...AS_JSON };
    const ask = () => gateway.merchant.call('/api/payments', { body, headers });
    calls.holdAt(point);
    const lost = ask().then(
      () => 'answered',
      () => 'broken',
    );
    const reference = String(body['reference']);
    await untilCodeHeld(calls, reference);
    await gateway.child().kill();
    calls.holdAt(null);
    expect(await lost).toBe('broken');
    return { ask, reference, codes: async () => (await gateway.rail.allBooks(reference)).qrcodes };
  }

  const statusesOf = async (reference: string) =>
    (await gateway.sql('select status from payments where reference = $1 order by created_at', [reference])).map(
      ({ status }) => status,
    );

  test('after the rail made the code returns 409 for its key until the lease ends, then this code', async () => {
    const { ask, reference, codes } = await killWhileMaking('answer');
    gateway.rail.calls.cut();
    await gateway.restart(0);
    const early = await ask();
    expect(early).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await gateway.child().kill();
    await gateway.restart(AFTER_LEASE_MS);
    const made = await ask();
    expect(made.status).toBe(201);
    expect(await codes()).toMatchObject([{ content: made.json.qrCode.content, status: 'ACTIVE', calls: 1 }]);
    expect((await ask()).text).toBe(made.text);
    expect((await gateway.rail.scan(made.json.qrCode.content, SCANNER)).status).toBe(201);
    expect(await statusesOf(reference)).toEqual(['Pending']);
  });

  test('before it reached the rail frees its key when the lease ends, and the late code is not payable', async () => {
    const { ask, reference, codes } = await killWhileMaking('request');
    await gateway.restart(AFTER_LEASE_MS);
    // The node's poll or this request finds that the rail has no code.
    const made = await until(async () => {
      const reply = await ask();
      return reply.status === 201 ? reply : null;
    }, 'a code');
    expect(await statusesOf(reference)).toEqual(['Failed', 'Pending']);
    // The delayed request arrives after the withdrawal.
    const voided = `select from attempts a join payments p on p.id = a.payment_id
      where reference = $1 and a.kind = 'void' and a.status = 'Approved'`;
    await until(async () => (await gateway.sql(voided, [reference])).length === 1, 'the withdrawal');
    gateway.rail.calls.release();
    await until(async () => (await codes()).length === 2, 'the late arrival');
    const active = (await codes()).filter(({ status }) => status === 'ACTIVE');
    expect(active).toMatchObject([{ content: made.json.qrCode.content }]);
    const withdrawn = (await codes()).find(({ status }) => status === 'WITHDRAWN');
    expect(await gateway.rail.scan(withdrawn?.content ?? '', SCANNER)).toMatchObject({ status: 409 });
  });
});

describe('a QR creation during a database outage', () => {
  let postgres: OwnPostgres;
  let rail: Rail;
  let app: TestApp;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    ({ app, rail } = await startAppBehind(startRail, { databaseUrl: postgres.url }));
  });
  afterAll(async () => {
    await app?.stop();
    await rail?.stop();
    await postgres?.remove();
  });

  test('after the rail made the code returns 503, and the key returns the code after the lease', async () => {
    const body = qrcode();
    const headers = { 'idempotency-key': randomUUID(), ...AS_JSON };
    const ask = () => app.call('/api/payments', { body, headers });
    rail.calls.holdAt('answer');
    const first = ask();
    await untilCodeHeld(rail.calls, String(body['reference']));
    rail.calls.holdAt(null);
    await postgres.stop();
    rail.calls.release();
    const reply = await first;
    await postgres.start();
    await until(async () => (await app.call('/readyz')).status === 200, 'readiness');
    expect(reply).toMatchObject({ status: 503, json: { code: 'service_unavailable' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await ask()).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
    await app.clock.advance(15_000);
    const made = await ask();
    expect(made.status).toBe(201);
    const { qrcodes } = await rail.allBooks(String(body['reference']));
    expect(qrcodes).toMatchObject([{ content: made.json.qrCode.content, status: 'ACTIVE' }]);
  });

  test('before the call of the rail returns 503 and leaves nothing', async () => {
    const body = qrcode();
    await postgres.stop();
    const asked = rail.calls.seen.length;
    const reply = await app.call('/api/payments', { body, headers: { 'idempotency-key': randomUUID() } });
    expect(reply).toMatchObject({ status: 503, json: { code: 'service_unavailable' } });
    await postgres.start();
    await until(async () => (await app.call('/readyz')).status === 200, 'readiness');
    expect(rail.calls.seen.slice(asked)).toEqual([]);
    expect(await app.sql('select from payments where reference = $1', [body['reference']])).toEqual([]);
    expect((await app.call('/api/payments', { body })).status).toBe(200);
  });
});
