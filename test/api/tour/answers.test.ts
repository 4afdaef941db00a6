// Responses whose values matter, written by hand. The tour records only shapes. Other tests cover other values.
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { FIELD_RULES } from '../../../shared/field-rules.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { answerPush, authorization, capture, createAuthorized } from '../../support/authorizations.ts';
import { approved, createPushed, declined, notify, NOTIFY_ENV, readPayment } from '../../support/notify.ts';
import { create, travelToStatus, untilStatus, webframe } from '../../support/payments.ts';
import { createPayable, pay, readReference, untilReceived } from '../../support/ppr.ts';
import { createCode, scanCode } from '../../support/qrcodes.ts';
import { RECEIVER_ENV, startReceiver, type Receiver } from '../../support/receiver.ts';
import { createPaid, createRefund, travelToRefund } from '../../support/refunds.ts';

let app: TestApp;
let merchant: Receiver;
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const TIME = expect.stringMatching(/^2026-03-02T\d\d:\d\d:\d\d\.\d{3}Z$/);

beforeAll(async () => {
  merchant = await startReceiver();
  app = await startTestApp({ env: { ...RECEIVER_ENV, ...NOTIFY_ENV } });
});

/** Returns a transaction in the form of a payment's response. */
const transaction = (amount: number, changes: object = {}) => ({
  id: UUID,
  amount,
  currency: 'AOA',
  status: 'Accepted',
  occurredAt: TIME,
  late: false,
  terminalId: 'demo-pos',
  clearingPeriod: expect.stringMatching(/^\d+$/),
  transactionNumber: expect.stringMatching(/^\d+$/),
  ...changes,
});
const paid = (amount: number, changes: object = {}) => ({
  status: 'Paid',
  standing: 'paid',
  amountPaid: amount,
  completedAt: TIME,
  transactions: [transaction(amount)],
  ...changes,
});

describe('GET /api/payments/{paymentId}', () => {
  type Case = [state: string, make: () => Promise<{ before: any; after: any }>, changed: () => object];
  const notified = async (...verdicts: Parameters<typeof notify>[2][]) => {
    const { payment, attemptId } = await createPushed(app);
    for (const verdict of verdicts) await notify(app, attemptId, verdict);
    return { before: payment, after: await readPayment(app, payment.id) };
  };
  let held: any;
  const cases: Case[] = [
    ['Paid by push', () => notified(approved()), () => paid(1500)],
    [
      'Failed',
      () => notified(declined('LIMIT_EXCEEDED')),
      () => ({
        status: 'Failed',
        standing: 'refused',
        completedAt: TIME,
        failure: { code: 'limit_exceeded', message: 'The amount exceeds the customer’s limit.' },
      }),
    ],
    [
      'Paid after it Failed',
      () => notified(declined('LIMIT_EXCEEDED'), approved()),
      () =>
        paid(1500, {
          late: true,
          attention: 'late_money',
          standing: 'paid_late',
          transactions: [transaction(1500, { late: true })],
        }),
    ],
    [
      'Canceled',
      async () => {
        const before = await create(app, webframe());
        await app.call(`/api/payments/${before.id}/cancel`, { method: 'POST' });
        return { before, after: await readPayment(app, before.id) };
      },
      () => ({ status: 'Canceled', standing: 'canceled', completedAt: TIME, canceledByClient: 'demo' }),
    ],
    [
      'Authorized',
      async () => {
        const before = await create(app, authorization());
        await answerPush(app, before.id, 'approve');
        return { before, after: await untilStatus(app, before.id, 'Authorized') };
      },
      () => ({
        status: 'Authorized',
        standing: 'authorized',
        amountAuthorized: 1500,
        expiresAt: '2026-03-09T09:00:00.000Z',
      }),
    ],
    [
      'Captured in part',
      async () => {
        const before = (held = await createAuthorized(app));
        await create(app, capture(held.id, { amount: 1000 }));
        return { before, after: await travelToStatus(app, held.id, 'Captured') };
      },
      () => ({ status: 'Captured', standing: 'captured', amountCaptured: 1000, completedAt: TIME }),
    ],
    [
      'Paid by capture',
      async () => {
        held = await createAuthorized(app);
        const before = await create(app, capture(held.id));
        return { before, after: await travelToStatus(app, before.id, 'Paid') };
      },
      () => paid(1500, { authorizationId: held.id }),
    ],
    [
      'Pending with one of two scans',
      async () => {
        const code = await createCode(app, { maxTransactions: 2 });
        const before = await readPayment(app, code.id);
        await scanCode(app, code.content);
        const isScanned = async () => (await readPayment(app, code.id)).acceptedTransactions === 1;
        await until(isScanned, 'the scan');
        return { before, after: await readPayment(app, code.id) };
      },
      () => ({
        amountPaid: 1500,
        acceptedTransactions: 1,
        transactions: [
          transaction(1500, {
            orderOrigin: 'QRCODE',
            transactionType: 'PURCHASE',
            creationDate: TIME,
            updatedDate: TIME,
          }),
        ],
      }),
    ],
    [
      'Paid and refunded in part',
      async () => {
        const before = await createPaid(app);
        await travelToRefund(app, (await createRefund(app, before.id, { amount: 400 })).id, 'Succeeded');
        return { before, after: await readPayment(app, before.id) };
      },
      () => ({ amountRefunded: 400, refundStatus: 'partial', standing: 'partly_refunded' }),
    ],
  ];

  test.each(cases)('for a payment that is %s differs only in the expected fields', async (_state, make, changed) => {
    const { before, after } = await make();
    expect(after).toEqual({ ...before, ...changed() });
  });
});

describe('GET /api/references/ppr/{pprReference}', () => {
  test('for a paid reference returns its amounts and statuses', async () => {
    const made = await createPayable(app, { amount: 1500.5 });
    const before = await readReference(app, made.reference);
    await pay(app, made);
    const after = await untilReceived(app, made.reference, 1500.5);
    expect(after).toEqual({ ...before, status: 'Paid', standing: 'paid', referenceStatus: 'Paid', amountPaid: 1500.5 });
  });
});

describe('POST /api/payments/{internalPaymentId}/refunds', () => {
  test('returns a refund by the rail, and GET /api/refunds/{refundId} returns it after it succeeded', async () => {
    const { id: paymentId, transactions } = await createPaid(app);
    const body = { amount: 400, reason: 'Uma chávena partida', reference: 'DEV-1' };
    const made = await createRefund(app, paymentId, body);
    expect(made).toEqual({
      id: UUID,
      paymentId,
      transactionId: transactions[0].id,
      ...body,
      currency: 'AOA',
      status: 'Pending',
      method: 'rail',
      proof: null,
      refundedOn: null,
      failureCode: null,
      late: false,
      transactionNumber: null,
      clearingPeriod: null,
      createdAt: TIME,
      createdBy: null,
      createdByClient: 'demo',
      shiftId: null,
      completedAt: null,
    });
    const ended = { status: 'Succeeded', completedAt: TIME };
    const money = { transactionNumber: expect.any(String), clearingPeriod: expect.any(String) };
    expect(await travelToRefund(app, made.id, 'Succeeded')).toEqual({ ...made, ...ended, ...money });
  });
});

describe('POST /oauth/token', () => {
  const scope =
    'payments:read payments:write refunds:write references:read references:write terminals merchant:read merchant:write ' +
    'users:write sms:read sms:write notifications billing:read billing:write rails:write books:write privacy';
  const grant = (client_secret: string) =>
    app.call('/oauth/token', {
      token: null,
      body: { grant_type: 'client_credentials', client_id: 'demo', client_secret },
    });

  test('returns a bearer token whose token claims name the client, the merchant and the scopes', async () => {
    const { status, json } = await grant('demo-secret');
    expect(status).toBe(200);
    const { merchantId: merchant_id } = DEMO;
    const token = { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 };
    expect(json).toEqual({ ...token, scope, merchant_id });
    const [header, claims] = json.access_token.split('.').map((part: string, nth: number) => {
      return nth < 2 && JSON.parse(Buffer.from(part, 'base64url').toString());
    });
    expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    const { publicUrl } = app.node.core;
    expect(claims).toEqual({
      iss: publicUrl,
      aud: `${publicUrl}/api`,
      sub: 'demo',
      client_id: 'demo',
      merchant_id: DEMO.merchantId,
      scope,
      jti: UUID,
      iat: expect.any(Number),
      exp: claims.iat + 3600,
    });
  });

  test('returns invalid_client for a wrong secret', async () => {
    const { status, json } = await grant('wrong');
    expect(status).toBe(401);
    expect(json).toEqual({ error: 'invalid_client', error_description: 'client authentication failed' });
  });
});

describe('a problem response', () => {
  const errors: [target: string, body: object, faults: [pointer: string, code: string, message: string][]][] = [
    [
      'POST /api/payments',
      { amount: -1, currency: 'AOA', paymentType: 'GPO', reference: 'ç', metadata: { expiresInMinutes: 1 } },
      [
        ['/reference', 'invalid_format', `must be ${FIELD_RULES.reference.en}`],
        ['/metadata/expiresInMinutes', 'too_small', 'must be at least 5'],
        ['/amount', 'amount_out_of_range', 'must be between 0.01 and 10000000'],
      ],
    ],
  ];
  test.each(errors)('names each fault of %s by a JSON pointer', async (target, body, faults) => {
    const [method = '', path = ''] = target.split(' ');
    const { status, headers, json } = await app.call(path, { method, body });
    expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    expect(json).toEqual({
      type: `${app.node.core.publicUrl}/problems/validation_failed`,
      title: 'Validation failed',
      status: 400,
      detail: 'One or more fields are wrong; `errors` names each by JSON pointer.',
      instance: expect.stringMatching(/^urn:request:/),
      code: 'validation_failed',
      errors: faults.map(([pointer, code, message]) => ({ pointer, code, message })),
    });
  });
});

describe('the webhook payment.paid', () => {
  test('delivers the signed event with the state of the payment after the event', async () => {
    const hook = { url: `${merchant.url}/webhook`, types: ['payment.paid'] };
    const { json: endpoint } = await app.call('/api/webhooks', { body: hook });
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, approved());
    const [request] = await merchant.received(1);
    const { headers, json, path, method } = request!;
    const data = await readPayment(app, payment.id);
    expect([method, path]).toEqual(['POST', '/webhook']);
    expect(json).toEqual({
      id: UUID,
      type: 'payment.paid',
      occurredAt: data.completedAt,
      paymentId: payment.id,
      status: 'Paid',
      details: { via: 'notification', attemptId, transactionId: data.transactions[0].id },
      data,
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Balcao/0.2.0',
      'balcao-attempt': '1',
      'balcao-delivery': UUID,
      'webhook-id': json.id,
      'webhook-timestamp': String(Math.floor(app.clock.now().getTime() / 1_000)),
    });
    const signature = new Webhook(endpoint.secret).sign(json.id, app.clock.now(), request!.body);
    expect(headers['webhook-signature']).toBe(signature);
  });
});
