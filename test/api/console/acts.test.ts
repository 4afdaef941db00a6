import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { createAuthorized } from '../../support/authorizations.ts';
import { sell, openCallbackFixture, untilDelivery } from '../../support/callbacks.ts';
import { enterConsole, formTokenIn, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { NOTIFY_ENV } from '../../support/notify.ts';
import { create, purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { RECEIVER_ENV, startReceiver } from '../../support/receiver.ts';
import { createPaid, expectRefundsAgree } from '../../support/refunds.ts';
import { openStream } from '../../support/stream.ts';

const { merchantId } = DEMO;
let app: TestApp;
let owner: Visit;
beforeAll(async () => {
  app = await startTestApp({ env: { ...NOTIFY_ENV, ...RECEIVER_ENV } });
  owner = await enterConsole(app, await addMember(app, { merchantId }));
});

const screenOf = ({ internalId }: { internalId: string }) => `/console/payments/${internalId}`;
const refundsOf = (id: string) =>
  app.sql<{ amount_minor: number }>('select amount_minor::int from refunds where payment_id = $1', [id]);

describe('the refund form', () => {
  test('creates one refund if it is sent twice, also concurrently', async () => {
    const paid = await createPaid(app);
    const token = formTokenIn(await owner.open(screenOf(paid)));
    const form = { act: 'refund', token, key: crypto.randomUUID(), amount: '500,50', reason: 'Um pano' };
    const sent = await Promise.all([1, 2, 3].map(() => owner.post(screenOf(paid), form)));
    sent.push(await owner.post(screenOf(paid), form));
    // A concurrent request may return 409, but no two requests refund.
    expect(sent.map(({ status }) => status).filter((status) => status !== 409)).toContain(303);
    expect(sent.at(-1)!.headers.get('location')).toBe(`${screenOf(paid)}?done=refund`);
    expect(await refundsOf(paid.internalId)).toEqual([{ amount_minor: 50_050 }]);
    expect((await owner.open(`${screenOf(paid)}?done=refund`)).text).toContain('A devolução foi pedida.');
    await expectRefundsAgree(app);
  });

  test.each(['1500,500', '0', '-5', '1500,01', 'mil'])(
    'refuses %s with an error beside the field, and keeps the typed value',
    async (amount) => {
      const paid = await createPaid(app);
      const reply = await owner.act(screenOf(paid), 'refund', { amount });
      expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
      expect(reply.text).toContain('Não foi possível');
      expect(reply.text).toMatch(new RegExp(`name="amount"[^>]*value="${amount}"|value="${amount}"[^>]*name="amount"`));
      expect(await refundsOf(paid.internalId)).toEqual([]);
    },
  );
});

describe('a cashier', () => {
  const screenFor = async (limit: number | null) => {
    const path = `/api/merchants/${merchantId}`;
    await app.call(path, { method: 'PUT', body: { cashierRefundLimit: limit } });
    const paid = await createPaid(app);
    return { paid, cashier: await enterConsole(app, await addMember(app, { merchantId, role: 'Cashier' })) };
  };

  test('without the right to refund sees no form, and a request without the form is refused', async () => {
    const { paid, cashier } = await screenFor(null);
    expect((await cashier.open(screenOf(paid))).text).not.toContain('value="refund"');
    const { status, text } = await cashier.act(screenOf(paid), 'refund', { amount: '500' });
    expect([status, text]).toEqual([403, expect.stringContaining('Peça a um administrador.')]);
    expect(await refundsOf(paid.internalId)).toEqual([]);
  });

  test('with a refund limit can refund up to this limit', async () => {
    const { paid, cashier } = await screenFor(500);
    const { text } = await cashier.open(screenOf(paid));
    expect(text).toContain('value="refund"');
    // The payment is 1 500,00, so the form proposes the limit.
    expect(text).toMatch(/<input[^>]*name="amount"[^>]*value="500"/);
    expect((await cashier.act(screenOf(paid), 'refund', { amount: '500,01' })).status).toBe(403);
    expect((await cashier.act(screenOf(paid), 'refund', { amount: '500' })).status).toBe(303);
    expect(await refundsOf(paid.internalId)).toEqual([{ amount_minor: 50_000 }]);
  });
});

describe('the page of a payment', () => {
  test('cancels the payment and shows the cancellation afterwards', async () => {
    const payment = await create(app, webframe());
    const reply = await owner.act(screenOf(payment), 'cancel');
    expect([reply.status, reply.headers.get('location')]).toEqual([303, `${screenOf(payment)}?done=cancel`]);
    const { text } = await owner.open(screenOf(payment));
    expect(text).toContain('Cancelado');
    expect(text).not.toContain('value="cancel"');
    const paid = await createPaid(app);
    const late = await owner.act(screenOf(paid), 'cancel');
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('Já não pode ser cancelado')]);
  });

  test('captures a part of an authorization and shows the capture', async () => {
    const held = await createAuthorized(app);
    const fields = { amount: '1000', reference: held.reference, currency: 'AOA' };
    const reply = await owner.act(screenOf(held), 'capture', fields);
    const place = reply.headers.get('location')!;
    expect(place).toMatch(/^\/console\/payments\/[\w-]{36}\?done=capture$/);
    expect((await owner.open(place)).text).toContain('A cobrança foi pedida.');
  });

  test('queries the rail about the payment on request', async () => {
    const payment = await create(app, purchase('900000001'));
    await travelToStatus(app, payment.internalId, 'Failed');
    expect((await owner.act(screenOf(payment), 'sync')).status).toBe(303);
    expect((await owner.open(screenOf(payment))).text).toMatch(/Recusado<\/span>: o cliente recusou/);
  });

  test('sends the callback of the payment again on request', async () => {
    const receiver = await startReceiver({ answer: { status: 500 } });
    const shop = await openCallbackFixture(app, receiver.url);
    const visit = await enterConsole(app, await addMember(app, { merchantId: shop.merchantId }));
    await sell(app, shop);
    const delivery = await untilDelivery(shop, 'Pending');
    const at = screenOf({ internalId: delivery.payment_id });
    expect((await visit.open(at)).text).toContain('pagamento por referência');
    const reply = await visit.act(at, 'replay', { deliveryId: delivery.id });
    expect(reply.headers.get('location')).toBe(`${at}?done=replay`);
  });
});

describe('the list of payments', () => {
  test.each([
    ['its reference', ({ reference }: any) => reference],
    ['its amount', () => '7 654,32 Kz'],
    ['its phone', () => '+244 900 000 002'],
  ])('finds a payment by %s', async (_what, queryOf) => {
    const payment = await create(
      app,
      purchase('900000002', { amount: 7654.32, reference: `P${crypto.randomUUID().slice(0, 8)}` }),
    );
    const { text } = await owner.open(`/console/payments?q=${encodeURIComponent(queryOf(payment))}`);
    expect(text).toContain(screenOf(payment));
    expect((await owner.open('/console/payments?q=NADA-DISTO')).text).not.toContain(screenOf(payment));
    await travelToStatus(app, payment.internalId, 'Failed');
  });

  test('shows only late payments if the filter for late money is selected', async () => {
    const [late, other] = [await create(app, webframe()), await create(app, webframe())];
    await app.sql('update payments set late = true where id = $1', [late.internalId]);
    const { text } = await owner.open('/console/payments?status=late');
    expect([late, other].map((payment) => text.includes(screenOf(payment)))).toEqual([true, false]);
    expect(text).toMatch(/<a href="[^"]*status=late" aria-current="true">Fora do prazo/);
    const { text: file } = await owner.open('/console/payments.csv?status=late');
    expect([late, other].map(({ reference }) => file.includes(reference))).toEqual([true, false]);
  });

  test('opens a payment by its id', async () => {
    const { internalId } = await create(app, webframe());
    const found = await owner.open(`/console/payments?q=${internalId}`);
    expect(found.headers.get('location')).toBe(screenOf({ internalId }));
  });

  test('can be downloaded as a file with the rows of its filter', async () => {
    const { reference } = await create(app, webframe({ reference: 'FICHEIRO1' }));
    const { status, headers, text } = await owner.open(`/console/payments.csv?q=${reference}`);
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/csv')]);
    expect(text.trim().split('\n')).toHaveLength(2);
    const other = await app.addMerchant();
    const visitor = await enterConsole(app, await addMember(app, { merchantId: other.merchantId }));
    expect((await visitor.open(`/console/payments.csv?q=${reference}`)).text).not.toContain(reference);
  });
});

describe('the event stream of the console', () => {
  const open = ({ cookie }: Visit) => openStream(`${app.url}/console/stream`, { cookie });

  test("sends the merchant's events", async () => {
    const reader = await open(owner);
    const { internalId } = await create(app, webframe());
    const firstEvent = await reader.untilEvent(({ data }) => data.paymentId === internalId, 'the event of the payment');
    expect(firstEvent.data.type).toBe('payment.created');
    reader.close();
  });

  test('starts at the event after which the page was rendered, and refuses an invalid position', async () => {
    const { text } = await owner.open('/console/payments');
    const after = /data-live-after="(\d+)"/.exec(text)![1]!;
    const { internalId } = await create(app, webframe());
    const reader = await openStream(`${app.url}/console/stream?after=${after}`, { cookie: owner.cookie });
    const firstEvent = await reader.untilEvent(() => true, 'the first event since the page');
    expect(firstEvent.data).toMatchObject({ type: 'payment.created', paymentId: internalId });
    reader.close();
    expect((await owner.open('/console/stream?after=yesterday')).status).toBe(400);
  });

  test('ends with its console session, and returns 401 without a session', async () => {
    const visit = await enterConsole(app, await addMember(app, { merchantId }));
    const reader = await open(visit);
    const token = formTokenIn(await visit.open('/console/account'));
    await visit.post('/console/sign-out', { token });
    await app.clock.pass(30_000);
    await reader.untilEnd();
    expect((await visit.open('/console/stream')).status).toBe(401);
  });
});
