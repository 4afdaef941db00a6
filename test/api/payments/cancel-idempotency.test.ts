import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import {
  authorization,
  cancel,
  capture,
  captureElsewhere,
  createAuthorized,
  notifyOrder,
  readHeld,
  readOrders,
} from '../../support/authorizations.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { declined, NOTIFY_ENV, readPayment, PENDING_PHONE } from '../../support/notify.ts';
import { create, orderFault, travelToStatus, untilStatus, webframe } from '../../support/payments.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const isReplay = ({ headers }: Reply) => headers.get('idempotency-replayed') === 'true';

describe('a repeated cancel with one Idempotency-Key', () => {
  test.each([
    ['an authorization', () => createAuthorized(app)],
    ['a page', () => create(app, webframe())],
  ])('returns the bytes of the first response for %s', async (_name, make) => {
    const { id } = await make();
    const key = randomUUID();
    const first = await cancel(app, id, { key, prefer: 'return=representation' });
    expect(first.status).toBe(200);
    expect(isReplay(first)).toBe(false);
    // The Prefer header is not compared with the first request.
    const again = await leavesNothing(app, () => cancel(app, id, { key }));
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect(isReplay(again)).toBe(true);
  });

  test('returns the stored response also if the payment was already canceled before the first request', async () => {
    const { id } = await createAuthorized(app);
    await cancel(app, id);
    const first = await cancel(app, id, { key: 'second-key' });
    const again = await cancel(app, id, { key: 'second-key' });
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect(isReplay(again)).toBe(true);
  });
});

test('the repeat of a cancel returns 409 while the cancel is in progress, then the first response', async () => {
  const { id } = await createAuthorized(app);
  const key = 'hanging';
  await orderFault(app, { on: 'void', kind: 'hang', phone: PENDING_PHONE });
  let isAnswered = false;
  const first = cancel(app, id, { key }).finally(() => (isAnswered = true));
  await until(async () => (await readHeld(app, id))?.voids.length, 'the void at the rail');
  const [order] = await readOrders(app, id, 'void');
  // The rail notification arrives before the response to the void.
  await notifyOrder(app, 'void', order.id, { status: 'APPROVED' });
  expect(isAnswered).toBe(false);
  const meanwhile = await leavesNothing(app, () => cancel(app, id, { key }));
  expect(meanwhile).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
  expect(meanwhile.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(await cancel(app, id, { key: 'another-key' })).toMatchObject({ status: 200 });
  await app.clock.advance(10_000);
  const answered = await first;
  expect(answered).toMatchObject({ status: 200, json: { message: 'The payment is Canceled.' } });
  const again = await cancel(app, id, { key });
  expect(again).toMatchObject({ status: 200, text: answered.text });
  expect(isReplay(again)).toBe(true);
});

test('the repeat of a cancel with an unknown outcome returns the first response', async () => {
  const { id } = await create(app, authorization('900000000'));
  await travelToStatus(app, id, 'Authorized');
  const first = await cancel(app, id, { key: 'not-yet' });
  expect(first.json.message).toContain('being canceled');
  await travelToStatus(app, id, 'Canceled');
  const again = await cancel(app, id, { key: 'not-yet' });
  expect(again).toMatchObject({ status: 200, text: first.text });
  expect(isReplay(again)).toBe(true);
});

describe('one Idempotency-Key for the cancels of two payments', () => {
  test('returns 422 for the second payment and does not cancel it', async () => {
    const [one, other] = [await createAuthorized(app), await createAuthorized(app)];
    await cancel(app, one.id, { key: 'taken' });
    const reply = await leavesNothing(app, () => cancel(app, other.id, { key: 'taken' }));
    expect(reply).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
    expect(await readPayment(app, other.id)).toEqual(other);
  });

  test.each([
    ['authorizations', () => createAuthorized(app)],
    ['pages', () => create(app, webframe())],
  ])('in concurrent requests cancels one of two %s and returns 422 for the other', async (name, make) => {
    const payments = [await make(), await make()];
    // Both requests read the key before either of them writes it.
    const release = await holdLock(app.databaseUrl, 'lock table idempotency_keys in share mode');
    const asked = payments.map(({ id }) => cancel(app, id, { key: `both-${name}` }));
    await until(
      async () => (await countWaiting(app.databaseUrl, 'insert into%idempotency_keys')) === 2,
      'both',
    ).finally(release);
    const replies = await Promise.all(asked);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
    const winner = replies.findIndex(({ status }) => status === 200);
    expect((await readPayment(app, payments[winner].id)).status).toBe('Canceled');
    expect(await readPayment(app, payments[1 - winner].id)).toEqual(payments[1 - winner]);
  });
});

describe('the Idempotency-Key of a refused cancel', () => {
  test('is accepted again after the capture has failed', async () => {
    const { id } = await createAuthorized(app);
    await orderFault(app, { on: 'capture', kind: 'unavailable', phone: PENDING_PHONE });
    const taken = await create(app, capture(id));
    expect(await cancel(app, id, { key: 'later' })).toMatchObject({
      status: 409,
      json: { code: 'authorization_busy' },
    });
    const [order] = await readOrders(app, taken.id, 'capture');
    await notifyOrder(app, 'capture', order.id, declined('ISSUER_REFUSED'));
    await untilStatus(app, taken.id, 'Failed');
    const reply = await cancel(app, id, { key: 'later' });
    expect(reply).toMatchObject({ status: 200, json: { message: 'The payment is Canceled.' } });
    expect(isReplay(reply)).toBe(false);
  });

  test('is not stored after a refusal by the rail', async () => {
    const { id } = await createAuthorized(app);
    await captureElsewhere(app, id);
    const reply = await cancel(app, id, { key: 'no-more' });
    expect(reply).toMatchObject({ status: 409, json: { code: 'payment_not_cancelable' } });
    expect(await readPayment(app, id)).toMatchObject({ status: 'Authorized', operation: null });
    expect(await app.sql(`select from idempotency_keys where key = 'no-more'`)).toEqual([]);
    expect(await readHeld(app, id)).toMatchObject({ voids: [{ status: 'DECLINED' }] });
  });
});
