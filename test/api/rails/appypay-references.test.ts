// A merchant's references over AppyPay, over HTTP with its fake: one alone, hundreds in one call, and none that can be withdrawn.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { PPR } from '../../support/ppr.ts';
import { travelUntil } from '../../support/payments.ts';
import {
  countCalls,
  enterAppyPay,
  openShop,
  press,
  untilThere,
  type Account,
  type Shop,
} from '../../support/rail-stage.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** As its contract has it. */
const ENTITY = '10116';
const CHARGES = '/v2.0/charges';

const openReferenceShop = () => openShop(app, { entity: ENTITY });
const read = async (shop: Shop, digits: string) => (await shop.call(`${PPR}/${digits}`)).json;
const untilRead = (shop: Shop, digits: string, check: (found: any) => unknown, what: string) =>
  until(async () => {
    const found = await read(shop, digits);
    return check(found) && found;
  }, what);
const readTypes = async (shop: Shop, digits: string): Promise<string[]> =>
  (await shop.call(`${PPR}/${digits}/history`)).json.data
    .map(({ type }: { type: string }) => type)
    .filter((type: string) => !type.startsWith('callback.'));

const readCursor = async ({ id }: Account): Promise<string> =>
  (await app.sql('select cursor from rail_feeds where rail = $1', [id]))[0].cursor ?? '';

/** A reference of 1500 that the rail knows. */
async function createPayable(shop: Shop): Promise<any> {
  const { json } = await shop.call(PPR, { body: { amount: 1500 } });
  return untilRead(shop, json.reference, ({ registeredAt }) => registeredAt, 'the rail knowing it');
}

describe('a reference', () => {
  test('that is paid is Paid by the hint of it, once, whatever the clearing file tells again', async () => {
    const shop = await openReferenceShop();
    const { fake, account } = await enterAppyPay(shop, { kind: 'ppr' });
    const { reference, entity } = await createPayable(shop);
    expect(entity).toBe(ENTITY);
    const charge = fake.book.charges[0]!;
    // The list is read to its end while nobody has paid: it will not come by the charge again for minutes.
    await travelUntil(app, async () => (await readCursor(account)).endsWith(' 1'), 'the list being read', 120_000);
    await press(fake, charge.id, 'pay');
    const paid = await untilRead(shop, reference, ({ status }) => status === 'Paid', 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1500, referenceStatus: 'Paid', flags: [] });
    await press(fake, charge.id, 'clear');
    const lists = countCalls(fake, 'GET', CHARGES);
    app.clock.leap(6 * 60_000);
    await travelUntil(app, () => countCalls(fake, 'GET', CHARGES) > lists, 'the list being read again');
    expect(await read(shop, reference)).toMatchObject({ amountPaid: 1500, flags: [] });
    expect(await readTypes(shop, reference)).toEqual(
      expect.arrayContaining(['payment.created', 'reference.registered', 'payment.paid', 'reference.paid']),
    );
  });

  test('that is canceled can still be paid until its last day is over, and everybody is told so', async () => {
    const shop = await openReferenceShop();
    const { fake } = await enterAppyPay(shop, { kind: 'ppr' });
    const expiryDate = new Date(app.clock.now().getTime() + 2 * 86_400_000);
    const { json } = await shop.call(PPR, { body: { amount: 1500, expiryDate: expiryDate.toISOString() } });
    const { reference } = json;
    const known = await untilRead(shop, reference, ({ registeredAt }) => registeredAt, 'the rail knowing it');
    expect(known.payableUntil).toBeNull();
    // Midnight in Luanda after the last day.
    const payableUntil = `${new Date(expiryDate.getTime() + 3_600_000).toISOString().slice(0, 10)}T23:00:00.000Z`;

    const headers = { 'idempotency-key': 'cancela-1' };
    const canceled = await shop.call(`${PPR}/${reference}/cancel`, { method: 'POST', headers });
    expect(canceled).toMatchObject({ status: 200, json: { referenceStatus: 'Canceled', payableUntil } });
    const again = await shop.call(`${PPR}/${reference}/cancel`, { method: 'POST', headers });
    expect(again.json).toEqual(canceled.json);
    await untilRead(shop, reference, ({ payableUntil: told }) => told === payableUntil, 'everybody being told');
    expect(await readTypes(shop, reference)).toContain('reference.withdrawal_failed');

    await press(fake, fake.book.charges[0]!.id, 'pay');
    const late = await untilRead(shop, reference, ({ status }) => status === 'Paid', 'late money being recorded');
    expect(late).toMatchObject({ amountPaid: 1500, payableUntil: null });
    const [row] = await app.sql('select late from transactions where payment_id = $1', [late.internalId]);
    expect(row.late).toBe(true);
  });

  test('that was canceled is over with its last day', async () => {
    const shop = await openReferenceShop();
    await enterAppyPay(shop, { kind: 'ppr' });
    const expiryDate = new Date(app.clock.now().getTime() + 86_400_000).toISOString();
    const { json } = await shop.call(PPR, { body: { amount: 1500, expiryDate } });
    await untilRead(shop, json.reference, ({ registeredAt }) => registeredAt, 'the rail knowing it');
    await shop.call(`${PPR}/${json.reference}/cancel`, { method: 'POST' });
    await untilRead(shop, json.reference, ({ payableUntil }) => payableUntil, 'everybody being told');
    app.clock.leap(3 * 86_400_000);
    const withdrawn = 'select from payment_references where reference = $1 and withdrawn_at is not null';
    const isOver = async () => (await app.sql(withdrawn, [json.reference])).length > 0;
    await travelUntil(app, isOver, 'its digits being free', 120_000);
  });
});

describe('500 references', () => {
  test('cost one call, can be paid, and bring their money', async () => {
    const shop = await openReferenceShop();
    const { fake } = await enterAppyPay(shop, { kind: 'ppr' });
    const references = Array.from({ length: 500 }, (_, nth) => ({ amount: 1000 + nth }));
    const { status, json } = await shop.call(`${PPR}/bulk`, { body: { references } });
    expect(status).toBe(201);
    const isRegistered = async () =>
      (
        await app.sql(`select from payment_references where merchant_id = $1 and registered_at is null`, [
          shop.merchantId,
        ])
      ).length === 0;
    await until(isRegistered, 'the rail knowing all', 60_000);
    expect([countCalls(fake, 'POST', '/v2.0/references'), countCalls(fake, 'POST', CHARGES)]).toEqual([1, 0]);
    expect(fake.book.references.size).toBe(500);

    const { reference } = json.data[499];
    await press(fake, reference, 'pay');
    const paid = await untilRead(shop, reference, ({ status: now }) => now === 'Paid', 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1499, flags: [] });
  });

  test('of which the rail refuses one are all but that one known there, and nobody asks again for the others', async () => {
    const shop = await openReferenceShop();
    const { fake } = await enterAppyPay(shop, { kind: 'ppr' });
    const taken = '900000001';
    const other = { currency: 'AOA', amount: 5, expirationDate: '2027-01-01', isActive: true, chargeId: null };
    fake.book.references.set(taken, { ...other, number: taken });
    const references = [{ amount: 1500 }, { amount: 1500, reference: taken }, { amount: 1500 }];
    const { json } = await shop.call(`${PPR}/bulk`, { body: { references } });
    const [first, second, third] = json.data.map((one: { reference: string }) => one.reference);
    await untilRead(shop, third, ({ registeredAt }) => registeredAt, 'the last one being known');
    expect(await read(shop, first)).toMatchObject({ registeredAt: expect.any(String) });
    expect(await read(shop, second)).toMatchObject({ registeredAt: null });
    expect(await readTypes(shop, second)).toEqual(['payment.created', 'reference.registration_failed']);
    expect(countCalls(fake, 'POST', '/v2.0/references')).toBe(1);
  });

  test('never take digits that the rail has not let go of: they could not be paid', async () => {
    const shop = await openReferenceShop();
    await enterAppyPay(shop, { kind: 'ppr' });
    const { reference } = await createPayable(shop);
    await shop.call(`${PPR}/${reference}/cancel`, { method: 'POST' });
    await untilRead(shop, reference, ({ payableUntil }) => payableUntil, 'the rail not letting go');
    const body = { references: [{ amount: 9, reference }, { amount: 8 }] };
    const refused = await shop.call(`${PPR}/bulk`, { body });
    expect([refused.status, refused.json.errors]).toMatchObject([
      400,
      [{ pointer: '/references/0/reference', code: 'reference_in_use' }],
    ]);
  });

  test('whose call was lost are told to the rail one by one by their due rows', async () => {
    const shop = await openReferenceShop();
    const { fake } = await enterAppyPay(shop, { kind: 'ppr' });
    fake.fault('drop_before', { method: 'POST', path: '/v2.0/references' });
    const references = Array.from({ length: 3 }, () => ({ amount: 1500 }));
    const { json } = await shop.call(`${PPR}/bulk`, { body: { references } });
    await untilThere(() => (countCalls(fake, 'POST', '/v2.0/references') === 1 ? true : undefined), 'the call');
    for (const { reference } of json.data)
      await travelUntil(
        app,
        async () => (await read(shop, reference)).registeredAt,
        `${reference} being known`,
        120_000,
      );
    expect(fake.book.charges).toHaveLength(3);
  });
});
