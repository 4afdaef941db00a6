import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { insertCreation, type Creation } from '../../../server/payments/core/insert.ts';
import { makePayment } from '../../../server/payments/core/new-payment.ts';
import '../../../server/payments/methods.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { purchase, webframe } from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

test('60 concurrent creations share commits, and each returns its own payment', async () => {
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

test('equal, reused and unrelated keys in one batch do not change each other’s answers', async () => {
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

test('a row that cannot be written fails alone', async () => {
  // The first two go out at once; the others wait for them and share one statement.
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

/** A creation as create.ts hands it over, but for an amount that it would have refused. */
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
