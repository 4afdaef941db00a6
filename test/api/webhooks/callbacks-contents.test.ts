// What the two callbacks say, field for field (decisions §13): real values, to the last cêntimo and the first zero.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openShop } from '../../support/callbacks.ts';
import { NOTIFY_ENV, readPayment } from '../../support/notify.ts';
import { creepUntil } from '../../support/payments.ts';
import {
  byReference,
  createPayable,
  createReference,
  digits,
  moneyFor,
  pay,
  PPR,
  readReference,
  tell,
  untilRegistered,
} from '../../support/ppr.ts';
import { createCode, notifyScan, scanCode } from '../../support/qrcodes.ts';
import { RECEIVER_ENV, startReceiver, TAKEN, type Receiver } from '../../support/receiver.ts';

let app: TestApp;
let merchant: Receiver;
/** A shop of each test's own. */
let own: TestApp;

beforeAll(async () => {
  merchant = await startReceiver();
  app = await startTestApp({ env: { ...RECEIVER_ENV, ...NOTIFY_ENV } });
});
beforeEach(async () => {
  merchant.requests.length = 0;
  merchant.say(TAKEN);
  own = { ...app, call: (await openShop(app, `${merchant.url}/hook`)).call };
});
// Nothing of one test comes again in the next one's time.
afterEach(() => app.sql('update endpoints set deleted_at = $1 where deleted_at is null', [app.clock.now()]));

/** The bodies that came, once so many have. */
const told = async (count: number) => (await merchant.received(count)).map(({ json }) => json);
const open = { referenceType: 'Charging', amount: 0 };

describe('of a payment reference', () => {
  test('every field, of a Dynamic one', async () => {
    const made = await createPayable(own, { amount: 1500.5 });
    await app.clock.advance(2_500);
    const [money] = await pay(own, made);
    const [body] = await told(1);
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

  test.each([
    ['ATM', '0000012345', 'Luanda Ilha', '004400006729503010102', 'Banco da Baía'],
    ['POS', '0000067890', 'Luanda Talatona', null, null],
    ['IB', '0000000044', 'Internet', '004400006729503010102', 'Banco da Baía'],
    ['MB', '0000000000', 'Internet', '005500001883402710174', 'Banco do Planalto'],
  ])('paid at %s', async (channel, iIdentTerminal, localidadeTerminal, nib, banco) => {
    const made = await createPayable(own);
    await pay(own, made, { channel });
    const place = { tipoTerminal: channel, iIdentTerminal, localidadeTerminal, nib, banco };
    expect(await told(1)).toMatchObject([place]);
  });

  test('a Charging one paid three times is told of three times, in their order', async () => {
    const made = await createPayable(own, open);
    const amounts = ['0.10', '1500.50', '10000000.00'];
    const paid = [];
    for (const [nth, amount] of amounts.entries()) {
      paid.push(...(await pay(own, made, { amount })));
      await told(nth + 1);
    }
    const bodies = await told(3);
    expect(bodies.map(({ montantePago }) => montantePago)).toEqual([0.1, 1500.5, 10_000_000]);
    expect(bodies.map(({ idTransacao }) => idTransacao)).toEqual(paid.map(({ transactionId }) => transactionId));
    const { transactions } = await readPayment(own, made.internalId);
    expect(new Set(bodies.map(({ Id }) => Id))).toEqual(new Set(transactions.map(({ id }: any) => id)));
    expect(new Set(bodies.map(({ refPagamento }) => refPagamento))).toEqual(new Set([made.reference]));
  });

  test.each(['0.01', '0.10', '1500.50', '10000000.00', '99999999999.99'])('%s is a number', async (amount) => {
    const made = await createPayable(own, open);
    await tell(own, moneyFor(own, made, { amount }));
    const [request] = await merchant.received(1);
    expect(request?.json.montantePago).toBe(Number(amount));
    // As JSON writes it: no exponent, and no digit that was not there.
    expect(request?.body).toContain(`"montantePago":${Number(amount)},`);
  });

  test('zeros that numbers begin with stay, since they are text', async () => {
    const made = await createPayable(own, { reference: digits() });
    const terminal = { type: 'ATM', id: '0000000001', location: 'Luanda' };
    await tell(own, moneyFor(own, made, { period: '00015', number: '007', terminal }));
    expect(made.reference).toMatch(/^00/);
    expect(await told(1)).toMatchObject([
      { refPagamento: made.reference, numLogSistema: '007', idLogSistema: '00015', iIdentTerminal: '0000000001' },
    ]);
  });

  test('what the rail did not say is null, and every name is there all the same', async () => {
    const made = await createPayable(own);
    await tell(own, moneyFor(own, made, { period: null, number: null, terminal: null, nib: null, bank: null }));
    const [body] = await told(1);
    const names = [
      'numLogSistema',
      'idLogSistema',
      'tipoTerminal',
      'iIdentTerminal',
      'localidadeTerminal',
      'nib',
      'banco',
    ];
    expect(body).toMatchObject(Object.fromEntries(names.map((name) => [name, null])));
    expect(Object.keys(body)).toHaveLength(14);
  });

  test('the customer’s time is when the money was paid, not when it became known', async () => {
    const made = await createPayable(own);
    await app.clock.pass(60_000);
    const paidAt = new Date(app.clock.now().getTime() - 30_000).toISOString();
    await tell(own, moneyFor(own, made, { paidAt }));
    expect(await told(1)).toMatchObject([{ dataTransaccaoCliente: paidAt }]);
  });

  test('letters of every alphabet and quotation marks arrive as they were', async () => {
    const made = await createPayable(own);
    const terminal = { type: 'ATM', id: '1', location: 'Huíla "São João" \\ 🇦🇴' };
    await tell(own, moneyFor(own, made, { terminal, bank: 'Banco d’África' }));
    expect(await told(1)).toMatchObject([{ localidadeTerminal: terminal.location, banco: 'Banco d’África' }]);
    const [request] = merchant.requests;
    expect(Number(request?.headers['content-length'])).toBe(Buffer.byteLength(request?.body ?? ''));
  });

  test.each(['POST /api/payments', 'POST /api/references/ppr', 'POST /api/references/ppr/bulk'])(
    'made by %s is told of alike',
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
      // A bulk is told to the rail within a second.
      await creepUntil(app, async () => !!(await readReference(own, reference)).registeredAt, 'its registration');
      await pay(own, await readReference(own, reference));
      const [body] = await told(1);
      expect(body).toMatchObject({ refPagamento: reference, montantePago: 1500 });
      expect((await readPayment(own, reference)).transactions[0].id).toBe(body.Id);
    },
  );

  test('the body shown with the delivery is the one that was sent', async () => {
    const made = await createReference(own);
    await pay(own, await untilRegistered(own, made.reference));
    const [request] = await merchant.received(1);
    const { json } = await own.call(`/api/callbacks/${request?.headers['balcao-delivery']}`);
    expect(json).toMatchObject({ kind: 'callback', type: 'callback.ppr', paymentId: made.internalId });
    expect(json.body).toEqual(request?.json);
    expect(json.transactionId).toBe(request?.json.Id);
  });
});

describe('of a QR code', () => {
  test('every field', async () => {
    const code = await createCode(own, {}, { amount: 1500.5 });
    const { json: scan } = await scanCode(own, code.content);
    const [body] = await told(1);
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
  });

  test('paid three times is told of three times, each scan by its own id', async () => {
    const code = await createCode(own, { maxTransactions: 3 });
    const scans = [];
    for (const count of [1, 2, 3]) {
      scans.push((await scanCode(own, code.content)).json);
      await told(count);
    }
    const bodies = await told(3);
    expect(bodies.map(({ id }) => id)).toEqual(scans.map(({ transactionId }) => transactionId));
    expect(bodies.map(({ transactionNumber }) => transactionNumber)).toEqual(
      scans.map(({ transactionNumber }) => transactionNumber),
    );
    expect(new Set(bodies.map(({ merchantReferenceNumber }) => merchantReferenceNumber))).toEqual(
      new Set([code.reference]),
    );
  });

  test('times are in UTC, whatever the rail wrote them in', async () => {
    const code = await createCode(own);
    const times = { creationDate: '2026-03-02T10:00:00.5+01:00', updatedDate: '2026-03-02T09:00:01Z' };
    await notifyScan(own, code, times);
    expect(await told(1)).toMatchObject([
      { creationDate: '2026-03-02T09:00:00.500Z', updatedDate: '2026-03-02T09:00:01.000Z' },
    ]);
  });

  test('times that are none are the time of the payment', async () => {
    const code = await createCode(own);
    await notifyScan(own, code, { creationDate: 'ontem', updatedDate: '7' });
    const occurredAt = (await readPayment(own, code.id)).transactions[0].occurredAt;
    expect(await told(1)).toMatchObject([{ creationDate: occurredAt, updatedDate: occurredAt }]);
  });

  test('zeros stay, and what the rail did not say is null', async () => {
    const code = await createCode(own, {}, { reference: '000-042' });
    await notifyScan(own, code, { transactionNumber: '007', clearingPeriod: null, orderOrigin: null });
    const [body] = await told(1);
    expect(body).toMatchObject({ transactionNumber: '007', clearingPeriod: null, orderOrigin: null });
    expect(body.merchantReferenceNumber).toBe('000-042');
    expect(Object.keys(body)).toHaveLength(13);
  });

  test('another currency is told as it was paid', async () => {
    const code = await createCode(own);
    await notifyScan(own, code, { amount: '20.00', currency: 'USD' });
    expect(await told(1)).toMatchObject([{ amount: 20, currency: 'USD', status: 'ACCEPTED' }]);
  });

  test('the body shown with the delivery is the one that was sent', async () => {
    const code = await createCode(own);
    await scanCode(own, code.content);
    const [request] = await merchant.received(1);
    const { json } = await own.call(`/api/callbacks/${request?.headers['balcao-delivery']}`);
    expect(json).toMatchObject({ kind: 'callback', type: 'callback.qrcode', paymentId: code.id });
    expect(json.body).toEqual(request?.json);
  });
});
