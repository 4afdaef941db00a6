// AppyPay behind a complete gateway. The contract suite tests the connector alone.
import { beforeAll, describe, expect, test } from 'vitest';
import { PNG } from '../../../sandbox/rails/appypay-page.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { purchase, travelUntil, untilStatus, webframe } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import {
  countCalls,
  createPush,
  enterAppyPay,
  openMerchant,
  press,
  readInbox,
  untilApplied,
  untilThere,
  type Merchant,
} from '../../support/rail-accounts.ts';
import { readPayment } from '../../support/notify.ts';
import { leavesNothing } from '../../support/rows.ts';
import { DAY_MS } from '../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const CHARGES = '/v2.0/charges';

/** Creates a push that waits for the payer's decision. */
async function pushFixture() {
  const merchant = await openMerchant(app);
  const { fake, account } = await enterAppyPay(merchant);
  const payment = await createPush(merchant);
  const charge = await untilThere(() => fake.book.charges[0], 'the push');
  return { merchant, fake, account, payment, charge };
}

const travelToPaid = (merchant: Merchant, id: string) =>
  travelUntil(app, async () => (await readPayment(merchant, id)).status === 'Paid', 'Paid', 60_000);

describe('a push at AppyPay', () => {
  test('becomes Paid with the amount that AppyPay reports', async () => {
    const { merchant, fake, payment, charge } = await pushFixture();
    expect(payment).toMatchObject({ status: 'Processing', paymentMethod: 'onetimepurchase' });
    charge.amount = 1500.5;
    await press(fake, charge.id, 'approve');
    const paid = await untilStatus(merchant, payment.id, 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1500.5, flags: ['overpaid'], transactions: [{ amount: 1500.5 }] });
    expect(fake.notices).toMatchObject([{ status: 200 }]);
  });

  test('is only queried, and not approved, after an unverified notification about its approval', async () => {
    const { merchant, fake, account, payment, charge } = await pushFixture();
    const forged = { id: charge.id, merchantTransactionId: charge.merchantTransactionId, amount: 1500 };
    await fake.notify(account.notificationUrl, { ...forged, responseStatus: { successful: true, code: 100 } });
    expect(await untilApplied(merchant, account, 1)).toMatchObject([{ is_proven: false, outcome: 'applied' }]);
    expect(countCalls(fake, 'GET', CHARGES)).toBe(1);
    expect(await readPayment(merchant, payment.id)).toMatchObject({ status: 'Processing', transactions: [] });
  });

  test('is queried again if AppyPay returns an error after its notification', async () => {
    const { merchant, fake, account, payment, charge } = await pushFixture();
    fake.fault(500, { method: 'GET', path: CHARGES, times: 2 });
    await press(fake, charge.id, 'approve');
    await travelUntil(app, () => countCalls(fake, 'GET', CHARGES) >= 2, 'two failed queries');
    expect(await readPayment(merchant, payment.id)).toMatchObject({ status: 'Processing', transactions: [] });
    await travelToPaid(merchant, payment.id);
    await travelUntil(app, async () => (await readInbox(merchant, account))[0].applied_at, 'the stored notification');
  });

  test.each([
    ['a query by our id', false],
    ['its notification', true],
  ])('charges its payer once if %s reports it after its response was lost', async (_by, isNotified) => {
    const merchant = await openMerchant(app);
    const { fake } = await enterAppyPay(merchant);
    if (!isNotified) fake.book.notifyUrl = null;
    fake.fault('drop_after', { method: 'POST', path: CHARGES });
    const payment = await createPush(merchant);
    const charge = await untilThere(() => fake.book.charges[0], 'the push');
    await press(fake, charge.id, 'approve');
    if (isNotified) await untilStatus(merchant, payment.id, 'Paid');
    else await travelToPaid(merchant, payment.id);
    const byKey = fake.requests.find(({ query }) => query.has('merchantTransactionId'));
    if (!isNotified) expect(byKey?.query.get('merchantTransactionId')).toBe(charge.merchantTransactionId);
    expect([countCalls(fake, 'POST', CHARGES), fake.book.charges.length]).toEqual([1, 1]);
  });
});

describe('POST /api/payments', () => {
  const wallet = { paymentMethod: 'onetimepurchase', phoneNumber: '941234567', provider: 'unitel_money' };
  const hold = { paymentMethod: 'authorization', phoneNumber: '923456789' };
  const CANNOT: [string, object, string, string, string][] = [
    [
      'an authorization',
      { metadata: hold },
      '/metadata/paymentMethod',
      'method_not_supported',
      'Loja AppyPay does not support authorization, but supports: ' +
        'webframe, onetimepurchase, onetimepurchase (unitel_money), qrcode',
    ],
    [
      'an amount below the minimum',
      { amount: 0.99 },
      '/amount',
      'amount_not_supported',
      'is not accepted by Loja AppyPay, which accepts 1.00 to 10000000.00 in steps of 0.01',
    ],
    [
      'an amount below the minimum of Unitel Money',
      { amount: 49.99, metadata: wallet },
      '/amount',
      'amount_not_supported',
      'is not accepted by Loja AppyPay, which accepts 50.00 to 10000000.00 in steps of 0.01',
    ],
    ['another currency', { currency: 'USD' }, '/currency', 'currency_not_supported', 'must be a currency of this rail'],
  ];

  test.each(CANNOT)(
    'returns 400 for %s, which the account cannot process',
    async (_name, changes, pointer, code, message) => {
      const merchant = await openMerchant(app);
      const { fake } = await enterAppyPay(merchant, { label: 'Loja AppyPay' });
      const body = purchase('923456789', changes as Record<string, unknown>);
      const reply = await leavesNothing(app, () => merchant.call('/api/payments', { body }));
      expect(reply).toMatchObject({ status: 400, json: { errors: [{ pointer, code, message }] } });
      expect(fake.requests).toEqual([]);
    },
  );

  test('returns 400 for a phone wallet that the account has no payment method for', async () => {
    const merchant = await openMerchant(app);
    await enterAppyPay(merchant, { settings: { methods: { gpo: 'GPO_b1edb3ed-2c3f-4b0c-8c2e-58b3a9f4f8c1' } } });
    const reply = await merchant.call('/api/payments', { body: purchase('941234567', { metadata: wallet }) });
    const message = 'AppyPay does not support unitel_money, but supports: webframe, onetimepurchase, qrcode';
    expect(reply).toMatchObject({ status: 400, json: { errors: [{ code: 'method_not_supported', message }] } });
  });
});

describe('a QR code of AppyPay', () => {
  const body = (metadata: object = {}) => webframe({ metadata: { paymentMethod: 'qrcode', ...metadata } });
  const create = (merchant: Merchant, metadata: object = {}) =>
    merchant.call('/api/payments', { body: body(metadata), headers: { prefer: 'return=representation' } });

  test('is returned as AppyPay’s unchanged PNG, and as an SVG that contains this PNG', async () => {
    const merchant = await openMerchant(app);
    await enterAppyPay(merchant);
    const response = await fetch(`${app.url}/api/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${merchant.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body()),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(PNG, 'base64'));
    const { status, json } = await create(merchant);
    expect([status, json.qrCode]).toMatchObject([201, { content: null, deeplink: null }]);
    expect(json.qrCode.svg).toContain(`href="data:image/png;base64,${PNG}"`);
  });

  test('records each scan once although AppyPay notifies three times', async () => {
    const merchant = await openMerchant(app);
    const { fake, account } = await enterAppyPay(merchant);
    const { json: payment } = await create(merchant, { maxTransactions: 2 });
    const code = fake.book.qrCodes[0]!;
    await press(fake, code.id, 'scan');
    const [charge] = fake.book.charges;
    await press(fake, charge!.id, 'tell again');
    // This notification has the id of the QR code instead of the charge's id, so the inbox stores it as a new message.
    const hint = { id: charge!.id, merchantTransactionId: code['merchantTransactionId'] };
    await fake.notify(account.notificationUrl, hint);
    expect(await untilApplied(merchant, account, 2)).toHaveLength(2);
    const open = { status: 'Pending', acceptedTransactions: 1, transactions: [{ amount: 1500 }] };
    expect(await readPayment(merchant, payment.id)).toMatchObject(open);
    await press(fake, code.id, 'scan');
    const paid = await untilStatus(merchant, payment.id, 'Paid');
    expect(paid).toMatchObject({ acceptedTransactions: 2, amountPaid: 3000, flags: [] });
  });
});

describe('a payment reference at AppyPay', () => {
  const ENTITY = '10116';
  const read = async (merchant: Merchant, digits: string) => (await merchant.call(`${PPR}/${digits}`)).json;
  const untilRead = (merchant: Merchant, digits: string, check: (found: any) => unknown, what: string) =>
    until(async () => {
      const found = await read(merchant, digits);
      return check(found) && found;
    }, what);
  const readTypes = async (merchant: Merchant, digits: string): Promise<string[]> =>
    (await merchant.call(`${PPR}/${digits}/history`)).json.data
      .map(({ type }: { type: string }) => type)
      .filter((type: string) => !type.startsWith('callback.'));
  const cancel = (merchant: Merchant, digits: string, headers = {}) =>
    merchant.call(`${PPR}/${digits}/cancel`, { method: 'POST', headers });

  async function referencesFixture() {
    const merchant = await openMerchant(app, { entity: ENTITY });
    return { merchant, ...(await enterAppyPay(merchant, { kind: 'ppr' })) };
  }

  /** Creates a reference over 1500 and waits until AppyPay has registered it. */
  async function createPayable(merchant: Merchant, changes: object = {}): Promise<any> {
    const { json } = await merchant.call(PPR, { body: { amount: 1500, ...changes } });
    return untilRead(merchant, json.reference, ({ registeredAt }) => registeredAt, 'the registration');
  }

  test('is Paid once by its notification, although the clearing file contains the payment again', async () => {
    const { merchant, fake, account } = await referencesFixture();
    const { reference, entity } = await createPayable(merchant);
    expect(entity).toBe(ENTITY);
    const charge = fake.book.charges[0]!;
    // The gateway reads the whole list before the payment, so its next read starts only minutes later.
    const cursor = 'select cursor from rail_feeds where rail = $1';
    const isRead = async () => ((await app.sql(cursor, [account.id]))[0].cursor ?? '').endsWith(' 1');
    await travelUntil(app, isRead, 'the list being read', 120_000);
    await press(fake, charge.id, 'pay');
    const paid = await untilRead(merchant, reference, ({ status }) => status === 'Paid', 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1500, referenceStatus: 'Paid', flags: [] });
    await press(fake, charge.id, 'clear');
    const lists = countCalls(fake, 'GET', CHARGES);
    app.clock.leap(6 * 60_000);
    await travelUntil(app, () => countCalls(fake, 'GET', CHARGES) > lists, 'the list being read again');
    expect(await read(merchant, reference)).toMatchObject({ amountPaid: 1500, flags: [] });
    const types = ['payment.created', 'reference.registered', 'payment.paid', 'reference.paid'];
    expect(await readTypes(merchant, reference)).toEqual(expect.arrayContaining(types));
  });

  test('can be paid after its cancellation until its last day ends, and late money is recorded', async () => {
    const { merchant, fake } = await referencesFixture();
    const expiryDate = new Date(app.clock.now().getTime() + 2 * DAY_MS);
    const known = await createPayable(merchant, { expiryDate: expiryDate.toISOString() });
    const { reference } = known;
    expect(known.payableUntil).toBeNull();
    // The last day ends at midnight in Luanda.
    const payableUntil = `${new Date(expiryDate.getTime() + 3_600_000).toISOString().slice(0, 10)}T23:00:00.000Z`;
    const headers = { 'idempotency-key': 'cancela-1' };
    const canceled = await cancel(merchant, reference, headers);
    expect(canceled).toMatchObject({ status: 200, json: { referenceStatus: 'Canceled', payableUntil } });
    expect((await cancel(merchant, reference, headers)).json).toEqual(canceled.json);
    await untilRead(merchant, reference, (found) => found.payableUntil === payableUntil, 'payableUntil');
    expect(await readTypes(merchant, reference)).toContain('reference.withdrawal_failed');
    await press(fake, fake.book.charges[0]!.id, 'pay');
    const late = await untilRead(merchant, reference, ({ status }) => status === 'Paid', 'late money');
    expect(late).toMatchObject({ amountPaid: 1500, payableUntil: null });
    const [row] = await app.sql('select late from transactions where payment_id = $1', [late.internalId]);
    expect(row.late).toBe(true);
  });

  test('keeps its digits reserved until the last day of the cancelled reference ends', async () => {
    const { merchant } = await referencesFixture();
    const expiryDate = new Date(app.clock.now().getTime() + DAY_MS).toISOString();
    const { reference } = await createPayable(merchant, { expiryDate });
    await cancel(merchant, reference);
    await untilRead(merchant, reference, ({ payableUntil }) => payableUntil, 'payableUntil');
    const body = { references: [{ amount: 9, reference }, { amount: 8 }] };
    const refused = await merchant.call(`${PPR}/bulk`, { body });
    const inUse = { pointer: '/references/0/reference', code: 'reference_in_use' };
    expect([refused.status, refused.json.errors]).toMatchObject([400, [inUse]]);
    app.clock.leap(3 * DAY_MS);
    const withdrawn = 'select from payment_references where reference = $1 and withdrawn_at is not null';
    const isOver = async () => (await app.sql(withdrawn, [reference])).length > 0;
    await travelUntil(app, isOver, 'the digits being free', 120_000);
  });

  test('is registered in one call with 499 other references, and can be paid', async () => {
    const { merchant, fake } = await referencesFixture();
    const references = Array.from({ length: 500 }, (_, nth) => ({ amount: 1000 + nth }));
    const { status, json } = await merchant.call(`${PPR}/bulk`, { body: { references } });
    expect(status).toBe(201);
    const open = `select from payment_references where merchant_id = $1 and registered_at is null`;
    const isRegistered = async () => (await app.sql(open, [merchant.merchantId])).length === 0;
    await until(isRegistered, 'the registrations');
    expect([countCalls(fake, 'POST', '/v2.0/references'), countCalls(fake, 'POST', CHARGES)]).toEqual([1, 0]);
    expect(fake.book.references.size).toBe(500);
    const { reference } = json.data[499];
    await press(fake, reference, 'pay');
    const paid = await untilRead(merchant, reference, ({ status: now }) => now === 'Paid', 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1499, flags: [] });
  });

  test('is registered although AppyPay refuses another reference of the same call', async () => {
    const { merchant, fake } = await referencesFixture();
    const number = '900000001';
    const other = { currency: 'AOA', amount: 5, expirationDate: '2027-01-01', isActive: true, chargeId: null };
    fake.book.references.set(number, { ...other, number });
    const references = [{ amount: 1500 }, { amount: 1500, reference: number }, { amount: 1500 }];
    const { json } = await merchant.call(`${PPR}/bulk`, { body: { references } });
    const [first, second, third] = json.data.map((one: { reference: string }) => one.reference);
    await untilRead(merchant, third, ({ registeredAt }) => registeredAt, 'the last registration');
    expect(await read(merchant, first)).toMatchObject({ registeredAt: expect.any(String) });
    expect(await read(merchant, second)).toMatchObject({ registeredAt: null });
    expect(await readTypes(merchant, second)).toEqual(['payment.created', 'reference.registration_failed']);
    expect(countCalls(fake, 'POST', '/v2.0/references')).toBe(1);
  });

  test('is registered by a separate call after the common call got no response', async () => {
    const { merchant, fake } = await referencesFixture();
    fake.fault('drop_before', { method: 'POST', path: '/v2.0/references' });
    const references = Array.from({ length: 3 }, () => ({ amount: 1500 }));
    const { json } = await merchant.call(`${PPR}/bulk`, { body: { references } });
    await until(() => countCalls(fake, 'POST', '/v2.0/references') === 1, 'the call');
    for (const { reference } of json.data) {
      const isKnown = async () => (await read(merchant, reference)).registeredAt;
      await travelUntil(app, isKnown, `the registration of ${reference}`, 120_000);
    }
    expect(fake.book.charges).toHaveLength(3);
  });
});
