import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { capture, createAuthorized, cancel } from '../../../support/authorizations.ts';
import { readPayment } from '../../../support/notify.ts';
import { create, travelToStatus, webframe } from '../../../support/payments.ts';
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

describe('a manual refund', () => {
  test('of the whole amount succeeds immediately, and the payment stays Paid', async () => {
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
      refundedOn: '2026-03-02',
      failureCode: null,
      late: false,
      transactionNumber: null,
      clearingPeriod: null,
      createdAt: app.clock.now().toISOString(),
      createdBy: null,
      createdByClient: 'demo',
      shiftId: null,
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

  test('has the day on which the merchant returned the money', async () => {
    const paid = await createPaid(app);
    app.clock.leap(24 * 3_600_000);
    const { id } = (await refund(app, paid.id, byHand({ amount: 1, refundedOn: '2026-03-02' }))).json;
    expect(await readRefund(app, id)).toMatchObject({ refundedOn: '2026-03-02', completedAt: expect.any(String) });
    expect((await refund(app, paid.id, byHand({ amount: 1 }))).json.refundedOn).toBe('2026-03-03');
  });

  test('for a part allows a second one of the rest, and then no other', async () => {
    const paid = await createPaid(app);
    expect(paid).toMatchObject({ amountRefunded: 0, refundStatus: 'none' });
    await createRefund(app, paid.id, byHand({ amount: 500.5 }));
    expect(await readPayment(app, paid.id)).toMatchObject({ amountRefunded: 500.5, refundStatus: 'partial' });
    expect(await createRefund(app, paid.id, byHand())).toMatchObject({ amount: 999.5 });
    const none = await refund(app, paid.id, byHand());
    expect([none.status, none.json.code]).toEqual([409, 'nothing_to_refund']);
  });

  test('appears in the event history, and in the audit without its proof', async () => {
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

  test('for an authorization refunds the transaction of its capture', async () => {
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

test('with one Idempotency-Key returns the first response if repeated, and 422 for another body', async () => {
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

test('GET /api/refunds filters the merchant’s refunds by payment, status, method, reference and time', async () => {
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

const countRefunds = async () => Number((await app.sql('select count(*) from refunds'))[0].count);

const errorsOf = ({ json }: { json: any }) => (json.errors ?? []).map((fault: any) => `${fault.pointer} ${fault.code}`);

describe('POST /api/payments/{paymentId}/refunds', () => {
  let paid: any;
  beforeAll(async () => {
    paid = await createPaid(app);
  });

  test.each<[string, object, string[]]>([
    ['more than the rest', byHand({ amount: 1500.01 }), ['/amount refund_exceeds']],
    ['zero', byHand({ amount: 0 }), ['/amount amount_out_of_range']],
    ['below zero', byHand({ amount: -5 }), ['/amount amount_out_of_range']],
    ['three decimals', byHand({ amount: 1.005 }), ['/amount amount_precision']],
    ['an amount as text', byHand({ amount: '5' }), ['/amount invalid_type']],
    ['an unknown method', { method: 'cheque' }, ['/method invalid_value']],
    ['a refund by hand without proof', { method: 'manual' }, ['/proof required']],
    ['a proof for a refund by the rail', { proof: 'TRF 1' }, ['/proof only_manual']],
    ['a day for a refund by the rail', { refundedOn: '2026-03-02' }, ['/refundedOn only_manual']],
    ['the day before the payment', byHand({ refundedOn: '2026-03-01' }), ['/refundedOn refund_day']],
    ['a day in the future', byHand({ refundedOn: '2026-03-04' }), ['/refundedOn refund_day']],
    ['a day that does not exist', byHand({ refundedOn: '2026-02-30' }), ['/refundedOn invalid_day']],
    ['an unknown transaction', byHand({ transactionId: crypto.randomUUID() }), ['/transactionId unknown_transaction']],
    [
      'several faults, all named',
      { amount: 'x', method: 'manual', reason: 'x'.repeat(201), transactionId: '1' },
      ['/amount invalid_type', '/proof required', '/reason too_long', '/transactionId invalid_format'],
    ],
  ])('returns 400 for %s', async (_name, body, faults) => {
    const before = await countRefunds();
    const reply = await refund(app, paid.id, body);
    expect(reply.status, reply.text).toBe(400);
    expect(errorsOf(reply).toSorted()).toEqual(faults);
    expect(await countRefunds()).toBe(before);
  });

  test('returns the amount that can still be refunded in a 400', async () => {
    const reply = await refund(app, paid.id, byHand({ amount: 2000 }));
    expect(reply.json.errors[0].message).toBe('must not exceed the 1500.00 AOA that can still be refunded');
  });

  test('returns 409 for an unpaid payment', async () => {
    const open = await create(app, webframe());
    const reply = await refund(app, open.id, byHand());
    expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_paid']);
  });

  test('returns 409 for a Canceled authorization', async () => {
    const held = await createAuthorized(app);
    await cancel(app, held.id);
    await travelToStatus(app, held.id, 'Canceled');
    const reply = await refund(app, held.id, byHand());
    expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_paid']);
  });
});
