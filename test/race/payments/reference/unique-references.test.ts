import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertCreation, type Creation, type InsertConflicts } from '../../../../server/payments/core/insert.ts';
import { makePayment } from '../../../../server/payments/core/new-payment.ts';
import '../../../../server/payments/methods.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { freshDatabase, type FreshDatabase } from '../../../support/database.ts';
import { createRefused, replaceable, switchOver } from '../../../support/fallback.ts';
import { NOTIFY_ENV } from '../../../support/notify.ts';
import { purchase, webframe } from '../../../support/payments.ts';

let database: FreshDatabase;
let nodes: TestApp[];
let merchant: Awaited<ReturnType<TestApp['addMerchant']>>;
/** A token contains the URL of the node that issued it. */
let tokens: string[];
beforeAll(async () => {
  database = await freshDatabase();
  const env = { ...NOTIFY_ENV, PPR_KEY: 'one key for both', PUBLIC_URL: 'http://localhost:8080' };
  const start = () => startTestApp({ databaseUrl: database.url, env });
  nodes = [await start(), await start()];
  merchant = await nodes[0]!.addMerchant();
  tokens = await Promise.all(nodes.map((node) => node.token(merchant.clientId, merchant.secret)));
  await nodes[0]!.sql('update merchants set unique_references = true where id = $1', [merchant.merchantId]);
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await database.drop();
});

const post = (nth: number, body: object, headers: Record<string, string> = {}) =>
  nodes[nth % 2]!.call('/api/payments', { body, token: tokens[nth % 2]!, headers });
const countOf = async (reference: string) =>
  (
    await nodes[0]!.sql('select from payments where merchant_id = $1 and reference = $2', [
      merchant.merchantId,
      reference,
    ])
  ).length;

test('20 concurrent creations with one merchant reference on two nodes create one and refuse the others', async () => {
  for (const reference of ['RACE-1', 'RACE-2', 'RACE-3']) {
    const bodies = Array.from({ length: 20 }, (_, nth) =>
      nth % 3 ? webframe({ reference, amount: nth + 1 }) : purchase('923000001', { reference, amount: nth + 1 }),
    );
    const replies = await Promise.all(bodies.map((body, nth) => post(nth, body)));
    const codes = replies.map(({ status, json }) => (status === 201 ? 201 : `${status} ${json.code}`)).sort();
    expect(codes).toEqual([201, ...Array<string>(19).fill('400 reference_in_use')]);
    expect(await countOf(reference)).toBe(1);
  }
});

test('creations that share a statement with refused ones are still created', async () => {
  const others = Array.from({ length: 30 }, () => webframe());
  const same = Array.from({ length: 10 }, () => webframe({ reference: 'AMONG' }));
  const bodies = others.flatMap((body, nth) => (nth % 3 === 0 ? [body, same[nth / 3] as object] : [body]));
  const replies = await Promise.all(bodies.map((body) => post(0, body)));
  const statuses = replies.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array<number>(31).fill(201), ...Array<number>(9).fill(400)]);
  expect(await countOf('AMONG')).toBe(1);
});

test('12 concurrent repeats with one key return the same response', async () => {
  const body = webframe({ reference: 'KEYED' });
  const headers = { 'idempotency-key': randomUUID() };
  const replies = await Promise.all(Array.from({ length: 12 }, (_, nth) => post(nth, body, headers)));
  expect(replies.map(({ status }) => status)).toEqual(Array<number>(12).fill(201));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
});

test('insertCreation returns that a reference is in use if only the database constraint detects it', async () => {
  const [node] = nodes as [TestApp];
  // Only the constraint detects this row, as if another payment were committed after every read.
  await node.sql(`insert into payments (id, merchant_id, reference, reference_claim, amount_minor, currency, payment_type,
    payment_method, status, revision, created_at) values (gen_random_uuid(), '${merchant.merchantId}', 'UNSEEN', 'BLIND', 1, 'AOA', 'GPO',
    'webframe', 'Pending', 1, '2026-03-02T09:00:00Z')`);
  const found: InsertConflicts = await insertCreation(node.node.core, creationOf('BLIND'));
  expect(found).toMatchObject({ isReferenceTaken: true, busyId: null, keyed: null });
  expect(await countOf('BLIND')).toBe(0);
});

test('a merchant reference stays in use during a switch to a payment reference until its cancel', async () => {
  const [node, twin] = nodes as [TestApp, TestApp];
  for (const reference of ['ONWARD-1', 'ONWARD-2', 'ONWARD-3', 'ONWARD-4']) {
    const first = await createRefused(node, replaceable({ reference }), tokens[0]);
    const createMany = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, nth) => post(nth, webframe({ reference, amount: nth + 1 }))));
    const [tapped, ...around] = await Promise.all([
      switchOver(twin, first),
      ...Array.from({ length: 4 }, () => createMany(4)),
    ]);
    expect(tapped.status).toBe(201);
    expect(around.flat().map(({ json }) => json.code)).toEqual(Array<string>(16).fill('reference_in_use'));
    const [second] = await node.sql('select id from payments where replaces_id = $1', [first.id]);
    const cancel = { method: 'POST', token: tokens[1]! };
    expect((await twin.call(`/api/payments/${second.id}/cancel`, cancel)).status).toBe(200);
    const statuses = (await createMany(8)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array<number>(7).fill(400)]);
  }
});

function creationOf(reference: string): Creation {
  const payment = makePayment({
    merchantId: merchant.merchantId,
    reference,
    referenceClaim: reference,
    amountMinor: 1,
    currency: 'AOA',
    paymentType: 'GPO',
    paymentMethod: 'webframe',
    createdAt: nodes[0]!.clock.now(),
  });
  return { payment, events: [{ id: randomUUID(), type: 'payment.created' }], attempt: null, key: null };
}
