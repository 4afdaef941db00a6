// POST /api/references/ppr/bulk: 1 to 500 at once, in order, each a reference and a payment, all in one answer.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { DEMO_ENTITY, digits, pay, PPR, readReference, untilReceived } from '../../../support/ppr.ts';
import { countRows } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const post = (references: unknown, more: object = {}) => app.call(`${PPR}/bulk`, { body: { references, ...more } });

/** The rail has heard of all of them, within some seconds of the clock. */
async function untilRegistered(references: string[]): Promise<void> {
  await app.clock.advance(2_000);
  await until(async () => {
    const [{ count }] = await app.sql(
      'select count(*)::int from payment_references where registered_at is not null and reference = any($1)',
      [references],
    );
    return count === references.length;
  }, `${references.length} references being registered`);
}

describe('creates', () => {
  test('each in its place, of every kind, each a reference and a payment', async () => {
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
    const after = await countRows(app);
    expect(after).toMatchObject({
      payments: before['payments']! + 4,
      payment_references: before['payment_references']! + 4,
      events: before['events']! + 4,
    });
    await untilRegistered(json.data.map((item: any) => item.reference));
    for (const item of json.data) {
      const shown = await readReference(app, item.reference);
      expect(shown).toEqual({ ...item, registeredAt: expect.any(String) });
      expect((await app.call(`/api/payments/${item.internalId}`)).json).toMatchObject({ id: item.reference });
    }
  });

  test('one, which the rail hears of within seconds as well', async () => {
    const { status, json } = await post([{ amount: 1 }]);
    expect(status).toBe(201);
    expect(json.data).toHaveLength(1);
    await untilRegistered([json.data[0].reference]);
  });

  test('five hundred, the answer in the order asked', async () => {
    const items = Array.from({ length: 500 }, (_, nth) => ({
      amount: nth + 1,
      description: `n${nth}`,
      ...(nth % 2 === 0 && { reference: digits() }),
    }));
    const { status, json } = await post(items);
    expect(status).toBe(201);
    expect(json.data.map(({ description, amount }: any) => [description, amount])).toEqual(
      items.map(({ description, amount }) => [description, amount]),
    );
    items.forEach(({ reference }, nth) => reference && expect(json.data[nth].reference).toBe(reference));
    expect(new Set(json.data.map((item: any) => item.reference)).size).toBe(500);
    expect(new Set(json.data.map((item: any) => item.clientToken)).size).toBe(500);
    const [{ count }] = await app.sql(
      `select count(*)::int from payment_references f join payments p on p.id = f.payment_id
       where p.description ~ '^n[0-9]+$' and f.reference = p.reference and f.entity = $1`,
      [DEMO_ENTITY],
    );
    expect(count).toBe(500);
    const [first] = json.data;
    // Not in its turn, which comes after others.
    await app.call(`/api/payments/${first.reference}/sync`, { method: 'POST' });
    await pay(app, first);
    await untilReceived(app, first.reference, 1);
  });

  test('what is beside the list is ignored', async () => {
    const { status } = await post([{ amount: 1, metadata: { custom: {} } }], { dryRun: true, data: [] });
    expect(status).toBe(201);
  });
});
