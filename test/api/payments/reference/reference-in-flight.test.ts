import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { approved, createPushed, declined, notify, NOTIFY_ENV, PENDING_PHONE } from '../../../support/notify.ts';
import { create, purchase, webframe } from '../../../support/payments.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const post = (body: object, token?: string) => app.call('/api/payments', { body, ...(token && { token }) });

test('a second push with the same data returns 409 and the id of the first payment', async () => {
  const body = purchase(PENDING_PHONE);
  const first = await create(app, body);
  const reply = await leavesNothing(app, () => post(body));
  expect(reply.status).toBe(409);
  expect(reply.json).toMatchObject({ code: 'reference_in_flight', internalId: first.id });
});

test('a second push returns 409 if its phone and amount are only written differently', async () => {
  const first = await create(app, purchase('923 456 789', { reference: 'SAME', amount: 1500 }));
  const reply = await post(purchase('+244923456789', { reference: 'SAME', amount: 1500.0 }));
  expect(reply.json).toMatchObject({ code: 'reference_in_flight', internalId: first.id });
});

describe('while a push is in flight', () => {
  test.each([
    ['another reference', { reference: 'BESIDE-2' }],
    ['another amount', { amount: 1500.01 }],
    ['another phone', { metadata: { paymentMethod: 'onetimepurchase', phoneNumber: '923000009' } }],
    ['a webframe with the same reference', { metadata: { paymentMethod: 'webframe' } }],
  ])('another payment with %s is created', async (_name, changes) => {
    const body = purchase(PENDING_PHONE);
    await create(app, body);
    expect((await post({ ...body, ...changes })).status).toBe(201);
  });

  test('an equal push of another merchant is created', async () => {
    const { token } = await app.addMerchant();
    const body = purchase(PENDING_PHONE);
    await create(app, body);
    expect((await post(body, token)).status).toBe(201);
    expect((await post(body, token)).json.code).toBe('reference_in_flight');
  });
});

test.each([
  ['paid', approved()],
  ['refused', declined('CUSTOMER_REFUSED')],
])('an equal push is created once the first one is %s', async (_name, verdict) => {
  const { payment, attemptId } = await createPushed(app);
  const body = purchase(PENDING_PHONE, { reference: payment.reference });
  expect((await post(body)).status).toBe(409);
  await notify(app, attemptId, verdict);
  const second = await post(body);
  expect(second.status).toBe(201);
  expect(second.json.id).not.toBe(payment.id);
});

describe('POST /checkout/{token}/pay', () => {
  test('returns 409 while an equal push is in flight', async () => {
    const first = await create(app, purchase(PENDING_PHONE, { reference: 'PAGE-1' }));
    const { clientToken, id } = await create(app, webframe({ reference: 'PAGE-1' }));
    const pay = (phoneNumber: string) =>
      app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber }, token: null });
    const reply = await leavesNothing(app, () => pay(PENDING_PHONE));
    expect(reply.status).toBe(409);
    expect(reply.json.code).toBe('reference_in_flight');
    expect((await app.call(`/api/payments/${id}`)).json).toMatchObject({ status: 'Pending' });
    expect((await pay('923000008')).status).toBe(202);
    expect((await app.call(`/api/payments/${first.id}`)).json.status).toBe('Processing');
  });
});
