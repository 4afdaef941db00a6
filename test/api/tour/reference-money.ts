// Payments of references: single, repeated, with another amount, to unknown digits, and after the expiry.
import { sendPprNotification, pprNotificationBody, moneyFor } from '../../support/ppr.ts';
import { askRail, payReference } from './payers.ts';
import type { Tour } from './recorder.ts';
import { PPR } from './references.ts';

export async function walkReferenceMoney(tour: Tour): Promise<void> {
  await payOnce(tour);
  await payOften(tour);
  await payOddly(tour);
  await endThem(tour);
}

async function payOnce(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const [payment] = await payReference(tour, made['dynamic']);
  await call(`GET ${PPR}/${made['dynamic'].reference}`, 200);
  await call(`GET ${PPR}/${made['dynamic'].reference}/history`, 200);
  await call(`POST ${PPR}/${made['dynamic'].reference}/cancel`, 409);
  await askRail(tour, `/atm/payments/${payment.transactionId}/repeat`, { newId: true });
  await tour.pass();
}

async function payOften(tour: Tour): Promise<void> {
  for (const amount of ['0.10', '1500.50']) {
    await payReference(tour, tour.made['charging'], { amount, channel: 'IB' });
    await tour.pass();
  }
}

async function payOddly(tour: Tour): Promise<void> {
  const { call } = tour;
  const create = async (reference: string) =>
    (await call(`POST ${PPR}`, 201, { body: { amount: 100, reference } })).json;
  const twice = await create('001000041');
  await payReference(tour, twice);
  await payReference(tour, twice, { fault: 'late' });
  const wrong = await create('001000042');
  await payReference(tour, wrong, { fault: 'wrong_amount', amount: '50.00' });
  const nowhere = moneyFor(
    tour.app,
    { entity: '00999', reference: '001009999' },
    { transactionId: '900000000000000099' },
  );
  const body = pprNotificationBody(nowhere);
  await sendPprNotification(tour.app, body);
  await tour.pass();
  const resolution = { body: { note: 'O cliente levou mais um pano.' } };
  await call(`POST /api/payments/${twice.internalId}/resolve`, 200, resolution);
  await call(`POST /api/payments/${twice.internalId}/resolve`, 409, resolution);
  await chargeAnotherWay(tour, twice.internalId);
  await call('POST /rails/ppr/notifications', 401, { token: null, body });
}

async function endThem(tour: Tour): Promise<void> {
  const { call, app } = tour;
  const expiryDate = new Date(app.clock.now().getTime() + 125_000).toISOString();
  const short = await call(`POST ${PPR}`, 201, { body: { amount: 7, reference: '001000051', expiryDate } });
  await tour.pass(140_000);
  await call(`GET ${PPR}/${short.json.reference}`, 200);
}

async function chargeAnotherWay({ call }: Tour, paidId: string): Promise<void> {
  const page = { amount: 1500, currency: 'AOA', paymentType: 'GPO', reference: 'PEDIDO-R1' };
  const { internalId } = (await call('POST /api/payments', 201, { body: page })).json;
  await call(`GET /api/payments/${internalId}/replacement`, 200);
  await call(`POST /api/payments/${internalId}/replacement`, 201, { body: { paymentMethod: 'reference' } });
  await call(`POST /api/payments/${internalId}/replacement`, 200, { body: { paymentMethod: 'qrcode' } });
  await call(`POST /api/payments/${paidId}/replacement`, 409, { body: { paymentMethod: 'qrcode' } });
  await call(`POST /api/payments/${internalId}/replacement`, 400, { body: { paymentMethod: 'cash' } });
}
