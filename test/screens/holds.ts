// Every state of money that is reserved first and taken, or given back, later.
import {
  answerPush,
  authorization,
  cancel,
  capture,
  createAuthorized,
  notifyOrder,
} from '../support/authorizations.ts';
import { until } from '../support/app.ts';
import { declined, SOMEBODY } from '../support/notify.ts';
import { create, orderFault, travelToStatus, untilStatus } from '../support/payments.ts';
import { ownNumber } from '../browser/pages/phone.ts';
import type { Stage } from '../browser/pages/stage.ts';
import { DESCRIPTION, openPage, shopOf, type States } from './scene.ts';

const BILL = { description: DESCRIPTION };

/** With the ways back to the shop. */
const billOf = (stage: Stage, metadata: Record<string, unknown>) => ({
  ...BILL,
  metadata: { ...metadata, ...shopOf(stage) },
});

export const holds: States = {
  async reserving(stage) {
    const checkout = await openPage(stage, await create(stage.app, authorization(ownNumber(), BILL)));
    await checkout.expectWaiting();
    return checkout;
  },
  async authorized(stage) {
    const bill = billOf(stage, { paymentMethod: 'authorization', phoneNumber: SOMEBODY });
    const checkout = await openPage(stage, await createAuthorized(stage.app, bill));
    await checkout.expectTitle('Montante reservado');
    return checkout;
  },
  async 'not authorized'(stage) {
    const payment = await create(stage.app, authorization(ownNumber(), BILL));
    await answerPush(stage.app, payment.id, 'decline');
    const checkout = await openPage(stage, await untilStatus(stage.app, payment.id, 'Failed'));
    await checkout.expectTitle('Pagamento recusado no telemóvel');
    return checkout;
  },
  async capturing(stage) {
    const held = await create(stage.app, authorization('900000005', BILL));
    await travelToStatus(stage.app, held.id, 'Authorized');
    const bill = billOf(stage, { paymentMethod: 'capture', authorizationId: held.id });
    const checkout = await openPage(stage, await create(stage.app, capture(held.id, bill)));
    await checkout.expectTitle('A concluir o pagamento');
    return checkout;
  },
  async captured(stage) {
    const held = await createAuthorized(stage.app, BILL);
    await create(stage.app, capture(held.id, { ...BILL, amount: 900 }));
    const checkout = await openPage(stage, await untilStatus(stage.app, held.id, 'Captured'));
    await checkout.expectTitle('Pago');
    return checkout;
  },
  async 'not captured'(stage) {
    const { id, checkoutUrl } = await failCapture(stage);
    await untilStatus(stage.app, id, 'Failed');
    const checkout = await openPage(stage, { checkoutUrl });
    await checkout.expectTitle('O seu banco recusou o pagamento');
    return checkout;
  },
  async released(stage) {
    const held = await createAuthorized(stage.app, BILL);
    const checkout = await openPage(stage, held);
    await cancel(stage.app, held.id);
    await checkout.expectTitle('Reserva anulada');
    return checkout;
  },
  async 'given back after a week'(stage) {
    const { app } = stage;
    const held = await createAuthorized(app, BILL);
    app.clock.leap(Date.parse(held.expiresAt) - app.clock.now().getTime());
    await travelToStatus(app, held.id, 'Expired');
    const checkout = await openPage(stage, held);
    await checkout.expectTitle('Reserva anulada');
    return checkout;
  },
};

/** The bank refuses to give what it had reserved. */
async function failCapture({ app }: Stage): Promise<{ id: string; checkoutUrl: string }> {
  const held = await createAuthorized(app, BILL);
  await orderFault(app, { on: 'capture', kind: 'reset_before', phone: SOMEBODY });
  const payment = await create(app, capture(held.id, BILL));
  const made = await until(
    async () => (await app.sql('select id from attempts where payment_id = $1', [payment.id]))[0],
    'the capture being asked for',
  );
  await notifyOrder(app, 'capture', made.id, declined('ISSUER_REFUSED'));
  return payment;
}
