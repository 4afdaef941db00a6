import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { capture, createAuthorized } from '../../../support/authorizations.ts';
import { readPayment } from '../../../support/notify.ts';
import { create, travelToStatus } from '../../../support/payments.ts';
import {
  byHand,
  createPaid,
  createRefund,
  expectRefundsAgree,
  readRefund,
  readRefundEvents,
  refund,
} from '../../../support/refunds.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterEach(async () => expectRefundsAgree(app));

describe('a refund by hand', () => {
  test('of everything succeeds at once, and the payment stays Paid', async () => {
    const paid = await createPaid(app);
    const reply = await refund(app, paid.id, byHand({ reason: 'Devolveu o pano', reference: 'DEV-1' }));
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(`/api/refunds/${reply.json.id}`);
    expect(reply.json).toEqual({
      id: expect.any(String),
      paymentId: paid.id,
      transactionId: paid.transactions[0].id,
      amount: 1500,
      currency: 'AOA',
      status: 'Succeeded',
      method: 'manual',
      reason: 'Devolveu o pano',
      reference: 'DEV-1',
      proof: 'TRF 2026/118',
      failureCode: null,
      late: false,
      transactionNumber: null,
      clearingPeriod: null,
      createdAt: app.clock.now().toISOString(),
      completedAt: app.clock.now().toISOString(),
    });
    expect(await readRefund(app, reply.json.id)).toEqual(reply.json);
    expect(await readPayment(app, paid.id)).toMatchObject({
      status: 'Paid',
      amountPaid: 1500,
      amountRefunded: 1500,
      refundStatus: 'full',
    });
  });

  test('of a part leaves the rest for the next one, then nothing', async () => {
    const paid = await createPaid(app);
    expect(paid).toMatchObject({ amountRefunded: 0, refundStatus: 'none' });
    await createRefund(app, paid.id, byHand({ amount: 500.5 }));
    expect(await readPayment(app, paid.id)).toMatchObject({ amountRefunded: 500.5, refundStatus: 'partial' });
    expect(await createRefund(app, paid.id, byHand())).toMatchObject({ amount: 999.5 });
    const none = await refund(app, paid.id, byHand());
    expect([none.status, none.json.code]).toEqual([409, 'nothing_to_refund']);
  });

  test('appears in the history, and in the audit without its proof', async () => {
    const paid = await createPaid(app);
    const { id } = await createRefund(app, paid.id, byHand({ amount: 20 }));
    const about = { refundId: id, amount: '20.00', currency: 'AOA', method: 'manual' };
    expect(await readRefundEvents(app, paid.id)).toMatchObject([
      { type: 'refund.created', status: 'Pending', details: about },
      { type: 'refund.succeeded', status: 'Succeeded', details: about },
    ]);
    const [entry] = await app.sql(`select action, changes from audit_entries where target = $1`, [id]);
    expect(entry).toEqual({
      action: 'refund.requested',
      changes: { paymentId: paid.id, amount: '20.00', currency: 'AOA', method: 'manual' },
    });
  });

  test('of an authorization refunds the money of its capture', async () => {
    const held = await createAuthorized(app);
    const { id } = await create(app, capture(held.id, { amount: 1200 }));
    await travelToStatus(app, id, 'Paid');
    const given = await createRefund(app, held.id, byHand({ amount: 200 }));
    expect(given).toMatchObject({ paymentId: id, amount: 200 });
    expect(await readPayment(app, held.id)).toMatchObject({
      status: 'Captured',
      amountRefunded: 200,
      refundStatus: 'partial',
    });
    await createRefund(app, id, byHand());
    expect(await readPayment(app, held.id)).toMatchObject({ amountRefunded: 1200, refundStatus: 'full' });
    expect(await readPayment(app, id)).toMatchObject({ amountRefunded: 1200, refundStatus: 'full' });
    const { json } = await app.call(`/api/payments/${held.id}/refunds`);
    expect(json.data.map(({ amount }: { amount: number }) => amount)).toEqual([1000, 200]);
  });
});

test('a repeated refund with one key returns the first answer, and 422 for another body', async () => {
  const paid = await createPaid(app);
  const headers = { 'Idempotency-Key': 'refund-1' };
  const send = (amount: number) => refund(app, paid.id, byHand({ amount }), { headers });
  const [first, again] = [await send(100), await send(100)];
  expect(again.text).toBe(first.text);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const other = await send(101);
  expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
  expect(await readPayment(app, paid.id)).toMatchObject({ amountRefunded: 100 });
});

test('GET /api/refunds lists the merchant’s own refunds by payment, status, method, reference and time', async () => {
  const paid = await createPaid(app);
  const made = [];
  for (const reference of ['LISTA-1', 'LISTA-2'])
    made.push(await createRefund(app, paid.id, byHand({ amount: 1, reference })));
  const idsAt = async (path: string, token?: string) =>
    (await app.call(path, token ? { token } : {})).json.data.map(({ id }: { id: string }) => id);
  const [one, two] = made.map(({ id }) => id);
  expect(await idsAt(`/api/payments/${paid.id}/refunds`)).toEqual([two, one]);
  expect(await idsAt('/api/refunds?reference=LISTA-1')).toEqual([one]);
  expect(await idsAt('/api/refunds?status=succeeded&method=manual&pageSize=2')).toEqual([two, one]);
  expect(await idsAt('/api/refunds?status=Failed')).toEqual([]);
  const at = app.clock.now().toISOString();
  expect(await idsAt(`/api/refunds?to=${at}&reference=LISTA-1`)).toEqual([]);
  expect(await idsAt(`/api/refunds?from=${at}&reference=LISTA-1`)).toEqual([one]);
  expect(await idsAt('/api/refunds', (await app.addMerchant()).token)).toEqual([]);
});
