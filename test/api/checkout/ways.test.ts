// Payment methods of a checkout page: their order, the QR code that a payer requests, and switches between methods.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { switchOver } from '../../support/fallback.ts';
import { create, travelToStatus, travelUntil, webframe } from '../../support/payments.ts';
import { pay, untilRegistered } from '../../support/ppr.ts';
import { scanCode } from '../../support/qrcodes.ts';

const APPROVES = '900000000';
const REFUSES = '900000001';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const ALL = ['push', 'qrcode', 'reference'];

type Opened = { id: string; clientToken: string; reference: string };

function open(methods: unknown = ALL, more: Record<string, unknown> = {}): Promise<Opened> {
  return create(app, webframe({ metadata: { methods, ...more } }));
}

const session = async ({ clientToken }: Opened) =>
  (await app.call(`/checkout/${clientToken}/session`, { token: null })).json;
const offer = (payment: Opened) =>
  app.call(`/checkout/${payment.clientToken}/qrcode`, { method: 'POST', body: {}, token: null });
const push = (payment: Opened, phoneNumber: string) =>
  app.call(`/checkout/${payment.clientToken}/pay`, { body: { phoneNumber }, token: null });
const contentOf = async ({ id }: Opened) =>
  (await app.sql('select qr_content from payments where id = $1', [id]))[0].qr_content as string | null;
const read = async ({ id }: Opened) => (await app.call(`/api/payments/${id}`)).json;
const untilWithdrawn = ({ id }: Opened) =>
  travelUntil(
    app,
    async () =>
      (await app.sql(`select from attempts where payment_id = $1 and kind = 'void' and status = 'Approved'`, [id]))
        .length > 0,
    'the code being taken back',
  );

describe('the payment methods of a session', () => {
  test('are null by default', async () => {
    const payment = await create(app, webframe());
    expect(await session(payment)).toMatchObject({ ways: null, canUseReference: null, qr: null });
  });

  test("have the order of the merchant's setting, and a payment may leave out some", async () => {
    const { merchantId, token } = await app.addMerchant({ gpoPosIds: ['demo-pos'], entity: '00777' });
    const set = { checkoutMethods: ['reference', 'qrcode', 'push'] };
    const changed = await app.call(`/api/merchants/${merchantId}`, { method: 'PUT', body: set, token });
    expect(changed.json.checkoutMethods).toEqual(['reference', 'qrcode', 'push']);
    const whole = (await app.call('/api/payments', { body: webframe(), token })).json;
    expect((await session(whole)).ways).toEqual(['reference', 'qrcode', 'push']);
    const narrow = webframe({ metadata: { methods: ['qrcode'] } });
    const { json } = await app.call('/api/payments', { body: narrow, token });
    expect((await session(json)).ways).toEqual(['qrcode']);
    const page = await app.call(`/checkout/${json.clientToken}`, { token: null });
    expect(page.text).not.toMatch(/name="phoneNumber"|>Pagar por referência</);
  });

  test('do not include a reference if the merchant has no PPR entity', async () => {
    const { token } = await app.addMerchant({ gpoPosIds: ['demo-pos'], entity: null });
    const body = webframe({ metadata: { methods: ALL } });
    expect((await session((await app.call('/api/payments', { body, token })).json)).ways).toEqual(['push', 'qrcode']);
  });

  test.each([[[]], [['cash']], ['push'], [['push', 7]]])('may not be %j', async (methods) => {
    const reply = await app.call('/api/payments', { body: webframe({ metadata: { methods } }) });
    expect(reply.status).toBe(400);
    expect(reply.json.errors[0].pointer).toMatch(/^\/metadata\/methods/);
  });
});

describe('POST /checkout/{clientToken}/qrcode', () => {
  test('creates one QR code, whose scan pays the payment', async () => {
    const payment = await open();
    const made = await offer(payment);
    expect(made).toMatchObject({ status: 201, json: { status: 'Pending', qr: { accepted: 0, max: 1 } } });
    const content = await contentOf(payment);
    expect((await offer(payment)).status).toBe(201);
    expect(await contentOf(payment)).toBe(content);
    await scanCode(app, content!, APPROVES);
    await travelToStatus(app, payment.id, 'Paid');
    expect(await read(payment)).toMatchObject({ amountPaid: 1500, flags: [] });
  });

  test('creates one QR code for concurrent requests', async () => {
    const payment = await open();
    const replies = await Promise.all([offer(payment), offer(payment), offer(payment)]);
    expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(await app.sql(`select from attempts where payment_id = $1 and kind = 'qrcode'`, [payment.id])).toHaveLength(
      1,
    );
  });

  test.each([
    ['if the page does not offer it', async () => open(['push'])],
    ['after a cancellation', async () => cancelled(await open())],
  ])('is refused %s', async (_where, make) => {
    expect(await offer(await make())).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
  });

  test('is refused while a push is in progress', async () => {
    const payment = await open();
    await push(payment, '923456789');
    expect(await offer(payment)).toMatchObject({ status: 409, json: { code: 'payment_in_progress' } });
  });

  test('leaves the payment unchanged if the provider fails', async () => {
    const payment = await open();
    await app.call('/sandbox/rail/faults', { body: { on: 'qrcode', kind: 'unavailable', times: 1 }, token: null });
    expect((await offer(payment)).status).toBe(503);
    expect(await session(payment)).toMatchObject({ status: 'Pending', qr: null, ways: ALL });
    await untilWithdrawn(payment);
    expect((await offer(payment)).status).toBe(201);
  });

  test('redirects a form to the page with the QR code', async () => {
    const payment = await open();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const path = `/checkout/${payment.clientToken}/qrcode?lang=pt`;
    const reply = await app.call(path, { method: 'POST', body: '', headers, token: null });
    expect(reply.status).toBe(303);
    const page = await app.call(reply.headers.get('location')!, { token: null });
    expect(page.text).toContain('qrcode.svg');
    expect(page.text).toContain('name="phoneNumber"');
  });
});

const cancelled = async (payment: Opened) => {
  await app.call(`/api/payments/${payment.id}/cancel`, { method: 'POST' });
  return payment;
};

describe('the QR code of a checkout page', () => {
  test('is withdrawn by a push, and a new QR code is possible after a refused push', async () => {
    const payment = await open();
    await offer(payment);
    const first = await contentOf(payment);
    await push(payment, REFUSES);
    expect(await contentOf(payment)).toBeNull();
    await untilWithdrawn(payment);
    await travelUntil(app, async () => (await session(payment)).failure, 'the refusal');
    expect((await offer(payment)).status).toBe(201);
    expect(await contentOf(payment)).not.toBe(first);
  });

  test('is withdrawn when the payer chooses a reference', async () => {
    const payment = await open();
    await offer(payment);
    const { json, status } = await switchOver(app, payment);
    expect(status).toBe(201);
    await untilWithdrawn(payment);
    const made = await untilRegistered(app, json.session.reference);
    await pay(app, made);
    await travelToStatus(app, made.internalId, 'Paid');
    expect(await read(payment)).toMatchObject({ status: 'Canceled', replacedBy: made.internalId, amountPaid: 0 });
  });

  test('is withdrawn when the payment is canceled', async () => {
    const payment = await open();
    await offer(payment);
    await cancelled(payment);
    await untilWithdrawn(payment);
  });

  test('makes an overpayment if it is paid after a push was paid', async () => {
    const payment = await open();
    await offer(payment);
    const content = await contentOf(payment);
    // This rail account cannot withdraw QR codes.
    const account = (await app.node.core.rails.find('gpo'))!;
    const can = account.capabilities as { qrWithdraw: boolean };
    can.qrWithdraw = false;
    try {
      await push(payment, APPROVES);
      await travelToStatus(app, payment.id, 'Paid');
      expect(await contentOf(payment)).toBe(content);
      await scanCode(app, content!, APPROVES);
      await travelUntil(app, async () => (await read(payment)).amountPaid === 3000, 'the second transaction');
    } finally {
      can.qrWithdraw = true;
    }
    const { status, flags, transactions } = await read(payment);
    expect([status, flags, transactions.length]).toEqual(['Paid', ['overpaid'], 2]);
    await until(async () => {
      const rows = await app.sql(`select from events where payment_id = $1 and type = 'payment.overpaid'`, [
        payment.id,
      ]);
      return rows.length === 1;
    }, 'the event payment.overpaid');
  });
});
