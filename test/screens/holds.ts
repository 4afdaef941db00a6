// Screenshots of every state of an authorization and of its capture.
import {
  answerPush,
  authorization,
  cancel,
  capture,
  createAuthorized,
  notifyOrder,
} from '../support/authorizations.ts';
import { until } from '../support/app.ts';
import { declined, PENDING_PHONE } from '../support/notify.ts';
import { create, orderFault, travelToStatus, untilStatus } from '../support/payments.ts';
import { ownNumber } from '../browser/pages/phone.ts';
import type { BrowserFixture } from '../support/browser-fixture.ts';
import { DESCRIPTION, openPage, shopOf, type States } from './checkout-fixture.ts';

const BILL = { description: DESCRIPTION };

/** The creation of an authorization with the shop's `returnUrl` and `cancelUrl`. */
const billOf = (fixture: BrowserFixture, metadata: Record<string, unknown>) => ({
  ...BILL,
  metadata: { ...metadata, ...shopOf(fixture) },
});

export const holds: States = {
  async reserving(fixture) {
    const checkout = await openPage(fixture, await create(fixture.app, authorization(ownNumber(), BILL)));
    await checkout.expectWaiting();
    return checkout;
  },
  async authorized(fixture) {
    const bill = billOf(fixture, { paymentMethod: 'authorization', phoneNumber: PENDING_PHONE });
    const checkout = await openPage(fixture, await createAuthorized(fixture.app, bill));
    await checkout.expectTitle('Montante reservado');
    return checkout;
  },
  async 'not authorized'(fixture) {
    const payment = await create(fixture.app, authorization(ownNumber(), BILL));
    await answerPush(fixture.app, payment.id, 'decline');
    const checkout = await openPage(fixture, await untilStatus(fixture.app, payment.id, 'Failed'));
    await checkout.expectTitle('Pagamento recusado no telemóvel');
    return checkout;
  },
  async capturing(fixture) {
    const held = await create(fixture.app, authorization('900000005', BILL));
    await travelToStatus(fixture.app, held.id, 'Authorized');
    const bill = billOf(fixture, { paymentMethod: 'capture', authorizationId: held.id });
    const checkout = await openPage(fixture, await create(fixture.app, capture(held.id, bill)));
    await checkout.expectTitle('A concluir o pagamento');
    return checkout;
  },
  async captured(fixture) {
    const held = await createAuthorized(fixture.app, BILL);
    await create(fixture.app, capture(held.id, { ...BILL, amount: 900 }));
    const checkout = await openPage(fixture, await untilStatus(fixture.app, held.id, 'Captured'));
    await checkout.expectTitle('Pago');
    return checkout;
  },
  async 'not captured'(fixture) {
    const { id, checkoutUrl } = await failCapture(fixture);
    await untilStatus(fixture.app, id, 'Failed');
    const checkout = await openPage(fixture, { checkoutUrl });
    await checkout.expectTitle('O seu banco recusou o pagamento');
    return checkout;
  },
  async released(fixture) {
    const held = await createAuthorized(fixture.app, BILL);
    const checkout = await openPage(fixture, held);
    await cancel(fixture.app, held.id);
    await checkout.expectTitle('Reserva anulada');
    return checkout;
  },
  async 'given back after a week'(fixture) {
    const { app } = fixture;
    const held = await createAuthorized(app, BILL);
    app.clock.leap(Date.parse(held.expiresAt) - app.clock.now().getTime());
    await travelToStatus(app, held.id, 'Expired');
    const checkout = await openPage(fixture, held);
    await checkout.expectTitle('Reserva anulada');
    return checkout;
  },
};

/** The bank refuses the capture of reserved money. */
async function failCapture({ app }: BrowserFixture): Promise<{ id: string; checkoutUrl: string }> {
  const held = await createAuthorized(app, BILL);
  await orderFault(app, { on: 'capture', kind: 'reset_before', phone: PENDING_PHONE });
  const payment = await create(app, capture(held.id, BILL));
  const made = await until(
    async () => (await app.sql('select id from attempts where payment_id = $1', [payment.id]))[0],
    'the capture being asked for',
  );
  await notifyOrder(app, 'capture', made.id, declined('ISSUER_REFUSED'));
  return payment;
}
