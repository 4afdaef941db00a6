import '../../../server/payments/methods.ts';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { insertCreation, type Creation } from '../../../server/payments/core/insert.ts';
import { makePayment } from '../../../server/payments/core/new-payment.ts';
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
])('50 concurrent creations of a $method payment with one Idempotency-Key', ({ body, attempts }) => {
  test('create one payment and return 50 equal responses, 49 of them marked as replayed', async () => {
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

test('40 concurrent creations with one key on two nodes create one payment and return the same bytes', async () => {
  await Promise.all([app.token(), twin.token()]);
  const body = purchase(ANYBODY);
  const headers = { 'idempotency-key': randomUUID() };
  const replies = await times(40, (nth) => (nth % 2 ? twin : app).call('/api/payments', { body, headers }));
  expect(countBy(replies, ({ status }) => String(status))).toEqual({ 201: 40 });
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(replies.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
  expect(await countRows(String(body['reference']))).toEqual({ payments: 1, attempts: 1, created: 1 });
});

test('20 concurrent creations with one key and different bodies create one, and 422 for the others', async () => {
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

test('50 concurrent equal pushes without a key send one, and return 409 with its id for the others', async () => {
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

test('a mixed load on two nodes creates one payment per key and never mixes responses', async () => {
  await Promise.all([app.token(), twin.token()]);
  const keyed = Array.from({ length: 30 }, () => ({ body: webframe(), headers: { 'idempotency-key': randomUUID() } }));
  const [twinPush, wrong] = [{ body: purchase(ANYBODY) }, { body: webframe({ reference: '!' }) }];
  const calls = [...keyed, ...keyed, ...keyed, ...Array(10).fill(twinPush), ...Array(10).fill(wrong)];
  // Adjacent requests differ, and each node receives them in another order.
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

test('60 concurrent creations share commits, and each response has its own payment', async () => {
  const bodies = Array.from({ length: 60 }, () => webframe());
  const replies = await Promise.all(bodies.map((body) => app.call('/api/payments', { body })));
  expect(replies.map(({ json }) => json.reference)).toEqual(bodies.map(({ reference }) => reference));
  const ids = replies.map(({ json }) => json.id);
  const [row] = await app.sql(
    `select count(*)::int as payments, count(distinct p.xmin::text)::int as commits,
       (select count(*)::int from events e where e.payment_id = any($1) and e.type = 'payment.created') as events
     from payments p where id = any($1)`,
    [ids],
  );
  expect(row).toMatchObject({ payments: 60, events: 60 });
  expect(row.commits).toBeLessThan(60);
});

test('equal, reused and unrelated keys in one batch do not change each other’s responses', async () => {
  const key = randomUUID();
  const twin = purchase('923000009');
  const send = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
    app.call('/api/payments', { body, headers });
  const same = webframe();
  const groups = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => send(same, { 'idempotency-key': key }))),
    Promise.all(Array.from({ length: 5 }, () => send(twin))),
    Promise.all(Array.from({ length: 20 }, () => send(webframe(), { 'idempotency-key': randomUUID() }))),
  ]);
  const [equal, pushes, others] = groups.map((replies) => replies.map(({ status }) => status).sort());
  expect(equal).toEqual(Array(20).fill(201));
  expect(new Set(groups[0]!.map(({ text }) => text)).size).toBe(1);
  expect(pushes).toEqual([201, 409, 409, 409, 409]);
  expect(others).toEqual(Array(20).fill(201));
  const reused = await Promise.all(Array.from({ length: 8 }, () => send(webframe(), { 'idempotency-key': key })));
  expect(reused.map(({ json }) => json.code)).toEqual(Array(8).fill('idempotency_key_reused'));
});

test('a row that PostgreSQL refuses does not make the other rows of its batch fail', async () => {
  // The first two creations are sent immediately. The others wait and share one statement.
  const creations = [1, 2, 3, -4, 5].map(creationOf);
  const outcomes = await Promise.allSettled(creations.map((creation) => insertCreation(app.node.core, creation)));
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect((outcomes[3] as PromiseRejectedResult).reason.constraint).toBe('payments_amounts');
  const written = await app.sql('select amount_minor::int as amount from payments where id = any($1) order by 1', [
    creations.map(({ payment }) => payment.id),
  ]);
  expect(written.map(({ amount }) => amount)).toEqual([1, 2, 3, 5]);
});

/** This creation has an amount that create.ts would refuse. */
function creationOf(amountMinor: number): Creation {
  const payment = makePayment({
    merchantId: DEMO.merchantId,
    reference: `T${amountMinor}`,
    amountMinor,
    currency: 'AOA',
    paymentType: 'GPO',
    paymentMethod: 'webframe',
    createdAt: app.clock.now(),
  });
  return { payment, events: [{ id: randomUUID(), type: 'payment.created' }], attempt: null, key: null };
}
