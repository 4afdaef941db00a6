import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, sell, untilDelivery, type CallbackFixture } from '../../support/callbacks.ts';
import { travelUntil } from '../../support/payments.ts';
import { RECEIVER_ENV, startReceiver, CONFIRMATION, type Receiver } from '../../support/receiver.ts';

const PATH = '/api/callbacks';

let app: TestApp;
let merchant: Receiver;
let fixture: CallbackFixture;
/** Creates deliveries a minute apart: 0 Skipped, 1 Delivered, 2 Abandoned (410), 3 Pending (500), 4 a test. */
const made: any[] = [];
const payments: any[] = [];
const at: string[] = [];

const ask = (query = ''): Promise<Reply> => fixture.call(PATH + query);
const idsOf = ({ json }: Reply): string[] => json.data.map(({ id }: { id: string }) => id);
const nths = (...numbers: number[]) => numbers.map((nth) => made[nth].id);

async function tell(status: string): Promise<void> {
  at.push(app.clock.now().toISOString());
  payments.push(await sell(app, fixture));
  made.push(await untilDelivery(fixture, status));
}

beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  merchant = await startReceiver();
  // Creates a callback of another merchant between them.
  const other = await openCallbackFixture(app, merchant.url);
  fixture = await openCallbackFixture(app);
  await tell('Skipped');
  await app.clock.pass(60_000);
  await fixture.setEndpoint(merchant.url);
  await tell('Delivered');
  await sell(app, other);
  await app.clock.pass(60_000);
  merchant.answerWith({ status: 410, body: 'gone' });
  await tell('Abandoned');
  await app.clock.pass(60_000);
  merchant.answerWith({ status: 500, body: { error: 'later' } });
  await tell('Pending');
  await until(async () => (await fixture.deliveries()).at(-1)?.tries === 1, 'the failed attempt being recorded');
  merchant.answerWith(CONFIRMATION);
  at.push(app.clock.now().toISOString());
  made.push((await fixture.call(`${PATH}/test`, { method: 'POST' })).json);
});

describe('GET /api/callbacks', () => {
  test("returns the merchant's callbacks and tests, the newest first", async () => {
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

  test('returns for each delivery its payment, its attempts and the time of its next attempt', async () => {
    const [, pending, abandoned, delivered, skipped] = (await ask()).json.data;
    const [, paid] = payments;
    const { transactions } = (await fixture.call(`/api/payments/${paid.internalId}`)).json;
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
        answer: JSON.stringify(CONFIRMATION.body),
        error: null,
      },
    });
    expect(skipped).toMatchObject({ endpointId: null, attemptsMade: 0, nextAttemptAt: null, lastAttempt: null });
    expect(abandoned).toMatchObject({ deliveredAt: null, nextAttemptAt: null, lastAttempt: { status: 410 } });
    expect(pending).toMatchObject({ attemptsMade: 1, lastAttempt: { number: 1, outcome: 'status', status: 500 } });
    expect(pending.nextAttemptAt > at[3]!).toBe(true);
  });

  test.each<[string, () => string, number[]]>([
    ['a status', () => 'status=Abandoned', [2]],
    ['a status in mixed case', () => 'status=dELIVERED', [4, 1]],
    ['a payment', () => `paymentId=${payments[3].internalId}`, [3]],
    ['a payment in capitals', () => `paymentId=${payments[3].internalId.toUpperCase()}`, [3]],
    ['a payment without callbacks', () => 'paymentId=00000000-0000-7000-8000-000000000000', []],
    ['from, inclusive', () => `from=${at[2]}`, [4, 3, 2]],
    ['to, exclusive', () => `to=${at[2]}`, [1, 0]],
    ['a range', () => `from=${at[1]}&to=${at[3]}`, [2, 1]],
    ['an empty range', () => `from=${at[1]}&to=${at[1]}`, []],
    ['a time with another UTC offset', () => `from=${encodeURIComponent(at[2]!.replace('Z', '+00:00'))}`, [4, 3, 2]],
    [
      'everything together',
      () => `status=Pending&paymentId=${payments[3].internalId}&from=${at[0]}&to=2027-01-01T00:00:00Z`,
      [3],
    ],
  ])('filters by %s', async (_name, query, expected) => {
    const reply = await ask(`?${query()}`);
    expect(reply.status).toBe(200);
    expect(idsOf(reply)).toEqual(nths(...expected));
    expect(reply.json.totalItems).toBe(expected.length);
  });
});

test('GET /api/callbacks returns 400 for a filter that the schema refuses', async () => {
  expect(await ask('?status=Sent')).toMatchObject({ status: 400, json: { code: 'validation_failed' } });
});

describe('GET /api/callbacks/{deliveryId}', () => {
  const read = (id: string) => fixture.call(`${PATH}/${id}`);

  test('returns the same fields as the list, and the URL and the sent body', async () => {
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

  test('returns the body that a skipped callback would have sent', async () => {
    const { body } = (await read(made[0].id)).json;
    expect(body).toMatchObject({ refPagamento: payments[0].reference, montantePago: 1500 });
  });

  test('returns every attempt of the delivery, the oldest first', async () => {
    const before = (await read(made[3].id)).json;
    merchant.answerWith({ status: 503 });
    await travelUntil(app, async () => (await read(made[3].id)).json.attempts.length === 2, 'the second attempt');
    const { attempts, attemptsMade } = (await read(made[3].id)).json;
    expect(attemptsMade).toBe(2);
    expect(attempts[0]).toEqual(before.attempts[0]);
    expect(attempts[1]).toMatchObject({ number: 2, status: 503, outcome: 'status', answer: '' });
    expect(attempts[1].startedAt > attempts[0].startedAt).toBe(true);
    expect((await ask('?pageSize=2')).json.data[1].lastAttempt).toEqual(attempts[1]);
  });
});
