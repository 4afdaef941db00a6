// Callbacks as a merchant receives them: of which money, once for each, how they are asked and what counts as an answer.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { authorization, capture, createAuthorized } from '../../support/authorizations.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { readEventsOf } from '../../support/events.ts';
import { approved, createPushed, notify, NOTIFY_ENV, readPayment } from '../../support/notify.ts';
import { create, orderFault, travelToStatus, travelUntil, untilStatus, webframe } from '../../support/payments.ts';
import {
  cancel,
  createPayable,
  createReference,
  moneyFor,
  pay,
  PPR,
  readSteps,
  repeatNews,
  tell,
  travelToReceived,
  untilReceived,
  untilRegistered,
} from '../../support/ppr.ts';
import { createCode, notifyScan, scanCode } from '../../support/qrcodes.ts';
import {
  ACCESS_KEY,
  RECEIVER_ENV,
  startReceiver,
  TAKEN,
  type Received,
  type Receiver,
} from '../../support/receiver.ts';

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
/** The app, called as the shop. */
let own: TestApp;

beforeAll(async () => {
  merchant = await startReceiver();
  app = await startTestApp({ env: { ...RECEIVER_ENV, ...NOTIFY_ENV } });
});
beforeEach(async () => {
  merchant.requests.length = 0;
  merchant.say(TAKEN);
  shop = await openShop(app, `${merchant.url}/hook`);
  own = { ...app, call: shop.call };
});
// What still fails would come again in the next test's time.
afterEach(() => app.sql('update endpoints set deleted_at = $1 where deleted_at is null', [app.clock.now()]));

const open = { referenceType: 'Charging', amount: 0 };

/** One callback for each transaction of the payment, confirmed, and none besides. */
async function expectOnce(paymentId: string, count: number): Promise<void> {
  const transactions = await until(async () => {
    const { transactions: known } = await readPayment(own, paymentId);
    return known.length >= count && known;
  }, `${count} transactions being known`);
  await until(
    async () => (await shop.deliveries()).filter(({ status }) => status === 'Delivered').length >= count,
    `${count} callbacks being delivered`,
  );
  const deliveries = await shop.deliveries();
  const byId = (a: string, b: string) => a.localeCompare(b);
  expect(deliveries.map((one) => one.transaction_id).toSorted(byId)).toEqual(
    transactions.map(({ id }: any) => id).toSorted(byId),
  );
  expect(deliveries.map(({ attempts }) => attempts)).toEqual(transactions.map(() => 1));
  expect(merchant.requests).toHaveLength(count);
}

/** Nobody is told: not even a delivery was written. */
async function expectNone(): Promise<void> {
  expect(await shop.deliveries()).toEqual([]);
  expect(merchant.requests).toEqual([]);
}

describe('each money is told of once, whatever happened around it', () => {
  test('too little, the rest, and too much: three', async () => {
    const made = await createPayable(own);
    for (const amount of ['1000.00', '500.00', '0.01']) await tell(own, moneyFor(own, made, { amount }));
    await expectOnce(made.internalId, 3);
    expect(merchant.requests.map(({ json }) => json.montantePago)).toEqual([1000, 500, 0.01]);
    const types = (await readEventsOf(own, made.internalId)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['payment.amount_mismatch', 'payment.paid', 'payment.overpaid']));
  });

  test('taken twice of a Dynamic one: two', async () => {
    const made = await createPayable(own);
    await pay(own, made, { fault: 'twice' });
    await untilReceived(own, made.reference, 3000);
    await expectOnce(made.internalId, 2);
  });

  test('late, after it was canceled', async () => {
    const made = await createPayable(own);
    await cancel(own, made.reference);
    await until(async () => (await readSteps(own, made.reference)).includes('reference.withdrawn'), 'its withdrawal');
    await pay(own, made, { fault: 'late' });
    await untilReceived(own, made.reference, 1500);
    await expectOnce(made.internalId, 1);
  });

  test('late, after it had expired', async () => {
    const expiryDate = new Date(app.clock.now().getTime() + 5_000).toISOString();
    const made = await createPayable(own, { expiryDate });
    await travelUntil(
      app,
      async () => (await readSteps(own, made.reference)).includes('reference.withdrawn'),
      'its end',
    );
    await pay(own, made, { fault: 'late' });
    await untilReceived(own, made.reference, 1500);
    await expectOnce(made.internalId, 1);
    expect((await readPayment(own, made.internalId)).late).toBe(true);
  });

  test('in another currency', async () => {
    const made = await createPayable(own);
    await tell(own, moneyFor(own, made, { currency: 'USD' }));
    await expectOnce(made.internalId, 1);
  });

  test('told by the rail three times, and again after clearing, under other ids too', async () => {
    const made = await createPayable(own);
    await orderFault(app, { on: 'reference_notification', kind: 'duplicate', reference: made.reference });
    const [money] = await pay(own, made);
    await expectOnce(made.internalId, 1);
    for (const isNew of [false, true]) await repeatNews(own, money!, isNew);
    const other = await createPayable(own);
    await pay(own, other);
    await merchant.received(2);
    expect(merchant.requests.map(({ json }) => json.refPagamento)).toEqual([made.reference, other.reference]);
  });

  test('found in the rail’s list, since no notification came', async () => {
    const made = await createPayable(own);
    await pay(own, made, { fault: 'lost' });
    await travelToReceived(own, made.reference, 1500);
    await expectOnce(made.internalId, 1);
  });

  test('found by a sync', async () => {
    const made = await createPayable(own, open);
    for (const amount of ['1.00', '2.00']) await pay(own, made, { amount, fault: 'lost' });
    await own.call(`/api/payments/${made.internalId}/sync`, { method: 'POST' });
    await expectOnce(made.internalId, 2);
    expect(merchant.requests.map(({ json }) => json.montantePago)).toEqual([1, 2]);
  });

  test('scans of a code: whole, too little, too much, and more than it may take', async () => {
    const code = await createCode(own, { maxTransactions: 2 });
    for (const amount of ['1500.00', '10.00', '1500.01', '1500.00'])
      expect(await notifyScan(own, code, { amount })).toBe('applied');
    await expectOnce(code.id, 4);
    expect(merchant.requests.map(({ json }) => json.amount)).toEqual([1500, 10, 1500.01, 1500]);
  });

  test('a scan after the code was canceled', async () => {
    const code = await createCode(own);
    await own.call(`/api/payments/${code.id}/cancel`, { method: 'POST' });
    await travelToStatus(own, code.id, 'Canceled');
    await notifyScan(own, code);
    await expectOnce(code.id, 1);
  });

  test('a scan told three times, and one that nobody told of', async () => {
    const code = await createCode(own, { maxTransactions: 2 });
    await notifyScan(own, code, { transactionId: 'T-thrice' });
    for (let nth = 0; nth < 2; nth++)
      await notifyScan(own, code, { transactionId: 'T-thrice', transactionNumber: '9' });
    await scanCode(own, code.content, '900000007');
    await travelToStatus(own, code.id, 'Paid');
    await expectOnce(code.id, 2);
  });
});

describe('nobody is told of', () => {
  test('a reference of the legacy contract, nor of one in between', async () => {
    const made = await createReference(own, open, { path: `${PPR}/legacy` });
    const payable = await untilRegistered(own, made.reference);
    for (const amount of ['1.00', '2.00']) await tell(own, moneyFor(own, payable, { amount }));
    expect(await untilReceived(own, made.reference, 3)).toMatchObject({ status: 'Paid', contract: 'legacy' });
    await expectNone();
  });

  test('a onetimepurchase', async () => {
    const { payment, attemptId } = await createPushed(own);
    await notify(own, attemptId, approved());
    await untilStatus(own, payment.id, 'Paid');
    await expectNone();
  });

  test('a webframe', async () => {
    const { id, clientToken } = await create(own, webframe());
    await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: '900000000' }, token: null });
    await travelToStatus(own, id, 'Paid');
    await expectNone();
  });

  test('an authorization and its capture', async () => {
    const held = await createAuthorized(own);
    const { id } = await create(own, capture(held.id));
    await travelToStatus(own, id, 'Paid');
    await untilStatus(own, held.id, 'Captured');
    const refused = await create(own, authorization('900000001'));
    await travelToStatus(own, refused.id, 'Failed');
    await expectNone();
  });

  test.each([{ status: 'REFUSED', reason: 'CUSTOMER_REFUSED' }, { status: 'PENDING' }, { amount: 'muito' }])(
    'a scan that is no money: %o',
    async (changes) => {
      const code = await createCode(own);
      expect(await notifyScan(own, code, changes)).toBe('unreadable');
      await expectNone();
    },
  );

  test('money that came to digits nobody has', async () => {
    const { entity } = await createPayable(own);
    expect(await tell(own, moneyFor(own, { entity, reference: '999999999999999' }))).toBe('unknown_reference');
    await expectNone();
  });
});

describe('a request', () => {
  test('is a POST of JSON with the merchant’s key, the delivery’s id and the attempt’s number', async () => {
    await pay(own, await createPayable(own));
    const [request] = await merchant.received(1);
    const [{ id }] = await shop.deliveries();
    expect(request).toMatchObject({ method: 'POST', path: '/hook' });
    expect(request?.headers).toMatchObject({
      'access-key': ACCESS_KEY,
      'content-type': 'application/json',
      'balcao-delivery': id,
      'balcao-attempt': '1',
      'user-agent': 'Balcao/0.1.0',
    });
    for (const name of [
      'balcao-test',
      'webhook-id',
      'webhook-signature',
      'authorization',
      'cookie',
      'transfer-encoding',
    ])
      expect(request?.headers).not.toHaveProperty(name);
    const { json } = await shop.call('/api/callbacks');
    expect(json.data.map((one: any) => one.id)).toEqual([id]);
  });

  test('has the key as it is, whatever visible characters it is made of', async () => {
    const key = Array.from({ length: 94 }, (_, nth) => String.fromCharCode(0x21 + nth)).join('');
    await shop.setEndpoint(`${merchant.url}/hook`, key);
    await pay(own, await createPayable(own));
    expect((await merchant.received(1))[0]?.headers['access-key']).toBe(key);
  });

  test('of an address with a query goes there', async () => {
    await shop.setEndpoint(`${merchant.url}/a%20b/c?shop=1&x=%C3%A7`);
    await pay(own, await createPayable(own));
    expect(await merchant.received(1)).toMatchObject([{ path: '/a%20b/c?shop=1&x=%C3%A7' }]);
  });

  test('that is repeated says the same again, but for its number, and has the key of its moment', async () => {
    merchant.say({ status: 500 });
    await pay(own, await createPayable(own));
    await merchant.received(1);
    const first = await readTried(1);
    merchant.say(TAKEN);
    const key = 'the-next-key-of-tests';
    await shop.call(shop.endpointPath, { method: 'PUT', body: { url: `${merchant.url}/hook`, accessKey: key } });
    await travelUntil(app, () => merchant.requests.length === 2, 'the second attempt');
    const [before, after] = merchant.requests as [Received, Received];
    expect([before.headers['access-key'], after.headers['access-key']]).toEqual([ACCESS_KEY, key]);
    expect([before.headers['balcao-attempt'], after.headers['balcao-attempt']]).toEqual(['1', '2']);
    expect(after.headers['balcao-delivery']).toBe(before.headers['balcao-delivery']);
    expect(after.body).toBe(before.body);
    expect(first).toMatchObject({ status: 'Pending' });
    expect(await readTried(2)).toMatchObject({ status: 'Delivered' });
  });
});

/** The newest delivery with its attempts, once so many were recorded. */
function readTried(count: number): Promise<any> {
  return until(async () => {
    const { json: list } = await shop.call('/api/callbacks');
    const { json } = await shop.call(`/api/callbacks/${list.data[0]?.id}`);
    return json.attempts?.length === count && json;
  }, `${count} attempts being recorded`);
}

describe('an answer', () => {
  const big = { Success: true, Obs: 'x'.repeat(70 * 1024) };
  const long = { Success: true, Obs: 'x'.repeat(60 * 1024) };

  test.each([
    ['Success', { body: { Success: true } }],
    ['success', { body: { success: true } }],
    ['Success beside success that is false', { body: { Success: true, success: false } }],
    ['201', { status: 201, body: TAKEN.body }],
    ['299', { status: 299, body: TAKEN.body }],
    ['JSON called text', { body: '{"Success":true}', headers: { 'content-type': 'text/html' } }],
    ['JSON with space around it', { body: ' \r\n{"Success" : true}\n ' }],
    ['60 KiB', { body: long }],
  ] as const)('that confirms: %s', async (_name, said) => {
    merchant.say(said);
    await pay(own, await createPayable(own));
    const delivery = await readTried(1);
    expect(delivery).toMatchObject({ status: 'Delivered', nextAttemptAt: null });
    expect(delivery.attempts).toMatchObject([{ outcome: 'delivered', status: 'status' in said ? said.status : 200 }]);
    expect(delivery.deliveredAt).toBe(app.clock.now().toISOString());
  });

  test.each([
    ['Success false', { body: { Success: false } }, 'refused'],
    ['"true" as text', { body: { Success: 'true' } }, 'refused'],
    ['1', { body: { Success: 1 } }, 'refused'],
    ['null', { body: { Success: null } }, 'refused'],
    ['SUCCESS', { body: { SUCCESS: true } }, 'refused'],
    ['only true', { body: 'true' }, 'refused'],
    ['only null', { body: 'null' }, 'refused'],
    ['a list', { body: [{ Success: true }] }, 'refused'],
    ['deeper', { body: { data: { Success: true } } }, 'refused'],
    ['no body', { body: '' }, 'refused'],
    ['204', { status: 204 }, 'refused'],
    ['HTML', { body: '<p>OK</p>', headers: { 'content-type': 'text/html' } }, 'refused'],
    ['JSON that is cut', { body: '{"Success":true' }, 'refused'],
    ['70 KiB', { body: big }, 'refused'],
    ['404 with Success', { status: 404, body: TAKEN.body }, 'status'],
    ['500 with Success', { status: 500, body: TAKEN.body }, 'status'],
    ['304', { status: 304 }, 'status'],
    ['a cut connection', 'drop', 'connection'],
  ] as const)('that does not: %s', async (_name, said, outcome) => {
    merchant.say(said);
    await pay(own, await createPayable(own));
    const delivery = await readTried(1);
    expect(delivery).toMatchObject({ status: 'Pending', deliveredAt: null, attempts: [{ outcome }] });
    expect(delivery.nextAttemptAt > app.clock.now().toISOString()).toBe(true);
    merchant.say(TAKEN);
    // Not by requests: over a connection that ended an attempt may send its request twice.
    await travelUntil(app, async () => (await shop.deliveries())[0].tries === 2, 'the second attempt');
    expect(await readTried(2)).toMatchObject({
      status: 'Delivered',
      attempts: [{ outcome }, { outcome: 'delivered' }],
    });
  });

  test.each([301, 302, 303, 307, 308])('%i goes nowhere', async (status) => {
    const elsewhere = await startReceiver();
    try {
      merchant.say({ status, headers: { location: `${elsewhere.url}/hook` }, body: TAKEN.body });
      await pay(own, await createPayable(own));
      expect(await readTried(1)).toMatchObject({ status: 'Pending', attempts: [{ outcome: 'status', status }] });
      expect(elsewhere.requests).toEqual([]);
    } finally {
      await elsewhere.stop();
    }
  });

  test('is kept as text, to 2 KiB, with no letter cut in two', async () => {
    merchant.say({ status: 500, body: `x${'ã'.repeat(2_000)}` });
    await pay(own, await createPayable(own));
    const [{ answer }] = (await readTried(1)).attempts;
    expect([answer.length, answer.at(-1)]).toEqual([1_024, 'ã']);
  });

  test('is kept with NUL shown as what cannot be shown, and still to 2 KiB', async () => {
    merchant.say({ status: 500, body: `a\0b${'\0'.repeat(3_000)}` });
    await pay(own, await createPayable(own));
    const [{ answer }] = (await readTried(1)).attempts;
    expect(answer.slice(0, 3)).toBe('a\u{fffd}b');
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(2_048);
  });

  test('of bytes that are no text is kept as far as it is', async () => {
    merchant.say({ status: 500, body: 'não é \ud800 válido' });
    await pay(own, await createPayable(own));
    expect((await readTried(1)).attempts).toMatchObject([{ answer: 'não é \u{fffd} válido' }]);
  });

  test('is no more than shown: what the merchant wrote does not move the payment', async () => {
    merchant.say({ body: { Success: true, Id: 'another', status: 'Failed' } });
    const made = await createPayable(own);
    await pay(own, made);
    await expectOnce(made.internalId, 1);
    expect(await readPayment(own, made.internalId)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  });
});

describe('a merchant without an endpoint', () => {
  test('has its callbacks kept, and gets them once it has one and asks', async () => {
    await shop.call(shop.endpointPath, { method: 'DELETE' });
    const made = await createPayable(own);
    await pay(own, made);
    const waiting = await until(
      async () => (await shop.call('/api/callbacks?status=Skipped')).json.data[0],
      'it in the list',
    );
    expect(waiting).toMatchObject({
      paymentId: made.internalId,
      endpointId: null,
      attemptsMade: 0,
      nextAttemptAt: null,
    });
    const replay = () => shop.call(`/api/callbacks/${waiting.id}/replay`, { method: 'POST' });
    expect((await replay()).json.code).toBe('endpoint_not_configured');
    await shop.setEndpoint(`${merchant.url}/later`);
    expect((await shop.deliveries()).map(({ status }) => status)).toEqual(['Skipped']);
    expect(await replay()).toMatchObject({ status: 202, json: { id: waiting.id, status: 'Pending' } });
    await merchant.received(1);
    await expectOnce(made.internalId, 1);
    expect(merchant.requests).toMatchObject([{ path: '/later', headers: { 'balcao-delivery': waiting.id } }]);
  });

  test('any more: what was still to be delivered is skipped, and nothing goes out', async () => {
    merchant.say({ status: 500 });
    await pay(own, await createPayable(own));
    await readTried(1);
    await shop.call(shop.endpointPath, { method: 'DELETE' });
    expect(await shop.deliveries()).toMatchObject([{ status: 'Skipped', due_at: null }]);
    await app.clock.pass(60_000);
    // Whatever the engine was to do about it, it would have done before another merchant's callback.
    const other = await openShop(app, `${merchant.url}/other`);
    await pay(own, await createPayable({ ...app, call: other.call }));
    await until(() => merchant.requests.some(({ path }) => path === '/other'), 'another merchant’s callback');
    expect(merchant.requests.map(({ path }) => path)).toEqual(['/hook', '/other']);
  });
});
