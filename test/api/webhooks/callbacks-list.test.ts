// GET /api/callbacks and GET /api/callbacks/{deliveryId}: pages, filters, attempts, and the body that is sent.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { openShop, sell, untilDelivery, type Shop } from '../../support/callbacks.ts';
import { travelUntil } from '../../support/payments.ts';
import { faultsOf } from '../../support/ppr.ts';
import { RECEIVER_ENV, startReceiver, TAKEN, type Receiver } from '../../support/receiver.ts';

const PATH = '/api/callbacks';

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
/** 0 Skipped, 1 Delivered, 2 Abandoned (410), 3 Pending (500), 4 a test; each a minute after the last. */
const made: any[] = [];
const payments: any[] = [];
const at: string[] = [];

const ask = (query = ''): Promise<Reply> => shop.call(PATH + query);
const idsOf = ({ json }: Reply): string[] => json.data.map(({ id }: { id: string }) => id);
const nths = (...numbers: number[]) => numbers.map((nth) => made[nth].id);

async function tell(status: string): Promise<void> {
  at.push(app.clock.now().toISOString());
  payments.push(await sell(app, shop));
  made.push(await untilDelivery(shop, status));
}

beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  merchant = await startReceiver();
  // Somebody else's, in between.
  const other = await openShop(app, merchant.url);
  shop = await openShop(app);
  await tell('Skipped');
  await app.clock.pass(60_000);
  await shop.setEndpoint(merchant.url);
  await tell('Delivered');
  await sell(app, other);
  await app.clock.pass(60_000);
  merchant.say({ status: 410, body: 'gone' });
  await tell('Abandoned');
  await app.clock.pass(60_000);
  merchant.say({ status: 500, body: { error: 'later' } });
  await tell('Pending');
  await until(async () => (await shop.deliveries()).at(-1)?.tries === 1, 'the failed attempt being recorded');
  merchant.say(TAKEN);
  at.push(app.clock.now().toISOString());
  made.push((await shop.call(`${PATH}/test`, { method: 'POST' })).json);
});

describe('the list', () => {
  test('has the newest first, callbacks and tests, only the merchant’s own', async () => {
    const reply = await ask();
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ pageNumber: 1, pageSize: 20, totalPages: 1, totalItems: 5 });
    expect(idsOf(reply)).toEqual(nths(4, 3, 2, 1, 0));
    expect(reply.json.data.map(({ status, kind }: any) => `${kind} ${status}`)).toEqual([
      'test Delivered',
      'callback Pending',
      'callback Abandoned',
      'callback Delivered',
      'callback Skipped',
    ]);
  });

  test('each tells of its payment, its attempts and what comes next', async () => {
    const [, pending, abandoned, delivered, skipped] = (await ask()).json.data;
    const [, paid] = payments;
    const { transactions } = (await shop.call(`/api/payments/${paid.internalId}`)).json;
    expect(delivered).toEqual({
      id: made[1].id,
      kind: 'callback',
      type: 'callback.ppr',
      status: 'Delivered',
      paymentId: paid.internalId,
      transactionId: transactions[0].id,
      endpointId: made[1].endpoint_id,
      attemptsMade: 1,
      nextAttemptAt: null,
      createdAt: at[1],
      deliveredAt: at[1],
      lastAttempt: {
        number: 1,
        startedAt: at[1],
        durationMs: expect.any(Number),
        outcome: 'delivered',
        status: 200,
        answer: JSON.stringify(TAKEN.body),
        error: null,
      },
    });
    expect(skipped).toMatchObject({ endpointId: null, attemptsMade: 0, nextAttemptAt: null, lastAttempt: null });
    expect(abandoned).toMatchObject({ deliveredAt: null, nextAttemptAt: null, lastAttempt: { status: 410 } });
    expect(pending).toMatchObject({ attemptsMade: 1, lastAttempt: { number: 1, outcome: 'status', status: 500 } });
    expect(pending.nextAttemptAt > at[3]!).toBe(true);
  });

  test('pages follow one another', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 3; page++) {
      const reply = await ask(`?page=${page}&pageSize=2`);
      expect(reply.json).toMatchObject({ pageNumber: page, pageSize: 2, totalPages: 3, totalItems: 5 });
      seen.push(...idsOf(reply));
    }
    expect(seen).toEqual(nths(4, 3, 2, 1, 0));
    expect((await ask('?page=4&pageSize=2')).json).toMatchObject({ data: [], totalItems: 5 });
  });

  test('of a merchant who was told nothing is empty', async () => {
    const { call } = await openShop(app);
    expect((await call(PATH)).json).toEqual({ data: [], pageNumber: 1, pageSize: 20, totalPages: 0, totalItems: 0 });
  });
});

describe('filters', () => {
  test.each<[string, () => string, number[]]>([
    ['a status', () => 'status=Abandoned', [2]],
    ['a status in any case', () => 'status=dELIVERED', [4, 1]],
    ['a payment', () => `paymentId=${payments[3].internalId}`, [3]],
    ['a payment in capitals', () => `paymentId=${payments[3].internalId.toUpperCase()}`, [3]],
    ['a payment that was not told of', () => 'paymentId=00000000-0000-7000-8000-000000000000', []],
    ['from, itself included', () => `from=${at[2]}`, [4, 3, 2]],
    ['to, itself excluded', () => `to=${at[2]}`, [1, 0]],
    ['a range', () => `from=${at[1]}&to=${at[3]}`, [2, 1]],
    ['an empty range', () => `from=${at[1]}&to=${at[1]}`, []],
    ['another offset', () => `from=${encodeURIComponent(at[2]!.replace('Z', '+00:00'))}`, [4, 3, 2]],
    [
      'all of them',
      () => `status=Pending&paymentId=${payments[3].internalId}&from=${at[0]}&to=2027-01-01T00:00:00Z`,
      [3],
    ],
  ])('%s', async (_name, query, expected) => {
    const reply = await ask(`?${query()}`);
    expect(reply.status).toBe(200);
    expect(idsOf(reply)).toEqual(nths(...expected));
    expect(reply.json.totalItems).toBe(expected.length);
  });

  test.each([
    ['status=Sent', '/query/status invalid_value'],
    ['status=', '/query/status invalid_value'],
    ['status=Pending&status=Skipped', '/query/status invalid_type'],
    ['paymentId=1', '/query/paymentId invalid_format'],
    ['paymentId=', '/query/paymentId invalid_format'],
    ['from=yesterday', '/query/from invalid_format'],
    ['from=2026-03-02', '/query/from invalid_format'],
    ['to=2026-03-02T09:00:00', '/query/to invalid_format'],
    ['to=0000-01-01T00:00:00Z', '/query/to invalid_date'],
    ['from=2026-03-02T09:00:00Z&to=2026-03-02T08:59:59Z', '/query/to date_range'],
    ['page=0', '/query/page too_small'],
    ['pageSize=101', '/query/pageSize too_big'],
  ])('?%s is refused', async (query, fault) => {
    const reply = await ask(`?${query}`);
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual([fault]);
  });

  test('all wrong parameters are named at once', async () => {
    const reply = await ask('?page=0&status=x&paymentId=y&from=2026-03-02T09:00:00Z&to=2026-03-01T09:00:00Z');
    expect(reply.json.code).toBe('validation_failed');
    expect(faultsOf(reply)).toEqual([
      '/query/page too_small',
      '/query/status invalid_value',
      '/query/paymentId invalid_format',
      '/query/to date_range',
    ]);
    expect(faultsOf(await ask('?from=x&to=y&pageSize=z')).map((fault) => fault.split(' ')[0])).toEqual([
      '/query/pageSize',
      '/query/from',
      '/query/to',
    ]);
  });
});

describe('one', () => {
  const read = (id: string) => shop.call(`${PATH}/${id}`);

  test('is what the list says of it, with the body that was sent, and where to', async () => {
    const listed = (await ask()).json.data;
    for (const item of listed) {
      const { json, headers } = await read(item.id);
      expect(json).toMatchObject(item);
      expect(Object.keys(json)).toEqual([...Object.keys(item), 'url', 'body', 'attempts']);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(json.attempts).toHaveLength(item.attemptsMade);
      expect(json.attempts.at(-1) ?? null).toEqual(item.lastAttempt);
      expect(json.url).toBe(item.endpointId && merchant.url);
      const sent = merchant.requests.find(({ headers: seen }) => seen['balcao-delivery'] === item.id);
      expect(sent?.json ?? json.body).toEqual(json.body);
      expect(sent === undefined).toBe(item.status === 'Skipped');
    }
  });

  test('that was skipped tells what would have been sent', async () => {
    const { body } = (await read(made[0].id)).json;
    expect(body).toMatchObject({ refPagamento: payments[0].reference, montantePago: 1500 });
  });

  test('has every attempt, the oldest first', async () => {
    const before = (await read(made[3].id)).json;
    merchant.say({ status: 503 });
    await travelUntil(app, async () => (await read(made[3].id)).json.attempts.length === 2, 'the second attempt');
    const { attempts, attemptsMade } = (await read(made[3].id)).json;
    expect(attemptsMade).toBe(2);
    expect(attempts[0]).toEqual(before.attempts[0]);
    expect(attempts[1]).toMatchObject({ number: 2, status: 503, outcome: 'status', answer: '' });
    expect(attempts[1].startedAt > attempts[0].startedAt).toBe(true);
    expect((await ask('?pageSize=2')).json.data[1].lastAttempt).toEqual(attempts[1]);
  });

  test.each(['test', 'replay', '1', '%00', '00000000-0000-7000-8000-000000000000', "'; drop table deliveries"])(
    'that nobody knows is 404: %s',
    async (id) => {
      expect(await read(id)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    },
  );
});
