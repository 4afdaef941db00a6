import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { purchase, readBooks, webframe } from '../../support/payments.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  const env = { GPO_KEY: 'one key for both nodes', PUBLIC_URL: 'http://localhost:8080' };
  app = await startTestApp({ env });
  twin = await startTestApp({ env, databaseUrl: app.databaseUrl, clock: app.clock });
});

const times = (count: number, send: (nth: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => send(nth)));

const countBy = (replies: Reply[], name: (reply: Reply) => string) =>
  Object.fromEntries(Object.entries(Object.groupBy(replies, name)).map(([key, group]) => [key, group?.length]));

const countRows = async (reference: string) => {
  const [row] = await app.sql(
    `select count(*)::int as payments,
       (select count(*)::int from attempts a join payments q on q.id = a.payment_id where q.reference = $1) as attempts,
       (select count(*)::int from events e join payments q on q.id = e.payment_id
        where q.reference = $1 and e.type = 'payment.created') as created
     from payments where reference = $1`,
    [reference],
  );
  return row;
};

const ANYBODY = '923000001';

describe.each([
  { method: 'webframe', body: webframe(), attempts: 0 },
  { method: 'onetimepurchase', body: purchase(ANYBODY), attempts: 1 },
])('50 concurrent creations of a $method with one Idempotency-Key', ({ body, attempts }) => {
  test('create one payment and return 50 equal answers, 49 of them as replays', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const replies = await times(50, () => app.call('/api/payments', { body, headers }));
    expect(countBy(replies, ({ status }) => String(status))).toEqual({ 201: 50 });
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(countBy(replies, (reply) => String(reply.headers.get('idempotency-replayed')))).toEqual({
      null: 1,
      true: 49,
    });
    expect(await countRows(String(body['reference']))).toEqual({ payments: 1, attempts, created: 1 });
  });
});

test('40 concurrent creations with one key on two nodes create one payment and return equal bytes', async () => {
  await Promise.all([app.token(), twin.token()]);
  const body = purchase(ANYBODY);
  const headers = { 'idempotency-key': randomUUID() };
  const replies = await times(40, (nth) => (nth % 2 ? twin : app).call('/api/payments', { body, headers }));
  expect(countBy(replies, ({ status }) => String(status))).toEqual({ 201: 40 });
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(replies.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
  expect(await countRows(String(body['reference']))).toEqual({ payments: 1, attempts: 1, created: 1 });
});

test('20 concurrent creations with one key and different bodies create one and return 422 for the others', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const body = webframe();
  const replies = await times(20, (nth) =>
    app.call('/api/payments', { body: { ...body, amount: 100 + nth }, headers }),
  );
  expect(countBy(replies, ({ status, json }) => `${status} ${json.code ?? ''}`)).toEqual({
    '201 ': 1,
    '422 idempotency_key_reused': 19,
  });
  expect(await countRows(String(body['reference']))).toMatchObject({ payments: 1 });
});

test('50 concurrent equal pushes without a key send one and return 409 with its id for the others', async () => {
  const body = purchase(ANYBODY);
  const replies = await times(50, (nth) => (nth % 2 ? twin : app).call('/api/payments', { body }));
  expect(countBy(replies, ({ status, json }) => `${status} ${json.code ?? ''}`)).toEqual({
    '201 ': 1,
    '409 reference_in_flight': 49,
  });
  const created = replies.find(({ status }) => status === 201)?.json.internalId;
  const named = replies.filter(({ status }) => status === 409).map(({ json }) => json.internalId);
  expect(new Set(named)).toEqual(new Set([created]));
  const reference = String(body['reference']);
  expect(await countRows(reference)).toEqual({ payments: 1, attempts: 1, created: 1 });
  await until(async () => (await readBooks(app, reference)).length > 0, 'the push reaching the rail');
  expect(await readBooks(app, reference)).toMatchObject([{ calls: 1, status: 'PENDING' }]);
});

test('20 concurrent equal webframes without a key create 20 payments', async () => {
  const body = webframe();
  const replies = await times(20, () => app.call('/api/payments', { body }));
  expect(new Set(replies.map(({ json }) => json.internalId)).size).toBe(20);
});

test('a mixed load on two nodes creates one payment per key and never mixes answers', async () => {
  await Promise.all([app.token(), twin.token()]);
  const keyed = Array.from({ length: 30 }, () => ({ body: webframe(), headers: { 'idempotency-key': randomUUID() } }));
  const [twinPush, wrong] = [{ body: purchase(ANYBODY) }, { body: webframe({ reference: '!' }) }];
  const calls = [...keyed, ...keyed, ...keyed, ...Array(10).fill(twinPush), ...Array(10).fill(wrong)];
  // Neighbours differ, and the two nodes meet them in different orders.
  const mixed = calls.map((_, nth) => calls[(nth * 37) % calls.length]);
  const replies = await times(mixed.length, (nth) => (nth % 2 ? twin : app).call('/api/payments', mixed[nth]));
  expect(countBy(replies, ({ status, json }) => `${status} ${json.code ?? ''}`)).toEqual({
    '201 ': 91,
    '409 reference_in_flight': 9,
    '400 validation_failed': 10,
  });
  for (const { body, headers } of keyed) {
    const own = replies.filter((_, nth) => mixed[nth]?.headers === headers);
    expect(new Set(own.map(({ text }) => text)).size).toBe(1);
    expect(own.filter((reply) => !reply.headers.has('idempotency-replayed'))).toHaveLength(1);
    expect(await countRows(String(body['reference']))).toMatchObject({ payments: 1, created: 1 });
  }
});
