import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { testClock, type TestClock } from '../../support/clock.ts';
import { untilNoStatementRuns } from '../../support/idle.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, CONFIRMATION, type Receiver } from '../../support/receiver.ts';

let clock: TestClock;
let app: TestApp;
let twin: TestApp;
let merchant: Receiver;
let fixture: CallbackFixture;
beforeAll(async () => {
  clock = testClock();
  app = await startTestApp({ clock, env: RECEIVER_ENV });
  twin = await app.startTwin();
  merchant = await startReceiver();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app, merchant.url);
  merchant.answerWith(CONFIRMATION);
  merchant.requests.length = 0;
});

async function send(body?: unknown, headers = {}, node = app): Promise<Reply> {
  const token = await fixture.tokenFor({ node });
  return node.call('/api/callbacks/test', { method: 'POST', token, headers, ...(body !== undefined && { body }) });
}
const withKey = (key: string = randomUUID()) => ({ 'idempotency-key': key });
const isReplay = ({ headers }: Reply) => headers.get('idempotency-replayed') === 'true';

describe('POST /api/callbacks/test', () => {
  test.each([
    [undefined, 'callback.ppr'],
    [{}, 'callback.ppr'],
    [{ type: 'PPR' }, 'callback.ppr'],
    [{ type: 'QR' }, 'callback.qrcode'],
    [{ type: 'qr' }, 'callback.qrcode'],
  ])('with the body %j sends one %s', async (body, type) => {
    const reply = await send(body);
    expect(reply.status).toBe(200);
    const [request] = merchant.requests;
    expect(merchant.requests).toHaveLength(1);
    expect(request?.headers).toMatchObject({
      'access-key': ACCESS_KEY,
      'balcao-test': 'true',
      'balcao-delivery': reply.json.id,
      'balcao-attempt': '1',
      'content-type': 'application/json',
    });
    expect(reply.json).toMatchObject({
      kind: 'test',
      type,
      status: 'Delivered',
      paymentId: null,
      transactionId: null,
      attemptsMade: 1,
      nextAttemptAt: null,
      url: merchant.url,
      body: request?.json,
      attempts: [{ number: 1, outcome: 'delivered', status: 200, error: null }],
    });
    expect(reply.json.deliveredAt).not.toBeNull();
    expect(reply.json.attempts[0].answer).toContain('"Success":true');
    expect(await fixture.call(`/api/callbacks/${reply.json.id}`)).toMatchObject({ status: 200, json: reply.json });
  });

  test('sends a sample with every field of a callback', async () => {
    const ppr =
      'idTransacao numLogSistema idLogSistema dataTransaccaoCliente montantePago tipoTerminal iIdentTerminal ' +
      'localidadeTerminal refPagamento Id nib banco paymentMethod documentNumber';
    const qr =
      'creationDate updatedDate id amount clearingPeriod transactionNumber status transactionType orderOrigin ' +
      'currency merchantReferenceNumber paymentMethod documentNumber';
    expect(Object.keys((await send({ type: 'PPR' })).json.body)).toEqual(ppr.split(' '));
    expect(Object.keys((await send({ type: 'QR' })).json.body)).toEqual(qr.split(' '));
  });

  test.each([
    ['500', { status: 500, body: 'oops' }, { outcome: 'status', status: 500, answer: 'oops' }],
    ['Success false', { status: 200, body: { Success: false } }, { outcome: 'refused', status: 200 }],
    ['a closed connection', 'drop' as const, { outcome: 'connection', status: null, answer: null }],
  ])('returns the failure %s and makes no second attempt', async (_name, said, attempt) => {
    merchant.answerWith(said);
    const reply = await send();
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ status: 'Abandoned', deliveredAt: null, nextAttemptAt: null });
    expect(reply.json.attempts).toHaveLength(1);
    expect(reply.json.attempts[0]).toMatchObject(attempt);
  });

  test('returns a timeout if the endpoint does not respond within 10 s', async () => {
    merchant.answerWith('hang');
    const pending = send();
    await merchant.received(1);
    await clock.advance(10_000);
    expect((await pending).json).toMatchObject({
      status: 'Abandoned',
      attempts: [{ outcome: 'timeout', status: null }],
    });
  });

  test('returns within a second the result of an attempt by another node', async () => {
    merchant.answerWith('hang');
    const pending = send();
    await merchant.received(1);
    await app.sql(`update deliveries set status = 'Delivered', due_at = null where merchant_id = $1`, [
      fixture.merchantId,
    ]);
    const before = clock.now().getTime();
    let isAnswered = false;
    const answer = pending.finally(() => (isAnswered = true));
    const step = async () => {
      await untilNoStatementRuns(app);
      await clock.advance(20);
      return isAnswered;
    };
    await until(step, 'the answer');
    expect((await answer).json).toMatchObject({ status: 'Delivered', attemptsMade: 1, attempts: [] });
    expect(clock.now().getTime() - before).toBeLessThan(5_000);
  });

  test('sends the sample although the circuit is open, and a success closes the circuit', async () => {
    const now = clock.now().getTime();
    await app.sql(`update endpoints set failures = 9, failing_since = $2, probe_at = $3 where merchant_id = $1`, [
      fixture.merchantId,
      new Date(now),
      new Date(now + 60_000),
    ]);
    expect((await fixture.call(fixture.endpointPath)).json).toMatchObject({ status: 'failing' });
    expect((await send()).json).toMatchObject({ status: 'Delivered' });
    const read = async () => (await fixture.call(fixture.endpointPath)).json;
    await expect.poll(read).toMatchObject({ status: 'active', failures: 0 });
  });

  test('returns 409 if the merchant has no endpoint', async () => {
    fixture = await openCallbackFixture(app);
    const reply = await send({}, withKey());
    expect(reply).toMatchObject({ status: 409, json: { code: 'callback_not_configured' } });
    expect(await fixture.deliveries()).toEqual([]);
    expect(await app.sql('select from idempotency_keys where merchant_id = $1', [fixture.merchantId])).toEqual([]);
  });
});

describe('POST /api/callbacks/test with Idempotency-Key', () => {
  test('returns the first response again for a repeat and sends nothing', async () => {
    const headers = withKey();
    const first = await send({ type: 'QR' }, headers);
    merchant.answerWith({ status: 500 });
    const again = await send({ type: 'QR' }, headers);
    expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
    expect(merchant.requests).toHaveLength(1);
    expect(await fixture.deliveries()).toHaveLength(1);
  });

  test('returns 409 for a repeat while the first request is in progress', async () => {
    const headers = withKey();
    let answer: () => void = () => {};
    merchant.answerWith(() => new Promise((resolve) => (answer = () => resolve(CONFIRMATION))));
    const first = send({}, headers);
    await merchant.received(1);
    const early = await send({}, headers);
    expect(early).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    answer();
    const { text } = await first;
    const late = await send({}, headers);
    expect([late.text, isReplay(late)]).toEqual([text, true]);
    expect(merchant.requests).toHaveLength(1);
  });

  test('sends one sample for concurrent requests on two nodes', async () => {
    const headers = withKey();
    const replies = await Promise.all(Array.from({ length: 8 }, (_, nth) => send({}, headers, nth % 2 ? twin : app)));
    const statuses = new Set(replies.map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(replies.filter((reply) => reply.status === 200 && !isReplay(reply))).toHaveLength(1);
    expect(merchant.requests).toHaveLength(1);
  });

  test('returns 422 for another body, both during and after the first request', async () => {
    const headers = withKey();
    merchant.answerWith('hang');
    const first = send({ type: 'PPR' }, headers);
    await merchant.received(1);
    const reused = { status: 422, json: { code: 'idempotency_key_reused' } };
    expect(await send({ type: 'QR' }, headers)).toMatchObject(reused);
    await clock.advance(10_000);
    await first;
    expect(await send({ type: 'QR' }, headers)).toMatchObject(reused);
    expect(merchant.requests).toHaveLength(1);
  });

  test('returns the recorded result to a repeat after the node of the first request died', async () => {
    const headers = withKey();
    const first = await send({}, headers);
    // The node died before it stored its response.
    await app.sql(
      `update idempotency_keys set status = null, body = null, in_flight_until = $2 where merchant_id = $1`,
      [fixture.merchantId, new Date(clock.now().getTime() + 5_000)],
    );
    expect(await send({}, headers)).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
    await clock.advance(5_001);
    const late = await send({}, headers);
    expect([late.status, late.text]).toEqual([200, first.text]);
    expect(isReplay(await send({}, headers))).toBe(true);
    expect(merchant.requests).toHaveLength(1);
  });
});

test('POST /api/callbacks/test returns Pending if its node stops, and a repeat returns the result', async () => {
  const node = await app.startTwin();
  const headers = withKey();
  let answer: () => void = () => {};
  merchant.answerWith(() => new Promise((resolve) => (answer = () => resolve(CONFIRMATION))));
  const pending = send({}, headers, node);
  await merchant.received(1);
  const stopped = node.node.stop();
  expect(await pending).toMatchObject({ status: 200, json: { status: 'Pending', attemptsMade: 1 } });
  answer();
  await stopped;
  expect(await send({}, headers)).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
  await clock.pass(17_001);
  expect(await send({}, headers)).toMatchObject({ status: 200, json: { status: 'Delivered', attemptsMade: 1 } });
  expect(merchant.requests).toHaveLength(1);
});

test('POST /api/callbacks/test returns Skipped as soon as its endpoint is removed', async () => {
  merchant.answerWith('hang');
  const pending = send();
  await merchant.received(1);
  await fixture.call(fixture.endpointPath, { method: 'DELETE' });
  await clock.advance(1_000);
  expect((await pending).json).toMatchObject({ status: 'Skipped', attemptsMade: 1 });
  await clock.advance(10_000);
});

describe('POST /api/webhooks/{webhookId}/test', () => {
  test("sends a signed sample, which only the list of this webhook's deliveries contains", async () => {
    const made = (await fixture.call('/api/webhooks', { body: { url: `${merchant.url}/events` } })).json;
    const reply = await fixture.call(`/api/webhooks/${made.id}/test`, { method: 'POST' });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      kind: 'test',
      type: 'webhook.test',
      status: 'Delivered',
      endpointId: made.id,
      url: `${merchant.url}/events`,
      body: { type: 'webhook.test', data: null },
    });
    const [request] = merchant.requests;
    expect(request?.path).toBe('/events');
    expect(request?.json).toEqual(reply.json.body);
    expect(request?.headers['webhook-signature']).toMatch(/^v1,/);
    expect(request?.headers['balcao-test']).toBe('true');
    expect(request?.headers['access-key']).toBeUndefined();
    const listed = await fixture.call(`/api/webhooks/${made.id}/deliveries`);
    expect(listed.json.data.map(({ id }: any) => id)).toEqual([reply.json.id]);
    expect((await fixture.call('/api/callbacks')).json.data).toEqual([]);
  });

  test('returns 404 for a removed webhook', async () => {
    const { id } = (await fixture.call('/api/webhooks', { body: { url: merchant.url } })).json;
    await fixture.call(`/api/webhooks/${id}`, { method: 'DELETE' });
    expect((await fixture.call(`/api/webhooks/${id}/test`, { method: 'POST' })).status).toBe(404);
    expect(merchant.requests).toEqual([]);
  });
});
