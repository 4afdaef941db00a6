// A merchant with a contract of AppyPay, over HTTP with its fake: pushes, Unitel Money, codes as pictures, references, and hints for news.
import { beforeAll, describe, expect, test } from 'vitest';
import { PNG } from '../../../sandbox/rails/appypay-desk.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { leavesNothing } from '../../support/rows.ts';
import { purchase, travelUntil, webframe } from '../../support/payments.ts';
import {
  countCalls,
  createPush,
  enterAppyPay,
  openShop,
  press,
  readInbox,
  readPayment,
  untilApplied,
  untilPayment,
  untilThere,
  type Shop,
} from '../../support/rail-stage.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const CHARGES = '/v2.0/charges';

/** A shop with an account, and a push that waits at a phone. */
async function pushOut() {
  const shop = await openShop(app);
  const { fake, account } = await enterAppyPay(shop);
  const payment = await createPush(shop);
  const charge = await untilThere(() => fake.book.charges[0], 'the push');
  return { shop, fake, account, payment, charge };
}

describe('a push', () => {
  test('that its payer approves is Paid with what the rail itself says was taken', async () => {
    const { shop, fake, payment, charge } = await pushOut();
    expect(payment).toMatchObject({ status: 'Processing', paymentMethod: 'onetimepurchase' });
    charge.amount = 1500.5;
    await press(fake, charge.id, 'approve');
    const paid = await untilPayment(shop, payment.id, 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1500.5, flags: ['overpaid'], transactions: [{ amount: 1500.5 }] });
    expect(fake.notices).toMatchObject([{ status: 200 }]);
  });

  test('that its payer refuses is Failed, and says why', async () => {
    const { shop, fake, payment, charge } = await pushOut();
    await press(fake, charge.id, 'refuse');
    const failed = await untilPayment(shop, payment.id, 'Failed');
    expect(failed).toMatchObject({ failure: { code: 'customer_refused' }, amountPaid: 0, transactions: [] });
  });

  test('of which a stranger tells is asked about, and nothing else', async () => {
    const { shop, fake, account, payment, charge } = await pushOut();
    const lie = { id: charge.id, merchantTransactionId: charge.merchantTransactionId, amount: 1500 };
    await fake.notify(account.notificationUrl, { ...lie, responseStatus: { successful: true, code: 100 } });
    expect(await untilApplied(shop, account, 1)).toMatchObject([{ is_proven: false, outcome: 'applied' }]);
    // By its id, or by our name for it where the answer to the push was not recorded yet.
    expect(countCalls(fake, 'GET', CHARGES)).toBe(1);
    expect(await readPayment(shop, payment.id)).toMatchObject({ status: 'Processing', transactions: [] });
  });

  test('whose news comes while the rail cannot be asked is asked about again', async () => {
    const { shop, fake, account, payment, charge } = await pushOut();
    fake.fault(500, { method: 'GET', path: CHARGES, times: 2 });
    await press(fake, charge.id, 'approve');
    await travelUntil(app, () => countCalls(fake, 'GET', CHARGES) >= 2, 'both being refused');
    expect(await readPayment(shop, payment.id)).toMatchObject({ status: 'Processing', transactions: [] });
    await travelUntil(app, async () => (await readPayment(shop, payment.id)).status === 'Paid', 'Paid', 60_000);
    await travelUntil(app, async () => (await readInbox(shop, account))[0].applied_at, 'the news being applied');
  });

  test('whose answer was lost is found by our own id: its payer is charged once', async () => {
    const shop = await openShop(app);
    const { fake } = await enterAppyPay(shop);
    fake.book.notifyUrl = null;
    fake.fault('drop_after', { method: 'POST', path: CHARGES });
    const payment = await createPush(shop);
    const charge = await untilThere(() => fake.book.charges[0], 'the push');
    await press(fake, charge.id, 'approve');
    await travelUntil(app, async () => (await readPayment(shop, payment.id)).status === 'Paid', 'Paid', 60_000);
    const [asked] = fake.requests.filter(({ query }) => query.has('merchantTransactionId'));
    expect(asked?.query.get('merchantTransactionId')).toBe(charge.merchantTransactionId);
    expect([countCalls(fake, 'POST', CHARGES), fake.book.charges.length]).toEqual([1, 1]);
  });

  test('whose answer was lost is found by the news of it', async () => {
    const shop = await openShop(app);
    const { fake } = await enterAppyPay(shop);
    fake.fault('drop_after', { method: 'POST', path: CHARGES });
    const payment = await createPush(shop);
    const charge = await untilThere(() => fake.book.charges[0], 'the push');
    await press(fake, charge.id, 'approve');
    await untilPayment(shop, payment.id, 'Paid');
    expect(fake.book.charges).toHaveLength(1);
  });

  test('of Unitel Money goes out by that key', async () => {
    const shop = await openShop(app);
    const { fake } = await enterAppyPay(shop);
    const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: '941234567', provider: 'unitel_money' };
    const payment = await createPush(shop, { metadata });
    const charge = await untilThere(() => fake.book.charges[0], 'the push');
    expect(charge.paymentMethod).toBe(fake.book.methods[2]);
    await press(fake, charge.id, 'approve');
    await untilPayment(shop, payment.id, 'Paid');
  });
});

describe('what the account cannot do is refused at creation', () => {
  const wallet = { paymentMethod: 'onetimepurchase', phoneNumber: '941234567', provider: 'unitel_money' };
  const CANNOT: [string, object, { pointer: string; code: string; message: string }][] = [
    [
      'an authorization',
      purchase('923456789', { metadata: { paymentMethod: 'authorization', phoneNumber: '923456789' } }),
      {
        pointer: '/metadata/paymentMethod',
        code: 'method_not_supported',
        message:
          'authorization is not possible with Loja AppyPay, which can do: webframe, onetimepurchase, onetimepurchase (unitel_money), qrcode',
      },
    ],
    [
      'an amount below its least',
      purchase('923456789', { amount: 0.99 }),
      {
        pointer: '/amount',
        code: 'amount_not_supported',
        message: 'is not taken by Loja AppyPay: it takes 1.00 to 10000000.00, in steps of 0.01',
      },
    ],
    [
      'less than Unitel Money takes',
      purchase('941234567', { amount: 49.99, metadata: wallet }),
      {
        pointer: '/amount',
        code: 'amount_not_supported',
        message: 'is not taken by Loja AppyPay: it takes 50.00 to 10000000.00, in steps of 0.01',
      },
    ],
    [
      'another currency',
      purchase('923456789', { currency: 'USD' }),
      { pointer: '/currency', code: 'currency_not_supported', message: 'is not a currency of this rail' },
    ],
  ];

  test.each(CANNOT)('%s', async (_name, body, fault) => {
    const shop = await openShop(app);
    const { fake } = await enterAppyPay(shop, { label: 'Loja AppyPay' });
    const reply = await leavesNothing(app, () => shop.call('/api/payments', { body }));
    expect(reply).toMatchObject({ status: 400, json: { errors: [fault] } });
    expect(fake.requests).toEqual([]);
  });

  test('a wallet without its key', async () => {
    const shop = await openShop(app);
    const { gpo } = { gpo: 'GPO_b1edb3ed-2c3f-4b0c-8c2e-58b3a9f4f8c1' };
    await enterAppyPay(shop, { settings: { methods: { gpo } } });
    const reply = await shop.call('/api/payments', { body: purchase('941234567', { metadata: wallet }) });
    const message = 'unitel_money is not possible with AppyPay, which can do: webframe, onetimepurchase, qrcode';
    expect(reply).toMatchObject({ status: 400, json: { errors: [{ code: 'method_not_supported', message }] } });
  });
});

describe('a QR code', () => {
  const asked = (metadata: object = {}) => webframe({ metadata: { paymentMethod: 'qrcode', ...metadata } });
  const create = (shop: Shop, metadata: object = {}) =>
    shop.call('/api/payments', { body: asked(metadata), headers: { prefer: 'return=representation' } });

  test('is the rail’s own picture, to the byte', async () => {
    const shop = await openShop(app);
    await enterAppyPay(shop);
    const response = await fetch(`${app.url}/api/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(asked()),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(PNG, 'base64'));
  });

  test('has no text in its representation, and the picture in its svg', async () => {
    const shop = await openShop(app);
    await enterAppyPay(shop);
    const { status, json } = await create(shop);
    expect(status).toBe(201);
    expect(json.qrCode).toMatchObject({ content: null, deeplink: null });
    expect(json.qrCode.svg).toContain(`href="data:image/png;base64,${PNG}"`);
  });

  test('brings money once for each scan, however often it is told, until its last one', async () => {
    const shop = await openShop(app);
    const { fake, account } = await enterAppyPay(shop);
    const { json: payment } = await create(shop, { maxTransactions: 2 });
    const code = fake.book.qrCodes[0]!;
    await press(fake, code.id, 'scan');
    await press(fake, fake.book.charges[0]!.id, 'tell again');
    // Another news of the same charge is another hint.
    const [charge] = fake.book.charges;
    await fake.notify(account.notificationUrl, {
      id: charge!.id,
      merchantTransactionId: code['merchantTransactionId'],
    });
    expect(await untilApplied(shop, account, 2)).toHaveLength(2);
    const open = { status: 'Pending', acceptedTransactions: 1, transactions: [{ amount: 1500 }] };
    expect(await readPayment(shop, payment.id)).toMatchObject(open);
    await press(fake, code.id, 'scan');
    const paid = await untilPayment(shop, payment.id, 'Paid');
    expect(paid).toMatchObject({ acceptedTransactions: 2, amountPaid: 3000, flags: [] });
  });
});

test('a webhook without the header that was agreed on is refused, and nothing of it is kept', async () => {
  const shop = await openShop(app);
  const secrets = { clientId: 'client-1', clientSecret: 'secret-1' };
  const header = { name: 'X-Loja', value: 'combinado' };
  const { fake, account } = await enterAppyPay(shop, { secrets: { ...secrets, notificationHeader: header } });
  const payment = await createPush(shop);
  const charge = await untilThere(() => fake.book.charges[0], 'the push');
  fake.book.notifyHeader = { ...header, value: 'inventado' };
  await press(fake, charge.id, 'approve');
  expect(fake.notices).toMatchObject([{ status: 401 }]);
  expect(await readInbox(shop, account)).toEqual([]);
  fake.book.notifyHeader = header;
  await press(fake, charge.id, 'tell again');
  await untilPayment(shop, payment.id, 'Paid');
});
