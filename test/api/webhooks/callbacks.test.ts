import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { capture, createAuthorized } from '../../support/authorizations.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { readEventsOf } from '../../support/events.ts';
import { approved, createPushed, notify, NOTIFY_ENV, readPayment } from '../../support/notify.ts';
import {
  create,
  orderFault,
  travelToStatus,
  travelUntil,
  untilStatus,
  webframe,
  creepUntil,
} from '../../support/payments.ts';
import {
  cancel,
  createPayable,
  createReference,
  moneyFor,
  pay,
  PPR,
  readSteps,
  repeatPprNotification,
  notifyPprPayment,
  travelToReceived,
  untilReceived,
  untilRegistered,
  byReference,
  digits,
  readReference,
} from '../../support/ppr.ts';
import { createCode, notifyScan, scanCode } from '../../support/qrcodes.ts';
import {
  ACCESS_KEY,
  RECEIVER_ENV,
  startReceiver,
  CONFIRMATION,
  type Received,
  type Receiver,
  type ReceiverAnswer,
} from '../../support/receiver.ts';

let app: TestApp;
let merchant: Receiver;
let fixture: CallbackFixture;
let own: TestApp;

beforeAll(async () => {
  merchant = await startReceiver();
  app = await startTestApp({ env: { ...RECEIVER_ENV, ...NOTIFY_ENV } });
});
beforeEach(async () => {
  merchant.requests.length = 0;
  merchant.answerWith(CONFIRMATION);
  fixture = await openCallbackFixture(app, `${merchant.url}/hook`);
  own = { ...app, call: fixture.call };
});
// Removes the endpoints, so that no delivery of one test is due in the next test.
afterEach(() => app.sql('update endpoints set deleted_at = $1 where deleted_at is null', [app.clock.now()]));

const open = { referenceType: 'Charging', amount: 0 };

/** Expects exactly one delivered callback for each transaction of the payment. */
async function expectOnce(paymentId: string, count: number): Promise<void> {
  const transactions = await until(async () => {
    const { transactions: known } = await readPayment(own, paymentId);
    return known.length >= count && known;
  }, `${count} transactions being known`);
  await until(
    async () => (await fixture.deliveries()).filter(({ status }) => status === 'Delivered').length >= count,
    `${count} callbacks being delivered`,
  );
  const deliveries = await fixture.deliveries();
  const byId = (a: string, b: string) => a.localeCompare(b);
  expect(deliveries.map((one) => one.transaction_id).toSorted(byId)).toEqual(
    transactions.map(({ id }: any) => id).toSorted(byId),
  );
  expect(deliveries.map(({ attempts }) => attempts)).toEqual(transactions.map(() => 1));
  expect(merchant.requests).toHaveLength(count);
}

async function expectNone(): Promise<void> {
  expect(await fixture.deliveries()).toEqual([]);
  expect(merchant.requests).toEqual([]);
}

describe('exactly one callback is sent', () => {
  test('for each transaction: a part, the rest and an overpayment', async () => {
    const made = await createPayable(own);
    for (const amount of ['1000.00', '500.00', '0.01']) await notifyPprPayment(own, moneyFor(own, made, { amount }));
    await expectOnce(made.internalId, 3);
    expect(merchant.requests.map(({ json }) => json.montantePago)).toEqual([1000, 500, 0.01]);
    const types = (await readEventsOf(own, made.internalId)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['payment.amount_mismatch', 'payment.paid', 'payment.overpaid']));
  });

  test('for a payment that arrives after the cancellation of the reference', async () => {
    const made = await createPayable(own);
    await cancel(own, made.reference);
    await until(async () => (await readSteps(own, made.reference)).includes('reference.withdrawn'), 'its withdrawal');
    await pay(own, made, { fault: 'late' });
    await untilReceived(own, made.reference, 1500);
    await expectOnce(made.internalId, 1);
  });

  test('for a payment in another currency than the requested one', async () => {
    const made = await createPayable(own);
    await notifyPprPayment(own, moneyFor(own, made, { currency: 'USD' }));
    await expectOnce(made.internalId, 1);
  });

  test('for a transaction that the rail reports several times', async () => {
    const made = await createPayable(own);
    await orderFault(app, { on: 'reference_notification', kind: 'duplicate', reference: made.reference });
    const [money] = await pay(own, made);
    await expectOnce(made.internalId, 1);
    for (const isNew of [false, true]) await repeatPprNotification(own, money!, isNew);
    const other = await createPayable(own);
    await pay(own, other);
    await merchant.received(2);
    expect(merchant.requests.map(({ json }) => json.refPagamento)).toEqual([made.reference, other.reference]);
  });

  test('for a transaction that only the rail’s list of payments reports', async () => {
    const made = await createPayable(own);
    await pay(own, made, { fault: 'lost' });
    await travelToReceived(own, made.reference, 1500);
    await expectOnce(made.internalId, 1);
  });

  test('for each scan of a QR code, also with another amount and above maxTransactions', async () => {
    const code = await createCode(own, { maxTransactions: 2 });
    for (const amount of ['1500.00', '10.00', '1500.01', '1500.00'])
      expect(await notifyScan(own, code, { amount })).toBe('applied');
    await expectOnce(code.id, 4);
    expect(merchant.requests.map(({ json }) => json.amount)).toEqual([1500, 10, 1500.01, 1500]);
  });

  test('for a scan with three notifications, and for a scan without a notification', async () => {
    const code = await createCode(own, { maxTransactions: 2 });
    await notifyScan(own, code, { transactionId: 'T-thrice' });
    for (let nth = 0; nth < 2; nth++)
      await notifyScan(own, code, { transactionId: 'T-thrice', transactionNumber: '9' });
    await scanCode(own, code.content, '900000007');
    await travelToStatus(own, code.id, 'Paid');
    await expectOnce(code.id, 2);
  });
});

describe('no callback is sent', () => {
  test('for a reference of the legacy contract', async () => {
    const made = await createReference(own, open, { path: `${PPR}/legacy` });
    const payable = await untilRegistered(own, made.reference);
    for (const amount of ['1.00', '2.00']) await notifyPprPayment(own, moneyFor(own, payable, { amount }));
    expect(await untilReceived(own, made.reference, 3)).toMatchObject({ status: 'Paid', contract: 'legacy' });
    await expectNone();
  });

  test('for a push, an authorization and its capture', async () => {
    const { payment, attemptId } = await createPushed(own);
    await notify(own, attemptId, approved());
    await untilStatus(own, payment.id, 'Paid');
    const { id: webframeId, clientToken } = await create(own, webframe());
    await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: '900000000' }, token: null });
    await travelToStatus(own, webframeId, 'Paid');
    const held = await createAuthorized(own);
    const { id } = await create(own, capture(held.id));
    await travelToStatus(own, id, 'Paid');
    await untilStatus(own, held.id, 'Captured');
    await expectNone();
  });

  test.each([{ status: 'REFUSED', reason: 'CUSTOMER_REFUSED' }, { status: 'PENDING' }, { amount: 'muito' }])(
    'for a reported scan without money: %o',
    async (changes) => {
      const code = await createCode(own);
      expect(await notifyScan(own, code, changes)).toBe('unreadable');
      await expectNone();
    },
  );

  test('for a transaction to unknown digits', async () => {
    const { entity } = await createPayable(own);
    expect(await notifyPprPayment(own, moneyFor(own, { entity, reference: '999999999999999' }))).toBe(
      'unknown_reference',
    );
    await expectNone();
  });
});

describe('the HTTP request of a callback', () => {
  test('is a POST with JSON, the access key, the delivery id and the number of the attempt', async () => {
    await pay(own, await createPayable(own));
    const [request] = await merchant.received(1);
    const [{ id }] = await fixture.deliveries();
    expect(request).toMatchObject({ method: 'POST', path: '/hook' });
    expect(request?.headers).toMatchObject({
      'access-key': ACCESS_KEY,
      'content-type': 'application/json',
      'balcao-delivery': id,
      'balcao-attempt': '1',
      'user-agent': 'Balcao/0.2.0',
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
    const { json } = await fixture.call('/api/callbacks');
    expect(json.data.map((one: any) => one.id)).toEqual([id]);
  });

  test('contains every visible ASCII character of its access key', async () => {
    const key = Array.from({ length: 94 }, (_, nth) => String.fromCharCode(0x21 + nth)).join('');
    await fixture.setEndpoint(`${merchant.url}/hook`, key);
    await pay(own, await createPayable(own));
    expect((await merchant.received(1))[0]?.headers['access-key']).toBe(key);
  });

  test('keeps the query string of the endpoint’s URL', async () => {
    await fixture.setEndpoint(`${merchant.url}/a%20b/c?shop=1&x=%C3%A7`);
    await pay(own, await createPayable(own));
    expect(await merchant.received(1)).toMatchObject([{ path: '/a%20b/c?shop=1&x=%C3%A7' }]);
  });

  test('has the same body and the current access key in a second attempt', async () => {
    merchant.answerWith({ status: 500 });
    await pay(own, await createPayable(own));
    await merchant.received(1);
    const first = await readTried(1);
    merchant.answerWith(CONFIRMATION);
    const key = 'the-next-key-of-tests';
    await fixture.call(fixture.endpointPath, { method: 'PUT', body: { url: `${merchant.url}/hook`, accessKey: key } });
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

function readTried(count: number): Promise<any> {
  return until(async () => {
    const { json: list } = await fixture.call('/api/callbacks');
    const { json } = await fixture.call(`/api/callbacks/${list.data[0]?.id}`);
    return json.attempts?.length === count && json;
  }, `${count} attempts being recorded`);
}

describe('the response to a callback', () => {
  test.each<[string, ReceiverAnswer, outcome: string]>([
    ['without a confirmation', { body: { Success: false } }, 'refused'],
    ['with status 500', { status: 500, body: CONFIRMATION.body }, 'status'],
    ['from a closed connection', 'drop', 'connection'],
  ])('%s causes a second attempt', async (_name, said, outcome) => {
    merchant.answerWith(said);
    await pay(own, await createPayable(own));
    const delivery = await readTried(1);
    expect(delivery).toMatchObject({ status: 'Pending', deliveredAt: null, attempts: [{ outcome }] });
    expect(delivery.nextAttemptAt > app.clock.now().toISOString()).toBe(true);
    merchant.answerWith(CONFIRMATION);
    // After a broken connection, the HTTP client may send the request of one attempt twice.
    await travelUntil(app, async () => (await fixture.deliveries())[0].tries === 2, 'the second attempt');
    expect(await readTried(2)).toMatchObject({
      status: 'Delivered',
      nextAttemptAt: null,
      deliveredAt: expect.stringMatching(/Z$/),
      attempts: [{ outcome }, { outcome: 'delivered' }],
    });
  });

  test('does not change the payment', async () => {
    merchant.answerWith({ body: { Success: true, Id: 'another', status: 'Failed' } });
    const made = await createPayable(own);
    await pay(own, made);
    await expectOnce(made.internalId, 1);
    expect(await readPayment(own, made.internalId)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  });
});

const jsonBodies = async (count: number) => (await merchant.received(count)).map(({ json }) => json);

describe('the callback of a payment reference', () => {
  test('has every field of a Dynamic reference', async () => {
    const made = await createPayable(own, { amount: 1500.5 });
    await app.clock.advance(2_500);
    const [money] = await pay(own, made);
    const [body] = await jsonBodies(1);
    const { transactions } = await readPayment(own, made.internalId);
    expect(body).toEqual({
      idTransacao: money?.transactionId,
      numLogSistema: money?.number,
      idLogSistema: money?.period,
      dataTransaccaoCliente: money?.paidAt,
      montantePago: 1500.5,
      tipoTerminal: 'ATM',
      iIdentTerminal: '0000012345',
      localidadeTerminal: 'Luanda Ilha',
      refPagamento: made.reference,
      Id: transactions[0].id,
      nib: '004400006729503010102',
      banco: 'Banco da Baía',
      paymentMethod: 'reference',
      documentNumber: null,
    });
    expect(money?.paidAt).toBe(app.clock.now().toISOString());
  });

  test('has amounts as JSON numbers with two decimals at most and without an exponent', async () => {
    const made = await createPayable(own, open);
    const amounts = ['0.01', '0.10', '1500.50', '10000000.00', '99999999999.99'];
    for (const [nth, amount] of amounts.entries()) {
      await notifyPprPayment(own, moneyFor(own, made, { amount }));
      await merchant.received(nth + 1);
    }
    expect(merchant.requests.map(({ body }) => /"montantePago":([^,]+),/.exec(body)?.[1])).toEqual(
      amounts.map((amount) => String(Number(amount))),
    );
  });

  test('keeps leading zeros of numbers', async () => {
    const made = await createPayable(own, { reference: digits() });
    const terminal = { type: 'ATM', id: '0000000001', location: 'Luanda' };
    await notifyPprPayment(own, moneyFor(own, made, { period: '00015', number: '007', terminal }));
    expect(made.reference).toMatch(/^00/);
    expect(await jsonBodies(1)).toMatchObject([
      { refPagamento: made.reference, numLogSistema: '007', idLogSistema: '00015', iIdentTerminal: '0000000001' },
    ]);
  });

  test('has null for fields that the rail omits', async () => {
    const made = await createPayable(own);
    await notifyPprPayment(
      own,
      moneyFor(own, made, { period: null, number: null, terminal: null, nib: null, bank: null }),
    );
    const [body] = await jsonBodies(1);
    const names = 'numLogSistema idLogSistema tipoTerminal iIdentTerminal localidadeTerminal nib banco'.split(' ');
    expect(body).toMatchObject(Object.fromEntries(names.map((name) => [name, null])));
    expect(Object.keys(body)).toHaveLength(14);
  });

  test('has the time of the payment in the field for the customer’s time', async () => {
    const made = await createPayable(own);
    await app.clock.pass(60_000);
    const paidAt = new Date(app.clock.now().getTime() - 30_000).toISOString();
    await notifyPprPayment(own, moneyFor(own, made, { paidAt }));
    expect(await jsonBodies(1)).toMatchObject([{ dataTransaccaoCliente: paidAt }]);
  });

  test('keeps Unicode characters and quotation marks', async () => {
    const made = await createPayable(own);
    const terminal = { type: 'ATM', id: '1', location: 'Huíla "São João" \\ 🇦🇴' };
    await notifyPprPayment(own, moneyFor(own, made, { terminal, bank: 'Banco d’África' }));
    expect(await jsonBodies(1)).toMatchObject([{ localidadeTerminal: terminal.location, banco: 'Banco d’África' }]);
    const [request] = merchant.requests;
    expect(Number(request?.headers['content-length'])).toBe(Buffer.byteLength(request?.body ?? ''));
  });

  test.each(['POST /api/payments', 'POST /api/references/ppr', 'POST /api/references/ppr/bulk'])(
    'is the same for a reference that was created by %s',
    async (way) => {
      const path = way.slice('POST '.length);
      const bodies: Record<string, object> = {
        '/api/payments': byReference(),
        [PPR]: { amount: 1500 },
        [`${PPR}/bulk`]: { references: [{ amount: 1500 }] },
      };
      const { status, json } = await own.call(path, { body: bodies[path] });
      expect(status).toBe(201);
      const { reference } = json.data?.[0] ?? json;
      await creepUntil(app, async () => !!(await readReference(own, reference)).registeredAt, 'its registration');
      await pay(own, await readReference(own, reference));
      const [body] = await jsonBodies(1);
      expect(body).toMatchObject({ refPagamento: reference, montantePago: 1500 });
      expect((await readPayment(own, reference)).transactions[0].id).toBe(body.Id);
    },
  );
});

describe('the callback of a QR code', () => {
  test('has every field', async () => {
    const code = await createCode(own, {}, { amount: 1500.5 });
    const { body: scan } = await scanCode(own, code.content);
    const [body] = await jsonBodies(1);
    expect(body).toEqual({
      creationDate: scan.creationDate,
      updatedDate: scan.updatedDate,
      id: scan.transactionId,
      amount: 1500.5,
      clearingPeriod: scan.clearingPeriod,
      transactionNumber: scan.transactionNumber,
      status: 'ACCEPTED',
      transactionType: 'PURCHASE',
      orderOrigin: 'QRCODE',
      currency: 'AOA',
      merchantReferenceNumber: code.reference,
      paymentMethod: 'qrcode',
      documentNumber: null,
    });
    expect(body.creationDate).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const { json } = await own.call(`/api/callbacks/${merchant.requests[0]?.headers['balcao-delivery']}`);
    expect(json).toMatchObject({ kind: 'callback', type: 'callback.qrcode', paymentId: code.id, body });
  });

  test('has times in UTC', async () => {
    const code = await createCode(own);
    const times = { creationDate: '2026-03-02T10:00:00.5+01:00', updatedDate: '2026-03-02T09:00:01Z' };
    await notifyScan(own, code, times);
    expect(await jsonBodies(1)).toMatchObject([
      { creationDate: '2026-03-02T09:00:00.500Z', updatedDate: '2026-03-02T09:00:01.000Z' },
    ]);
  });

  test('has the time of the payment in place of times that cannot be parsed', async () => {
    const code = await createCode(own);
    await notifyScan(own, code, { creationDate: 'ontem', updatedDate: '7' });
    const occurredAt = (await readPayment(own, code.id)).transactions[0].occurredAt;
    expect(await jsonBodies(1)).toMatchObject([{ creationDate: occurredAt, updatedDate: occurredAt }]);
  });

  test('keeps leading zeros of numbers, and has null for fields that the rail omits', async () => {
    const code = await createCode(own, {}, { reference: '000-042' });
    await notifyScan(own, code, { transactionNumber: '007', clearingPeriod: null, orderOrigin: null });
    const [body] = await jsonBodies(1);
    expect(body).toMatchObject({ transactionNumber: '007', clearingPeriod: null, orderOrigin: null });
    expect(body.merchantReferenceNumber).toBe('000-042');
    expect(Object.keys(body)).toHaveLength(13);
  });

  test('has the currency that the payer paid', async () => {
    const code = await createCode(own);
    await notifyScan(own, code, { amount: '20.00', currency: 'USD' });
    expect(await jsonBodies(1)).toMatchObject([{ amount: 20, currency: 'USD', status: 'ACCEPTED' }]);
  });
});
