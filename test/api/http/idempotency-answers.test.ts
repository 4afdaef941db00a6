// What a repeated creation is answered is written again from its payment, and a refund's from its refund: byte for byte, whatever became
// of it (decisions §32).
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { byHand, createPaid, refund, travelToRefund } from '../../support/refunds.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

test.each<[string, Record<string, unknown>, string]>([
  ['a push that is refused', purchase('900000001'), 'Failed'],
  ['a hold', webframe({ metadata: { paymentMethod: 'authorization', phoneNumber: '900000000' } }), 'Authorized'],
  ['a page whose time is over', webframe({ metadata: { expiresInMinutes: 5 } }), 'Expired'],
  [
    'a push with all that is asked for, and numbers as they were written',
    webframe({
      metadata: {
        paymentMethod: 'onetimepurchase',
        phoneNumber: '900000000',
        documentNumber: '5417823905',
        description: 'Café',
        custom: { total: 1e21, rate: 0.1, list: [{ é: null }, true] },
      },
    }),
    'Paid',
  ],
])('gets the creation’s answer, byte for byte: %s', async (name, body, status) => {
  const send = () =>
    app.call('/api/payments', { body, headers: { 'idempotency-key': name.replaceAll(/[^a-z]/g, '-') } });
  const first = await send();
  expect(first.status).toBe(201);
  const { id } = first.json;
  await travelToStatus(app, id, status);
  if (status === 'Paid') {
    await refund(app, id, byHand());
    await travelToRefund(app, (await app.call(`/api/payments/${id}/refunds`)).json.data[0].id, 'Succeeded');
  }
  const again = await send();
  expect(again).toMatchObject({ status: 201, text: first.text });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

test.each<[string, number, string]>([
  ['is given back', 100.5, 'Succeeded'],
  ['the rail refuses', 900.01, 'Failed'],
])('gets the refund’s answer, byte for byte: of one that %s', async (name, amount, status) => {
  const { id: paymentId } = await createPaid(app);
  const asked = { amount, reason: 'Devolução “à risca”', reference: `R ${name}` };
  const send = () => refund(app, paymentId, asked, { headers: { 'idempotency-key': `refund-${status}` } });
  const first = await send();
  expect(first).toMatchObject({ status: 201, json: { status: 'Pending' } });
  await travelToRefund(app, first.json.id, status);
  const again = await send();
  expect(again).toMatchObject({ status: 201, text: first.text });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});
