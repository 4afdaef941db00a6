import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { DEMO_ENTITY, digits, pay, PPR, readReference, untilReceived } from '../../../support/ppr.ts';
import { countRows } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const post = (references: unknown, more: object = {}) => app.call(`${PPR}/bulk`, { body: { references, ...more } });

/** Waits until the rail knows all of them, within two seconds of the clock. */
async function untilRegistered(references: string[]): Promise<void> {
  await app.clock.advance(2_000);
  const registered = 'select from payment_references where registered_at is not null and reference = any($1)';
  const areRegistered = async () => (await app.sql(registered, [references])).length === references.length;
  await until(areRegistered, `${references.length} references being registered`);
}

test('a bulk creates a reference and a payment per item, of every kind, in the order of the request', async () => {
  const before = await countRows(app);
  const items = [
    { reference: digits(), amount: 10, description: 'one', customMetadata: { n: 1 } },
    { referenceType: 'charging' },
    { amount: 30, customerName: 'Ana', documentNumber: '0042' },
    { reference: digits(), referenceType: 'Charging', amount: 40, expiryDate: '2027-01-31' },
  ];
  const { status, json } = await post(items);
  expect(status).toBe(201);
  expect(Object.keys(json)).toEqual(['data']);
  expect(json.data).toMatchObject([
    { reference: items[0]?.reference, amount: 10, description: 'one', customMetadata: { n: 1 } },
    { referenceType: 'Charging', amount: 0, expiresAt: '2099-12-31T23:59:59.000Z' },
    { amount: 30, customerName: 'Ana', documentNumber: '0042', reference: expect.stringMatching(/^\d{9}$/) },
    { reference: items[3]?.reference, referenceType: 'Charging', expiresAt: '2027-01-31T22:59:59.999Z' },
  ]);
  expect(await countRows(app)).toMatchObject({
    payments: before['payments']! + 4,
    payment_references: before['payment_references']! + 4,
    events: before['events']! + 4,
  });
  await untilRegistered(json.data.map((item: any) => item.reference));
  for (const item of json.data) {
    expect(await readReference(app, item.reference)).toEqual({ ...item, registeredAt: expect.any(String) });
    expect((await app.call(`/api/payments/${item.internalId}`)).json).toMatchObject({ id: item.reference });
  }
});

test('a bulk of one item ignores the fields beside `references` and is registered within two seconds', async () => {
  const { status, json } = await post([{ amount: 1, metadata: { custom: {} } }], { dryRun: true, data: [] });
  expect(status).toBe(201);
  expect(json.data).toHaveLength(1);
  await untilRegistered([json.data[0].reference]);
});

test('a bulk of 500 items answers in the order of the request, each with its own digits and token', async () => {
  const items = Array.from({ length: 500 }, (_, nth) => ({
    amount: nth + 1,
    description: `n${nth}`,
    ...(nth % 2 === 0 && { reference: digits() }),
  }));
  const { status, json } = await post(items);
  expect(status).toBe(201);
  const amountsOf = (data: any[]) => data.map(({ description, amount }) => [description, amount]);
  expect(amountsOf(json.data)).toEqual(amountsOf(items));
  items.forEach(({ reference }, nth) => reference && expect(json.data[nth].reference).toBe(reference));
  expect(new Set(json.data.map((item: any) => item.reference)).size).toBe(500);
  expect(new Set(json.data.map((item: any) => item.clientToken)).size).toBe(500);
  const written = await app.sql(
    `select from payment_references f join payments p on p.id = f.payment_id
     where p.description ~ '^n[0-9]+$' and f.reference = p.reference and f.entity = $1`,
    [DEMO_ENTITY],
  );
  expect(written).toHaveLength(500);
  const [first] = json.data;
  // A sync registers it before its turn in the queue.
  await app.call(`/api/payments/${first.reference}/sync`, { method: 'POST' });
  await pay(app, first);
  await untilReceived(app, first.reference, 1);
});
