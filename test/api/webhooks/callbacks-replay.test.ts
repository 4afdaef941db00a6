// POST /api/callbacks/{deliveryId}/replay and POST /api/callbacks/replay: what is sent again, where to, and what is not.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openShop, sell, untilDelivery, type Shop } from '../../support/callbacks.ts';
import { faultsOf } from '../../support/ppr.ts';
import { RECEIVER_ENV, startReceiver, TAKEN, type Receiver } from '../../support/receiver.ts';

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  merchant = await startReceiver();
});
beforeEach(async () => {
  shop = await openShop(app);
  merchant.say(TAKEN);
  merchant.requests.length = 0;
});

const replay = (id: string, headers = {}) => shop.call(`/api/callbacks/${id}/replay`, { method: 'POST', headers });
const replayMany = (body?: unknown, headers = {}) =>
  shop.call('/api/callbacks/replay', { method: 'POST', headers, ...(body !== undefined && { body }) });
const read = async (id: string) => (await shop.call(`/api/callbacks/${id}`)).json;
const withKey = () => ({ 'idempotency-key': randomUUID() });

/** Which deliveries arrived, and at which attempt. */
const arrived = () =>
  merchant.requests.map(({ headers }) => `${headers['balcao-delivery']} ${headers['balcao-attempt']}`);

/** A callback that came to this. */
async function tell(status: 'Delivered' | 'Abandoned' | 'Skipped'): Promise<any> {
  if (status === 'Abandoned') merchant.say({ status: 410 });
  await sell(app, shop);
  const delivery = await untilDelivery(shop, status);
  merchant.say(TAKEN);
  return delivery;
}

/** One whose first attempt failed: it waits for the next. */
async function tellFailed(): Promise<any> {
  merchant.say({ status: 500 });
  await sell(app, shop);
  const row = await until(async () => {
    const newest = (await shop.deliveries()).at(-1);
    return newest?.tries === 1 && newest;
  }, 'a failed attempt');
  merchant.say(TAKEN);
  return row;
}

describe('one', () => {
  test('that was skipped goes to the endpoint of now', async () => {
    const skipped = await tell('Skipped');
    await shop.setEndpoint(`${merchant.url}/late`);
    const reply = await replay(skipped.id);
    const [{ id: endpointId }] = await app.sql('select id from endpoints where merchant_id = $1', [shop.merchantId]);
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({
      id: skipped.id,
      status: 'Pending',
      endpointId,
      attemptsMade: 0,
      nextAttemptAt: app.clock.now().toISOString(),
      lastAttempt: null,
    });
    await untilDelivery(shop, 'Delivered');
    expect(merchant.requests).toHaveLength(1);
    expect(merchant.requests[0]).toMatchObject({ path: '/late', json: (await read(skipped.id)).body });
  });

  test('that was abandoned starts another run of the schedule, and goes on counting attempts', async () => {
    await shop.setEndpoint(merchant.url);
    const abandoned = await tell('Abandoned');
    const reply = await replay(abandoned.id);
    expect(reply.json).toMatchObject({ status: 'Pending', lastAttempt: { number: 1, status: 410 } });
    const row = await untilDelivery(shop, 'Delivered');
    expect(row.tries).toBe(1);
    expect(row.tries_since.getTime()).toBe(app.clock.now().getTime());
    expect(arrived()).toEqual([`${abandoned.id} 1`, `${abandoned.id} 2`]);
    const { attempts } = await read(abandoned.id);
    expect(attempts.map(({ outcome }: any) => outcome)).toEqual(['status', 'delivered']);
  });

  test('that was delivered is sent again, the same', async () => {
    await shop.setEndpoint(merchant.url);
    const delivered = await tell('Delivered');
    expect((await replay(delivered.id)).json).toMatchObject({ status: 'Pending', deliveredAt: null });
    await untilDelivery(shop, 'Delivered');
    expect(arrived()).toEqual([`${delivered.id} 1`, `${delivered.id} 2`]);
    expect(merchant.requests[1]?.body).toBe(merchant.requests[0]?.body);
  });

  test('that waits for its next attempt goes at once', async () => {
    await shop.setEndpoint(merchant.url);
    const failed = await tellFailed();
    expect(failed.due_at > app.clock.now()).toBe(true);
    expect((await replay(failed.id)).json.nextAttemptAt).toBe(app.clock.now().toISOString());
    await untilDelivery(shop, 'Delivered');
    expect(arrived()).toEqual([`${failed.id} 1`, `${failed.id} 2`]);
  });

  test('whose attempt is under way stays as it is', async () => {
    await shop.setEndpoint(merchant.url);
    let answer: () => void = () => {};
    merchant.say(() => new Promise((resolve) => (answer = () => resolve(TAKEN))));
    await sell(app, shop);
    await merchant.received(1);
    const [before] = await shop.deliveries();
    const reply = await replay(before.id);
    expect(reply).toMatchObject({ status: 202, json: { status: 'Pending', attemptsMade: 1 } });
    expect(await shop.deliveries()).toEqual([before]);
    answer();
    await untilDelivery(shop, 'Delivered');
    expect(merchant.requests).toHaveLength(1);
  });

  test('whose endpoint was replaced goes to the new one', async () => {
    await shop.setEndpoint(`${merchant.url}/old`);
    const delivered = await tell('Delivered');
    await shop.call(shop.endpointPath, { method: 'DELETE' });
    expect(await replay(delivered.id)).toMatchObject({ status: 409, json: { code: 'endpoint_not_configured' } });
    expect(await shop.deliveries()).toEqual([delivered]);
    await shop.setEndpoint(`${merchant.url}/new`);
    expect((await replay(delivered.id)).status).toBe(202);
    await merchant.received(2);
    expect(merchant.requests.map(({ path }) => path)).toEqual(['/old', '/new']);
  });

  test('of a webhook goes to that webhook, and nowhere once it was removed', async () => {
    await shop.setEndpoint(`${merchant.url}/callback`);
    const body = { url: `${merchant.url}/events`, types: ['payment.paid'] };
    const { id: webhookId } = (await shop.call('/api/webhooks', { body })).json;
    await sell(app, shop);
    await merchant.received(2);
    const [delivery] = await until(async () => {
      const { data } = (await shop.call(`/api/webhooks/${webhookId}/deliveries?status=Delivered`)).json;
      return data.length > 0 && data;
    });
    expect(await replay(delivery.id)).toMatchObject({ status: 202, json: { kind: 'webhook', endpointId: webhookId } });
    await merchant.received(3);
    expect(merchant.requests[2]?.path).toBe('/events');
    await until(async () => (await read(delivery.id)).status === 'Delivered');
    await shop.call(`/api/webhooks/${webhookId}`, { method: 'DELETE' });
    expect(await replay(delivery.id)).toMatchObject({ status: 409, json: { code: 'endpoint_not_configured' } });
  });

  test('while its endpoint is being removed: it goes there or nowhere, and never waits for what is gone', async () => {
    for (let round = 0; round < 10; round++) {
      await shop.setEndpoint(merchant.url);
      const { id } = await tell('Abandoned');
      const [replayed] = await Promise.all([replay(id), shop.call(shop.endpointPath, { method: 'DELETE' })]);
      expect([202, 409]).toContain(replayed.status);
      const [stuck] = await app.sql(
        `select d.* from deliveries d join endpoints n on n.id = d.endpoint_id
         where d.merchant_id = $1 and d.status = 'Pending' and n.deleted_at is not null`,
        [shop.merchantId],
      );
      expect(stuck).toBeUndefined();
    }
  });

  test('a test is not replayed', async () => {
    await shop.setEndpoint(merchant.url);
    const { id } = (await shop.call('/api/callbacks/test', { method: 'POST' })).json;
    const reply = await replay(id);
    expect(reply).toMatchObject({ status: 409, json: { code: 'state_conflict' } });
    expect(reply.json.detail).toMatch(/test/);
    expect(merchant.requests).toHaveLength(1);
  });

  test('that nobody knows, or is another merchant’s, is 404', async () => {
    const other = await openShop(app, merchant.url);
    await sell(app, other);
    const { id } = await untilDelivery(other, 'Delivered');
    for (const path of [id, randomUUID(), 'x', '%00']) {
      expect(await replay(path)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    }
    expect((await other.deliveries())[0]).toMatchObject({ status: 'Delivered' });
  });
});

describe('all that fit', () => {
  test('without a filter: what was abandoned or skipped', async () => {
    const skipped = await tell('Skipped');
    await shop.setEndpoint(merchant.url);
    await tell('Delivered');
    const abandoned = await tell('Abandoned');
    merchant.requests.length = 0;
    for (const body of [undefined, {}]) {
      const reply = await replayMany(body);
      expect([reply.status, reply.json]).toEqual([202, { replayed: body ? 0 : 2 }]);
      await until(async () => (await shop.deliveries()).every(({ status }: any) => status === 'Delivered'));
    }
    expect(arrived().toSorted()).toEqual([`${skipped.id} 1`, `${abandoned.id} 2`].toSorted());
  });

  test.each<[string, (rows: any[]) => object, number[]]>([
    ['a status', () => ({ status: 'Skipped' }), [0]],
    ['a status in any case', () => ({ status: 'delivered' }), [1]],
    ['a payment', (rows) => ({ paymentId: rows[2].payment_id }), [2]],
    ['a payment that was delivered, unasked', (rows) => ({ paymentId: rows[1].payment_id }), []],
    ['from', (rows) => ({ from: rows[2].created_at }), [2]],
    ['to, itself excluded', (rows) => ({ to: rows[2].created_at }), [0]],
    [
      'a range and a status',
      (rows) => ({ from: rows[1].created_at, to: rows[2].created_at, status: 'DELIVERED' }),
      [1],
    ],
    ['callbacks', () => ({ kind: 'callback', unknown: 1 }), [0, 2]],
    ['webhooks', () => ({ kind: 'Webhook' }), []],
  ])('by %s', async (_name, filter, expected) => {
    await tell('Skipped');
    await app.clock.pass(60_000);
    await shop.setEndpoint(merchant.url);
    await tell('Delivered');
    await app.clock.pass(60_000);
    await tell('Abandoned');
    const rows = await shop.deliveries();
    merchant.requests.length = 0;
    expect((await replayMany(filter(rows))).json).toEqual({ replayed: expected.length });
    await merchant.received(expected.length);
    await until(async () => (await shop.deliveries()).every(({ status }: any) => status !== 'Pending'));
    const seen = merchant.requests.map(({ headers }) => headers['balcao-delivery']);
    expect(seen.toSorted()).toEqual(expected.map((nth) => rows[nth].id).toSorted());
  });

  test('those that have no endpoint are left, and are not counted', async () => {
    await tell('Skipped');
    expect((await replayMany()).json).toEqual({ replayed: 0 });
    expect((await shop.deliveries())[0].status).toBe('Skipped');
  });

  test('tests, and what belongs to others, are left', async () => {
    const other = await openShop(app, merchant.url);
    merchant.say({ status: 410 });
    await sell(app, other);
    await untilDelivery(other, 'Abandoned');
    await shop.setEndpoint(merchant.url);
    expect((await shop.call('/api/callbacks/test', { method: 'POST' })).json.status).toBe('Abandoned');
    expect((await replayMany()).json).toEqual({ replayed: 0 });
    expect((await other.deliveries())[0].status).toBe('Abandoned');
  });

  test('those that wait go at once, if asked for', async () => {
    await shop.setEndpoint(merchant.url);
    await tellFailed();
    expect((await replayMany()).json).toEqual({ replayed: 0 });
    expect((await replayMany({ status: 'Pending' })).json).toEqual({ replayed: 1 });
    await untilDelivery(shop, 'Delivered');
  });

  test.each<[object | string, string[]]>([
    [{ status: 'Sent' }, ['/status invalid_value']],
    [{ status: 1 }, ['/status invalid_type']],
    [{ status: null }, ['/status invalid_type']],
    [{ kind: 'test' }, ['/kind invalid_value']],
    [{ paymentId: 'PEDIDO-1' }, ['/paymentId invalid_format']],
    [{ from: '2026-03-02' }, ['/from invalid_format']],
    [{ to: 5 }, ['/to invalid_type']],
    [{ from: '2026-03-02T09:00:00Z', to: '2026-03-02T08:00:00Z' }, ['/to date_range']],
    [
      { status: 'x', paymentId: 'y', from: '2026-03-02T09:00:00+01:00', to: '2026-03-02T07:00:00Z' },
      ['/status invalid_value', '/paymentId invalid_format', '/to date_range'],
    ],
    [[1], [' invalid_type']],
    ['null', [' invalid_type']],
  ])('%j is refused', async (body, faults) => {
    const reply = await replayMany(body);
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual(faults);
  });
});

describe('Idempotency-Key', () => {
  test('a repeat sends nothing again', async () => {
    await shop.setEndpoint(merchant.url);
    const { id } = await tell('Delivered');
    const headers = withKey();
    const first = await replay(id, headers);
    await until(async () => (await read(id)).status === 'Delivered');
    const again = await replay(id, headers);
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([202, first.text, 'true']);
    expect((await read(id)).status).toBe('Delivered');
    expect(merchant.requests).toHaveLength(2);
  });

  test('the same of many: two at once are one, another filter is 422', async () => {
    await shop.setEndpoint(merchant.url);
    await tell('Abandoned');
    const headers = withKey();
    const replies = await Promise.all([replayMany({}, headers), replayMany({}, headers)]);
    expect(replies.map(({ json }) => json)).toEqual([{ replayed: 1 }, { replayed: 1 }]);
    expect(await replayMany({ status: 'Skipped' }, headers)).toMatchObject({ status: 422 });
    await untilDelivery(shop, 'Delivered');
    expect(merchant.requests).toHaveLength(2);
  });

  test('many at once without a key send once each', async () => {
    await shop.setEndpoint(merchant.url);
    const { id } = await tell('Abandoned');
    const replies = await Promise.all(Array.from({ length: 6 }, () => replay(id)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    await untilDelivery(shop, 'Delivered');
    expect(new Set(arrived()).size).toBe(arrived().length);
  });
});
