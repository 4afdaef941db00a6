import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signMessage } from '../../../server/http/signature.ts';
import { startAppBehind, until, type CallOptions, type TestApp } from '../../support/app.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/own-postgres.ts';
import { create, purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { RAIL_KEY, startRail, type Rail } from '../../support/rail.ts';
import { expectTruth } from '../../support/truth.ts';

const PHONE = '923000001';

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

describe('a gateway whose database is stopped', () => {
  let pushed: any;
  let page: any;
  let countBefore: unknown;
  const count = () =>
    app.sql('select (select count(*) from payments) as payments, (select count(*) from events) as events');
  beforeAll(async () => {
    pushed = await create(app, purchase(PHONE));
    page = await create(app, webframe());
    await until(async () => (await rail.books(pushed.reference)).length > 0, 'the push reaching the rail');
    countBefore = await count();
    await postgres.stop();
  });
  afterAll(async () => {
    await postgres.start();
    await until(async () => (await app.call('/readyz')).status === 200, 'readiness');
    expect(await count()).toEqual(countBefore);
  });

  const checkout = (rest: string) => `/checkout/${page.clientToken}/${rest}`;
  const json: Record<string, () => [string, CallOptions?]> = {
    'a creation': () => ['/api/payments', { body: webframe() }],
    'a creation with a key': () => ['/api/payments', { body: purchase(PHONE), headers: { 'idempotency-key': 'k' } }],
    'the list': () => ['/api/payments'],
    'a payment': () => [`/api/payments/${pushed.id}`],
    'its history': () => [`/api/payments/${pushed.id}/events`],
    'a sync': () => [`/api/payments/${pushed.id}/sync`, { method: 'POST' }],
    'a session': () => [checkout('session')],
    'a stream': () => [checkout('events')],
    'a submitted phone': () => [checkout('pay'), { body: { phoneNumber: PHONE } }],
    readiness: () => ['/readyz'],
  };
  test.each(Object.entries(json))('returns 503 with Retry-After for %s', async (_name, request) => {
    const reply = await app.call(...request());
    expect(reply.status).toBe(503);
    expect(reply.headers.get('content-type')).toMatch('application/problem+json');
    expect(reply.json).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(reply.text).not.toMatch(/ECONNREFUSED|postgres|select|127\.0\.0\.1:/i);
  });

  test('returns 503 for a token request, not 401 for wrong credentials', async () => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'demo',
      client_secret: 'demo-secret',
    });
    const reply = await fetch(`${app.url}/oauth/token`, { method: 'POST', body });
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).not.toBeNull();
  });

  test('returns 503 for the checkout page', async () => {
    const reply = await app.call(`/checkout/${page.clientToken}`, { token: null, headers: { accept: 'text/html' } });
    expect(reply.status).toBe(503);
  });

  test('does not acknowledge a notification, so that the rail repeats it', async () => {
    const path = '/rails/gpo/notifications';
    const body = JSON.stringify({ id: 'n', type: 'purchase', purchase: { id: pushed.id } });
    const headers = signMessage(RAIL_KEY, { method: 'POST', path, body }, app.clock.now());
    expect((await app.call(path, { body, token: null, headers })).status).toBe(503);
  });

  test('keeps its process running', async () => {
    expect((await app.call('/healthz')).status).toBe(200);
  });
});

describe('a gateway whose database stopped and started again', () => {
  test('records a push that its payer approved during the outage', async () => {
    const payment = await create(app, purchase(PHONE));
    await until(async () => (await rail.books(payment.reference)).length > 0, 'the push reaching the rail');
    await postgres.stop();
    await rail.answerPush(payment.reference, 'approve');
    // The jobs fail several times during the outage.
    for (let nth = 0; nth < 10; nth++) await app.clock.advance(1_000);
    await postgres.start();
    const paid = await travelToStatus(app, payment.id, 'Paid');
    expect(paid.transactions).toHaveLength(1);
  });

  test('polls the rail and records an outcome that it could not record during the outage', async () => {
    rail.calls.holdAt('answer');
    const payment = await create(app, purchase('900000008'));
    // The proxy may also hold a poll of an earlier push.
    const isMade = async () => (await rail.books(payment.reference)).length === 1;
    await until(async () => rail.calls.held() > 0 && (await isMade()), 'the rail having answered');
    await postgres.stop();
    rail.calls.holdAt(null);
    rail.calls.release();
    await postgres.start();
    const failed = await travelToStatus(app, payment.id, 'Failed');
    expect(failed.failure).toMatchObject({ code: 'number_not_active' });
    expect(await rail.books(payment.reference)).toMatchObject([{ calls: 1 }]);
  });

  test('returns the payment to a creation request that waits for the outcome', async () => {
    const body = purchase(PHONE);
    const waiting = app.call('/api/payments', { body, headers: { prefer: 'wait=60' } });
    await until(async () => (await rail.books(String(body['reference']))).length > 0, 'the push reaching the rail');
    await postgres.stop();
    await app.clock.pass(61_000);
    const reply = await waiting;
    await postgres.start();
    expect(reply).toMatchObject({ status: 201, json: { status: 'Processing', reference: body['reference'] } });
    expect((await travelToStatus(app, reply.json.internalId, 'Failed')).failure).toMatchObject({ code: 'timed_out' });
    await expectTruth(app.sql, await rail.books());
  });
});
